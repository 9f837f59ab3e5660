"""The fast and the streamed form of each model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reftok.engine.bpe.fast_bpe import FastBPE, FastLlamaBPE, FastRankBPE
from reftok.engine.bpe.fast_scored_bpe import FastSentencePieceBPE, FastSPM
from reftok.engine.encode.buffered import BufferedModel
from reftok.engine.encode.merges import StreamedMerges
from reftok.engine.encode.pieces import FastChar, FastWord, StreamedChar, StreamedSentencePieceBPE, StreamedSPM
from reftok.engine.encode.sentencepiece_unigram import StreamedSentencePieceUnigram
from reftok.engine.encode.unigram import StreamedUnigram
from reftok.engine.fast_model import FastModel
from reftok.engine.sinks import TextSink
from reftok.engine.unigram.fast_sentencepiece_unigram import FastSentencePieceUnigram
from reftok.engine.unigram.fast_unigram import FastUnigram
from reftok.limits import LONGEST_STREAMED_PIECE
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.huggingface.wordlevel import WordLevel
from reftok.rules.huggingface.wordpiece import WordPiece
from reftok.rules.llama_cpp.bpe import LlamaBPE
from reftok.rules.llama_cpp.spm import LlamaSPM
from reftok.rules.llama_cpp.wpm import LlamaWPM
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram
from reftok.rules.sentencepiece.words import SentencePieceChar, SentencePieceWord
from reftok.rules.stages import Model
from reftok.rules.tiktoken.rank_bpe import RankBPE

_MAY_BE_UNKNOWN = "one character can make a whole word unknown"
_WHY_BUFFERED: Mapping[type[Any], str] = {
    WordLevel: "a word is looked up as a whole",
    WordPiece: _MAY_BE_UNKNOWN,
    LlamaWPM: _MAY_BE_UNKNOWN,
}
"""Why a model cannot tell any id before the end of a pre-token."""


def fast_model(model: Model) -> FastModel[Any]:
    """The fast form of a model; of a class that is not known here, derived ones too, its own answers, remembered.

    >>> from reftok.rules.huggingface.bpe import BPE
    >>> fast_model(BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])).ids("abb")
    [2, 1]
    """
    known = _FAST.get(type(model))
    return FastModel(model) if known is None else known[0](model)


def stream_model(model: FastModel[Any], ids: list[int]) -> TextSink:
    """The last stage: it puts the ids of each pre-token, and of the added tokens between them, into `ids`.

    >>> from reftok.rules.huggingface.bpe import BPE
    >>> ids: list[int] = []
    >>> stage = stream_model(fast_model(BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])), ids)
    >>> stage.text("a"); stage.text("b"); stage.end_pre_token(); stage.token(9); ids
    [2, 9]
    """
    known = _FAST.get(type(model.model))
    return _buffered(model, ids) if known is None else known[1](model, ids)


def _buffered(model: FastModel[Any], ids: list[int]) -> BufferedModel:
    why = _WHY_BUFFERED.get(type(model.model), "its search is not made to go on")
    return BufferedModel(model.known_ids, ids, f"{type(model.model).__name__}: {why}")


def _stream_unigram(model: FastUnigram, ids: list[int]) -> TextSink:
    is_small = model.has_small_trie and model.longest_piece <= LONGEST_STREAMED_PIECE
    return StreamedUnigram(model, ids) if is_small else _buffered(model, ids)


def _stream_sentencepiece_unigram(model: FastSentencePieceUnigram, ids: list[int]) -> TextSink:
    is_small = model.longest_piece <= LONGEST_STREAMED_PIECE
    return StreamedSentencePieceUnigram(model, ids) if is_small else _buffered(model, ids)


_FAST: Mapping[type[Any], tuple[Callable[[Any], FastModel[Any]], Callable[[Any, list[int]], TextSink]]] = {
    BPE: (FastBPE, StreamedMerges),
    RankBPE: (FastRankBPE, StreamedMerges),
    LlamaBPE: (FastLlamaBPE, StreamedMerges),
    Unigram: (FastUnigram, _stream_unigram),
    SentencePieceUnigram: (FastSentencePieceUnigram, _stream_sentencepiece_unigram),
    SentencePieceBPE: (FastSentencePieceBPE, StreamedSentencePieceBPE),
    SentencePieceChar: (FastChar, StreamedChar),
    SentencePieceWord: (FastWord, StreamedChar),
    LlamaSPM: (FastSPM, StreamedSPM),
}
"""By model its fast form, and what streams it; of all others a pre-token is buffered until its end."""
