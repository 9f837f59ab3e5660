"""One run: from the texts to the finished files, through a checkpoint that has the words so far, then the merges."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from reftok.training.checkpoint import Columns, numbers, strings
from reftok.training.feeding import WordCounter
from reftok.training.foretelling import after, before
from reftok.training.options import contents
from reftok.training.output import Output
from reftok.training.pipelines import Json
from reftok.training.training import Training, output_format
from reftok.training.watching import TrainingProgress


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
        if output is not None and output_format(output) == "tiktoken":
            training.checked_pattern(output)
        self._output = Output(output, resume, overwrite, progress, training.identity)
        self._notes = notes or (lambda note: None)
        self._counted: Columns = {}

    def run(self) -> Json:
        """The trained tokenizer.json; the files are written."""
        self._output.check(self._training.texts)
        state = self._output.state()
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
        value = self._training.train(counts, self._watch, _of_trainer(state))
        for note in after(self._training, counts, value):
            self._notes(note)
        self._output.write(partial(self._training.files, value))
        return value

    def _watch(self, progress: TrainingProgress, columns: Callable[[], Columns]) -> None:
        """Look on a trainer, whose state the words belong to."""
        self._output.watch(progress, lambda: {**self._counted, **columns()})

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
            unit = "bytes" if read else "texts"
            self._output.watch(TrainingProgress("counting words", read or number, size, unit), columns)
        return counter, in_text


def _of_trainer(state: Columns | None) -> Columns | None:
    """What the trainer goes on from, None where the words were still being counted."""
    return (
        None if state is None or numbers(state, "texts") != [-1] or not {"tokens", "pieces"} & state.keys() else state
    )
