"""Random texts aimed at the rules, random components and whole random pipelines of tokenizer.json."""

from __future__ import annotations

from .damaged import damaged_files
from .decoders import DECODERS, decoders
from .models import bpe_models, unigram_models, wordlevel_models, wordpiece_models
from .normalizers import CHARACTER_NORMALIZERS, NORMALIZERS, bert_normalizers, normalizers
from .pipelines import CONTENTS, added_tokens, pipelines
from .post_processors import SPECIAL_TOKENS, paddings, post_processors, templates, truncations
from .pre_tokenizers import pre_tokenizers
from .questions import questions
from .texts import JAMO, MARKS, NEWER, texts, words

__all__ = [
    "CHARACTER_NORMALIZERS",
    "CONTENTS",
    "DECODERS",
    "JAMO",
    "MARKS",
    "NEWER",
    "NORMALIZERS",
    "SPECIAL_TOKENS",
    "added_tokens",
    "bert_normalizers",
    "bpe_models",
    "damaged_files",
    "decoders",
    "normalizers",
    "paddings",
    "pipelines",
    "post_processors",
    "pre_tokenizers",
    "questions",
    "templates",
    "texts",
    "truncations",
    "unigram_models",
    "wordlevel_models",
    "wordpiece_models",
    "words",
]
