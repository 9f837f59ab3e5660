"""Times that can be compared: all candidates in one process, in turn, and the median of their rounds."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from statistics import median
from time import process_time


def medians(candidates: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Seconds of processor time that each candidate takes.

    Every round runs each candidate once, so that what the machine does meanwhile falls on all of them.

    >>> sorted(medians({"a": lambda: None, "b": lambda: None}, rounds=3))
    ['a', 'b']
    """
    return prepared_medians({name: _given(run) for name, run in candidates.items()}, rounds)


def prepared_medians(candidates: Mapping[str, Callable[[], Callable[[], object]]], rounds: int) -> dict[str, float]:
    """The same of what each candidate prepares anew for every round; preparing is not in the time.

    >>> list(prepared_medians({"sorted": lambda: [2, 1].sort}, rounds=3))
    ['sorted']
    """
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, prepare in candidates.items():
            run = prepare()
            gc.collect()
            gc.disable()
            start = process_time()
            run()
            seconds[name].append(process_time() - start)
            gc.enable()
    return {name: median(times) for name, times in seconds.items()}


def _given(run: Callable[[], object]) -> Callable[[], Callable[[], object]]:
    return lambda: run


def percentile(values: list[int], share: float) -> int:
    """The smallest value that is not exceeded by `share` of them.

    >>> percentile([5, 1, 2, 4, 3], 0.5), percentile([1, 2], 0.99)
    (3, 2)
    """
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]
