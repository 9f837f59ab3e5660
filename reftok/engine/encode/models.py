"""The streamed twin of each model."""

from __future__ import annotations

from reftok.engine.bpe.merging_model import MergingModel
from reftok.engine.caches import Results
from reftok.engine.encode.buffered_model import WholePartModel
from reftok.engine.encode.merges import StreamedMerges
from reftok.engine.encode.pieces import StreamedChar, StreamedSentencePieceBPE, StreamedSPM
from reftok.engine.encode.sentencepiece_unigram import StreamedSentencePieceUnigram
from reftok.engine.encode.unigram import StreamedUnigram
from reftok.engine.sinks import TextSink
from reftok.errors import UnsupportedFeature
from reftok.spec.llama.spm import LlamaSPM
from reftok.spec.llama.wpm import LlamaWPM
from reftok.spec.models.unigram import Unigram
from reftok.spec.models.vocab_model import VocabModel
from reftok.spec.models.wordlevel import WordLevel
from reftok.spec.models.wordpiece import WordPiece
from reftok.spec.sentencepiece.bpe import SentencePieceBPE
from reftok.spec.sentencepiece.unigram import SentencePieceUnigram
from reftok.spec.sentencepiece.words import SentencePieceChar
from reftok.spec.stages import Model

_LOOKED_UP = "WordLevel looks a word up as a whole"
_MAY_BE_UNKNOWN = "one character can make a whole word unknown"
_NOT_STREAMED = "its search is not made to go on"


def stream_model(model: Model, ids: list[int]) -> TextSink:
    """The end of the line: it puts the ids of each part, and of the added tokens between them, into `ids`.

    Raises UnsupportedFeature for a model that is none of the project's.

    >>> from reftok.spec.models.bpe import BPE
    >>> ids: list[int] = []
    >>> stage = stream_model(BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]), ids)
    >>> stage.text("a"); stage.text("b"); stage.end_part(); stage.token(9); ids
    [2, 9]
    """
    if isinstance(model, MergingModel):
        return StreamedMerges(model, ids)
    if isinstance(model, Unigram) and model.has_small_trie:
        return StreamedUnigram(model, ids)
    if type(model) is SentencePieceUnigram:
        return StreamedSentencePieceUnigram(model, ids)
    if isinstance(model, SentencePieceUnigram):
        # A class that is derived from it may segment otherwise: its own answer counts.
        return WholePartModel(Results(model.token_ids), ids, f"{type(model).__name__}: {_NOT_STREAMED}")
    if isinstance(model, SentencePieceBPE):
        return StreamedSentencePieceBPE(model, ids)
    if isinstance(model, SentencePieceChar):
        return StreamedChar(model, ids)
    if isinstance(model, LlamaSPM):
        return StreamedSPM(model, ids)
    if isinstance(model, VocabModel):
        return WholePartModel(model.known_ids, ids, _reason(model))
    raise UnsupportedFeature("", "model", f"{type(model).__name__} has no streamed twin")


def _reason(model: VocabModel) -> str:
    """Why a model cannot tell any id before the end of a part."""
    if isinstance(model, WordLevel):
        return _LOOKED_UP
    name = type(model).__name__
    return f"{name}: {_MAY_BE_UNKNOWN if isinstance(model, WordPiece | LlamaWPM) else _NOT_STREAMED}"
