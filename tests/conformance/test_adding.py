"""A check, a library and a rule are each one file and its registration: toys of all three show it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from conformance.causes import edits
from conformance.causes.edits.fault import Fault, of_text
from conformance.checks import _CHECKS
from conformance.checks.base import Answers, Check, Difference, Outcome
from conformance.core.case import Case
from conformance.core.errors import InputError
from conformance.core.finding import Finding
from conformance.core.observation import Encoded, Encoding
from conformance.engine.benches import close_benches
from conformance.report.run.folder import read_run_folder
from conformance.reproduce.replay import replay
from conformance.reproduce.reproduction import reproduce
from conformance.runs.job import file_hashes
from conformance.runs.plan_file import write_plan
from conformance.subjects import adapters
from conformance.subjects.base import Adapter
from conformance.subjects.reftok_subject import ReftokSubject
from reftok import Tokenizer, load

from .fuzzing.sessions import run, session_job

TOY = "toy"


class AsManyTokens(Check):
    """There are as many tokens as the official library gives."""

    name = "as many tokens"

    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        expected, observed = oracle.encoding, subject.encoding
        if not isinstance(expected, Encoded) or not isinstance(observed, Encoded):
            return "not applicable"
        if len(expected.ids) == len(observed.ids):
            return "same"
        rule = "more tokens" if len(observed.ids) > len(expected.ids) else "fewer tokens"
        return Difference(rule, "other ids", str(len(expected.ids)), str(len(observed.ids)))


class ToySubject(ReftokSubject):
    """Reads o as 0."""

    name = TOY

    def encode(self, text: str | bytes) -> Encoding:
        assert isinstance(text, str)
        return super().encode(text.replace("o", "00"))


ADAPTER = Adapter(
    TOY, "toy", ("tokenizer.json",), lambda: "1.0", lambda path, model_format, encoding: ToySubject(load(path))
)


def toy_faults(tokenizer: Tokenizer) -> Iterator[Fault]:
    yield of_text("Input", "o is read as 00", tokenizer, lambda text: text.replace("o", "00"))


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What their registrations do."""
    monkeypatch.setitem(_CHECKS, AsManyTokens.name, AsManyTokens())
    monkeypatch.setitem(adapters._ADAPTERS, TOY, ADAPTER)
    monkeypatch.setattr(edits, "of_input", toy_faults)
    close_benches()
    yield
    close_benches()


def found(folder: Path, check: str) -> Finding:
    """The one finding of a session with the toy library under a check."""
    job = session_job(folder, 240, subjects=(TOY,), checks=("ids", "decode", check))
    write_plan(folder, job.job.plan, "fuzz", False, file_hashes(job.job.plan), {})
    (finding,) = [one for one in run(job).run.findings if one.example.check == check]
    return finding


def test_a_toy_check_finds_shrinks_is_written_read_and_replayed(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    finding = found(folder, AsManyTokens.name)
    assert finding.rule == "more tokens"
    assert "o" in finding.example.case.text
    assert len(finding.example.case.text) <= 2
    assert finding in read_run_folder(folder).findings
    for report in ("report.html", "summary.md", "junit.xml"):
        assert AsManyTokens.name in (folder / report).read_text("utf-8")
    said = StringIO()
    assert replay(folder, finding.fingerprint, Console(file=said)) == 1
    assert "still differs (more tokens)" in said.getvalue()


def test_a_toy_check_without_a_short_form_says_so(tmp_path: Path) -> None:
    finding = found(tmp_path / "s", AsManyTokens.name)
    with pytest.raises(InputError, match="no short form"):
        reproduce(tmp_path / "s", finding.fingerprint, None, shrinks_model=True)


def test_a_toy_rule_is_named_for_the_toy_library_that_breaks_it(tmp_path: Path) -> None:
    finding = found(tmp_path / "s", "ids")
    assert (finding.stage, finding.rule, finding.example.case.text) == ("Input", "o is read as 00", "o")
    (shown,) = [one for one in _subjects(tmp_path / "s") if one["name"] == TOY]
    assert shown["version"] == "1.0"


def _subjects(folder: Path) -> list[dict[str, str]]:
    subjects: list[dict[str, str]] = json.loads((folder / "run.json").read_text("ascii"))["subjects"]
    return subjects


def test_a_toy_library_that_is_official_is_what_others_are_held_against(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(adapters._ORACLES, "tokenizer.json", TOY)
    ended = run(session_job(tmp_path / "s", 240, subjects=("reftok",), checks=("ids", "decode")))
    (finding,) = [one for one in ended.run.findings if one.example.check == "ids"]
    assert (finding.oracle, finding.example.subject) == (TOY, "reftok")
    assert "o" in finding.example.case.text
