"""Where a training's result goes, with a checkpoint beside it while it is made, so that a kill costs little.

    tokenizer.json.training      what is done so far (checkpoint.py)

The checkpoint is replaced as a whole every twenty seconds, and removed when the output is in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from reftok.errors import TrainingStopped
from reftok.formats.files import write_durably
from reftok.training.checkpoint import Columns, read_checkpoint, write_checkpoint
from reftok.training.feeding import Texts
from reftok.training.watching import TrainingProgress

SAVE_SECONDS = 20.0
"""The time between two checkpoints, or ten times as long as writing one took."""

SHOW_SECONDS = 0.5


class Output:
    """The output of one training.

    path: None for nowhere, without a checkpoint then.
    resume: go on from the checkpoint. overwrite: replace the output, and forget the checkpoint.
    progress: as of `reftok.train`. identity: what must be the same for another run to go on.
    """

    def __init__(
        self,
        path: Path | None,
        resume: bool,
        overwrite: bool,
        progress: Callable[[TrainingProgress], None] | None,
        identity: Mapping[str, Any],
    ) -> None:
        self._path = path
        self._checkpoint = None if path is None else path.with_name(f"{path.name}.training")
        self._resumes, self._overwrites = resume, overwrite
        self._progress = progress
        self._identity = identity
        self._shown = self._saved = monotonic()
        self._wait = SAVE_SECONDS

    def check(self, texts: Texts) -> None:
        """Raise TrainingStopped for an output that cannot be written, or stands for something already.

        texts: those that are learned from.
        """
        path, checkpoint = self._path, self._checkpoint
        if path is None or checkpoint is None:
            if self._resumes:
                raise TrainingStopped("resume goes on from the checkpoint beside the output: name the output")
            return
        if not path.parent.is_dir():
            raise TrainingStopped(f"{path}: the folder {path.parent} does not exist")
        if self._resumes and not texts.files:
            raise TrainingStopped("resume reads the texts again: give files")
        # An output beside its checkpoint was put there by the run that was killed, or is one to be replaced.
        if self._overwrites or (self._resumes and checkpoint.exists()):
            return
        if path.exists():
            raise TrainingStopped(f"{path}: exists already; --overwrite replaces it")
        if checkpoint.exists() and not self._resumes:
            raise TrainingStopped(
                f"{checkpoint}: is of an interrupted training: --resume goes on with it, --overwrite begins anew"
            )

    def state(self) -> Columns | None:
        """What is gone on from; raises TrainingStopped for a checkpoint that cannot be."""
        if not self._resumes or self._checkpoint is None:
            return None
        return read_checkpoint(self._checkpoint, self._identity)

    def watch(self, progress: TrainingProgress, columns: Callable[[], Columns]) -> None:
        """Show how far it is, and write a checkpoint, when it is time."""
        now = monotonic()
        if now - self._shown >= SHOW_SECONDS:
            self._shown = now
            if self._progress is not None:
                self._progress(progress)
        if now - self._saved >= self._wait and self._checkpoint is not None:
            try:
                write_checkpoint(self._checkpoint, self._identity, columns())
            except OSError as error:
                raise TrainingStopped(f"{self._checkpoint}: cannot be written: {error.strerror}") from None
            self._saved = monotonic()
            self._wait = max(SAVE_SECONDS, 10 * (self._saved - now))

    def write(self, files: Callable[[Path], Mapping[Path, str | bytes]]) -> None:
        """Write the files of the result, and remove the checkpoint.

        files: their contents, given the path of the output. Raises TrainingStopped for what cannot be written.
        """
        if self._path is None or self._checkpoint is None:
            return
        try:
            for path, content in files(self._path).items():
                write_durably(path, content)
            for path in (self._checkpoint.with_name(f"{self._checkpoint.name}.new"), self._checkpoint):
                path.unlink(missing_ok=True)
        except OSError as error:
            raise TrainingStopped(f"{self._path}: cannot be written: {error.strerror}") from None
