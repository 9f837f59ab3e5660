"""The progress of a run of `conformance train`, told as that of other runs."""

from __future__ import annotations

from rich.text import Text

from conformance.runs.progress import Teller
from conformance.training.session import TrainingProgress


class TrainingTeller(Teller[TrainingProgress]):
    """Tells of each training."""

    def _shown(self, progress: TrainingProgress) -> Text:
        return Text(progress.sentence)

    def _line(self, progress: TrainingProgress) -> tuple[str, bool]:
        return progress.sentence, progress.done == progress.total and not progress.step
