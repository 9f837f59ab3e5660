"""The benches that this process has loaded, kept for the next question about their models."""

from __future__ import annotations

import gc
import math

from conformance.engine.bench import Bench
from conformance.engine.plan import Plan
from reftok.formats.collection import collecting_later

_benches: dict[str, Bench] = {}
"""By model, those that were loaded first in front."""


def bench_of(plan: Plan, model: str, most: int = 1, until: float = math.inf) -> Bench:
    """The bench of a model; where as many are there as are kept, that of another model is closed for it.

    most: how many are kept, each of which may take some hundred megabytes.
    until: as of `Bench`, where it is loaded now; one that lacks a subject since an earlier time was up is loaded again.
    """
    if model in _benches and _benches[model].was_late and _benches[model].until < until:
        _benches.pop(model).close()
    if model not in _benches:
        if len(_benches) >= most:
            _benches.pop(next(iter(_benches))).close()
            gc.unfreeze()  # its attributor is part of cycles: frozen, they would keep the model
            gc.collect()
        with collecting_later():
            _benches[model] = Bench(plan, next(entry for entry in plan.models if entry.name == model), until)
        # A vocab has hundreds of thousands of objects, of which none goes before the bench does: to look through them
        # again and again takes a fifth of the time of a shard.
        gc.freeze()
    return _benches[model]


def close_benches() -> None:
    """Close the benches of this process, if it has any."""
    while _benches:
        _benches.popitem()[1].close()
    gc.unfreeze()
