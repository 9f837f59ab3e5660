"""Who looks on while a trainer works: shows how far it is, keeps what is done, and asks about one step of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from reftok.training.checkpoint import Columns


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """How far a training is.

    step: "counting words", "merging", "EM", and the like.
    done, whole: of what is counted, in `unit`; whole is None where nobody knows.
    """

    step: str
    done: int
    whole: int | None
    unit: str


Watch: TypeAlias = Callable[[TrainingProgress, Callable[[], Columns]], None]
"""Is told of every step of a trainer, and may ask for its state, from which it can go on."""


def unwatched(progress: TrainingProgress, state: Callable[[], Columns]) -> None:
    """Nobody looks."""
