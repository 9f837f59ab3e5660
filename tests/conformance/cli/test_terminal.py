"""What goes to a terminal: names of others do not command it, and a reader that is gone is no failure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.report.run.folder import read_run_folder

from ..commands import Command, Corpus, Findings, Planted, small_run, subjects

COMMANDING = "\x1b[31m\x9b\x07\u202e"


@pytest.fixture(scope="module")
def failed(conformance_here: Command, tmp_path_factory: pytest.TempPathFactory, planted: Planted) -> Path:
    """A run folder with findings."""
    folder = tmp_path_factory.mktemp("terminal")
    (folder / "corpus.txt").write_text("\ta\n", "utf-8")
    arguments = ("--model", "spm-char", "--corpus", folder / "corpus.txt", "--check", "ids", "--inputs", "corpora")
    named = subjects(planted, "strips_white_space")
    assert conformance_here("run", *arguments, *named, "--quiet", "--out", folder / "run").returncode == 1
    return folder / "run"


@pytest.mark.parametrize("command", ["history", "reproduce"])
def test_a_command_whose_reader_is_gone_ends_as_it_would_and_says_nothing(
    failed: Path, command_environment: dict[str, str], command: str, tmp_path: Path
) -> None:
    """Fault: the pipe that was broken was told as exit code 1, something got worse."""
    (finding,) = read_run_folder(failed).findings
    arguments = {
        "history": ["history", str(failed)],
        "reproduce": ["reproduce", str(failed), finding.fingerprint, "--out", str(tmp_path / "shown.py")],
    }[command]
    reader, writer = os.pipe()
    os.close(reader)
    started = [sys.executable, "-m", "conformance", *arguments]
    result = subprocess.run(started, env=command_environment, stdout=writer, stderr=subprocess.PIPE, timeout=300)
    os.close(writer)
    assert (result.returncode, result.stderr) == (0, b"")


def test_a_folder_that_reads_like_markup_is_named_as_it_is(
    conformance_here: Command, corpus: Corpus, tmp_path: Path
) -> None:
    """Fault: a run as expected ended with exit code 3, a failure of the harness, since [/b] closed no tag."""
    out = tmp_path / "x[/b]:smile:" / "run"
    result = conformance_here(*small_run(corpus, "a"), "--check", "ids", "--out", out)
    assert (result.returncode, result.stderr) == (0, "")
    assert f"Report: {out / 'report.html'}\n" in result.stdout


@pytest.mark.parametrize("option", ["--model", "--resume"])
def test_a_message_does_not_command_the_terminal(conformance_here: Command, option: str) -> None:
    result = conformance_here("run", option, COMMANDING)
    assert result.returncode == 2
    assert not {*COMMANDING} - {*"[31m"} & {*result.stderr}
    assert "[31m" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_reproduction_says_first_what_fails(
    conformance_here: Command, findings: Findings, failed: Path, tmp_path: Path
) -> None:
    """Fault: it told of an input, a model and a file, but not of what."""
    (finding,) = findings(failed)
    result = conformance_here("reproduce", failed, finding["fingerprint"], "--out", tmp_path / "shown.py")
    assert (result.returncode, result.stderr) == (0, "")
    cause = "Input: white space at the ends is stripped"
    first = result.stdout.splitlines()[0]
    assert first == f"    cause  {cause} (ids of strips_white_space.py:Subject on spm-char)"
