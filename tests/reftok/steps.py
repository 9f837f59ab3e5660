"""Counted steps: what a run takes, the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def steps(run: Callable[[], object]) -> int:
    """How many lines of Python a run executes, and calls and returns of its functions; what C does is not seen.

    >>> steps(lambda: [str(number) for number in range(100)]) > steps(lambda: None)
    True
    """
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
