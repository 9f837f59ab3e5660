"""The vectors that are committed: whole, of their models, right by the reference, and deadly to what is planted."""

from __future__ import annotations

import re
import sys
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

from conformance.files.digest import sha256
from conformance.inputs.vector_file import VectorFile, read_vectors
from conformance.subjects.in_process import InProcessSubject
from conformance.subjects.reftok_subject import ReftokSubject
from conformance.subjects.serve import load_factory
from conformance.vectors.comparing import mistakes
from conformance.vectors.running import Outcome, run_vectors
from reftok import embedded_models
from tests.models import load
from tests.planted_defects.catalogue import DEFECTS, Defect

ROOT = Path(__file__).parents[3]
PLANTED = ROOT / "tests" / "planted_defects"
FOLDER = ROOT / "corpora" / "vectors"
MODELS = sorted(embedded_models())
SURVIVORS = {
    "wrong_added_tokens.py:TokensOfAnEncoding on bpe-gpt2",
    "wrong_models.py:HalfScores on spm-unigram",
    "wrong_models.py:PackedPairs on bpe-qwen",
}
"""Core has no special tokens of another encoding, and not each merge, nor each pair of scores."""
KILLS_A_PROCESS = {"wrong_stacks.py:SmallStack"}
_NUMBER = re.compile(r"\b\d+(?= (?:characters|bytes|UTF-16 units|tokens))")


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
def test_the_reference_gives_these_answers_and_its_streams_too(model: str) -> None:
    outcomes = run_vectors(vectors(model, "smoke"), ReftokSubject(load(model)))
    assert [(one.test.tc_id, one.what) for one in outcomes if one.verdict == "fail"] == []
    assert sum(one.verdict == "pass" for one in outcomes) > 0.9 * len(outcomes)


def failed(defect: Defect, tier: str, monkeypatch: pytest.MonkeyPatch) -> list[Outcome]:
    file, _, factory = defect.subject.partition(":")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "path", [*sys.path])
        subject = InProcessSubject(load_factory(str(PLANTED / file), factory)(str(embedded_models()[defect.model])))
        outcomes = run_vectors(vectors(defect.model, tier), subject)
    return [one for one in outcomes if one.verdict == "fail"]


def names(flag: str, rule: str) -> bool:
    told = flag.partition(": ")[2]
    return fnmatchcase(told, rule) or told == _NUMBER.sub("N", rule)


ASKED = [one for one in DEFECTS if one.subject not in KILLS_A_PROCESS]


def test_smoke_or_core_kills_every_planted_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    by_smoke = {one.name for one in ASKED if failed(one, "smoke", monkeypatch)}
    rest = [one for one in ASKED if one.name not in by_smoke]
    assert len(by_smoke) >= 0.85 * len(ASKED)
    assert {one.name for one in rest if not failed(one, "core", monkeypatch)} == SURVIVORS


@pytest.mark.parametrize(
    "subject", ["no_nfc.py:Subject", "wrong_added_tokens.py:NoRightStrip", "wrong_offsets.py:Lengths"]
)
def test_a_flag_of_what_fails_names_the_rule(subject: str, monkeypatch: pytest.MonkeyPatch) -> None:
    defect = next(one for one in DEFECTS if one.subject == subject)
    flags = {flag for one in failed(defect, "core", monkeypatch) for flag in one.test.flags}
    assert any(names(flag, defect.rule) for flag in flags)
