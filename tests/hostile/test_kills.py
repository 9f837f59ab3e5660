"""Commands that are killed and go on, a few of each; `python -m tests.hostile.kills` sees what it looks for."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from . import kills
from .killing import Ended, Kill
from .kills import Command, EncodeFile, Fuzz, HoldTrainer, Run, Train, check_told, live


class SmallRun(Run):
    """Nothing is wrong, so no causes are sought; tests/conformance/runs/test_resuming.py has a run that finds."""

    models = ("spm-char",)
    subject, code = "correct", 0
    cases = 60


class SmallFuzz(Fuzz):
    """Nothing is wrong here either; tests/conformance/fuzzing/test_sessions.py kills a session that has findings."""

    models = ("spm-char",)
    subject, code = "correct", 0
    cases = 60


class SmallFile(EncodeFile):
    lines = 10_000


class SmallTrain(Train):
    lines = 1_500


class SmallHoldTrainer(HoldTrainer):
    trainings = 6


PARTIAL = "work/ids.npy.partial"


@pytest.mark.parametrize(
    ("kind", "planned"),
    [
        (SmallRun, [Kill(signal.SIGKILL, changes=1, file="work/out/journal.jsonl")]),
        (SmallFuzz, [Kill(signal.SIGINT, to_group=True, changes=2, file="work/out/shards.jsonl")]),
        (SmallHoldTrainer, [Kill(signal.SIGKILL, changes=3, file="work/out/journal.jsonl")]),
        (
            SmallFile,
            [
                Kill(signal.SIGKILL, changes=3, file=f"{PARTIAL}/tokens"),
                Kill(signal.SIGHUP, to_group=True, changes=2, file=f"{PARTIAL}/journal.json"),
            ],
        ),
        (
            SmallTrain,
            [
                Kill(signal.SIGKILL, changes=3, file="work/tokenizer.json.training"),
                Kill(signal.SIGINT, changes=2, file="work/tokenizer.json.training"),
            ],
        ),
    ],
)
def test_a_command_that_is_killed_ends_as_one_that_was_not(
    kind: type[Command], planned: list[Kill], tmp_path: Path
) -> None:
    life = live(kind(tmp_path), tmp_path / "life", planned, Random(1))
    assert not life.faults, life
    assert life.kills[planned[0].signal.name], life


SCRIPT = """
import os, signal, sys, time
from pathlib import Path

way, pauses = sys.argv[1:]
os.chdir("out") if Path("out").exists() else (os.mkdir("out"), os.chdir("out"))
lines, waiting = Path("lines"), Path("waiting")
waiting.unlink(missing_ok=True)
before = lines.read_text() if lines.exists() else ""
if way == "loses":
    lines.write_text(before[2:])
if way == "changes" and before:
    lines.write_text(before[::-1].strip() + "\\n")
if way == "doubles" and before:
    lines.write_text(before * 2)
if way == "leaves a file" and pauses == "True":
    Path(".lines.1.tmp").touch()
if way == "leaves a process" and pauses == "True":
    if not os.fork():
        sys.exit(time.sleep(4))
if way == "ends otherwise by a signal":
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(7))
with lines.open("a") as file:
    for number in range(len(lines.read_text()) // 2, 6):
        if pauses == "True" and number == 3:
            waiting.touch()
            while True:
                time.sleep(60)
        file.write(f"{number}\\n")
        file.flush()
if way == "ends in another way" and before:
    sys.exit(3)
"""


class Lines(Command):
    """Six lines, which are gone on with; in a way that is a fault. The first start waits to be killed after three."""

    program = ("-c", SCRIPT)
    name = "lines"
    code = 0

    def __init__(self, given: Path, way: str) -> None:
        super().__init__(given)
        self.way = way

    def first(self, random: Random) -> Sequence[str]:
        return [self.way, str(self.life.exists())]

    def again(self, work: Path, random: Random) -> Sequence[str]:
        return [self.way, "False"]

    def kept(self, work: Path) -> dict[str, float]:
        return {**Counter(self.outcome(work).split())}

    def outcome(self, work: Path) -> str:
        return (work / "out" / "lines").read_text("ascii")


def lived(way: str, folder: Path, number: signal.Signals = signal.SIGKILL) -> str:
    """The faults of a life with one kill, which comes when three lines are there."""
    life = live(Lines(folder, way), folder / "life", [Kill(number, changes=1, file="work/out/waiting")], Random(1))
    return "\n".join(life.faults)


@pytest.mark.parametrize(
    ("way", "fault"),
    [
        ("loses", "was 1, is None: 0"),
        ("doubles", "is 2, more than 1: 0"),
        ("changes", "the outcome is another one"),
        ("ends in another way", "exit code 3"),
        ("leaves a file", "'work/out/.lines.1.tmp'"),
        ("leaves a process", "left over: "),
    ],
)
def test_what_is_not_as_without_a_kill_is_a_fault(
    way: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kills, "SECONDS_TO_END", 0.1)
    assert fault in lived(way, tmp_path)
    assert not lived("well", tmp_path / "well")


def test_a_signal_that_ends_a_command_with_another_exit_code_is_a_fault(tmp_path: Path) -> None:
    assert "exit code 7 by SIGHUP" in lived("ends otherwise by a signal", tmp_path, signal.SIGHUP)


def test_a_command_that_is_killed_before_it_has_made_its_folder_is_at_no_fault(tmp_path: Path) -> None:
    """Fault: it was called one since the message about a folder that is not there has other words."""
    check_told(tmp_path / "out")
    (tmp_path / "out").mkdir()
    check_told(tmp_path / "out")
    (tmp_path / "out" / "run.json").write_text("[]", "ascii")
    with pytest.raises(AssertionError, match="is not the run"):
        check_told(tmp_path / "out")


def test_an_interpreter_that_is_interrupted_while_it_starts_is_no_end_and_no_fault() -> None:
    """Fault: Python ends with 1 then, as a command with findings does, and its work was missed."""
    for could_hear, faults in ((False, 0), (True, 1)):
        ended = Ended(1, "", "", is_killed=True, could_hear=could_hear, changes={}, seconds=0.1)
        assert len([*ended.wrong(Kill(signal.SIGINT), is_over=False)]) == faults
