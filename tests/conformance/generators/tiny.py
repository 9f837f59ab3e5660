"""Tiny models, inline: one with everything that generators look for in a tokenizer.json, one of pieces with scores."""

from __future__ import annotations

from functools import cache
from typing import Any

from conformance.generators.knowledge import ModelKnowledge, model_knowledge
from reftok import Tokenizer
from reftok.formats.huggingface.tokenizer_json import build_rules
from reftok.rules.byte_level import BYTE_TO_CHARACTER
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.decoder import SentencePieceDecoder
from reftok.rules.sentencepiece.normalizer import NormalizerOptions, SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import Piece, PieceTable, PieceType
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram

PATTERN = r"(?i:'s|'t)|\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
MERGES = [("a", "b"), ("b", "c"), ("a", "a"), ("ab", "c"), ("a", "bc"), ("Ġ", "a")]


def added(content: str, **flags: bool) -> dict[str, Any]:
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {"id": 0, "content": content, **{name: flags.get(name, False) for name in names}}


def tiny_json() -> dict[str, Any]:
    """Byte-level BPE with NFC, a pattern, merges that compete, and added tokens of several flags."""
    vocab = {character: token_id for token_id, character in enumerate(BYTE_TO_CHARACTER.values())}
    for left, right in MERGES:
        vocab.setdefault(left + right, len(vocab))
    tokens = [added("<s>", special=True), added("<l>", lstrip=True), added("<r>", rstrip=True)]
    tokens += [added("<w>", single_word=True), added("n\u0303o", normalized=True)]
    split = {"type": "Split", "pattern": {"Regex": PATTERN}, "behavior": "Isolated", "invert": False}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{**token, "id": len(vocab) + index} for index, token in enumerate(tokens)],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
        "post_processor": byte_level,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": vocab,
            "merges": [list(pair) for pair in MERGES],
        },
    }


@cache
def byte_level() -> Tokenizer:
    return Tokenizer(build_rules(tiny_json()))


@cache
def pieces() -> Tokenizer:
    """Unigram with scores that tie, and byte fallback."""
    entries = [Piece("<unk>", 0.0, PieceType.UNKNOWN), Piece("<s>", 0.0, PieceType.CONTROL)]
    entries += [Piece(f"<0x{byte:02X}>", 0.0, PieceType.BYTE) for byte in range(256)]
    entries += [Piece(piece, score) for piece, score in (("▁", -2.0), ("a", -1.0), ("b", -1.0), ("ab", -2.0))]
    table = PieceTable(entries, byte_fallback=True)
    return Tokenizer(
        Pipeline(
            "sentencepiece",
            SentencePieceUnigram(table),
            AddedVocabulary(),
            normalizers=(SentencePieceNormalizer(NormalizerOptions()),),
            decoders=(SentencePieceDecoder(table),),
        )
    )


@cache
def knowledge_of(name: str) -> ModelKnowledge:
    return model_knowledge({"byte-level": byte_level, "pieces": pieces}[name]())
