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
