"""Trains a sentencepiece model: the way of the data, whatever the model type.

Source: sentencepiece 0.2.3, sentencepiece_trainer.cc (`Train`), trainer_interface.cc.
"""

from __future__ import annotations

from collections.abc import Iterable

from reftok.errors import InvalidOption, TrainingStopped
from reftok.training.sentencepiece.bpe import train_bpe
from reftok.training.sentencepiece.char import train_char
from reftok.training.sentencepiece.corpus import Corpus, lines_of_files, prepared, sentences_of
from reftok.training.sentencepiece.meta_pieces import MetaPieces, meta_pieces
from reftok.training.sentencepiece.model_file import ScoredPiece, model_file
from reftok.training.sentencepiece.normalization import charsmap_blob, normalizer_of
from reftok.training.sentencepiece.options import TrainerOptions, check_options
from reftok.training.sentencepiece.trace import Progress, TrainingTrace
from reftok.training.sentencepiece.unigram import train_unigram
from reftok.training.sentencepiece.word import train_word


def train(
    sentences: Iterable[str | bytes],
    options: TrainerOptions,
    progress: Progress | None = None,
    trace: TrainingTrace | None = None,
) -> bytes:
    """The `.model` that the official trainer makes of these sentences.

    sentences: line ends behind them do not belong to them. options: of `trainer_options`, without `input`.
    progress: called now and then. trace: is filled with what happened.
    Raises InvalidOption for an option, InvalidText for a sentence that is no text, TrainingStopped for a corpus that
    does not give what is asked for, VocabularyTooLarge among them, which names the largest vocabulary possible.

    >>> from reftok.formats.sentencepiece_model import read_sentencepiece_model
    >>> from reftok.training.sentencepiece.options import trainer_options
    >>> model = train(["hug pug hugs"] * 5, trainer_options(model_type="bpe", vocab_size=12))
    >>> read_sentencepiece_model(model, "").encode("hugs").tokens
    ['▁hug', 's']
    """
    if options.input:
        raise InvalidOption("input", "the sentences are given already: leave it out, or train on the files")
    return _trained(sentences_of(sentences), options, progress, trace)


def train_files(options: TrainerOptions, progress: Progress | None = None, trace: TrainingTrace | None = None) -> bytes:
    """The `.model` that the official trainer makes of the files in `options.input`, a sentence a line.

    The model names these files, as they are given. Raises what `train` raises.

    Quirk: only the line feed ends a line. A carriage return stays, so that the rules of normalization decide what
    becomes of it, and a file may train another model than its lines given as sentences.
    """
    if not options.input:
        raise InvalidOption("input", "there is no file to train on")
    return _trained(lines_of_files(options.input), options, progress, trace)


def _trained(
    lines: Iterable[str | bytes], options: TrainerOptions, progress: Progress | None, trace: TrainingTrace | None
) -> bytes:
    check_options(options)
    meta = meta_pieces(options)
    charsmap = charsmap_blob(options)
    corpus = prepared(lines, options, normalizer_of(options, charsmap), meta)
    learned = _learned(corpus, options, meta, progress, trace)
    vocab_size = len(learned) + len(meta) if options.use_all_vocab else options.vocab_size
    return model_file(learned, meta, options, charsmap, vocab_size)


def _learned(
    corpus: Corpus, options: TrainerOptions, meta: MetaPieces, progress: Progress | None, trace: TrainingTrace | None
) -> list[ScoredPiece]:
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
        return train_bpe(corpus, size, options, progress, trace)
    return train_unigram(corpus, size, options, progress, trace)


def _too_small(options: TrainerOptions, needed: int, what: str) -> str:
    return f"vocab_size: {options.vocab_size} is too few, there are {needed} {what}"
