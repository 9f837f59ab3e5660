"""The form of each model that remembers its words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reftok.fast.models import (
    BPEWords,
    LlamaBPEWords,
    LlamaSPMWords,
    PieceWords,
    RankBPEWords,
    SentencePieceBPEWords,
    UnigramWords,
    WordModel,
)
from reftok.fast.sentencepiece_unigram import SentencePieceUnigramWords
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.huggingface.wordlevel import WordLevel
from reftok.rules.huggingface.wordpiece import WordPiece
from reftok.rules.llama_cpp.bpe import LlamaBPE
from reftok.rules.llama_cpp.spm import LlamaSPM
from reftok.rules.llama_cpp.ugm import LlamaUGM
from reftok.rules.llama_cpp.wpm import LlamaWPM
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.pieces import BYTE_PIECES
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram
from reftok.rules.sentencepiece.words import SentencePieceChar, SentencePieceWord
from reftok.rules.stages import Model
from reftok.rules.tiktoken.rank_bpe import RankBPE
from reftok.rules.vocab_model import VocabModel

_FORMS: Mapping[type[Any], Callable[[Any], WordModel[Any]]] = {
    BPE: BPEWords,
    RankBPE: RankBPEWords,
    LlamaBPE: LlamaBPEWords,
    LlamaSPM: LlamaSPMWords,
    Unigram: UnigramWords,
    SentencePieceUnigram: SentencePieceUnigramWords,
    SentencePieceBPE: SentencePieceBPEWords,
    SentencePieceChar: PieceWords,
    SentencePieceWord: PieceWords,
    # The default, listed because `tells_tokens` looks classes up here.
    **dict.fromkeys((WordLevel, WordPiece, LlamaUGM, LlamaWPM), WordModel),
}


def word_model(model: Model) -> WordModel[Any]:
    """A model that remembers its words; of a class that is not known here, derived ones too, its own answers.

    >>> word_model(BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])).ids["abb"]
    (2, 1)
    """
    return _FORMS.get(type(model), WordModel)(model)


def tells_tokens(model: Model) -> bool:
    """Whether the id and the span of a token tell its value, which `Encoding.tokens` shows.

    Not if two entries of the vocab have one id, or the unknown id is that of a byte; nor of a class that is not known.
    """
    if isinstance(model, Unigram) and model.unk_id is not None and model.pieces[model.unk_id][0] in BYTE_PIECES:
        return False
    return type(model) in _FORMS and (not isinstance(model, VocabModel) or len(model.tokens) == model.size)
