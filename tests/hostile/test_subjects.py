from __future__ import annotations

import sys
from pathlib import Path

import pytest

from .hostile_subjects import PROMISES, Promise
from .subjects import ask

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what is left running is found on Linux alone")


@pytest.mark.parametrize("name", ["AtImport", "RaisesMarkup", "KillsTheWorker"])
def test_a_run_with_a_subject_that_harms_keeps_its_promise(name: str, tmp_path: Path) -> None:
    assert ask(name, PROMISES[name], 1, tmp_path, ["run"])


def test_what_is_not_as_promised_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not ask("AtImport", Promise("no such words", code=3, seconds=0), 1, tmp_path, ["fuzz"])
    said = capsys.readouterr().out
    for fault in ("the exit code is 2, not 3", "it is not told that 'no such words'", "it took"):
        assert f"BROKEN: {fault}" in said
