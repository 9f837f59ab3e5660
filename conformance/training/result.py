"""What a run of `conformance train` has found so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.training.findings import TrainingFinding


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """What a run has found so far.

    label: of the subject. compared: trainings by trainer; refused: those that both refuse. by_chance: those that differ
    where the official library makes merges in an order of chance. not_taken: what only the subject refuses, in its
    words. total: cases that there are.
    """

    label: str
    total: int
    compared: Mapping[str, int]
    refused: int
    by_chance: int
    not_taken: Mapping[str, int]
    different: int
    findings: tuple[TrainingFinding, ...]

    @property
    def done(self) -> int:
        return sum(self.compared.values())

    @property
    def is_vacuous(self) -> bool:
        """Whether it proves nothing: all was asked, and nothing learned that could be compared."""
        return self.done == self.total and self.done == self.refused + sum(self.not_taken.values())
