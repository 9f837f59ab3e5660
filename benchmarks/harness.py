"""What a run of the harness takes beside the official library, and what a second worker brings.

The library alone is what the run asks of it, in that very run: a batch of texts, each of them on its own, and the ids
decoded with special tokens skipped and kept, each answer with its ids, tokens and offsets as objects of Python.
"""

from __future__ import annotations

import gc
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from conformance.checks import CHECKS
from conformance.engine.bench import Bench
from conformance.engine.collecting import collect_answers
from conformance.engine.plan import ModelPlan, Plan
from conformance.engine.questions import shard_questions
from conformance.inputs.corpora import PARTS, corpus_files
from conformance.inputs.shards import DEFAULT_SOURCES, Inputs, Shard, shards
from conformance.runs.models import plan_models
from conformance.runs.shard_work import judged
from reftok.formats.collection import collecting_later

SHARDS = 4
"""So many of each source are worked on, from all over it."""
FUZZ = 1_500
ALONE = ("encode_batch", "encode", "decode", "decode_each", "encode_bare")


class Timed:
    """A subject whose methods are timed. seconds: of processor time, by method."""

    def __init__(self, subject: Any) -> None:
        self._subject = subject
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._subject, name)
        return self._timed(name, value) if callable(value) else value

    def _timed(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            start = process_time()
            try:
                return method(*arguments)
            finally:
                self.seconds[name] += process_time() - start

        setattr(self, name, timed)
        return timed


def harness_rows(model: str, rounds: int) -> Iterator[tuple[str, str]]:
    """What was measured, and the figure.

    model: the name of an embedded one, or a file.
    """
    files = tuple(path.resolve() for path in corpus_files(PARTS))
    inputs = Inputs(files, DEFAULT_SOURCES, FUZZ, 0)
    plan = Plan(plan_models((model,)), ("reftok",), tuple(CHECKS), inputs, 5.0)
    times = [round_of_parts(plan, plan.models[0]) for _ in range(rounds)]
    run = median(sum(parts.values()) for parts in times)
    for part in times[0]:
        seconds = median(parts[part] for parts in times)
        yield part, f"{seconds:.2f} s, {seconds / run:.0%}"
    oracle = plan.models[0].oracle
    for name, methods in (
        ("what it is asked", ALONE),
        ("its batch call and decode", ("encode_batch", "decode", "decode_each")),
    ):
        alone = [sum(parts.get(f"{oracle}: {method}", 0) for method in methods) for parts in times]
        ratio = median(sum(parts.values()) / seconds for parts, seconds in zip(times, alone, strict=True))
        yield f"run against {oracle} alone, {name}", f"{ratio:.2f}x"
    one, two = (median(seconds) for seconds in zip(*(runs(model) for _ in range(rounds)), strict=True))
    yield "conformance run, --jobs 2 against --jobs 1", f"{one / two:.2f}x"


def round_of_parts(plan: Plan, model: ModelPlan) -> dict[str, float]:
    """Seconds of processor time by part, of a bench that has seen nothing yet, as in a worker: loading is not in it."""
    bench = Bench(plan, model)
    subjects = {name: Timed(subject) for name, subject in bench.subjects.items()}
    bench.subjects = {**subjects}
    gc.collect()
    gc.freeze()
    cases_made = questions = judging = 0.0
    for shard in spread(shards(plan.inputs, model.name, len(bench.vocab))):
        bench.renew()
        start = process_time()
        with collecting_later():
            cases = shard_questions(plan, shard, bench)
            made = process_time()
            answers = collect_answers(bench, cases, plan.checks)
            answered = process_time()
            judged(plan, shard, bench, cases, answers)
            judging += process_time() - answered
        cases_made, questions = cases_made + made - start, questions + answered - made
        del cases, answers
    gc.unfreeze()
    parts = {
        f"{name}: {method}": subject.seconds[method]
        for name, subject in subjects.items()
        for method in (*ALONE, "stream")
        if method != "encode" or subject.has_batch
    }
    rest = cases_made + questions - sum(parts.values())
    return {**parts, "checks and attribution": judging, "cases, cuts, round trips": rest}


def spread(planned: Sequence[Shard]) -> list[Shard]:
    """Some shards of each source.

    >>> [shard.start for shard in spread([Shard("m", "vocab", start, start + 1) for start in range(9)])]
    [0, 2, 4, 6]
    """
    chosen: list[Shard] = []
    for source in dict.fromkeys(shard.source for shard in planned):
        of_source = [shard for shard in planned if shard.source == source]
        chosen += of_source[:: max(1, len(of_source) // SHARDS)][:SHARDS]
    return chosen


def runs(model: str) -> tuple[float, float]:
    """Seconds of the whole command with one worker and with two; what else the machine does is in them."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "conformance", "run", "--quiet", "--model", model]
        return command_seconds(command, Path(folder), 1), command_seconds(command, Path(folder), 2)


def command_seconds(command: Sequence[str], folder: Path, jobs: int) -> float:
    """Raises ValueError for a run that does not come to its end."""
    out = folder / str(jobs)
    start = perf_counter()
    run = subprocess.run([*command, "--jobs", str(jobs), "--out", str(out)], stdout=subprocess.DEVNULL, check=False)
    seconds = perf_counter() - start
    if run.returncode > 1 or not (out / "run.json").is_file():
        raise ValueError(f"conformance run ended with {run.returncode}")
    return seconds
