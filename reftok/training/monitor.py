"""What follows a training: its progress, its state for the checkpoint, and its trace for a user who asks why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import Any, TypeAlias

State: TypeAlias = dict[str, Any]
"""Everything from which a trainer can resume, as values of JSON.

A string may have lone surrogates: in the loop of merges its characters stand for ids.
"""


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """How far a training is.

    step: "counting words", "merging", "EM", and the like.
    done, whole: counted in `unit`; whole is None if it is unknown.
    """

    step: str
    done: int
    whole: int | None
    unit: str


@dataclass(frozen=True, slots=True)
class Merge:
    """One merge of BPE, of either family.

    left, right, piece: the two tokens and the one that they become. count: how often they were neighbours.
    rivals: the other pairs that had this count before the merge.
    """

    left: str
    right: str
    piece: str
    count: int
    rivals: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class TrainingTrace:
    """What a training notes if it is given one.

    asked: the number of a merge from 0, its token, or a piece of a Unigram model; None for all merges.
    merges: of BPE those asked for, by number. table: all merges in their order, without rivals.
    unmade: the pairs that would have made the token, with how often they are neighbours at the end.
    story: of the piece, a line for each step. pruned: why it went; "" if it is in the model.
    """

    asked: str | None = None
    merges: dict[int, Merge] = field(default_factory=dict)
    table: list[Merge] = field(default_factory=list)
    unmade: list[Merge] = field(default_factory=list)
    story: list[str] = field(default_factory=list)
    pruned: str = ""

    def wants(self, number: int, piece: str) -> bool:
        """Whether this merge is asked for: finding its rivals takes longer than a merge."""
        return self.asked is None or self.asked == (str(number) if self.asked.isdigit() else piece)

    def note_scores(self, step: str, scores: Mapping[str, float], why: str = "") -> None:
        """Notes the score of the piece after a step; `why` is the reason if the step removed it."""
        score = scores.get(self.asked or "")
        if score is not None and not isnan(score):
            self.story.append(f"{step}: score {score:.6f}")
        elif self.story and score is None:
            self.note_pruned(self.asked or "", f"{step}: {why}")

    def note_pruned(self, piece: str, why: str) -> None:
        """Notes why a piece went; the first reason counts."""
        if piece == self.asked and not self.pruned:
            self.pruned = why


def _unwatched(progress: TrainingProgress, state: Callable[[], State]) -> None:
    """Does nothing."""


@dataclass(frozen=True, slots=True)
class Monitor:
    """What follows a training, or one of its parts.

    watch: called after every step; may ask for the state. state: of an interrupted training, to resume from.
    trace: is filled if there is one.
    """

    watch: Callable[[TrainingProgress, Callable[[], State]], None] = _unwatched
    state: State | None = None
    trace: TrainingTrace | None = None

    def report(self, step: str, done: int, whole: int | None, unit: str, state: Callable[[], State]) -> None:
        """Reports a step of the training. The arguments are those of `TrainingProgress`."""
        self.watch(TrainingProgress(step, done, whole, unit), state)

    def of_trainer(self, before: State) -> Monitor:
        """The monitor of the trainer. before: the state of what came before it, which goes with its own."""

        def watch(progress: TrainingProgress, state: Callable[[], State]) -> None:
            self.watch(progress, lambda: {**before, "trainer": state()})

        return Monitor(watch, None if self.state is None else self.state.get("trainer"), self.trace)


UNWATCHED = Monitor()
