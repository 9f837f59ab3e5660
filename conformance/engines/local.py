"""The engine of one machine: shards over worker processes, each with a time limit.

A worker's death ends the run with exit code 3, and the shard is named; what was finished before is in the journal.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import TimeoutError as FutureTimeoutError
from multiprocessing import get_context

from pebble import ProcessExpired, ProcessPool

from conformance.engines.bench import Bench
from conformance.engines.result import ShardResult
from conformance.engines.shard_work import work
from conformance.errors import HarnessError
from conformance.inputs.plan import Shard
from conformance.plan import Plan

SHARD_SECONDS = 3600.0
"""No shard takes this long: a subject that hangs is bounded by its own time-out, so this is the harness's own fault."""

_bench: Bench | None = None


def run_shards(plan: Plan, shards: Sequence[Shard], jobs: int, done: Callable[[ShardResult], None]) -> None:
    """Work on all shards and hand each result to `done` as it comes.

    Raises HarnessError where a worker dies: the in-process libraries are then at fault, and the shard is named.
    """
    with ProcessPool(max_workers=jobs, context=get_context("spawn"), initializer=_ignore_interrupt) as pool:
        try:
            for future, shard in _scheduled(pool, plan, shards, jobs):
                try:
                    done(future.result())
                except ProcessExpired as error:
                    raise HarnessError(
                        f"a worker died (exit code {error.exitcode}) on {shard.key}: a library crashed the process"
                    ) from None
                except FutureTimeoutError:
                    raise HarnessError(f"a worker took longer than {SHARD_SECONDS:.0f} s on {shard.key}") from None
        except BaseException:
            pool.stop()  # type: ignore[no-untyped-call]  # pebble leaves this method without types
            raise


def _scheduled(
    pool: ProcessPool, plan: Plan, shards: Sequence[Shard], jobs: int
) -> Iterator[tuple[Future[ShardResult], Shard]]:
    """Futures as they finish; a few more than there are workers are under way, so that nobody waits."""
    waiting = iter(shards)
    running: dict[Future[ShardResult], Shard] = {}
    while True:
        while len(running) < 2 * jobs and (shard := next(waiting, None)) is not None:
            running[pool.schedule(_work_in_worker, (plan, shard), timeout=SHARD_SECONDS)] = shard
        if not running:
            return
        finished, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in finished:
            yield future, running.pop(future)


def _ignore_interrupt() -> None:
    """Ctrl-C is for the parent, which ends the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work_in_worker(plan: Plan, shard: Shard) -> ShardResult:
    """The shard, with the bench of its model kept for the next shard of the same model."""
    return work(plan, shard, bench_of(plan, shard.model))


def bench_of(plan: Plan, model: str) -> Bench:
    """The bench of a model; the one before it is closed."""
    global _bench
    if _bench is None or _bench.model.name != model:
        if _bench is not None:
            _bench.close()
        _bench = Bench(plan, next(entry for entry in plan.models if entry.name == model))
    return _bench


def close_bench() -> None:
    """Close the bench of this process, if it has one."""
    global _bench
    if _bench is not None:
        _bench.close()
        _bench = None
