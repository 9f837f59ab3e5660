"""How far a run is: what is known is no alarm, and the time that is left is told."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from conformance.core.case import text_case
from conformance.core.finding import Mismatch
from conformance.core.run import ModelInfo
from conformance.engine.plan import Plan
from conformance.engine.result import Counts, Group, ShardResult
from conformance.fuzzing.progress import SessionProgress
from conformance.fuzzing.screen import SessionTeller
from conformance.inputs.shards import Inputs, Shard
from conformance.report.run.folder import read_run_folder
from conformance.runs.execute import _after, _write_incomplete, execute
from conformance.runs.expectations import Expectation
from conformance.runs.job import Job
from conformance.runs.progress import Finishing, Pace, Progress, ProgressTeller

LISTED = Expectation("one", "s", "ids", "known rule", ("m",), (), "o", "why", "link", "me", "2030-01-01")


def result(rule: str, count: int) -> ShardResult:
    example = Mismatch("m", "s", "ids", rule, "other ids", text_case("a", "o"), "", "")
    group = Group(count, examples=[example])
    counts = {("s", "ids"): Counts(compared=10, mismatched=count)}
    return ShardResult(
        Shard("m", "corpora", 0, 1), answers=10, seconds=1.5, counts=counts, groups={("s", "ids", "", rule): group}
    )


def test_a_listed_mismatch_is_told_as_known_and_another_as_unexpected() -> None:
    results = [result("known rule", 3), result("other rule", 2)]
    first = _after(LISTED.lists, Progress(5), results[0])
    progress = _after(LISTED.lists, first, results[1])
    assert progress == Progress(total=5, done=2, answers=20, mismatches=5, known=3)
    assert progress.sentence == "20 answers compared, 2 unexpected, 3 known mismatches"
    assert first.sentence == "10 answers compared, none unexpected, 3 known mismatches"
    assert Progress(5).sentence == "0 answers compared, none unexpected"


@pytest.mark.parametrize(
    ("done", "now", "left"),
    [
        (1, 2.0, "about 18 s left"),
        (1, 60.0, "about 9 min left"),
        (5, 30.0, "about 30 s left"),
        (9, 0.9, "about 1 s left"),
        (10, 50.0, ""),
    ],
)
def test_the_time_that_is_left_follows_from_the_pace_so_far(done: int, now: float, left: str) -> None:
    pace = Pace(0.0)
    pace.left(Progress(10, done=1), 0.0)
    assert pace.left(Progress(10, done), now) == left


def test_the_last_line_is_always_told_and_nothing_when_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    for quiet in (False, True):
        with ProgressTeller(quiet) as told:
            told(Progress(2, done=1, answers=10))
            told(Progress(2, done=2, answers=20))
    assert capsys.readouterr().err == "2/2 shards, 20 answers compared, none unexpected\n"


@pytest.mark.parametrize("teller", [ProgressTeller, SessionTeller])
def test_shrinking_is_told_at_its_start_and_then_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, teller: type[ProgressTeller | SessionTeller]
) -> None:
    def lines(quiet: bool) -> str:
        with teller(quiet) as told:
            for number in range(1, 4):
                told(Finishing(number, 3))
        return capsys.readouterr().err

    assert lines(quiet=True) == ""
    assert lines(quiet=False) == "shrinking finding 1 of 3\n"
    with teller(False) as told:
        for deed in ("shrinking finding", "seeking causes, subject on model"):
            told(Finishing(1, 2, deed))
    assert capsys.readouterr().err.splitlines() == [
        "shrinking finding 1 of 2",
        "seeking causes, subject on model 1 of 2",
    ]
    monkeypatch.setattr("conformance.runs.progress.SECONDS_BETWEEN_LINES", -1.0)
    assert len(lines(quiet=False).splitlines()) == 3


def test_a_terminal_is_told_live(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Console, "is_terminal", True)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressTeller(quiet=False) as told:
        told(Progress(2, done=1, answers=10))
    run = capsys.readouterr().err
    assert "10 answers compared, none unexpected" in run
    assert "1/2" in run
    with SessionTeller(quiet=False) as told_session:
        told_session(SessionProgress(10, 10, 1.0, (), ()))
    assert "10 cases, 10 a second, no unexpected finding" in capsys.readouterr().err
    with SessionTeller(quiet=False) as told_session:
        told_session(Finishing(1, 3))
    assert "shrinking finding 1 of 3: 0 s" in capsys.readouterr().err


def test_a_resumed_run_counts_the_seconds_of_the_start_before_as_it_does_its_answers(tmp_path: Path) -> None:
    job = Job(Plan((), ("reftok",), ("ids",), Inputs((), (), 0, 0), 5.0), (), tmp_path, "command", 1, full=False)
    _write_incomplete(job, [], datetime(2026, 1, 1, tzinfo=UTC), 1_000.0)
    run = execute(job, lambda _: None)
    assert run.times["total"] >= 1_000
    assert read_run_folder(tmp_path) == run


def test_an_unfinished_run_says_how_long_it_took_so_far(tmp_path: Path) -> None:
    infos = (ModelInfo("m", "m.json", "tokenizer.json", "0", "tokenizers", 5),)
    job = Job(Plan((), ("reftok",), ("ids",), Inputs((), (), 0, 0), 5.0), infos, tmp_path, "command", 1, full=False)
    finished = ShardResult(Shard("m", "corpora", 0, 1), seconds=1.5)
    _write_incomplete(job, [finished], datetime(2026, 1, 1, tzinfo=UTC), 2.04)
    run = read_run_folder(tmp_path)
    assert run.verdict == "incomplete"
    assert run.times == {"total": 2.0, "work": 1.5}
