"""python -m benchmarks.driver: how many shards a second one driver takes in, from actors that answer from a recording.

The actors are simulated: each answers at once, in this process, with what a shard gave that was worked on before. So
what is measured is the driver alone: giving shards out, the journal (on disk before the next), progress, and the
reports in between. What Ray itself takes to carry a shard there and back is not in it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from conformance.checks import CHECKS
from conformance.engine.actors import work_on_actors
from conformance.engine.bench import Bench
from conformance.engine.plan import ModelPlan, Plan
from conformance.engine.queue import ShardQueue
from conformance.engine.result import ShardResult
from conformance.inputs.corpora import corpus_files
from conformance.inputs.shards import Inputs, Shard
from conformance.runs import execute
from conformance.runs.job import Job, model_infos
from conformance.runs.models import plan_models
from conformance.runs.parts import Part
from conformance.runs.shard_work import work


class ImmediateActors:
    """Actors in this process, which answer at once."""

    def submit(self, number: int, work: Callable[[Any], Any], shard: Any) -> Future[Any]:
        """What the work gives."""
        future: Future[Any] = Future()
        future.set_result(work(shard))
        return future

    def forget(self, number: int) -> None:
        """None is ever lost."""


def main() -> int:
    """Measure, and tell."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.driver", description=__doc__)
    parser.add_argument("--actors", type=int, default=1_000)
    parser.add_argument("--models", type=int, default=30)
    parser.add_argument("--model", default="spm-char", help="the model that each of them is")
    parser.add_argument("--subject", default="reftok", help="whose answers to a shard of scalars are recorded")
    given = parser.parse_args()
    (model,) = plan_models((given.model,), "")
    inputs = Inputs(tuple(corpus_files(("edge_cases",))), ("scalars",), 0, 0)
    models = tuple(replace(model, name=f"{model.name}-{number}") for number in range(given.models))
    plan = Plan(models, (given.subject,), tuple(CHECKS), inputs, 60.0)
    result = _recorded(replace(plan, models=(model,)), model)
    print(
        f"recorded: {result.cases:,} cases, {len(result.groups)} groups, {result.seconds:.1f} s of this process",
        file=sys.stderr,
    )
    (info,) = model_infos(replace(plan, models=(model,)))
    infos = tuple(replace(info, name=one.name) for one in models)
    with TemporaryDirectory() as folder:
        # one of two parts, twice as many models: a part is not shrunk and weighed at its end, which is measured apart
        job = Job(plan, infos, Path(folder), "", 1, False, part=Part(1, 2))
        shards = _driven(job, result, given.actors)
    print(f"{given.actors:,} actors, {shards}")
    return 0


def _recorded(plan: Plan, model: ModelPlan) -> ShardResult:
    bench = Bench(plan, model)
    begun = time.process_time()
    try:
        result = work(plan, Shard(model.name, "scalars", 0, 4096), bench)
        return replace(result, seconds=time.process_time() - begun)
    finally:
        bench.close()


def _driven(job: Job, result: ShardResult, actors: int) -> str:
    count = 0

    def recorded(shard: Shard) -> ShardResult:
        return replace(result, shard=shard)

    def run_shards(
        plan: Plan, todo: list[Shard], jobs: int, done: Callable[[ShardResult], None], *more: object
    ) -> None:
        nonlocal count
        count = len(todo)
        work_on_actors(ImmediateActors(), actors, recorded, ShardQueue(todo), done)

    wall, processor = time.perf_counter(), time.process_time()
    with mock.patch.object(execute, "run_shards", run_shards):
        execute.execute(job, lambda progress: None)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    size = (job.folder / "journal.jsonl").stat().st_size
    return (
        f"{count:,} shards: {wall:.1f} s, of the processor {processor:.1f} s: {1000 * processor / count:.2f} ms and "
        f"{size / count:,.0f} bytes of the journal a shard; {count / wall:,.0f} shards a second"
    )


if __name__ == "__main__":
    sys.exit(main())
