"""One finding of a run is asked about again, in a process that may have asked about others."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
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
        shutil.copytree(Path(planted("x")).parent, folder / "subjects")
        shutil.copy(folder / "subjects" / "strips_white_space.py", folder / "subjects" / f"{name}.py")
        (folder / "texts.txt").write_text(" a\n", "utf-8")
        arguments = ("--model", "bpe-qwen", "--subject", f"subjects/{name}.py:Subject", "--check", "ids")
        more = ("--corpus", "texts.txt", "--out", "out", *SMALLEST)
        assert conformance_here("run", *arguments, *more, cwd=folder).returncode == 1
        return folder

    return run


def replayed(folder: Path) -> int:
    return replay(folder / "out", "", Console(file=StringIO()))


def test_runs_are_replayed_one_after_another(run_of: Callable[[str], Path]) -> None:
    assert [replayed(run_of(name)) for name in ("mine", "yours")] == [1, 1]


def test_a_subject_that_could_not_take_part_can_once_it_is_back(run_of: Callable[[str], Path]) -> None:
    folder = run_of("mine")
    subject = folder / "subjects" / "mine.py"
    right = subject.read_text("utf-8")
    subject.write_text("raise ValueError('not today')\n", "utf-8")
    with pytest.raises(InputError, match=r"mine\.py:Subject cannot take part now"):
        replayed(folder)
    subject.write_text(right, "utf-8")
    assert replayed(folder) == 1


def replayed_as_gone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    """The exit code and what is said where the answers differ no more."""
    gone = AskedAgain("gone", None, Answers(), Answers())
    monkeypatch.setattr(replaying, "ask_again", lambda *asked: gone)
    said = StringIO()
    return replay(folder / "out", "", Console(file=said, width=1_000)), said.getvalue()


def test_what_differs_no_more_though_nothing_has_changed_is_not_mended(
    run_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, said = replayed_as_gone(run_of("mine"), monkeypatch)
    assert code == 1
    assert "not seen again, though nothing has changed" in said


def test_a_fix_in_a_module_that_the_subject_imports_is_a_change(
    run_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: only the subject's own file was watched: "not seen again, though nothing has changed"."""
    folder = run_of("mine")
    imported = folder / "subjects" / "official.py"
    imported.write_text("# mended\n" + imported.read_text("utf-8"), "utf-8")
    code, said = replayed_as_gone(folder, monkeypatch)
    assert code == 0
    assert f"changed since the run: {imported}\n" in said


def test_another_version_of_a_library_is_a_change(
    run_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: "not seen again, though nothing has changed", with another official library than then."""
    folder = run_of("mine")
    plan = folder / "out" / "plan.json"
    value = json.loads(plan.read_text("utf-8"))
    value["versions"]["tokenizers"] = "0.1"
    plan.write_text(json.dumps(value), "utf-8")
    code, said = replayed_as_gone(folder, monkeypatch)
    assert code == 0
    assert "changed since the run: tokenizers\n" in said


@pytest.mark.parametrize("name", ["model", "subject", "check"])
def test_a_finding_of_what_the_plan_has_not_is_refused(run_of: Callable[[str], Path], name: str) -> None:
    folder = run_of("mine") / "out"
    path = folder / "findings.jsonl"
    finding = json.loads(path.read_text("ascii"))
    finding["example"][name] = "a\nb"
    path.write_text(json.dumps(finding) + "\n", "ascii")
    message = rf"findings\.jsonl: [0-9a-f]+ is of the {name} a␊b, which plan\.json has not"
    with pytest.raises(InputError, match=message):
        replay(folder, "", Console(file=StringIO()))
    with pytest.raises(InputError, match=message):
        reproduce(folder, "", None, shrinks_model=False)
