"""The time of a start: it runs from the command's first moment on, and what is loaded is loaded within it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.cli import fuzz as command
from conformance.core.case import made_case
from conformance.core.observation import Failure
from conformance.engine.bench import Bench
from conformance.engine.benches import bench_of, close_benches
from conformance.engine.plan import Plan
from conformance.fuzzing import worker
from conformance.fuzzing.drive import NOTHING_ASKED, _Driver
from conformance.fuzzing.folder import read_state
from conformance.fuzzing.session import SessionShard
from conformance.fuzzing.worker import work_in_worker
from conformance.generators import NAMES
from conformance.inputs.shards import Inputs
from conformance.report.run.folder import read_run_folder
from conformance.runs.job import file_hash
from conformance.runs.models import plan_models
from conformance.subjects.adapters import load_subject
from conformance.subjects.base import UnavailableError
from conformance.subjects.connection import LocalConnection
from conformance.subjects.process import NoAnswer
from conformance.subjects.protocol import Answer, Request, Start
from conformance.subjects.protocol_subject import NOT_LOADED_IN_TIME
from tests.conformance.commands import Command, said
from tests.conformance.fuzzing.sessions import Told, planted, run, session_job
from tests.conformance.report.sample_run import finding

pytestmark = pytest.mark.usefixtures("subjects_here")

SECONDS_TO_LOAD, TOO_FEW, ENOUGH = 30.0, 20.0, 3_600.0
WRONG = planted("strips_white_space")
LABEL = "strips_white_space.py:Subject"
MODELS = plan_models(("spm-char",))
PLAN = Plan(MODELS, (WRONG,), ("ids",), Inputs((), ("fuzz",), 0, 0), 60.0)

Starts = list[float]
"""How long each start of a subject might have taken."""


@pytest.fixture
def slow_to_load(monkeypatch: pytest.MonkeyPatch) -> Starts:
    """Has each start of a subject take `SECONDS_TO_LOAD`, of which nobody waits for one."""
    starts: Starts = []
    receive = LocalConnection.receive

    def received(connection: LocalConnection, request: Request, seconds: float) -> Answer:
        if isinstance(request, Start):
            starts.append(seconds)
            if seconds < SECONDS_TO_LOAD:
                raise NoAnswer(Failure("timed out", "no answer"))
        return receive(connection, request, seconds)

    monkeypatch.setattr(LocalConnection, "receive", received)
    return starts


@pytest.fixture(autouse=True)
def no_bench() -> None:
    close_benches()


@pytest.mark.usefixtures("slow_to_load")
def test_a_subject_that_has_not_loaded_the_model_when_the_time_is_up_is_told_so() -> None:
    model = MODELS[0]
    with pytest.raises(UnavailableError, match="had not loaded the model when the time was up") as raised:
        load_subject(WRONG, model.path, model.format, 60.0, until=time.monotonic() + TOO_FEW)
    assert raised.value.failure == NOT_LOADED_IN_TIME
    load_subject(WRONG, model.path, model.format, 60.0, until=time.monotonic() + ENOUGH)


def test_a_shard_whose_subjects_had_no_time_to_load_stays_to_be_done(tmp_path: Path, slow_to_load: Starts) -> None:
    """Fault: the start of a subject in a worker, and at the end, was in nobody's time."""
    folder = tmp_path / "session"
    job = session_job(folder, 64, subjects=(WRONG,), model="spm-char")
    late = run(replace(job, seconds=TOO_FEW, cases=1_024)).run
    assert len(slow_to_load) == 1, "what had no time is not tried by every shard again"
    assert (late.exit_code, late.cases) == (1, 0)
    assert NOTHING_ASKED in late.problems
    assert not any("never fired" in problem for problem in late.problems)
    assert not read_state_of(folder)
    whole = run(replace(job, seconds=ENOUGH)).run
    assert (whole.cases, {finding.example.subject for finding in whole.findings}) == (64, {LABEL})


def read_state_of(folder: Path) -> bool:
    """Whether the session remembers a case or an absence."""
    if not (folder / "state.json").exists():
        return False
    results = [model.result for model in read_state(folder).models.values()]
    return any(result.cases or result.unavailable for result in results)


def test_what_is_known_of_a_subject_that_has_no_time_to_load_is_not_asked_again_and_stays(
    tmp_path: Path, slow_to_load: Starts
) -> None:
    folder = tmp_path / "session"
    job = session_job(folder, 64, subjects=(WRONG,), model="spm-char", generators=NAMES[1:])
    first = run(replace(job, seconds=ENOUGH)).run
    assert first.findings
    close_benches()
    file_hash.cache_clear()
    told = Told()
    late = run(replace(job, seconds=TOO_FEW), told).run
    assert {entry.verdict for entry in told.replayed} == {"unasked"}
    assert {one.rule for one in late.findings} >= {one.rule for one in first.findings}
    assert late.exit_code == 1


@pytest.mark.usefixtures("slow_to_load")
def test_a_bench_that_lacked_the_time_for_a_subject_is_loaded_again_when_there_is_more() -> None:
    now = time.monotonic()
    late = bench_of(PLAN, "spm-char", until=now + TOO_FEW)
    assert (late.was_late, [*late.subjects]) == (True, ["sentencepiece"])
    assert bench_of(PLAN, "spm-char", until=now + TOO_FEW) is late
    later = bench_of(PLAN, "spm-char", until=now + ENOUGH)
    assert (later.was_late, [*later.subjects]) == (False, ["sentencepiece", LABEL])


def test_a_worker_that_comes_to_a_shard_when_the_time_is_up_loads_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: the model was loaded, and all subjects were started, for nothing."""
    monkeypatch.setattr(worker, "bench_of", lambda *given: pytest.fail("loaded"))
    session, shard = session_job(tmp_path / "session", 64).session, SessionShard("bpe-gpt2", 0, 0, 0, 64)
    assert work_in_worker(session, tmp_path, 0.0, time.monotonic() - 1.0, shard) is None


def fuzz(folder: Path, *more: str) -> tuple[str, ...]:
    options = ("--model", "spm-char", "--check", "ids", "--cases", "64", "--quiet")
    return ("fuzz", *options, "--out", str(folder / "s"), *more)


@pytest.mark.usefixtures("slow_to_load")
def test_a_subject_that_cannot_be_loaded_in_the_time_of_the_command_is_a_mistake_that_is_told(
    conformance_here: Command, tmp_path: Path
) -> None:
    """Fault: `fuzz --time 20s` took 94 s for a subject that needs 15 s to load."""
    ended = conformance_here(*fuzz(tmp_path, "--subject", WRONG, "--time", f"{TOO_FEW}s"))
    said(ended, 2, "it had not loaded the model when the time was up: give it more")
    assert not (tmp_path / "s").exists()


def test_the_time_to_begin_is_that_of_the_command(
    conformance_here: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: a second of work was added, however long it took to load the models."""
    asked: list[Bench] = []
    monkeypatch.setattr(Bench, "ask_until", lambda bench, deadline: asked.append(bench))
    monkeypatch.setattr(command, "time", SimpleNamespace(monotonic=late_by(ENOUGH)))
    ended = conformance_here(*fuzz(tmp_path, "--time", f"{TOO_FEW}s"))
    assert ended.returncode == 1
    assert NOTHING_ASKED in " ".join(ended.stdout.split())
    assert read_run_folder(tmp_path / "s").cases == 0
    assert not asked


def late_by(seconds: float) -> Callable[[], float]:
    """A clock that has gone on by so much the second time that it is looked at."""
    times = iter([time.monotonic() - seconds])
    return lambda: next(times, time.monotonic())


@pytest.mark.parametrize(("known", "kept"), [((), 3), ((0,), 2), ((0, 1), 0)])
def test_time_is_kept_for_what_is_not_known_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: tuple[int, ...], kept: int
) -> None:
    """Fault: with a right subject, a session of 60 s stopped after 40 to explain findings that were known."""
    driver = _Driver(session_job(tmp_path / "session", 1), lambda progress: None)
    driver.journal.close()
    found = [finding(made_case("a", "drawn"), rule) for rule in ("a", "b")]
    monkeypatch.setattr(driver.seen, "is_known", lambda one: found.index(one) in known)
    assert driver._to_explain(found) == kept
