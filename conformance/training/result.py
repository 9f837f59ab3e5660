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
    words. total: cases that there are. options: how many of the options and their values the cases have.
    """

    label: str
    total: int
    compared: Mapping[str, int]
    refused: int
    by_chance: int
    not_taken: Mapping[str, int]
    different: int
    findings: tuple[TrainingFinding, ...]
    options: str = ""

    @property
    def done(self) -> int:
        return sum(self.compared.values())

    @property
    def asked(self) -> int:
        """The trainings that could be compared: of which one of the two sides made something."""
        return self.done - self.refused - sum(self.not_taken.values())

    @property
    def is_vacuous(self) -> bool:
        """Whether it proves little: fewer than a third of all could be compared."""
        return self.done == self.total and 3 * self.asked < self.done
