"""What a training did, for those who ask why a piece is there, or is not."""

from __future__ import annotations

from dataclasses import dataclass, field

MOST_RIVALS = 10
"""So many rivals of a merge are noted."""


@dataclass(frozen=True, slots=True)
class Merge:
    """One merge of BPE.

    left, right: the two pieces that became one. count: how often they were neighbours, as often as their sentences
    count. rivals: other pairs of that count; the merge has fewer characters than they, or is the smaller text.
    """

    left: str
    right: str
    count: int
    rivals: tuple[str, ...] = ()

    @property
    def piece(self) -> str:
        """The text that it makes."""
        return self.left + self.right


@dataclass(frozen=True, slots=True)
class Round:
    """One round of EM, a Unigram trainer's.

    objective: the mean negative logarithm of a sentence's probability, before the round. scores: of each piece, after.
    rare: the pieces that went because they are expected less than half a time.
    """

    objective: float
    scores: dict[str, float]
    rare: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pruned:
    """A piece that a Unigram trainer took out after `rounds` rounds of EM, and why.

    reason: "unused", no sentence is best cut with it; "split", its own best segmentation is several pieces; "loss", it
    costs the least to do without it; "unreachable", its parts together score higher than it does.
    alternative: the segmentation that is used instead. loss: what it costs, where that was the reason.
    """

    piece: str
    rounds: int
    reason: str
    alternative: tuple[str, ...] = ()
    loss: float | None = None


@dataclass(frozen=True, slots=True)
class TrainingTrace:
    """What a training notes down when it is given one.

    merges: of BPE, in order. rounds, pruned, seeds: of Unigram; the seeds with the scores that they begin with.
    """

    merges: list[Merge] = field(default_factory=list)
    seeds: dict[str, float] = field(default_factory=dict)
    rounds: list[Round] = field(default_factory=list)
    pruned: list[Pruned] = field(default_factory=list)
