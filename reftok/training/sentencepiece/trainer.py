"""Trains a sentencepiece model: the way of the data, whatever the model type.

Source: sentencepiece 0.2.3, sentencepiece_trainer.cc (`Train`), trainer_interface.cc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from reftok.errors import InvalidOption, TrainingStopped
from reftok.formats.collection import collecting_later
from reftok.training.checkpoint import Columns
from reftok.training.sentencepiece.bpe import train_bpe
from reftok.training.sentencepiece.char import train_char
from reftok.training.sentencepiece.corpus import Corpus, lines_of_files, prepared, sentences_of
from reftok.training.sentencepiece.meta_pieces import MetaPieces, meta_pieces
from reftok.training.sentencepiece.model_file import ScoredPiece, model_file
from reftok.training.sentencepiece.normalization import charsmap_blob, normalizer_of
from reftok.training.sentencepiece.options import TrainerOptions, check_options
from reftok.training.sentencepiece.trace import TrainingTrace
from reftok.training.sentencepiece.unigram import train_unigram
from reftok.training.sentencepiece.word import train_word
from reftok.training.watching import TrainingProgress, Watch, unwatched

_NO_LIMIT = 2**31 - 1


def train(
    sentences: Iterable[str | bytes],
    options: TrainerOptions,
    watch: Watch = unwatched,
    trace: TrainingTrace | None = None,
    state: Columns | None = None,
) -> bytes:
    """The `.model` that the official trainer makes of these sentences.

    sentences: line ends behind them do not belong to them. options: of `trainer_options`, without `input`.
    watch: is told of each step. trace: is filled with what happened.
    state: that of an interrupted training of the same sentences, to go on from.
    Raises InvalidOption for an option, InvalidText for a sentence that is no text, TrainingStopped for a corpus that
    does not give what is asked for, VocabularyTooLarge among them, which names the largest vocabulary possible.

    >>> from reftok.formats.sentencepiece.model_file import read_sentencepiece_model
    >>> from reftok.training.sentencepiece.options import trainer_options
    >>> model = train(["hug pug hugs"] * 5, trainer_options(model_type="bpe", vocab_size=12))
    >>> read_sentencepiece_model(model, "").encode("hugs").tokens
    ['▁hug', 's']
    """
    if options.input:
        raise InvalidOption("input", "the sentences are given already: leave it out, or train on the files")
    return _trained(sentences_of(sentences), options, watch, trace, state)


def train_files(
    options: TrainerOptions,
    watch: Watch = unwatched,
    trace: TrainingTrace | None = None,
    state: Columns | None = None,
) -> bytes:
    """The `.model` that the official trainer makes of the files in `options.input`, a sentence a line.

    The model names these files, as they are given. Raises what `train` raises.

    Quirk: only the line feed ends a line. A carriage return stays, so that the rules of normalization decide what
    becomes of it, and a file may train another model than its lines given as sentences.
    """
    if not options.input:
        raise InvalidOption("input", "there is no file to train on")
    return _trained(lines_of_files(options.input), options, watch, trace, state)


def largest_vocabulary(sentences: Iterable[str | bytes], options: TrainerOptions) -> int:
    """The largest vocabulary that these sentences can give: what an error of `train` names where more is asked for.

    It is as much work as a training without a limit. Of a Unigram model that asks for less an error may name less: it
    prunes down to 1.1 times what is asked for, and may lose more in the end.

    >>> from reftok.training.sentencepiece.options import trainer_options
    >>> largest_vocabulary(["hug pug hugs"] * 5, trainer_options(model_type="bpe"))
    21
    """
    options = replace(options, vocab_size=_NO_LIMIT)
    meta = meta_pieces(options)
    corpus = prepared(sentences_of(sentences), options, normalizer_of(options, charsmap_blob(options)), meta)
    return len(_learned(corpus, options, meta, unwatched, None, None)) + len(meta)


def _trained(
    lines: Iterable[str | bytes],
    options: TrainerOptions,
    watch: Watch,
    trace: TrainingTrace | None,
    state: Columns | None,
) -> bytes:
    check_options(options)
    meta = meta_pieces(options)
    charsmap = charsmap_blob(options)
    if state is None or "sentences" not in state:
        corpus = prepared(lines, options, normalizer_of(options, charsmap), meta, watch, state)
        state = None
    else:
        corpus = Corpus.of_columns(state)

    def watch_trainer(progress: TrainingProgress, columns: Callable[[], Columns]) -> None:
        watch(progress, lambda: {**corpus.columns(), **columns()})

    with collecting_later():
        learned = _learned(corpus, options, meta, watch_trainer, trace, state)
    vocab_size = len(learned) + len(meta) if options.use_all_vocab else options.vocab_size
    return model_file(learned, meta, options, charsmap, vocab_size)


def _learned(
    corpus: Corpus,
    options: TrainerOptions,
    meta: MetaPieces,
    watch: Watch,
    trace: TrainingTrace | None,
    state: Columns | None,
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
        return train_bpe(corpus, size, options, watch, trace, state)
    return train_unigram(corpus, size, options, watch, trace, state)


def _too_small(options: TrainerOptions, needed: int, what: str) -> str:
    return f"vocab_size: {options.vocab_size} is too few, there are {needed} {what}"
