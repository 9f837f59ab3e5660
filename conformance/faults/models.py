"""Ways to get the model wrong."""

from __future__ import annotations

import struct
from collections.abc import Callable, Container, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.faults.fault import Faults, of_ids, of_pipeline, of_tokenizer
from reftok import Tokenizer
from reftok.spec.models.bpe import BPE
from reftok.spec.models.unigram import Unigram
from reftok.spec.models.vocab_model import VocabModel
from reftok.spec.pipeline import Pipeline
from reftok.spec.sentencepiece.decoder import SentencePieceDecoder
from reftok.spec.sentencepiece.model import PieceModel
from reftok.spec.sentencepiece.pieces import Piece, PieceTable, PieceType
from reftok.spec.sentencepiece.unigram import SentencePieceUnigram
from reftok.spec.types import Token

Pieces = Callable[[Piece], Piece]

_RETYPED = (
    (PieceType.USER_DEFINED, PieceType.NORMAL, "user-defined symbols are not kept whole"),
    (PieceType.CONTROL, PieceType.USER_DEFINED, "control pieces are found in text"),
    (PieceType.UNUSED, PieceType.NORMAL, "unused pieces are used"),
)
"""What a type of pieces is taken for, and the rule of it."""


_ROUNDED: Mapping[str, Callable[[float], float]] = {
    "scores are rounded to whole numbers": lambda score: float(round(score)),
    "scores are rounded to 1 decimal": lambda score: round(score, 1),
    "scores are rounded to 2 decimals": lambda score: round(score, 2),
    "scores are rounded to 3 decimals": lambda score: round(score, 3),
    "scores are cut at the decimal point": lambda score: float(int(score)),
    "scores are float16": lambda score: float(struct.unpack("e", struct.pack("e", max(-65504.0, score)))[0]),
}
_MISSPELT: tuple[tuple[str, Callable[[int], bool]], ...] = (
    ("byte pieces are looked up as <0x0a>", lambda byte: f"{byte:02X}" != f"{byte:02x}"),
    ("byte pieces are looked up as <0xA>", lambda byte: byte < 0x10),
    ("bytes are signed: those from 0x80 on are unknown", lambda byte: byte >= 0x80),
)


def of_model(tokenizer: Tokenizer) -> Faults:
    """Another order of merges, other scores, other types of pieces; what happens to the unknown."""
    model = tokenizer.model
    if isinstance(model, BPE):
        yield from _of_bpe(tokenizer, model)
    if isinstance(model, Unigram):
        yield from _of_unigram(tokenizer, model)
    if isinstance(model, PieceModel):
        yield from _of_pieces(tokenizer, model)
    unknown = model.unk_id
    if unknown is not None:
        yield of_ids("Model", "unknown tokens are dropped", tokenizer, lambda ids: [i for i in ids if i != unknown])
        yield of_ids("Model", "unknown tokens are fused", tokenizer, lambda ids: _fused(ids, unknown))
        yield from _of_byte_pieces(tokenizer, unknown)
    vocab = model.vocab
    longest_first = "the longest entry first, no merges"
    yield of_tokenizer("Model", longest_first, lambda: replace(tokenizer, model=LongestFirst(vocab, unknown)))


def _of_bpe(tokenizer: Tokenizer, model: BPE) -> Faults:
    def ranked(order: Callable[[tuple[tuple[int, int], tuple[int, int]]], int]) -> Callable[[], Tokenizer]:
        def build() -> Tokenizer:
            merges = sorted(model.merges.items(), key=order)
            ranks = {pair: (rank, merged) for rank, (pair, (_, merged)) in enumerate(merges)}
            return replace(tokenizer, model=model.with_merges(ranks))

        return build

    def length(entry: tuple[tuple[int, int], tuple[int, int]]) -> int:
        return len(model.id_to_token(entry[1][1]) or "")

    yield of_tokenizer("Model", "merges are applied in the reverse order", ranked(lambda entry: -entry[1][0]))
    yield of_tokenizer("Model", "no merges are applied", lambda: replace(tokenizer, model=model.with_merges({})))
    yield of_tokenizer("Model", "the first merge is missing", lambda: _without_first_merge(tokenizer, model))
    yield of_tokenizer("Model", "merges that begin with # are missing", lambda: _without_comments(tokenizer, model))
    yield of_tokenizer("Model", "longer merges go first", ranked(lambda entry: -length(entry)))
    yield of_tokenizer("Model", "merges are ranked by the id of the whole", ranked(lambda entry: entry[1][1]))
    for option in ("ignore_merges", "byte_fallback", "fuse_unk"):
        value = getattr(model.options, option)
        rule = f"{option} is {'off' if value else 'on'}"
        yield of_tokenizer("Model", rule, partial(_with_option, tokenizer, model, option, not value))


def _with_option(tokenizer: Tokenizer, model: BPE, option: str, value: bool) -> Tokenizer:
    changed = copy(model)
    change: dict[str, Any] = {option: value}
    changed.options = replace(model.options, **change)
    return replace(tokenizer, model=changed.with_merges(model.merges))


def _without_first_merge(tokenizer: Tokenizer, model: BPE) -> Tokenizer:
    first = min(model.merges, key=lambda pair: model.merges[pair][0], default=None)
    merges = {pair: entry for pair, entry in model.merges.items() if pair != first}
    return replace(tokenizer, model=model.with_merges(merges))


def _without_comments(tokenizer: Tokenizer, model: BPE) -> Tokenizer:
    """As one reads merges.txt who skips every line that begins as its first, `#version: 0.2`, does."""
    merges = {
        pair: entry for pair, entry in model.merges.items() if not (model.id_to_token(pair[0]) or "").startswith("#")
    }
    return replace(tokenizer, model=model.with_merges(merges))


def _of_unigram(tokenizer: Tokenizer, model: Unigram) -> Faults:
    def scored(change: Callable[[float], float]) -> Tokenizer:
        pieces = [(piece, change(score)) for piece, score in model.pieces]
        return replace(tokenizer, model=Unigram(pieces, model.unk_id, model.byte_fallback))

    yield of_tokenizer("Model", "scores have the other sign", lambda: scored(lambda score: -score))
    yield of_tokenizer("Model", "scores are not read", lambda: scored(lambda score: 0.0))
    for rule, change in _ROUNDED.items():
        yield of_tokenizer("Model", rule, partial(scored, change))


def _of_pieces(tokenizer: Tokenizer, model: PieceModel) -> Faults:
    table = model.table

    def with_pieces(change: Pieces, byte_fallback: bool = table.byte_fallback) -> Callable[[], Tokenizer]:
        def build() -> Tokenizer:
            changed = PieceTable([change(piece) for piece in table.pieces], byte_fallback, "", table.special)
            return replace(tokenizer, model=type(model)(changed))

        return build

    def retyped(old: PieceType, new: PieceType) -> Pieces:
        return lambda piece: piece._replace(type=new) if piece.type is old else piece

    types = {piece.type for piece in table.pieces}
    for old, new, rule in _RETYPED:
        if old in types:
            yield of_tokenizer("Model", rule, with_pieces(retyped(old, new)))
    if table.byte_fallback:
        change = retyped(PieceType.BYTE, PieceType.CONTROL)
        yield of_tokenizer("Model", "byte_fallback is off", with_pieces(change, byte_fallback=False))
    inverted = with_pieces(lambda piece: piece._replace(score=-piece.score))
    yield of_tokenizer("Model", "scores have the other sign", inverted)
    yield of_tokenizer("Model", "scores are not read", with_pieces(lambda piece: piece._replace(score=0.0)))
    for rule, rounded in _ROUNDED.items() if isinstance(model, SentencePieceUnigram) else ():
        yield of_tokenizer("Model", rule, with_pieces(partial(_with_score, rounded)))


def _with_score(change: Callable[[float], float], piece: Piece) -> Piece:
    return piece._replace(score=change(piece.score))


def _of_byte_pieces(tokenizer: Tokenizer, unknown: int) -> Faults:
    """Bytes whose pieces are looked up under another name, and so are unknown: alone, or with their whole character."""
    model = tokenizer.model
    vocab = model.vocab
    pieces = {byte: vocab[piece] for byte in range(256) if (piece := f"<0x{byte:02X}>") in vocab}
    if len(pieces) == 256:
        for rule, is_lost in _MISSPELT:
            lost = {token_id for byte, token_id in pieces.items() if is_lost(byte)}
            for is_fused in (False, True):
                yield of_ids("Model", rule, tokenizer, partial(_as_unknown, lost, unknown, is_fused))
            if isinstance(model, BPE):
                yield of_pipeline("Model", rule, tokenizer, partial(_without_entries, tokenizer, model, lost))


def _without_entries(tokenizer: Tokenizer, model: BPE, lost: Container[int]) -> Pipeline:
    changed = copy(model)
    changed.vocab = {entry: token_id for entry, token_id in model.vocab.items() if token_id not in lost}
    return replace(tokenizer.spec, model=changed)


def _as_unknown(lost: Container[int], unknown: int, is_fused: bool, ids: Sequence[int]) -> list[int]:
    """is_fused: whether unknown tokens that stand together are one."""
    known = [unknown if token_id in lost else token_id for token_id in ids]
    return _fused(known, unknown) if is_fused else known


def _fused(ids: Sequence[int], unknown: int) -> list[int]:
    return [one for index, one in enumerate(ids) if one != unknown or index == 0 or ids[index - 1] != unknown]


def piece_table(tokenizer: Tokenizer) -> PieceTable | None:
    """The pieces of a sentencepiece model, None for any other."""
    for decoder in tokenizer.decoders or ():
        if isinstance(decoder, SentencePieceDecoder):
            return decoder.table
    return None


class LongestFirst(VocabModel):
    """At each place the longest entry of the vocab; what begins none is unknown, or left out.

    >>> [token.value for token in LongestFirst({"a": 0, "ab": 1, "bc": 2, "c": 3}, None).tokenize("abcx")]
    ['ab', 'c']
    """

    def __init__(self, vocab: Mapping[str, int], unknown: int | None) -> None:
        super().__init__(vocab)
        self._unknown = unknown
        self._longest = max(map(len, vocab), default=0)

    def tokenize(self, text: str) -> list[Token]:
        tokens: list[Token] = []
        start = 0
        while start < len(text):
            stops = range(min(len(text), start + self._longest), start, -1)
            stop = next((stop for stop in stops if text[start:stop] in self.vocab), start + 1)
            token_id = self.vocab.get(text[start:stop], self._unknown)
            if token_id is not None:
                tokens.append(Token(token_id, text[start:stop], (start, stop)))
            start = stop
        return tokens
