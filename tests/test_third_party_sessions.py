"""The sessions against third-party tokenizers: their adapters are there, the table is a function of the runs."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conformance.core.case import text_case
from conformance.core.finding import Finding, Mismatch
from conformance.core.run import Run, SubjectInfo

ROOT = Path(__file__).resolve().parent.parent
FINDING = Finding(
    Mismatch("qwen3", "s", "ids", "other ids", "other ids", text_case("a|b", "made"), "1 'a|'", "2"),
    3,
    (),
    "Normalizer",
    "NFC is missing",
    "tokenizers",
)


def loaded(path: Path) -> ModuleType:
    """A file of the checkout, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


tool = loaded(ROOT / "tools" / "third_party_sessions.py")
SESSIONS = {session.name: session for session in tool.SESSIONS}


def a_run(**changes: Any) -> Run:
    """A run of one subject with one finding."""
    subjects = (SubjectInfo("s", "", "subject"), SubjectInfo("tokenizers", "0.23.3", "oracle"))
    run = Run(
        verdict="unexpected findings",
        command="conformance fuzz --session /home/somebody/session",
        seed=0,
        versions={},
        models=(),
        subjects=subjects,
        checks=("ids",),
        cells=(),
        languages=(),
        findings=(FINDING,),
        problems=(),
        corpora={},
        cases=1_234,
        answers=5_678,
        times={"total": 600.4},
    )
    return replace(run, **changes)


def pins() -> dict[str, str]:
    """The pinned releases by distribution."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    return dict(pin.split("==") for pin in groups["third-party"])


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_names_an_adapter_and_a_library_that_is_pinned_as_there(name: str) -> None:
    session = SESSIONS[name]
    file, _, factory = session.subject.partition(":")
    assert callable(getattr(loaded(ROOT / file), factory))
    build = tomllib.loads((ROOT / file).with_name("subject.toml").read_text("utf-8"))["build"].split()
    told = dict(word.split("==") for word in build if "==" in word)
    assert session.library in told
    assert told == {library: pins()[library] for library in told}


def test_what_is_published_names_no_folder_of_the_machine_and_the_library_that_was_asked(tmp_path: Path) -> None:
    tool.publish(a_run(), tmp_path / "mine", "conformance fuzz --model qwen3", "mine 1.2")
    for name in tool.KEPT:
        assert "/home/somebody" not in (tmp_path / "mine" / name).read_text("utf-8")
    assert "mine 1.2" in (tmp_path / "mine" / "report.html").read_text("utf-8")


def test_the_table_has_a_row_for_each_session_and_the_verdict_on_each_finding(tmp_path: Path) -> None:
    for name in ("one", "two"):
        tool.publish(a_run(), tmp_path / name, f"conformance fuzz --model {name}", f"{name} 1.2")
    assert tool.index(tmp_path).count(tool.NO_VERDICT) == 2
    (tmp_path / tool.VERDICTS).write_text(f"{FINDING.fingerprint} = 'true: it has no normalizer'\n", "utf-8")
    table = tool.index(tmp_path)
    assert "| [one](one/summary.md) | one 1.2 | tokenizers 0.23.3 | 1,234 | 5,678 | 600 | 1 | 0 |" in table
    assert "`conformance fuzz --model two`" in table
    assert table.count("true: it has no normalizer") == 2
    assert tool.NO_VERDICT not in table


def test_a_bar_in_an_input_does_not_end_the_cell(tmp_path: Path) -> None:
    tool.publish(a_run(), tmp_path / "mine", "conformance fuzz", "mine 1.2")
    row = next(line for line in tool.index(tmp_path).splitlines() if FINDING.fingerprint in line)
    assert r"`a\|b`" in row
    assert row.replace(r"\|", "").count("|") == 9


def test_a_session_without_findings_says_so(tmp_path: Path) -> None:
    tool.publish(a_run(findings=(), problems=("it refused everything",)), tmp_path / "mine", "conformance", "mine 1.2")
    table = tool.index(tmp_path)
    assert "Nothing was found." in table
    assert "it refused everything" in table


def test_a_library_that_is_not_installed_is_told_and_nothing_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tool, "PUBLISHED", tmp_path)
    session = replace(tool.SESSIONS[0], library="a-library-that-nobody-has")
    assert not tool.run(session, "1s", "1")
    assert "a-library-that-nobody-has is not installed" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_an_unknown_session_is_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        tool.main(["nobody-knows-it"])
    assert ended.value.code == 2
    assert "there is no session nobody-knows-it" in capsys.readouterr().err
