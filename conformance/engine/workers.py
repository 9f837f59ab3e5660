"""The engine of one machine: shards over worker processes, each with a time limit.

A worker's death ends the run with exit code 3, and the shard is named; what was finished before is in the journal.
"""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import ExitStack
from multiprocessing import get_context

from pebble import ProcessExpired, ProcessPool

from conformance.core.errors import HarnessError
from conformance.engine.bench import Bench
from conformance.engine.plan import Plan
from conformance.engine.queue import ShardQueue
from conformance.engine.result import ShardResult
from conformance.engine.shard_work import work
from conformance.inputs.shards import Shard

SHARD_SECONDS = 3600.0
"""No shard takes this long: a subject that hangs is bounded by its own time-out, so this is the harness's own fault."""

_bench: Bench | None = None


def run_shards(plan: Plan, shards: Sequence[Shard], jobs: int, done: Callable[[ShardResult], None]) -> None:
    """Work on all shards and hand each result to `done` as it comes.

    Raises HarnessError where a worker dies: the in-process libraries are then at fault, and the shard is named.
    """
    with ExitStack() as stack:
        workers = [stack.enter_context(_worker()) for _ in range(min(jobs, len(shards)))]
        try:
            for future, shard in _scheduled(workers, plan, ShardQueue(shards)):
                try:
                    done(future.result())
                except ProcessExpired as error:
                    raise HarnessError(
                        f"a worker died (exit code {error.exitcode}) on {shard.key}: a library crashed the process"
                    ) from None
                except FutureTimeoutError:
                    raise HarnessError(f"a worker took longer than {SHARD_SECONDS:.0f} s on {shard.key}") from None
        except BaseException:
            for worker in workers:
                stop: Callable[[], object] = worker.stop  # pebble leaves this method without types
                stop()
            raise


def _worker() -> ProcessPool:
    """One process: a pool of several would not say which of them has loaded which model."""
    return ProcessPool(max_workers=1, context=get_context("spawn"), initializer=_ignore_interrupt)


def _scheduled(
    workers: Sequence[ProcessPool], plan: Plan, queue: ShardQueue
) -> Iterator[tuple[Future[ShardResult], Shard]]:
    """Futures as they finish.

    A worker is given its next shard before it has finished one, so that it does not wait while its result is looked
    at; but not of the last few shards, which go to who is free first.
    """
    running: dict[Future[ShardResult], tuple[int, Shard]] = {}

    def schedule() -> None:
        for number, worker in enumerate(workers):
            most = 2 if len(queue) > 2 * len(workers) else 1
            under_way = sum(number == other for other, _ in running.values())
            while under_way < most and (shard := queue.take(number)) is not None:
                running[worker.schedule(_work_in_worker, (plan, shard), timeout=SHARD_SECONDS)] = number, shard
                under_way += 1

    schedule()
    while running:
        finished, _ = wait(running, return_when=FIRST_COMPLETED)
        shards = {future: running.pop(future)[1] for future in finished}
        schedule()
        yield from shards.items()


def _ignore_interrupt() -> None:
    """Ctrl-C is for the parent, which ends the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work_in_worker(plan: Plan, shard: Shard) -> ShardResult:
    """The shard, with the bench of its model kept for the next shard of the same model."""
    if _bench is None or _bench.model.name != shard.model:
        _load_in_worker(plan, shard.model)
    return work(plan, shard, bench_of(plan, shard.model))


def _load_in_worker(plan: Plan, model: str) -> None:
    """Load the bench of a model where the garbage collector does not look.

    A vocab has hundreds of thousands of objects, of which none goes before the bench does; to look through them again
    and again takes a fifth of the time of a shard.
    """
    close_bench()
    gc.unfreeze()
    gc.collect()
    gc.disable()
    bench_of(plan, model)
    gc.freeze()
    gc.enable()


def bench_of(plan: Plan, model: str) -> Bench:
    """The bench of a model; the one before it is closed."""
    global _bench
    if _bench is None or _bench.model.name != model:
        close_bench()
        _bench = Bench(plan, next(entry for entry in plan.models if entry.name == model))
    return _bench


def close_bench() -> None:
    """Close the bench of this process, if it has one."""
    global _bench
    if _bench is not None:
        _bench.close()
        _bench = None
