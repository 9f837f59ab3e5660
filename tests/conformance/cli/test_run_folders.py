"""The folders that commands write into: a new one is free, a resumed one is of the same command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..commands import SMALLEST, Command, Planted, said

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


def test_an_issue_that_a_subject_file_names_is_known(
    conformance_here: Command, planted: Planted, tmp_path: Path
) -> None:
    """The rule of a planted defect; without that the run ends with 1."""
    about = f'name = "mine"\nfactory = "{planted("no_nfc")}"\n'
    (tmp_path / "mine.toml").write_text(about, "utf-8")
    (tmp_path / "texts.txt").write_text("cafe\u0301\n", "utf-8")
    arguments = ("--model", "bpe-qwen", "--subject", "mine.toml", "--corpus", "texts.txt", *SMALLEST)
    assert conformance_here("run", *arguments, "--out", "before", cwd=tmp_path).returncode == 1
    found = [json.loads(line) for line in (tmp_path / "before" / "findings.jsonl").read_text("ascii").splitlines()]
    for rule in {finding["rule"] for finding in found}:
        about += f'[[known]]\nrule = "{rule}"\nissue = "https://example.org/7"\n'
    (tmp_path / "mine.toml").write_text(about, "utf-8")
    assert conformance_here("run", *arguments, "--out", "after", cwd=tmp_path).returncode == 0
    (line, *_) = (tmp_path / "after" / "findings.jsonl").read_text("ascii").splitlines()
    assert (json.loads(line)["status"], json.loads(line)["upstream"]) == ("known", "https://example.org/7")
