"""The public stories that need a model which no embedded one is: each with its model, texts, and what is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from reftok.rules.byte_level import BYTE_TO_CHARACTER
from reftok.rules.sentencepiece.pieces import PieceType

from ..reftok.official import Json, added, bpe, tokenizer_json, wordlevel
from ..reftok.protobuf_writer import PieceTuple

MEASURED = "measured with tokenizers 0.23.3"
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
PREPEND = {"type": "Prepend", "prepend": "▁"}
BYTES = list(BYTE_TO_CHARACTER.values())
ADD_DUMMY_PREFIX = 3
"""A field of NormalizerSpec."""


@dataclass(frozen=True, slots=True)
class InlineCase:
    """A case of corpora/known_bugs/ with a model of its own.

    id, story, ref, fault: as in the files there.
    model: a tokenizer.json, or a serialized sentencepiece model.
    texts: to encode, each with the right tokens. decoded: tokens to decode, each with the right text, special tokens
        skipped.
    """

    id: str
    story: str
    ref: str
    fault: str
    model: Json | bytes
    texts: Mapping[str, list[str]] = field(default_factory=dict)
    decoded: Mapping[tuple[str, ...], str] = field(default_factory=dict)


def metaspace(*words: str, **options: object) -> Json:
    """Words behind a Metaspace; `options` is all that its entry in the file has, beside the mark."""
    stage = {"type": "Metaspace", "replacement": "▁", **options}
    tokens = [added("<s>", special=True)]
    return tokenizer_json(wordlevel(["<unk>", "<s>", *words]), tokens, pre_tokenizer=stage)


def byte_level(*merges: tuple[str, str], contents: tuple[str, ...] = (), **stages: Json | None) -> Json:
    """A byte-level BPE with every byte, some merges and added tokens."""
    vocab = dict.fromkeys([*BYTES, *("".join(merge) for merge in merges), *contents])
    model = bpe(list(vocab), merges)
    defaults: dict[str, Json | None] = {"pre_tokenizer": BYTE_LEVEL, "decoder": BYTE_LEVEL}
    return tokenizer_json(model, map(added, contents), **(defaults | stages))


def letters(alphabet: str, *merges: tuple[str, str], **options: object) -> Json:
    """A BPE of letters and merges."""
    return bpe([*alphabet, *("".join(merge) for merge in merges)], merges, **options)


def symbols(*pieces: str) -> list[PieceTuple]:
    """User-defined symbols."""
    return [(piece, 0.0, PieceType.USER_DEFINED) for piece in pieces]


def normal(**scores: float) -> list[PieceTuple]:
    """Pieces with their scores."""
    return [(piece, score, PieceType.NORMAL) for piece, score in scores.items()]
