"""What lies in the current folder is never taken for a library: it may be a stranger's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.report.run.folder import read_run_folder
from tests.conformance.fuzzing.sessions import planted

FOREIGN = ("pickle", "json", "signal", "socket", "tokenizers", "conformance", "reftok")


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A folder with modules of a stranger, each of which leaves a file when it is imported."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    for name in FOREIGN:
        (folder / f"{name}.py").write_text(
            f"open({str(tmp_path / name)!r}, 'w')\nraise ImportError('foreign')\n", "utf-8"
        )
    return folder


def command(folder: Path, *arguments: str) -> int:
    """The exit code of the installed command, called in a folder."""
    script = Path(sys.executable).with_name("conformance")
    return subprocess.run([script, *arguments], cwd=folder, capture_output=True, timeout=120, check=False).returncode


def test_nothing_of_the_current_folder_is_imported(foreign: Path, tmp_path: Path) -> None:
    """Fault: workers and processes of subjects imported pickle.py, json.py, conformance.py of the current folder."""
    subject = planted("strips_white_space")
    (tmp_path / "texts.txt").write_text("\ta\n", "utf-8")
    asked = ("--model", "spm-char", "--subject", subject, "--check", "ids", "--jobs", "1", "--quiet")
    asked += ("--corpus", str(tmp_path / "texts.txt"))
    run = str(tmp_path / "run")
    assert command(foreign, "run", *asked, "--inputs", "corpora", "--out", run) == 1
    assert command(foreign, "fuzz", *asked, "--cases", "64", "--out", str(tmp_path / "session")) == 1
    fingerprint = read_run_folder(Path(run)).findings[0].fingerprint
    assert command(foreign, "replay", run, fingerprint) == 1
    assert [name for name in FOREIGN if (tmp_path / name).exists()] == []
