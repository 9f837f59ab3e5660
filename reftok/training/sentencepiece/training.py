"""One training of sentencepiece, as `reftok train` asks for it: texts or files, what can be told before, the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

from reftok.errors import InvalidOption, TrainingStopped, VocabularyTooLarge
from reftok.formats.files import write_durably
from reftok.training.feeding import Texts
from reftok.training.sentencepiece.corpus import lines_of_files
from reftok.training.sentencepiece.meta_pieces import meta_pieces
from reftok.training.sentencepiece.options import TrainerOptions, trainer_options
from reftok.training.sentencepiece.trace import Progress, TrainingTrace
from reftok.training.sentencepiece.trainer import train, train_files
from reftok.training.watching import TrainingProgress

MOST_FORETOLD = 50_000
"""Bytes of a corpus whose largest vocabulary is told before: it takes a training without a limit."""

SHOW_SECONDS = 0.5
_NO_LIMIT = 2**31 - 1
_ELSEWHERE = {
    "special_tokens": "sentencepiece has control_symbols and user_defined_symbols",
    "pipeline": "sentencepiece's normalization is chosen by normalization_rule_name and the options beside it",
    "min_frequency": "sentencepiece takes pairs of any count; the trainers hf-bpe, wordpiece and wordlevel have it",
    "model_type": "the name of the trainer says it",
    "input": "the files are given by themselves",
}


@dataclass(frozen=True, slots=True)
class SentencePieceTraining:
    """A trainer with its options, and what it learns from.

    name: of the trainer. options: its model type among them, and the files as its input, which the model names.
    """

    name: str
    options: TrainerOptions
    texts: Texts

    @classmethod
    def of(cls, name: str, texts: Texts, **options: Any) -> SentencePieceTraining:
        """Raises InvalidOption for an option that sentencepiece does not have, or a value that it does not accept."""
        for option in options:
            if option in _ELSEWHERE:
                raise InvalidOption(option, f"is no option of {name}: {_ELSEWHERE[option]}")
        if texts.files and not texts.whole_files:
            options = {**options, "input": [str(path) for path in texts.files]}
        return cls(name, trainer_options(model_type=name.removeprefix("sentencepiece-"), **options), texts)

    def train(self, progress: Progress | None = None, trace: TrainingTrace | None = None) -> bytes:
        """The bytes of the model."""
        if self.options.input:
            return train_files(self.options, progress, trace)
        return train((text for text, _ in self.texts.read()), self.options, progress, trace)

    def before(self) -> Iterator[str]:
        """The largest vocabulary, and what users stumble over, a sentence each; of texts that are read once nothing."""
        lines = self._lines()
        if lines is None:
            return
        for piece, _ in meta_pieces(self.options).values():
            if (data := piece.encode("utf-8")) and any(data in line for line in lines):
                yield f"the text has the special piece {piece!r:.60}: no learned piece reaches across it"
        if sum(map(len, lines)) > MOST_FORETOLD:
            return
        trace = TrainingTrace()
        try:
            train(lines, replace(self.options, vocab_size=_NO_LIMIT, hard_vocab_limit=True, input=()), None, trace)
        except VocabularyTooLarge as error:
            yield f"the largest vocabulary possible has {error.largest:,} pieces"
            unfounded = sum(merge.count == 0 for merge in trace.merges)
            if unfounded and self.options.vocab_size > error.largest - unfounded:
                yield f"above a vocab_size of {error.largest - unfounded:,} pieces occur 0 times in the text"
        except TrainingStopped:
            return

    def _lines(self) -> Sequence[bytes] | None:
        """What is trained on, where it can be read twice."""
        if self.options.input:
            return list(lines_of_files(self.options.input))
        texts = self.texts
        if texts.files or isinstance(texts.texts, Sequence):
            return [text.encode("utf-8", "surrogateescape").rstrip(b"\r\n") for text, _ in texts.read()]
        return None


def trained_file(
    training: SentencePieceTraining,
    output: Path | None,
    resume: bool = False,
    overwrite: bool = False,
    progress: Callable[[TrainingProgress], None] | None = None,
    notes: Callable[[str], None] | None = None,
) -> bytes:
    """The model, written to `output` where there is one. The arguments are as of `reftok.train`.

    Raises TrainingStopped for an output that cannot be written, and for `resume`: these trainers keep no checkpoint.
    """
    if resume:
        raise TrainingStopped(f"{training.name} keeps no checkpoint to go on from: leave --resume out")
    if output is not None:
        if output.suffix != ".model":
            raise TrainingStopped(f"{output}: the output of {training.name} is FILE.model")
        if not output.parent.is_dir():
            raise TrainingStopped(f"{output}: the folder {output.parent} does not exist")
        if output.exists() and not overwrite:
            raise TrainingStopped(f"{output}: exists already; --overwrite replaces it")
    if notes is not None:
        for note in training.before():
            notes(note)
    data = training.train(None if progress is None else _Shown(progress))
    if output is not None:
        try:
            write_durably(output, data)
        except OSError as error:
            raise TrainingStopped(f"{output}: cannot be written: {error.strerror}") from None
    return data


class _Shown:
    """Tells the progress of a trainer now and then."""

    def __init__(self, progress: Callable[[TrainingProgress], None]) -> None:
        self._progress = progress
        self._at = monotonic()
        progress(TrainingProgress("preparing the sentences", 0, None, "pieces"))

    def __call__(self, step: str, done: int, whole: int) -> None:
        now = monotonic()
        if now - self._at >= SHOW_SECONDS:
            self._at = now
            self._progress(TrainingProgress(step, done, whole or None, "words" if step.startswith("EM") else "pieces"))
