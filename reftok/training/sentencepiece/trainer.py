"""Trains a sentencepiece model: the way of the data, whatever the model type.

Source: sentencepiece 0.2.3, sentencepiece_trainer.cc (`Train`), trainer_interface.cc.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reftok.errors import InvalidOption, ModelFormatError, TrainingStopped
from reftok.formats.collection import collecting_later
from reftok.formats.sentencepiece.model_file import read_sentencepiece_model
from reftok.rules.pipeline import Pipeline
from reftok.training.monitor import UNWATCHED, Monitor
from reftok.training.sentencepiece.bpe import train_bpe
from reftok.training.sentencepiece.char import train_char
from reftok.training.sentencepiece.corpus import Corpus, lines_of_files, prepared, sentences_of
from reftok.training.sentencepiece.meta_pieces import MetaPieces, meta_pieces
from reftok.training.sentencepiece.model_file import ScoredPiece, model_file, vocab_file
from reftok.training.sentencepiece.normalization import charsmap_blob, normalizer_of
from reftok.training.sentencepiece.options import TrainerOptions, check_options, trainer_options
from reftok.training.sentencepiece.unigram import train_unigram
from reftok.training.sentencepiece.word import train_word
from reftok.training.texts import Texts

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
        """What must be equal for another run to resume this one."""
        options = {name: repr(getattr(self.options, name)) for name in sorted(self.options.given)}
        inputs = [*map(list, self.texts.names), self.texts.whole_files]
        return {"trainer": self.name, **options, "inputs": inputs}

    def check_output(self, path: Path) -> None:
        """Raises TrainingStopped if the result cannot be written under this name."""
        if path.suffix != ".model":
            raise TrainingStopped(f"{path}: the output of {self.name} is FILE.model")

    def beside(self, path: Path) -> Sequence[Path]:
        """The other files that are written with the one at `path`."""
        return [path.with_suffix(".vocab")]

    def run(self, monitor: Monitor = UNWATCHED) -> bytes:
        """The bytes of the model."""
        return train(None if self.options.input else (text for text, _ in self.texts.read()), self.options, monitor)

    def files(self, result: bytes, path: Path) -> Mapping[Path, bytes]:
        """The content of each file of the result; the model, which `resume` looks for, is the last.

        Raises TrainingStopped for a model that cannot be loaded.
        """
        rules_of(result, path)
        return {path.with_suffix(".vocab"): vocab_file(result, self.options), path: result}


def rules_of(model: bytes, path: Path | None) -> Pipeline:
    """The rules of a trained model. path: of its file, for the message.

    Raises TrainingStopped if it cannot be loaded: sentencepiece writes such a model without a word, for example one
    without the unknown piece, whose id is above those of all characters, and one with a piece of 8,000 bytes.
    """
    try:
        return read_sentencepiece_model(model, "")
    except ModelFormatError as error:
        name = "" if path is None else f"{path}: not written: "
        problem = f"sentencepiece makes a model of these options that it cannot load itself: {error}"
        raise TrainingStopped(name + problem) from None


def train(sentences: Iterable[str | bytes] | None, options: TrainerOptions, monitor: Monitor = UNWATCHED) -> bytes:
    """The `.model` that the official trainer makes of these sentences.

    sentences: line ends behind them do not belong to them. None for the files in `options.input`, a sentence a line,
        which the model names as they are given. options: of `trainer_options`.
    monitor: its state is that of an interrupted training of the same sentences.
    Raises InvalidOption for an option, InvalidText for a sentence that is no text, TrainingStopped for a corpus that
    does not give what is asked for, VocabularyTooLarge among them, which names the largest vocabulary possible.

    Quirk: in a file only the line feed ends a line. A carriage return stays, so that the rules of normalization decide
    what becomes of it, and a file may train another model than its lines given as sentences.

    >>> from reftok.formats.sentencepiece.model_file import read_sentencepiece_model
    >>> from reftok.training.sentencepiece.options import trainer_options
    >>> model = train(["hug pug hugs"] * 5, trainer_options(model_type="bpe", vocab_size=12))
    >>> read_sentencepiece_model(model, "").encode("hugs").tokens
    ['▁hug', 's']
    """
    if (sentences is None) != bool(options.input):
        raise InvalidOption("input", "either sentences or files are needed, and not both")
    check_options(options)
    meta = meta_pieces(options)
    charsmap = charsmap_blob(options)
    state = monitor.state
    if state is None or "trainer" not in state:
        lines = lines_of_files(options.input) if sentences is None else sentences_of(sentences)
        corpus = prepared(lines, options, normalizer_of(options, charsmap), meta, monitor)
    else:
        corpus = Corpus([(text, count) for text, count in state["sentences"]], state["required"])
    with collecting_later():
        before = {"sentences": corpus.sentences, "required": corpus.required}
        learned = _learned(corpus, options, meta, monitor.of_trainer(before))
    vocab_size = len(learned) + len(meta) if options.use_all_vocab else options.vocab_size
    return model_file(learned, meta, options, charsmap, vocab_size)


def _learned(corpus: Corpus, options: TrainerOptions, meta: MetaPieces, monitor: Monitor) -> list[ScoredPiece]:
    """The pieces that the corpus gives, in the order of their ids."""
    size = options.vocab_size - len(meta)
    if options.model_type in ("word", "char"):
        if size < 0:
            raise TrainingStopped(_too_small(options, len(meta), "special pieces"))
        most = None if options.use_all_vocab else size
        return train_word(corpus, most) if options.model_type == "word" else train_char(corpus, most)
    if options.auto_character_coverage and size <= 0:
        raise TrainingStopped(_too_small(options, len(meta), "special pieces, and there is none left to learn"))
    if len(corpus.required) > size:
        needed = len(meta) + len(corpus.required)
        raise TrainingStopped(_too_small(options, needed, "special pieces and characters; or lower character_coverage"))
    if options.model_type == "bpe":
        return train_bpe(corpus, size, options, monitor)
    return train_unigram(corpus, size, options, monitor)


def _too_small(options: TrainerOptions, needed: int, what: str) -> str:
    return f"vocab_size: {options.vocab_size} is too few, there are {needed} {what}"
