"""One run: from the texts to the finished files, with a checkpoint beside the output, so that a kill costs little.

    tokenizer.json.training      the words so far, then the merges so far (checkpoint.py)

The checkpoint is replaced at once every twenty seconds, and removed when the output is in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic

from reftok.errors import TrainingStopped
from reftok.formats.files import write_durably
from reftok.training.checkpoint import Columns, numbers, read_checkpoint, strings, write_checkpoint
from reftok.training.feeding import WordCounter
from reftok.training.foretelling import after, before
from reftok.training.options import contents
from reftok.training.pipelines import Json
from reftok.training.training import Training, output_format
from reftok.training.watching import TrainingProgress

SAVE_SECONDS = 20.0
"""The time between two checkpoints, or ten times as long as writing one took."""

SHOW_SECONDS = 0.5


class Run:
    """One training that is carried out.

    output: where the result is written; None for nowhere, without a checkpoint then.
    resume: go on from the checkpoint. overwrite: replace the output, and forget the checkpoint.
    progress, notes: as of `reftok.train`.
    """

    def __init__(
        self,
        training: Training,
        output: Path | None,
        resume: bool = False,
        overwrite: bool = False,
        progress: Callable[[TrainingProgress], None] | None = None,
        notes: Callable[[str], None] | None = None,
    ) -> None:
        self._training = training
        self._output = output
        self._progress = progress
        self._notes = notes or (lambda note: None)
        self._checkpoint = None if output is None else output.with_name(f"{output.name}.training")
        self._resumes = resume
        self._overwrites = overwrite
        self._counted: Columns = {}
        self._shown = self._saved = monotonic()
        self._wait = SAVE_SECONDS

    def run(self) -> Json:
        """The trained tokenizer.json; the files are written."""
        self._check()
        state = self._state()
        counter, in_text = self._count(state)
        counts = counter.counts()
        for note in before(self._training, counts, in_text):
            self._notes(note)
        self._counted = {
            "words": list(counts),
            "word counts": list(counts.values()),
            "special tokens in the text": in_text,
            "texts": [-1],
        }
        value = self._training.train(counts, self.watch, _of_trainer(state))
        for note in after(self._training, counts, value):
            self._notes(note)
        self._write(value)
        return value

    def _check(self) -> None:
        """Raises TrainingStopped for an output that cannot be written, or stands for something already."""
        output, checkpoint = self._output, self._checkpoint
        if output is None or checkpoint is None:
            if self._resumes:
                raise TrainingStopped("resume goes on from the checkpoint beside the output: name the output")
            return
        if output_format(output) == "tiktoken":
            self._training.checked_pattern(output)
        if not output.parent.is_dir():
            raise TrainingStopped(f"{output}: the folder {output.parent} does not exist")
        if self._resumes and not self._training.texts.files:
            raise TrainingStopped("resume reads the texts again: give files")
        if self._overwrites:
            return
        if output.exists():
            raise TrainingStopped(f"{output}: exists already; --overwrite replaces it")
        if checkpoint.exists() and not self._resumes:
            raise TrainingStopped(
                f"{checkpoint}: is of an interrupted training: --resume goes on with it, --overwrite begins anew"
            )

    def _state(self) -> Columns | None:
        if not self._resumes or self._checkpoint is None:
            return None
        return read_checkpoint(self._checkpoint, self._training.identity)

    # --- counting

    def _count(self, state: Columns | None) -> tuple[WordCounter, list[str]]:
        """The words, and the special tokens that the text has."""
        counter, done, in_text = WordCounter(self._training.untrained()), 0, list[str]()
        if state is not None:
            counter.go_on(strings(state, "words"), numbers(state, "word counts"))
            in_text = strings(state, "special tokens in the text")
            done = numbers(state, "texts")[0]
            if done < 0:
                return counter, in_text
        missing = [token for token in contents(self._training.trainer.special_tokens) if token and token not in in_text]
        size = self._training.texts.size

        def columns() -> Columns:
            counts = counter.counts()
            return {
                "words": list(counts),
                "word counts": list(counts.values()),
                "special tokens in the text": in_text,
                "texts": [number],
            }

        number = 0
        for number, (text, read) in enumerate(self._training.texts.read(), 1):
            if number <= done:
                continue
            counter.add(text)
            if missing and (found := [token for token in missing if token in text]):
                in_text += found
                missing = [token for token in missing if token not in found]
            self.watch(TrainingProgress("counting words", read or number, size, "bytes" if read else "texts"), columns)
        return counter, in_text

    # --- looking on

    def watch(self, progress: TrainingProgress, columns: Callable[[], Columns]) -> None:
        """Show how far it is, and write a checkpoint, when it is time."""
        now = monotonic()
        if now - self._shown >= SHOW_SECONDS:
            self._shown = now
            if self._progress is not None:
                self._progress(progress)
        if now - self._saved >= self._wait and self._checkpoint is not None:
            state = {**self._counted, **columns()}
            try:
                write_checkpoint(self._checkpoint, self._training.identity, state)
            except OSError as error:
                raise TrainingStopped(f"{self._checkpoint}: cannot be written: {error.strerror}") from None
            self._saved = monotonic()
            self._wait = max(SAVE_SECONDS, 10 * (self._saved - now))

    def _write(self, value: Json) -> None:
        if self._output is None or self._checkpoint is None:
            return
        try:
            for path, content in self._training.files(value, self._output).items():
                write_durably(path, content)
            self._checkpoint.unlink(missing_ok=True)
        except OSError as error:
            raise TrainingStopped(f"{self._output}: cannot be written: {error.strerror}") from None


def _of_trainer(state: Columns | None) -> Columns | None:
    """What the trainer goes on from, None where the words were still being counted."""
    return (
        None if state is None or numbers(state, "texts") != [-1] or not {"tokens", "pieces"} & state.keys() else state
    )
