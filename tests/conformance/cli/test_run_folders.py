"""The folders that commands write into: a new one is free, a resumed one is of the same command."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..commands import Command, said

SESSION = ("fuzz", "--model", "spm-char", "--check", "ids", "--check", "decode", "--quiet")


@pytest.fixture(scope="module")
def session(conformance_here: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a session."""
    folder = tmp_path_factory.mktemp("session") / "s"
    assert conformance_here(*SESSION, "--out", folder, "--cases", "60").returncode == 0
    return folder


def test_a_fuzzing_session_is_not_resumed_as_a_run(conformance_here: Command, session: Path) -> None:
    before = {path.name: path.read_bytes() for path in session.iterdir()}
    result = conformance_here("run", "--resume", session)
    said(result, 2, f"{session}: holds a fuzzing session; go on with conformance fuzz --resume {session}")
    assert {path.name: path.read_bytes() for path in session.iterdir()} == before


def test_a_corpus_that_is_gone_is_named_when_a_session_goes_on(conformance_here: Command, tmp_path: Path) -> None:
    corpus = tmp_path / "lines.txt"
    corpus.write_text("a\n", "utf-8")
    conformance_here(*SESSION, "--corpus", corpus, "--out", tmp_path / "s", "--cases", "3")
    corpus.unlink()
    said(conformance_here("fuzz", "--resume", tmp_path / "s", "--cases", "6"), 2, f"{corpus}: cannot be read: No such")


@pytest.mark.parametrize(("name", "message"), [("plan.json", "holds a run already"), ("report.html", "is not empty")])
@pytest.mark.parametrize("command", ["run", "fuzz"])
def test_a_folder_with_files_is_refused_before_a_model_is_loaded(
    conformance_here: Command, tmp_path: Path, command: str, name: str, message: str
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text("mine", "utf-8")
    broken = tmp_path / "tokenizer.json"
    broken.write_text("{}", "utf-8")
    said(conformance_here(command, "--model", broken, "--out", tmp_path / "out"), 2, message)
    assert [(path.name, path.read_text("utf-8")) for path in (tmp_path / "out").iterdir()] == [(name, "mine")]
