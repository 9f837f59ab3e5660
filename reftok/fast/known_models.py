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
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram
from reftok.rules.sentencepiece.words import SentencePieceChar, SentencePieceWord
from reftok.rules.stages import Model
from reftok.rules.tiktoken.rank_bpe import RankBPE

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
    **dict.fromkeys((WordLevel, WordPiece, LlamaUGM, LlamaWPM), WordModel),
}


def word_model(model: Model) -> WordModel[Any]:
    """A model that remembers its words; of a class that is not known here, derived ones too, its own answers.

    >>> word_model(BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])).ids["abb"]
    (2, 1)
    """
    form = _FORMS.get(type(model))
    if form is not None:
        return form(model)
    unknown: WordModel[Any] = WordModel(model)
    unknown.is_known = False
    return unknown
