"""Shards are worked on here or by processes, and none is begun when the time is up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import Future
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace

import pytest
from pebble import ProcessExpired

from conformance.core.errors import HarnessError
from conformance.engine import workers
from conformance.engine.queue import ShardQueue
from conformance.engine.workers import IN_THIS_PROCESS, Workers
from conformance.inputs.shards import Shard

SHARDS = [Shard(model, "vocab", start, start + 1) for model in "ab" for start in range(5)]


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker imports the functions of this module, from wherever the tests are started."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3]))


def named(shard: Shard) -> tuple[str, int]:
    return shard.key, os.getpid()


def dies(shard: Shard) -> None:
    os._exit(7)


@pytest.mark.parametrize("jobs", [IN_THIS_PROCESS, 1, 2])
def test_every_shard_is_worked_on_once_by_so_many_processes(jobs: int) -> None:
    done: list[tuple[str, int]] = []
    with Workers(jobs) as pool:
        pool.run(named, ShardQueue(SHARDS), done.append)
    assert sorted(key for key, _ in done) == [shard.key for shard in SHARDS]
    processes = {process for _, process in done}
    assert len(processes) == max(jobs, 1)
    assert (os.getpid() in processes) == (jobs == IN_THIS_PROCESS)


def leaves_a_folder(shard: Shard) -> str:
    return tempfile.mkdtemp(prefix=f"conformance-subject-{os.getpid()}-")


def test_what_an_ended_worker_has_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: it stayed until a command started a subject again."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    left: list[str] = []
    with Workers(1) as pool:
        pool.run(leaves_a_folder, ShardQueue(SHARDS[:1]), left.append)
        assert Path(left[0]).is_relative_to(tmp_path)
        assert Path(left[0]).is_dir()
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("jobs", [IN_THIS_PROCESS, 1])
def test_no_shard_is_begun_when_the_time_is_up(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock stands at the number of shards that are done."""
    done: list[tuple[str, int]] = []
    monkeypatch.setattr(workers, "time", type("Clock", (), {"monotonic": staticmethod(lambda: len(done))}))
    with Workers(jobs) as pool:
        pool.run(named, ShardQueue(SHARDS), done.append, deadline=lambda: 0)
        assert done == []
        pool.run(named, ShardQueue(SHARDS), done.append, deadline=lambda: 3)
    assert 3 <= len(done) <= 3 + jobs


def test_a_worker_that_dies_ends_the_work_and_its_shard_is_named() -> None:
    with pytest.raises(HarnessError, match=r"a worker died \(exit code 7\) on a\|vocab\|0\|1"), Workers(1) as pool:
        pool.run(dies, ShardQueue(SHARDS[:1]), print)


def test_what_is_done_is_told_before_a_worker_that_died_beside_it_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    dead: Future[str] = Future()
    dead.set_exception(ProcessExpired("died", code=7))
    finished: Future[str] = Future()
    finished.set_result("done")
    futures = iter((dead, finished, Future()))
    pool = SimpleNamespace(schedule=lambda *given, **more: next(futures))
    monkeypatch.setattr(workers, "wait", lambda running, **more: ([*running], []))
    here = Workers(1)
    here._pools = [pool]
    told: list[str] = []
    with pytest.raises(HarnessError, match="exit code 7"):
        here.run(str, ShardQueue(SHARDS[:3]), told.append)
    assert told == ["done"]


def report_blocked(pipe: Connection) -> None:
    pipe.send(signal.pthread_sigmask(signal.SIG_BLOCK, ()))


def signals_of(shard: Shard) -> tuple[set[int], object, object]:
    return (
        signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        signal.getsignal(signal.SIGINT),
        signal.getsignal(signal.SIGHUP),
    )


def test_an_interrupt_that_python_turns_into_another_error_stays_an_interrupt() -> None:
    """Fault: Ctrl-C while a worker was awaited could end in "the harness failed: RuntimeError"."""

    def fails(shard: Shard) -> str:
        try:
            raise KeyboardInterrupt(15)
        finally:
            raise RuntimeError("release unlocked lock")

    with pytest.raises(KeyboardInterrupt, match="15"), Workers(IN_THIS_PROCESS) as workers:
        workers.run(fails, ShardQueue(SHARDS), print)


def test_a_worker_is_deaf_to_its_terminal_from_its_first_moment_on() -> None:
    """Fault: Ctrl-C while the workers started had each of them write a traceback."""
    workers._start_resource_tracker()  # as a pool of workers does; else it has SIGINT heard again
    receiver, sender = Pipe(duplex=False)
    worker = workers.Context().Process(target=report_blocked, args=(sender,))
    worker.start()
    sender.close()
    assert receiver.recv() == {signal.SIGINT, signal.SIGHUP}
    worker.join()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()


def test_what_a_worker_starts_can_hear_again() -> None:
    done: list[tuple[set[int], object, object]] = []
    with Workers(1) as pool:
        pool.run(signals_of, ShardQueue(SHARDS[:1]), done.append)
    assert done == [(set(), signal.SIG_IGN, signal.SIG_IGN)]


@pytest.mark.skipif(sys.platform == "win32", reason="there, a signal ends a process at once")
def test_a_worker_that_is_terminated_while_it_closes_its_subjects_closes_them_all() -> None:
    """Fault: it ended between the death of a subject and that of what the subject had started, which went on."""
    program = """
import os, signal
from multiprocessing import util
from conformance.engine import workers

def close_benches():
    os.kill(os.getpid(), signal.SIGTERM)
    print("closed")

workers.close_benches = close_benches
signal.signal(signal.SIGTERM, lambda *_: os._exit(7))
workers._begin_worker(None)
util._exit_function()
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout.split(), ended.stderr) == (0, ["closed"], "")


def test_a_worker_that_is_terminated_as_it_begins_to_close_its_subjects_says_nothing_of_it() -> None:
    """Fault: "OSError: Signal 15 ignored due to race condition", with its traceback, on the terminal of the run."""
    program = """
import signal
from conformance.engine import workers

workers._close_for_good()
assert callable(signal.getsignal(signal.SIGTERM)), "Python tells of a signal that comes while it begins to be ignored"
signal.raise_signal(signal.SIGTERM)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
