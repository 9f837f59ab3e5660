"""No input grows: four times the text takes some four times the steps, in all that is asked of a tokenizer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import reftok
from benchmarks.slow_inputs import WAYS, fresh
from benchmarks.worst_cases import WORST_CASES

LENGTHS = {"bpe-qwen": 1_200, "spm-bpe": 300, "spm-bpe-hf": 300, "spm-unigram": 300, "spm-unigram-hf": 300}
"""A model of each fast kind, and code points that are too many for a way that only short texts go."""
MOST = 12
"""By the square of its length four times the text would take sixteen times the steps."""


def steps(run: Callable[[], object]) -> int:
    """How many lines of Python a run executes, and calls and returns of its functions; what C does is not seen."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("model", LENGTHS)
def test_four_times_the_text_takes_some_four_times_the_steps(model: str, way: str) -> None:
    tokenizer = reftok.load(model)
    grown = {}
    for name, make in WORST_CASES.items():
        short, long = make(LENGTHS[model]), make(4 * LENGTHS[model])
        WAYS[way](fresh(tokenizer), long)()  # makes the tables that all tokenizers of this model share
        less, more = (steps(WAYS[way](fresh(tokenizer), text)) for text in (short, long))
        if more > MOST * less:
            grown[name] = less, more
    assert grown == {}
