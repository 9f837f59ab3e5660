"""One finding of a run is asked about again, in a process that may have asked about others."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from conformance.causes.asking_again import AskedAgain
from conformance.checks.base import Answers
from conformance.core.errors import InputError
from conformance.reproduce import replay as replaying
from conformance.reproduce.replay import replay
from conformance.reproduce.reproduction import reproduce

from ..commands import SMALLEST, Command, Planted

pytestmark = pytest.mark.usefixtures("subjects_here")


@pytest.fixture(scope="module")
def run_of(
    conformance_here: Command, planted: Planted, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """Makes the folder of a run with one finding on a subject of this name, which strips white space."""

    def run(name: str) -> Path:
        folder = tmp_path_factory.mktemp(name)
        (folder / "subjects").mkdir()
        for file, source in (("official", "official"), (name, "strips_white_space")):
            shutil.copy(Path(planted(source).partition(":")[0]), folder / "subjects" / f"{file}.py")
        (folder / "texts.txt").write_text("\ta\n", "utf-8")
        arguments = ("--model", "spm-char", "--subject", f"subjects/{name}.py:Subject", "--check", "ids")
        more = ("--corpus", "texts.txt", "--out", "out", *SMALLEST)
        assert conformance_here("run", *arguments, *more, cwd=folder).returncode == 1
        return folder

    return run


@pytest.fixture(scope="module")
def mine(run_of: Callable[[str], Path]) -> Path:
    """The folder of one such run, whose files every test leaves as they were."""
    return run_of("mine")


@contextmanager
def changed(path: Path, text: str) -> Iterator[None]:
    before = path.read_text("utf-8")
    path.write_text(text, "utf-8")
    yield
    path.write_text(before, "utf-8")


def replayed(folder: Path) -> int:
    return replay(folder / "out", "", Console(file=StringIO()))


def test_runs_are_replayed_one_after_another(run_of: Callable[[str], Path], mine: Path) -> None:
    assert [replayed(folder) for folder in (mine, run_of("yours"))] == [1, 1]


def test_a_subject_that_could_not_take_part_can_once_it_is_back(mine: Path) -> None:
    with (
        changed(mine / "subjects" / "mine.py", "raise ValueError('not today')\n"),
        pytest.raises(InputError, match=r"mine\.py:Subject cannot take part now"),
    ):
        replayed(mine)
    assert replayed(mine) == 1


def replayed_as_gone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    """The exit code and what is said where the answers differ no more."""
    gone = AskedAgain("gone", None, Answers(), Answers())
    monkeypatch.setattr(replaying, "ask_again", lambda *asked: gone)
    said = StringIO()
    return replay(folder / "out", "", Console(file=said, width=1_000)), said.getvalue()


def test_what_differs_no_more_though_nothing_has_changed_is_not_mended(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, said = replayed_as_gone(mine, monkeypatch)
    assert code == 1
    assert "not seen again, though nothing has changed" in said


def test_a_fix_in_a_module_that_the_subject_imports_is_a_change(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: only the subject's own file was watched: "not seen again, though nothing has changed"."""
    imported = mine / "subjects" / "official.py"
    with changed(imported, "# mended\n" + imported.read_text("utf-8")):
        code, said = replayed_as_gone(mine, monkeypatch)
    assert code == 0
    assert f"changed since the run: {imported}\n" in said


def test_another_version_of_a_library_is_a_change(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: "not seen again, though nothing has changed", with another official library than then."""
    plan = mine / "out" / "plan.json"
    value = json.loads(plan.read_text("utf-8"))
    value["versions"]["sentencepiece"] = "0.1"
    with changed(plan, json.dumps(value)):
        code, said = replayed_as_gone(mine, monkeypatch)
    assert code == 0
    assert "changed since the run: sentencepiece\n" in said


@pytest.mark.parametrize("name", ["model", "subject", "check"])
def test_a_finding_of_what_the_plan_has_not_is_refused(mine: Path, name: str) -> None:
    path = mine / "out" / "findings.jsonl"
    finding = json.loads(path.read_text("ascii"))
    finding["example"][name] = "a\nb"
    message = rf"findings\.jsonl: [0-9a-f]+ is of the {name} a␊b, which plan\.json has not"
    with changed(path, json.dumps(finding) + "\n"):
        with pytest.raises(InputError, match=message):
            replay(mine / "out", "", Console(file=StringIO()))
        with pytest.raises(InputError, match=message):
            reproduce(mine / "out", "", None, shrinks_model=False)
