"""Ways to get the model wrong."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cache, partial
from typing import TypeAlias

from conformance.causes.edits.changed_models import ChangedModel, with_merge_of
from conformance.causes.edits.fault import Fault, Faults, around, of_ids, of_rules
from conformance.causes.edits.parameters import with_other_options
from reftok import Tokenizer
from reftok.rules.huggingface.bpe import BPE, BPEOptions
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.huggingface.wordpiece import WordPiece
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.decoder import SentencePieceDecoder
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import Piece, PieceTable, PieceType, PrefixMatcher
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram
from reftok.rules.stages import Model
from reftok.rules.types import Token
from reftok.rules.viterbi import to_float32
from reftok.rules.vocab_model import VocabModel

Pieces = Callable[[Piece], Piece]
Ranked: TypeAlias = Callable[[tuple[int, int], int, int], int | None]
"""Another rank of a merge, given its pair, its rank and what it makes; None where it is not made."""

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
_LAST_BIT = "scores are not rounded as serde_json rounds them"
_OTHER_TYPES: tuple[tuple[str, type[PieceModel], Callable[[PieceTable], PieceModel]], ...] = (
    ("a Unigram model is run as BPE", SentencePieceUnigram, SentencePieceBPE),
    ("a BPE model is run as Unigram", SentencePieceBPE, SentencePieceUnigram),
)
_MORE_THAN_RANKS = 1 << 40
_MISSPELT: tuple[tuple[str, Callable[[int], bool]], ...] = (
    ("byte pieces are looked up as <0x0a>", lambda byte: f"{byte:02X}" != f"{byte:02x}"),
    ("byte pieces are looked up as <0xA>", lambda byte: byte < 0x10),
    ("bytes are signed: those from 0x80 on are unknown", lambda byte: byte >= 0x80),
)


def of_model(tokenizer: Tokenizer) -> Faults:
    """Another order of merges, other scores, other types of pieces; what happens to the unknown."""
    model = tokenizer.rules.model
    if isinstance(model, BPE):
        yield from _of_bpe(tokenizer, model)
    if isinstance(model, WordPiece):
        yield from _of_wordpiece(tokenizer, model)
    if isinstance(model, Unigram):
        yield from _of_unigram(tokenizer, model)
    if isinstance(model, PieceModel):
        yield from _of_pieces(tokenizer, model)
    unknown = model.unk_id
    if unknown is not None:
        yield of_ids("Model", "unknown tokens are dropped", tokenizer, lambda ids: [i for i in ids if i != unknown])
        yield of_ids("Model", "unknown tokens are fused", tokenizer, lambda ids: _fused(ids, unknown))
        if unknown:  # of the model alone: an added token <unk> keeps its id
            zero = partial(ChangedModel, model, partial(_with_id_0, model, unknown))
            yield of_rules("Model", "unknown tokens get id 0", tokenizer, partial(_with_model, tokenizer, zero))
        yield from _of_byte_pieces(tokenizer, unknown)
    vocab = model.vocab
    longest_first = "the longest entry first, no merges"
    for fuses in (False, True):
        build = partial(LongestFirst, vocab, unknown, fuses)
        yield of_rules("Model", longest_first, tokenizer, partial(_with_model, tokenizer, build))


def _of_bpe(tokenizer: Tokenizer, model: BPE) -> Faults:
    """The merges are those of the model, of which each is looked at when it comes up: a copy of all takes its time."""

    def length(whole: int) -> int:
        return len(model.id_to_token(whole) or "")

    def is_comment(left: int) -> bool:  # as the first line of merges.txt, `#version: 0.2`
        return (model.id_to_token(left) or "").startswith("#")

    first = cache(partial(_first_merge, model))
    others: tuple[tuple[str, Ranked], ...] = (
        ("merges are applied in the reverse order", lambda pair, rank, whole: -rank),
        ("no merges are applied", lambda pair, rank, whole: None),
        ("the first merge is missing", lambda pair, rank, whole: None if pair == first() else rank),
        ("merges that begin with # are missing", lambda pair, rank, whole: None if is_comment(pair[0]) else rank),
        ("longer merges go first", lambda pair, rank, whole: rank - length(whole) * _MORE_THAN_RANKS),
        ("merges are ranked by the id of the whole", lambda pair, rank, whole: rank + whole * _MORE_THAN_RANKS),
    )
    for rule, ranked in others:
        yield of_rules("Model", rule, tokenizer, partial(_with_ranks, tokenizer, model, ranked))
    for rule, options in with_other_options(model.options):
        yield of_rules("Model", rule, tokenizer, partial(_with_options, tokenizer, model, options))
    if model.options.end_of_word_suffix:
        without = replace(model.options, end_of_word_suffix="")
        rule = "end_of_word_suffix is not read"
        yield of_rules("Model", rule, tokenizer, partial(_with_options, tokenizer, model, without))
    if model.options.continuing_subword_prefix:
        without = replace(model.options, continuing_subword_prefix="")
        rule = "continuing_subword_prefix is not read"
        yield of_rules("Model", rule, tokenizer, partial(_with_options, tokenizer, model, without))


def _with_ranks(tokenizer: Tokenizer, model: BPE, ranked: Ranked) -> Pipeline:
    def merge_of(left: int, right: int) -> tuple[int, int] | None:
        found = model.merge_of(left, right)
        rank = None if found is None else ranked((left, right), *found)
        return None if found is None or rank is None else (rank, found[1])

    return replace(tokenizer.rules, model=with_merge_of(model, merge_of))


def _with_options(tokenizer: Tokenizer, model: BPE, options: BPEOptions) -> Pipeline:
    changed = copy(model)
    changed.options = options
    return replace(tokenizer.rules, model=changed)


def _first_merge(model: BPE) -> tuple[int, int] | None:
    """The pair of the merge of rank 0, or of the first that no other of the same pair takes the place of."""
    lefts, rights, _ = model.ids_of_merges
    pairs = enumerate(zip(lefts, rights, strict=True))
    return next((pair for rank, pair in pairs if model.merges[pair][0] == rank), None)


def _of_wordpiece(tokenizer: Tokenizer, model: WordPiece) -> Faults:
    prefix, longest = model.continuing_subword_prefix, model.max_input_chars_per_word
    others = (
        ("max_input_chars_per_word is not read", prefix, _MORE_THAN_RANKS),
        ("continuing_subword_prefix is not read", "", longest),
    )
    for rule, other_prefix, other_longest in others:
        build = partial(WordPiece, model.vocab, model.unk_token, other_prefix, other_longest)
        yield of_rules("Model", rule, tokenizer, partial(_with_model, tokenizer, build))
    others_known = partial(ChangedModel, model, partial(_known_parts, model))
    rule = "an unknown word keeps the parts that are known"
    yield of_rules("Model", rule, tokenizer, partial(_with_model, tokenizer, others_known))


def _with_model(tokenizer: Tokenizer, build: Callable[[], Model]) -> Pipeline:
    return replace(tokenizer.rules, model=build())


def _with_id_0(model: Model, unknown: int, text: str) -> Sequence[Token]:
    return [replace(one, id=0) if one.id == unknown else one for one in model.tokenize(text)]


def _known_parts(model: WordPiece, text: str) -> Sequence[Token]:
    """Takes the longest entry at each place from left to right; a character that begins no entry is unknown."""
    tokens: list[Token] = []
    start = 0
    while start < len(text):
        prefix = model.continuing_subword_prefix if start else ""
        stops = (stop for stop in range(len(text), start, -1) if prefix + text[start:stop] in model.vocab)
        stop = next(stops, start + 1)
        value = prefix + text[start:stop] if prefix + text[start:stop] in model.vocab else model.unk_token
        tokens.append(Token(model.vocab[value], value, (start, stop)))
        start = stop
    return tokens


def _of_unigram(tokenizer: Tokenizer, model: Unigram) -> Faults:
    scored = partial(_with_scores, tokenizer)
    yield of_rules("Model", "scores have the other sign", tokenizer, lambda: scored(lambda score: -score))
    yield of_rules("Model", "scores are not read", tokenizer, lambda: scored(lambda score: 0.0))


def of_rounded_scores(tokenizer: Tokenizer) -> Faults:
    """Rounded scores. Listed after sums in float64, which break the same ties and are the likelier mistake."""
    if isinstance(tokenizer.rules.model, Unigram | SentencePieceUnigram):
        if isinstance(tokenizer.rules.model, Unigram):  # trained in float32: the nearest of these is what is written
            yield of_rules("Model", _LAST_BIT, tokenizer, partial(_with_scores, tokenizer, to_float32))
        for rule, change in _ROUNDED.items():
            yield of_rules("Model", rule, tokenizer, partial(_with_scores, tokenizer, change))


def _with_scores(tokenizer: Tokenizer, change: Callable[[float], float]) -> Pipeline:
    model = tokenizer.rules.model
    if isinstance(model, Unigram):
        pieces = [(piece, change(score)) for piece, score in model.pieces]
        return replace(tokenizer.rules, model=Unigram(pieces, model.unk_id, model.byte_fallback))
    assert isinstance(model, PieceModel)
    changed = [piece._replace(score=change(piece.score)) for piece in model.table.pieces]
    table = PieceTable(changed, model.table.byte_fallback, "", model.table.special)
    return replace(tokenizer.rules, model=type(model)(table))


def _of_pieces(tokenizer: Tokenizer, model: PieceModel) -> Faults:
    table = model.table
    for rule, right, other in _OTHER_TYPES:
        if type(model) is right:
            yield of_rules("Model", rule, tokenizer, partial(_with_model, tokenizer, partial(other, table)))

    def with_pieces(change: Pieces, byte_fallback: bool = table.byte_fallback) -> Callable[[], Pipeline]:
        def build() -> Pipeline:
            changed = PieceTable([change(piece) for piece in table.pieces], byte_fallback, "", table.special)
            return replace(tokenizer.rules, model=type(model)(changed))

        return build

    def retyped(old: PieceType, new: PieceType) -> Pieces:
        return lambda piece: piece._replace(type=new) if piece.type is old else piece

    types = {piece.type for piece in table.pieces}
    for old, new, rule in _RETYPED:
        if old in types:
            yield of_rules("Model", rule, tokenizer, with_pieces(retyped(old, new)))
        for is_prefixed in (True, False) if old in types and old is PieceType.CONTROL else ():
            yield Fault("Model", rule, partial(_with_pieces_apart, tokenizer, table.of_type(old), is_prefixed))
    if table.of_type(PieceType.USER_DEFINED):
        rule = "of user-defined symbols the shortest is taken"
        yield of_rules("Model", rule, tokenizer, partial(_with_shortest_symbols, tokenizer, model))
    if table.byte_fallback:
        change = retyped(PieceType.BYTE, PieceType.CONTROL)
        yield of_rules("Model", "byte_fallback is off", tokenizer, with_pieces(change, byte_fallback=False))
        as_text = partial(_with_byte_pieces_as_text, tokenizer, model)
        yield of_rules("Model", "byte pieces are found in text", tokenizer, as_text)
        for is_prefixed in (True, False):
            apart = partial(_with_pieces_apart, tokenizer, table.of_type(PieceType.BYTE), is_prefixed)
            yield Fault("Model", "byte pieces are found in text", apart)
    inverted = with_pieces(lambda piece: piece._replace(score=-piece.score))
    yield of_rules("Model", "scores have the other sign", tokenizer, inverted)
    yield of_rules("Model", "scores are not read", tokenizer, with_pieces(lambda piece: piece._replace(score=0.0)))


def _with_byte_pieces_as_text(tokenizer: Tokenizer, model: PieceModel) -> Pipeline:
    old = model.table
    pieces = (one._replace(type=PieceType.NORMAL) if one.type is PieceType.BYTE else one for one in old.pieces)
    table = PieceTable([*pieces], special=old.special)
    table.byte_fallback, table.byte_ids = True, old.byte_ids
    return replace(tokenizer.rules, model=type(model)(table))


def _with_pieces_apart(tokenizer: Tokenizer, pieces: Collection[str], is_prefixed: bool, text: str) -> Sequence[int]:
    """Splits a text at some pieces and encodes the parts. is_prefixed: whether each part gets a dummy prefix."""
    later = tokenizer if is_prefixed else without_dummy_prefix(tokenizer) or tokenizer
    before, after = around(tokenizer)
    ids = [*before]
    for place, part in enumerate(re.split(f"({'|'.join(map(re.escape, pieces))})", text)):
        if part in pieces:
            ids.append(tokenizer.rules.model.vocab[part])
        elif part:
            ids += (later if place else tokenizer).encode_ids(part, add_special_tokens=False)
    return [*ids, *after]


def without_dummy_prefix(tokenizer: Tokenizer) -> Pipeline | None:
    """The rules of a text that goes on, without a space at its start; None for a model of tokenizer.json."""
    if [*map(type, tokenizer.rules.normalizers)] != [SentencePieceNormalizer]:
        return None
    (step,) = tokenizer.rules.normalizers
    assert isinstance(step, SentencePieceNormalizer)
    options = replace(step.options, add_dummy_prefix=False)
    inner = SentencePieceNormalizer(options, step.charsmap, step.symbols)
    return replace(tokenizer.rules, normalizers=(inner,))


class _ShortestSymbols(PrefixMatcher):
    def length_at(self, text: str, position: int) -> int:
        return min((len(one) for one in self.symbols if text.startswith(one, position)), default=0)


def _with_shortest_symbols(tokenizer: Tokenizer, model: PieceModel) -> Pipeline:
    changed, table = copy(model), copy(model.table)
    table.matcher = _ShortestSymbols(table.of_type(PieceType.USER_DEFINED))
    changed.table = table
    return replace(tokenizer.rules, model=changed)


def _of_byte_pieces(tokenizer: Tokenizer, unknown: int) -> Faults:
    """Bytes whose pieces are looked up under another name, and so are unknown: alone, or with their whole character."""
    model = tokenizer.rules.model
    vocab = model.vocab
    pieces = {byte: vocab[piece] for byte in range(256) if (piece := f"<0x{byte:02X}>") in vocab}
    if len(pieces) == 256:
        for rule, is_lost in _MISSPELT:
            lost = {token_id for byte, token_id in pieces.items() if is_lost(byte)}
            for is_fused in (False, True):
                yield of_ids("Model", rule, tokenizer, partial(_as_unknown, lost, unknown, is_fused))
            if isinstance(model, BPE):
                yield of_rules("Model", rule, tokenizer, partial(_without_entries, tokenizer, model, lost))


def _without_entries(tokenizer: Tokenizer, model: BPE, lost: Container[int]) -> Pipeline:
    changed = copy(model)
    changed.vocab = {entry: token_id for entry, token_id in model.vocab.items() if token_id not in lost}
    return replace(tokenizer.rules, model=changed)


def _as_unknown(lost: Container[int], unknown: int, is_fused: bool, ids: Sequence[int]) -> list[int]:
    """is_fused: whether neighbouring lost tokens become one; an added token <unk> beside them stays."""
    return [
        unknown if token_id in lost else token_id
        for index, token_id in enumerate(ids)
        if not (is_fused and index and token_id in lost and ids[index - 1] in lost)
    ]


def _fused(ids: Sequence[int], unknown: int) -> list[int]:
    return [one for index, one in enumerate(ids) if one != unknown or index == 0 or ids[index - 1] != unknown]


def piece_table(tokenizer: Tokenizer) -> PieceTable | None:
    """The pieces of a sentencepiece model, None for any other."""
    for decoder in tokenizer.rules.decoders or ():
        if isinstance(decoder, SentencePieceDecoder):
            return decoder.table
    return None


class LongestFirst(VocabModel):
    """At each place the longest entry of the vocab; what begins none is unknown, or left out.

    fuses: whether adjacent unknown characters become one token.

    >>> [token.value for token in LongestFirst({"a": 0, "ab": 1, "bc": 2, "c": 3}, None).tokenize("abcx")]
    ['ab', 'c']
    """

    def __init__(self, vocab: Mapping[str, int], unknown: int | None, fuses: bool = False) -> None:
        super().__init__(vocab)
        self._unknown = unknown
        self._fuses = fuses
        self._longest = max(map(len, vocab), default=0)

    def tokenize(self, text: str) -> list[Token]:
        tokens: list[Token] = []
        start = 0
        while start < len(text):
            stops = range(min(len(text), start + self._longest), start, -1)
            stop = next((stop for stop in stops if text[start:stop] in self.vocab), start + 1)
            token_id = self.vocab.get(text[start:stop], self._unknown)
            piece = text[start:stop]
            is_fused = self._fuses and tokens and piece not in self.vocab and tokens[-1].id == self._unknown
            if token_id is not None and not is_fused:
                tokens.append(Token(token_id, piece, (start, stop)))
            start = stop
        return tokens
