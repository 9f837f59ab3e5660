"""Mistral's library is the oracle for tekken.json."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from conformance.core.observation import Decoded, Encoded
from conformance.report.run.folder import read_run_folder
from conformance.runs.models import plan_models
from conformance.subjects.adapters import load_subject
from conformance.subjects.base import UnavailableError
from tests.reftok.tekken_writer import tekken

from ..commands import Command, Corpus


def model(folder: Path, data: bytes) -> Path:
    (folder / "tekken.json").write_bytes(data)
    return folder / "tekken.json"


def test_a_tekken_json_is_a_format_of_its_own_with_mistral_common_as_its_oracle(tmp_path: Path) -> None:
    (plan,) = plan_models((str(model(tmp_path, tekken())),))
    assert (plan.format, plan.oracle) == ("tekken", "mistral-common")
    assert plan_models((str(tmp_path),)) == (plan,)


def test_without_the_library_it_is_said_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mistral_common", None)
    with pytest.raises(UnavailableError, match="mistral-common is not installed: python -m pip install mistral-common"):
        load_subject("mistral-common", model(tmp_path, tekken()), "tekken", 1.0)


def test_the_library_answers_without_bos_and_by_both_policies(tmp_path: Path) -> None:
    pytest.importorskip("mistral_common")
    subject = load_subject("mistral-common", model(tmp_path, tekken()), "tekken", 1.0)
    assert subject.encode("ab<s> ab") == Encoded((266, 270, 72, 272))
    assert subject.decode((1, 266, 2)) == Decoded("ab", "<s>ab</s>")


def test_a_model_that_the_library_refuses_is_told(tmp_path: Path) -> None:
    pytest.importorskip("mistral_common")
    with pytest.raises(UnavailableError, match=r"^mistral-common refuses the model: ValueError: Unknown version: v4"):
        load_subject("mistral-common", model(tmp_path, tekken({"version": "v4"})), "tekken", 1.0)


def test_a_run_holds_reftok_against_the_library(conformance_here: Command, corpus: Corpus, tmp_path: Path) -> None:
    pytest.importorskip("mistral_common")
    asked = ("--model", model(tmp_path, tekken()), "--corpus", corpus("ab <s> né", "[INST] a  b"), "--jobs", "1")
    ended = conformance_here("run", *asked, "--fuzz", "600", "--quiet", "--out", tmp_path / "run")
    assert ended.returncode == 0, ended.stdout
    assert "mistral-common" in ended.stdout
    asked_of = {(cell.subject, cell.check) for cell in read_run_folder(tmp_path / "run").cells if cell.compared}
    assert {("reftok", check) for check in ("ids", "decode", "round trip", "batch = single")} <= asked_of
