"""The folder of a new run is one that nobody has used."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from conformance.core.errors import InputError
from conformance.engine.plan import Plan
from conformance.files.lock import LOCK, locked
from conformance.inputs.shards import Inputs
from conformance.runs import new_folder
from conformance.runs.new_folder import begin_folder, check_free

PLAN = Plan((), ("reftok",), ("ids",), Inputs((), ("fuzz",), 0, 0), 5.0)


BESIDE = {"session.json": '{"generators": ["merges"]}\n'}


def begun(out: Path | None) -> Path:
    with ExitStack() as held:
        return begin_folder(out, "fuzz-", PLAN, "conformance fuzz", False, held, BESIDE)


def test_runs_of_the_same_second_have_folders_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Stopped:
            return cls(2026, 1, 1, 12, tzinfo=UTC)

    monkeypatch.setattr(new_folder, "datetime", Stopped)
    monkeypatch.chdir(tmp_path)
    made = [begun(None) for _ in range(3)]
    assert [folder.name for folder in made] == [f"fuzz-20260101-120000{end}" for end in ("", "-2", "-3")]
    assert {folder.parent for folder in made} == {Path("reports", "runs")}


def test_a_folder_is_locked_while_it_is_held(tmp_path: Path) -> None:
    with ExitStack() as held:
        folder = begin_folder(tmp_path / "a" / "b", "", PLAN, "", False, held)
        with pytest.raises(InputError, match="another process"), locked(folder):
            pass


@pytest.mark.parametrize("left", [{}, {".plan.json.71.tmp": "{"}, BESIDE, {**BESIDE, ".plan.json.71.tmp": "{"}])
def test_what_a_killed_start_has_left_without_a_plan_is_free(tmp_path: Path, left: dict[str, str]) -> None:
    """Fault: killed while it wrote its plan, a start left a folder that was neither begun anew nor gone on with."""
    for name, text in {LOCK: "", **left}.items():
        (tmp_path / name).write_text(text, "utf-8")
    check_free(tmp_path, BESIDE)
    begun(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {LOCK, "plan.json", *BESIDE}


@pytest.mark.parametrize(
    ("name", "message"),
    [("plan.json", "holds a run already"), ("notes.txt", "is not empty"), ("session.json", "is not empty")],
)
def test_a_folder_with_files_is_left_as_it_is(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / name).write_text("mine", "utf-8")
    for refuse in (begun, check_free):
        with pytest.raises(InputError, match=message):
            refuse(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} <= {name, LOCK}
    assert (tmp_path / name).read_text("utf-8") == "mine"
