"""One training of sentencepiece, as `reftok train` asks for it: texts or files, what can be told before, the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reftok.errors import InvalidOption, TrainingStopped, VocabularyTooLarge
from reftok.training.checkpoint import Columns
from reftok.training.feeding import Texts
from reftok.training.output import Output
from reftok.training.sentencepiece.corpus import lines_of_files
from reftok.training.sentencepiece.meta_pieces import meta_pieces
from reftok.training.sentencepiece.options import TrainerOptions, trainer_options
from reftok.training.sentencepiece.trace import TrainingTrace
from reftok.training.sentencepiece.trainer import train, train_files
from reftok.training.watching import TrainingProgress, Watch, unwatched

MOST_FORETOLD = 50_000
"""Bytes of a corpus whose largest vocabulary is told before: it takes a training without a limit."""

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

    @property
    def identity(self) -> dict[str, Any]:
        """What must be the same for another run to go on with this one."""
        options = {name: repr(getattr(self.options, name)) for name in sorted(self.options.given)}
        inputs = [*map(list, self.texts.names), self.texts.whole_files]
        return {"trainer": self.name, **options, "inputs": inputs}

    def train(
        self, watch: Watch = unwatched, trace: TrainingTrace | None = None, state: Columns | None = None
    ) -> bytes:
        """The bytes of the model. The arguments are as of `reftok.training.sentencepiece.trainer.train`."""
        if self.options.input:
            return train_files(self.options, watch, trace, state)
        return train((text for text, _ in self.texts.read()), self.options, watch, trace, state)

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
            train(lines, replace(self.options, vocab_size=_NO_LIMIT, hard_vocab_limit=True, input=()), trace=trace)
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

    Raises TrainingStopped for an output that cannot be written, and a checkpoint that cannot be gone on from.
    """
    if output is not None and output.suffix != ".model":
        raise TrainingStopped(f"{output}: the output of {training.name} is FILE.model")
    kept = Output(output, resume, overwrite, progress, training.identity)
    kept.check(training.texts)
    state = kept.state()
    if notes is not None:
        for note in training.before():
            notes(note)
    data = training.train(kept.watch, None, state)
    kept.write(lambda path: {path: data})
    return data
