"""A disk that is full ends a command with a sentence, and what is done can be gone on from when there is space."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.runs.journal import Journal

Command = Callable[..., "subprocess.CompletedProcess[str]"]
ASKED = ("--model", "bpe-gpt2", "--corpus", "known_bugs", "--inputs", "corpora", "--check", "ids", "--quiet")


def no_space(*_: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_run_on_a_full_disk_names_its_folder_and_goes_on_when_there_is_space(
    conformance_here: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: it was told as a failure of the harness, exit code 3, without the folder."""
    folder = tmp_path / "run"
    with monkeypatch.context() as patched:
        patched.setattr(Journal, "add", no_space)
        ended = conformance_here("run", *ASKED, "--out", folder)
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"conformance: {folder}: cannot be written: No space left on device; ")
    assert f"conformance run --resume {folder}" in ended.stderr
    assert conformance_here("run", "--resume", folder, "--quiet").returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_an_output_that_takes_nothing_is_named_once() -> None:
    """Fault: it was told as a failure of the harness, exit code 3."""
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "conformance", "run", "--help"]
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, encoding="utf-8", timeout=60, check=False)
    said = "conformance: the output cannot be written: No space left on device\n"
    assert (ended.returncode, ended.stderr) == (2, said)
