"""The vectors that are committed: whole, of their models, right by the reference, and deadly to what is planted."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from conformance.files.digest import sha256
from conformance.inputs.vector_file import DecodeGroup, VectorFile, read_vectors
from conformance.subjects.reftok_subject import ReftokSubject
from conformance.vectors.comparing import mistakes
from conformance.vectors.running import Outcome, run_vectors
from reftok import embedded_models
from tests.models import load
from tests.planted_defects.killed import ALL, Planted, failed, is_named

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "corpora" / "vectors"
MODELS = sorted(embedded_models())


@cache
def vectors(model: str, tier: str) -> VectorFile:
    return read_vectors(FOLDER / model / f"{tier}.json.gz")


@pytest.mark.parametrize("model", MODELS)
def test_the_files_are_whole_and_of_this_model(model: str) -> None:
    for tier in ("smoke", "core"):
        found = vectors(model, tier)
        assert list(mistakes(found)) == []
        assert (found.model.sha256, found.tier) == (sha256(embedded_models()[model]), tier)


@pytest.mark.parametrize("model", MODELS)
def test_no_flag_of_special_tokens_stands_where_it_cannot_show(model: str) -> None:
    """Fault: the flags of some ids stood at both of their vectors, those with special tokens kept and skipped."""
    wrong = {False: "Decoder: special tokens are kept", True: "Decoder: special tokens are always skipped"}
    for tier in ("smoke", "core"):
        for group, test in vectors(model, tier).tests():
            if isinstance(group, DecodeGroup):
                assert wrong[group.skip_special_tokens] not in test.flags, test


@pytest.mark.parametrize("model", MODELS)
def test_the_reference_gives_these_answers_and_its_streams_too(model: str) -> None:
    outcomes = run_vectors(vectors(model, "smoke"), ReftokSubject(load(model)))
    assert [(one.test.tc_id, one.what) for one in outcomes if one.verdict == "fail"] == []
    assert sum(one.verdict == "pass" for one in outcomes) > 0.9 * len(outcomes)


def fails(one: Planted, tier: str) -> list[Outcome]:
    model = one.defect.model
    return failed(one, embedded_models()[model], vectors(model, tier))


def test_core_kills_every_planted_defect_and_smoke_most() -> None:
    left = [one for one in ALL if not fails(one, "smoke")]
    assert len(left) <= 0.15 * len(ALL)
    assert [one.name for one in left if not fails(one, "core")] == []


@pytest.mark.parametrize(
    "subject", ["no_nfc.py:Subject", "wrong_added_tokens.py:NoRightStrip", "wrong_offsets.py:Lengths"]
)
def test_a_flag_of_what_fails_names_the_rule(subject: str) -> None:
    one = next(one for one in ALL if one.defect.subject == subject)
    assert is_named(one.defect, fails(one, "core"))
