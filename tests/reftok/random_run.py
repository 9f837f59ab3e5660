"""Asks the fast path, streams, the plain rules and the libraries about random files, as many as wanted, on all cores:

    python -m tests.reftok.random_run pipelines --examples 100000
    python -m tests.reftok.random_run sentencepiece --examples 100000
    python -m tests.reftok.random_run broken-files --examples 20000
    python -m tests.reftok.random_run training --examples 8000
    python -m tests.reftok.random_run training-sentencepiece --examples 2000
    python -m tests.reftok.random_run training-sentencepiece-unigram --examples 300
    python -m tests.reftok.random_run training-embedded-models --examples 8

Prints the seed (`--seed` repeats a run, on any number of workers), how many answers were compared and how many not, by
reason, and each mismatch as a minimal file with what it was asked. The exit code is 1 if there is any.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from .broken_files import Damaged, check_damaged
from .official import Json
from .pipeline_comparison import Input, Tally, compare_file, compare_model
from .sentencepiece_strategies import inputs, models
from .tokenizers_strategies import damaged_files, questions
from .training.comparison import STRATEGIES, check_training, corpora, pipelines
from .training.sentencepiece.random_training import ask_recipes, ask_sentencepiece_training, ask_unigram_training

PORTION = 500
"""Examples that are drawn from one seed: hypothesis remembers all of them."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one portion gave: the counts, the minimal mismatch if there is one, and the peak memory in megabytes."""

    tally: Tally
    mismatch: str | None
    peak_megabytes: int


def ask_pipelines(tally: Tally) -> Callable[[], None]:
    @given(questions(), st.integers(0, 1 << 20))
    def ask(question: tuple[Json, list[Input]], cut_seed: int) -> None:
        compare_file(*question, cut_seed, tally)

    return ask


def ask_broken_files(tally: Tally) -> Callable[[], None]:
    @given(damaged_files())
    def ask(damaged: Damaged) -> None:
        check_damaged(damaged, tally)

    return ask


def ask_sentencepiece(tally: Tally) -> Callable[[], None]:
    texts = st.lists(inputs, min_size=1, max_size=4)

    @given(models(), texts, st.lists(st.integers(0, 300), max_size=12), st.integers(0, 1 << 20))
    def ask(data: bytes, texts: list[str | bytes], ids: list[int], cut_seed: int) -> None:
        compare_model(data, texts, ids, cut_seed, tally)

    return ask


def ask_training(tally: Tally) -> Callable[[], None]:
    """Each of the trainers of tokenizers; results that the library leaves to chance are counted apart."""

    @given(st.data(), st.sampled_from([*STRATEGIES]), corpora())
    def ask(data: st.DataObject, name: str, texts: list[str]) -> None:
        trainer = name.split()[0]
        check_training(trainer, data.draw(pipelines(trainer)), texts, data.draw(STRATEGIES[name]), tally)

    return ask


SUBJECTS = {
    "pipelines": ask_pipelines,
    "broken-files": ask_broken_files,
    "sentencepiece": ask_sentencepiece,
    "training": ask_training,
    "training-sentencepiece": ask_sentencepiece_training,
    "training-sentencepiece-unigram": ask_unigram_training,
    "training-embedded-models": ask_recipes,
}


def run_portion(subject: str, first_seed: int, portion: tuple[int, int]) -> Outcome:
    """So many examples from a seed of their own; what the library prints when it panics is not shown."""
    index, examples = portion
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    tally = Tally()
    ask = settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )(seed(first_seed * 1_000_003 + index)(SUBJECTS[subject](tally)))
    mismatch = None
    try:
        ask()
    except BaseExceptionGroup as group:
        mismatch = "\n\n".join(str(error) for error in group.exceptions)
    except AssertionError as error:
        mismatch = str(error)
    return Outcome(tally, mismatch, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)


def portions(examples: int) -> Iterator[tuple[int, int]]:
    for index, start in enumerate(range(0, examples, PORTION)):
        yield index, min(PORTION, examples - start)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reftok.random_run", description=__doc__.splitlines()[0])
    parser.add_argument("subject", choices=SUBJECTS)
    parser.add_argument("--examples", type=int, default=10_000, help="files to ask about (default: 10000)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), help="what an earlier run printed")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes (default: all cores)")
    options = parser.parse_args()
    os.environ |= {"TOKENIZERS_PARALLELISM": "false", "RUST_BACKTRACE": "0"}
    print(f"{options.subject}: {options.examples:,} examples, --seed {options.seed}", flush=True)
    total, mismatches, peak_megabytes, start = Tally(), 0, 0, time.monotonic()
    with ProcessPoolExecutor(options.workers) as pool:
        run = partial(run_portion, options.subject, options.seed)
        for outcome in pool.map(run, portions(options.examples)):
            total.add(outcome.tally)
            peak_megabytes = max(peak_megabytes, outcome.peak_megabytes)
            if sys.stderr.isatty():
                done = total.compared.total() + total.skipped.total()
                print(f"\r{done:,} answers, {time.monotonic() - start:.0f} s", end="", file=sys.stderr, flush=True)
            if outcome.mismatch is not None:
                mismatches += 1
                print(f"\nMISMATCH {mismatches}\n{outcome.mismatch}", flush=True)
    print(f"\n{total}\n{mismatches} mismatches, {time.monotonic() - start:.0f} s, {peak_megabytes} MB at most")
    return 1 if mismatches else 0


if __name__ == "__main__":
    sys.exit(main())
