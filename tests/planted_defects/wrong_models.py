"""Ports whose model goes another way to its tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from heapq import heappop, heappush
from itertools import accumulate, pairwise
from operator import neg
from struct import pack, unpack
from typing import Any, ClassVar
from unicodedata import normalize

import regex
from official import Official, Spans
from reference import Reference, table_of, with_model, with_pieces

from reftok import Tokenizer
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.pre_tokenizers import ByteLevel
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.merging import merge_all
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.pieces import PieceTable, PieceType, Segment
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram
from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import Span, Token
from reftok.rules.viterbi import PieceMatch
from reftok.rules.vocab_model import VocabModel


class _Model(Official):
    """A model with other options."""

    options: ClassVar[dict[str, bool]]

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        return {**model, "model": {**model["model"], **self.options}}


class NoIgnoreMerges(_Model):
    """`ignore_merges` is not read."""

    options: ClassVar[dict[str, bool]] = {"ignore_merges": False}


class NoByteFallback(_Model):
    """`byte_fallback` is not read: unknown characters become the unknown token."""

    options: ClassVar[dict[str, bool]] = {"byte_fallback": False}


class FirstMergeLost(Official):
    """The first merge is lost: it was taken for the header line."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        return {**model, "model": {**model["model"], "merges": model["model"]["merges"][1:]}}


class CommentsLost(Official):
    """Merges that begin with # are lost: they were taken for comments."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        kept = [merge for merge in model["model"]["merges"] if not merge[0].startswith("#")]
        return {**model, "model": {**model["model"], "merges": kept}}


class NoMerges(Official):
    """No merge is applied: merges written as lists are not read."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        return {**model, "model": {**model["model"], "merges": []}}


class MergesByLength(Official):
    """The longest merge goes first."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        merges = sorted(model["model"]["merges"], key=lambda pair: -len("".join(pair)))
        return {**model, "model": {**model["model"], "merges": merges}}


class LongestFirst(Reference):
    """The longest entry of the vocab at each place: no merges at all."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return Tokenizer(replace(tokenizer.rules, model=_Longest(tokenizer.rules.model.vocab)))


class _Longest(VocabModel):
    """Greedy search; what the vocab does not have is dropped."""

    def __init__(self, vocab: Mapping[str, int]) -> None:
        super().__init__(vocab)
        self._most = max(map(len, vocab))

    def tokenize(self, text: str) -> list[Token]:
        tokens: list[Token] = []
        start = 0
        while start < len(text):
            for stop in range(min(len(text), start + self._most), start, -1):
                if (token_id := self.vocab.get(text[start:stop])) is not None:
                    tokens.append(Token(token_id, text[start:stop], (start, stop)))
                    break
            else:
                stop = start + 1
            start = stop
        return tokens


class GlyphBytes(Reference):
    """The glyphs of the vocab are read as text: what is not ASCII is looked up as it is, not by its bytes."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        steps = [_Glyphs() if isinstance(step, ByteLevel) else step for step in tokenizer.rules.pre_tokenizers]
        return Tokenizer(replace(tokenizer.rules, pre_tokenizers=tuple(steps)), tokenizer)


class _Glyphs:
    """ASCII by the byte table, everything else as it is."""

    def pre_tokenize(self, splits: Sequence[Part]) -> list[Part]:
        return [part if part.tokens is not None else Part(_glyphs(part.normalized)) for part in splits]


def _glyphs(normalized: NormalizedString) -> NormalizedString:
    text = "".join(to_byte_characters(one.encode()) if one.isascii() else one for one in normalized.text)
    return NormalizedString(text, normalized.original_start, normalized.alignments)


class UnknownDropped(Official):
    """The unknown token is left out."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        unknown = self.tokenizer.token_to_id("<unk>")
        kept = [index for index, token_id in enumerate(ids) if token_id != unknown]
        return [ids[i] for i in kept], [tokens[i] for i in kept], [spans[i] for i in kept]


class PieceUnknownDropped(Reference):
    """The unknown piece is left out."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        unknown = table_of(self.tokenizer).unk_id
        kept = [index for index, token_id in enumerate(ids) if token_id != unknown]
        return [ids[i] for i in kept], [tokens[i] for i in kept], [spans[i] for i in kept]


class WorstScores(Reference):
    """The sign of the scores is wrong."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_pieces(tokenizer, score_of=neg)


class RoundedScores(Reference):
    """Scores are written with one decimal."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_pieces(tokenizer, score_of=lambda score: round(score, 1))


class HalfScores(Reference):
    """Scores are kept in 16 bits, as the weights of the language model are."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_pieces(tokenizer, score_of=lambda score: float(unpack("e", pack("e", score))[0]))


class EqualScores(Reference):
    """Scores are read as 0: the fewest pieces win."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_pieces(tokenizer, score_of=lambda _: 0.0)


class SymbolsAreNormal(Reference):
    """User-defined symbols are pieces like others: other pieces may reach into them."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_pieces(tokenizer, {PieceType.USER_DEFINED: PieceType.NORMAL})


class ControlsMatchText(Reference):
    """Control pieces are found in the text: `</s>` in a prompt ends it."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_pieces(tokenizer, {PieceType.CONTROL: PieceType.USER_DEFINED})


class NoBytePieces(Reference):
    """Bytes do not fall back: unknown characters become the unknown piece."""

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        table = table_of(tokenizer)
        assert table.byte_fallback, "bytes do not fall back in this model"
        pieces = [
            piece._replace(type=PieceType.CONTROL) if piece.type is PieceType.BYTE else piece for piece in table.pieces
        ]
        return Tokenizer(
            replace(tokenizer.rules, model=type(tokenizer.rules.model)(PieceTable(pieces, False, "", table.special)))
        )


class _Merged(Reference):
    """The reference with a model of its own class."""

    kind: ClassVar[type[Any]]

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_model(tokenizer, self.kind)


Symbols = list[tuple[int, Span]]
"""Ids with the characters of the word that they stand for."""


class _Port(BPE):
    """BPE written anew, right as it stands: units of the text, their ids, and the merges."""

    def units(self, text: str) -> list[str]:
        """What the text is cut into before any merge."""
        return [*text]

    def ids_of(self, unit: str) -> list[int]:
        """The ids of a unit, those of its bytes where the vocab does not have it."""
        token_id = self.vocab.get(unit)
        return self.fallback(unit) if token_id is None else [token_id]

    def fallback(self, unit: str) -> list[int]:
        """The ids of a unit that the vocab does not have."""
        return self.ids_of_bytes(unit.encode()) if self.byte_fallback else []

    def ids_of_bytes(self, data: bytes) -> list[int]:
        """The ids of the tokens of bytes."""
        return [self.vocab[f"<0x{byte:02X}>"] for byte in data]

    def merged(self, symbols: Symbols) -> Symbols:
        """The symbols after every merge."""
        found = merge_all([token_id for token_id, _ in symbols], self.merge_of)
        bounds = pairwise([*(index for index, _ in found), len(symbols)])
        return [
            (token_id, (symbols[first][1][0], symbols[last - 1][1][1]))
            for (_, token_id), (first, last) in zip(found, bounds, strict=True)
        ]

    def tokenize(self, text: str) -> list[Token]:
        units = self.units(text)
        spans = pairwise(accumulate(map(len, units), initial=0))
        symbols = [(one, span) for unit, span in zip(units, spans, strict=True) for one in self.ids_of(unit)]
        return [Token(one, self.id_to_token(one) or "", span) for one, span in self.merged(self.fused(symbols))]

    def fused(self, symbols: Symbols) -> Symbols:
        """A run of unknown tokens is one."""
        kept: Symbols = []
        for token_id, span in symbols:
            if kept and token_id == self.unk_id == kept[-1][0]:
                span = kept.pop()[1][0], span[1]
            kept.append((token_id, span))
        return kept


class _RightmostFirst(_Port):
    def merged(self, symbols: Symbols) -> Symbols:
        if len(symbols) <= 16:
            return super().merged(symbols)
        left = [*symbols]
        while True:
            pairs = ((self.merge_of(left[at][0], left[at + 1][0]), at) for at in range(len(left) - 1))
            best = min(((found[0], -at, found[1]) for found, at in pairs if found is not None), default=None)
            if best is None:
                return left
            at = -best[1]
            left[at : at + 2] = [(best[2], (left[at][1][0], left[at + 1][1][1]))]


class RightmostFirst(_Merged):
    """Words of more than 16 symbols go through a heap, which has the last of equal pairs on top, not the first."""

    kind: ClassVar[type[Any]] = _RightmostFirst


class _RightNeighbours(_Port):
    def merged(self, symbols: Symbols) -> Symbols:
        current: list[tuple[int, Span] | None] = [*symbols]
        queue: list[tuple[int, int, int, int, int]] = []

        def look(left: int, right: int) -> None:
            first, second = current[left], current[right]
            if first and second and (found := self.merge_of(first[0], second[0])):
                heappush(queue, (found[0], left, right, first[0], second[0]))

        def neighbour(at: int) -> int | None:
            return next((index for index in range(at + 1, len(current)) if current[index]), None)

        for at in range(len(symbols) - 1):
            look(at, at + 1)
        while queue:
            _, left, right, *ids = heappop(queue)
            first, second = current[left], current[right]
            if not (first and second) or neighbour(left) != right or [first[0], second[0]] != ids:
                continue
            found = self.merge_of(*ids)
            assert found is not None
            current[left], current[right] = (found[1], (first[1][0], second[1][1])), None
            if (after := neighbour(left)) is not None:
                look(left, after)
        return [one for one in current if one]


class RightNeighbours(_Merged):
    """After a merge only the pair to its right goes into the queue: the one to its left is forgotten."""

    kind: ClassVar[type[Any]] = _RightNeighbours


class _LongestFrom32(_Port):
    def tokenize(self, text: str) -> list[Token]:
        return super().tokenize(text) if len(text) < 32 else _Longest(self.vocab).tokenize(text)


class LongestFrom32(_Merged):
    """From 32 symbols on merges take too long, and the longest entry of the vocab is taken at each place."""

    kind: ClassVar[type[Any]] = _LongestFrom32


class _OnePass(_Port):
    def merged(self, symbols: Symbols) -> Symbols:
        if len(symbols) <= 24:
            return super().merged(symbols)
        left, at = [*symbols], 0
        while at + 1 < len(left):
            found = self.merge_of(left[at][0], left[at + 1][0])
            if found is None:
                at += 1
                continue
            left[at : at + 2] = [(found[1], (left[at][1][0], left[at + 1][1][1]))]
            at = max(0, at - 1)
        return left


class MergedFromTheLeft(_Merged):
    """Long words are merged in one pass from the left, by any merge that there is: a way out against long inputs."""

    kind: ClassVar[type[Any]] = _OnePass


class _MostOf100(_Port):
    def tokenize(self, text: str) -> list[Token]:
        if len(text) <= 100:
            return super().tokenize(text)
        return [] if self.unk_id is None else [Token(self.unk_id, "<unk>", (0, len(text)))]


class WordsOf100(_Merged):
    """A word of more than 100 characters is the unknown token, or nothing: the limit of WordPiece."""

    kind: ClassVar[type[Any]] = _MostOf100


class _MostOf64(_Port):
    def merged(self, symbols: Symbols) -> Symbols:
        return super().merged(symbols[:64]) + symbols[64:]


class MergesOf64(_Merged):
    """The buffer of merges has place for 64 symbols: those behind are given out as they are."""

    kind: ClassVar[type[Any]] = _MostOf64


class _PieceBuffers(SentencePieceBPE):
    def segments(self, text: str) -> Sequence[Segment]:
        parts = [text[start : start + 128] for start in range(0, len(text), 128)]
        return [segment for part in parts for segment in super(_PieceBuffers, self).segments(part)]


class PieceBuffers(_Merged):
    """Merges in buffers of 128 characters: none goes over a seam."""

    kind: ClassVar[type[Any]] = _PieceBuffers


class _LatticeOf100(SentencePieceUnigram):
    def segments(self, text: str) -> Sequence[Segment]:
        return super().segments(text[:100])


class LatticeOf100(_Merged):
    """The lattice has 100 places: what is behind them is lost."""

    kind: ClassVar[type[Any]] = _LatticeOf100


class _Packed(_Port):
    @cached_property
    def packed(self) -> dict[int, tuple[int, int]]:
        """The merges by both ids in one number."""
        return {(left << 12) + right: found for (left, right), found in self.merges.items()}

    def merge_of(self, left: int, right: int) -> tuple[int, int] | None:
        return self.packed.get((left << 12) + right)


class PackedPairs(_Merged):
    """The two ids of a merge are packed into 24 bits: beyond 4,095 the right one counts into the left one."""

    kind: ClassVar[type[Any]] = _Packed


class _Clusters(_Port):
    def units(self, text: str) -> list[str]:
        return regex.findall(r"\X", text)


class Clusters(_Merged):
    """Swift: the characters of a string are grapheme clusters, which fall back to bytes as a whole."""

    kind: ClassVar[type[Any]] = _Clusters


@cache
def _cluster_ends(text: str) -> tuple[int, ...]:
    return (0, *(found.end() for found in regex.finditer(r"\X", text)))


class _ClusterLattice(Unigram):
    def matches(self, text: str, start: int) -> list[PieceMatch]:
        ends = _cluster_ends(text)
        if start not in ends:
            return []
        found = [match for match in super().matches(text, start) if match[0] in ends]
        end = ends[ends.index(start) + 1]
        if any(match[0] == end for match in found):
            return found
        return [*found, (end, self.unk_id or 0, self.unknown_score)]


class ClusterLattice(_Merged):
    """Swift: pieces begin and end between grapheme clusters, and an unknown cluster is unknown as a whole."""

    kind: ClassVar[type[Any]] = _ClusterLattice


class _Equivalent(_Port):
    @cached_property
    def keys(self) -> dict[str, int]:
        """The vocab of a language in which equivalent strings are equal: the first entry stays."""
        keys: dict[str, int] = {}
        for token, token_id in self.vocab.items():
            keys.setdefault(normalize("NFC", token), token_id)
        return keys

    def ids_of(self, unit: str) -> list[int]:
        token_id = self.keys.get(normalize("NFC", unit))
        return super().ids_of(unit) if token_id is None else [token_id]


class EquivalentKeys(_Merged):
    """A dictionary whose keys are equal where they are canonically equivalent: U+212B finds å's capital."""

    kind: ClassVar[type[Any]] = _Equivalent


class _EquivalentClusters(_Equivalent):
    def units(self, text: str) -> list[str]:
        return regex.findall(r"\X", text)


class EquivalentClusters(_Merged):
    """Swift: grapheme clusters for characters, found in the vocab by canonical equivalence."""

    kind: ClassVar[type[Any]] = _EquivalentClusters


class _Halves(_Port):
    def fallback(self, unit: str) -> list[int]:
        units = unit.encode("utf-16-le")
        halves = [chr(int.from_bytes(units[start : start + 2], "little")) for start in range(0, len(units), 2)]
        return self.ids_of_bytes(b"".join(half.encode("utf-8", "surrogatepass") for half in halves))


class HalvesFallBack(_Merged):
    """Bytes are made of each UTF-16 unit: six of a surrogate pair."""

    kind: ClassVar[type[Any]] = _Halves


class _HalvesUnknown(_Port):
    def fallback(self, unit: str) -> list[int]:
        return super().fallback(unit) if unit <= "\uffff" else self.ids_of_bytes(b"??")


class HalvesAreQuestionMarks(_Merged):
    """Java: the bytes of half a surrogate pair are those of a question mark."""

    kind: ClassVar[type[Any]] = _HalvesUnknown


class _SignedNames(_Port):
    def fallback(self, unit: str) -> list[int]:
        names = [f"<0x{byte if byte < 0x80 else byte + 0xFFFFFF00:02X}>" for byte in unit.encode()]
        return [self.vocab.get(name, self.unk_id or 0) for name in names]


class SignedNames(_Merged):
    """Bytes are signed: the name of 0xC3 is printed as <0xFFFFFFC3>, which is unknown."""

    kind: ClassVar[type[Any]] = _SignedNames


class _SignedIndex(_Port):
    def ids_of_bytes(self, data: bytes) -> list[int]:
        first = self.vocab["<0x00>"]
        return [max(0, first + (byte if byte < 0x80 else byte - 256)) for byte in data]


class SignedIndex(_Merged):
    """The id of a byte is that of <0x00> and the byte, which is signed: 0xFF is the id before <0x00>."""

    kind: ClassVar[type[Any]] = _SignedIndex


class _SmallLetterBytes(_Port):
    def fallback(self, unit: str) -> list[int]:
        return [self.vocab.get(f"<0x{byte:02x}>", self.unk_id or 0) for byte in unit.encode()]


class SmallLetterBytes(_Merged):
    """Names of bytes are looked up with small letters, as most languages print them: <0xc3>."""

    kind: ClassVar[type[Any]] = _SmallLetterBytes


class _ShortByteNames(_Port):
    def ids_of_bytes(self, data: bytes) -> list[int]:
        return [self.vocab.get(f"<0x{byte:X}>", self.unk_id or 0) for byte in data]


class ShortByteNames(_Merged):
    """Names of bytes are looked up without a zero before a single digit: `<0xA>`."""

    kind: ClassVar[type[Any]] = _ShortByteNames
