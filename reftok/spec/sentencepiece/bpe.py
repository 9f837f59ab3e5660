"""Byte-pair encoding by scores, the model type BPE of sentencepiece.

Source: sentencepiece 0.2.3, bpe_model.cc (`Model::SampleEncode` without dropout).
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Mapping, Sequence
from heapq import heappop, heappush
from itertools import chain
from typing import TypeAlias

from reftok.engine.bpe.string_merging import StringMerges, merge_few
from reftok.engine.bpe.unused_pieces import settled_splits
from reftok.engine.caches import Results, TwoGenerationCache
from reftok.engine.split_points.pairs import PairCuts
from reftok.spec.sentencepiece.model import PieceModel
from reftok.spec.sentencepiece.pieces import BYTE_PIECES, PieceTable, PieceType, Segment
from reftok.spec.steps import Merge, Merging

Splits: TypeAlias = dict[str, tuple[str, str]]
"""An unused piece to the two symbols that it was last seen as."""

Candidate: TypeAlias = tuple[int, int, int, int]
"""The rank of a merge, its left and right symbol, and how many characters they had when it was seen."""

Made: TypeAlias = tuple[int, int, str, str]
"""A merge that was made: the indices of both symbols, and the symbols."""

_CACHED_LENGTH = 256
_FEW_SYMBOLS = 24
_DEEPEST_SPLIT = 100
_MOST_PIECES = 1 << 17


class SentencePieceBPE(PieceModel):
    """Merges the two neighbours whose piece has the highest score, the leftmost of equals first.

    Quirks: a user-defined symbol is cut out first and never merges. Control, unknown and byte pieces never match
    text. An unused piece merges as any other; what is left of it at the end is split again into the two symbols that
    it was last *seen* as anywhere in the text, whether they were merged or not, up to 100 levels deep. Scores are
    compared as the bits of float32: -0.0 is less than 0.0.

    >>> from reftok.spec.sentencepiece.pieces import Piece
    >>> pieces = [Piece("<unk>", 0.0, PieceType.UNKNOWN), Piece("bc", -1.0), Piece("ab", -2.0), Piece("a", -3.0)]
    >>> model = SentencePieceBPE(PieceTable(pieces))
    >>> [(token.id, token.value) for token in model.tokenize("abcab")]
    [(3, 'a'), (1, 'bc'), (2, 'ab')]
    """

    def __init__(self, table: PieceTable, source: str = "") -> None:
        super().__init__(table)
        self.source = source
        self._ranks = {piece: -float_order(table.pieces[token_id].score) for piece, token_id in table.text_ids.items()}
        self._unused = table.of_type(PieceType.UNUSED)
        self.cuts = PairCuts(table.text_ids)
        self._settled = settled_splits(self._unused, self._ranks)
        self._is_simple = not self._unused and not table.matcher.lengths
        self._cache: TwoGenerationCache[Sequence[Segment]] = TwoGenerationCache()
        self._ids_of_word: Results[Sequence[int]] = Results(self._word_ids)
        self._ids_of_key: Results[Sequence[int]] = Results(self._key_ids)
        self._merges = StringMerges(self._ranks, self.cuts.pairs, self._merged_plainly)
        self._ids_of_piece = _IdsOfPieces(table)

    def segments_plainly(self, text: str) -> list[Segment]:
        """The parts of the text with the ids of their pieces."""
        parts, is_symbol = self.table.matcher.split(text)
        merged, splits = merge_all(parts, is_symbol, self._ranks, self._unused)
        segments: list[Segment] = []
        for part in merged:
            self._split_unused(part, splits, segments, 0)
        return segments

    def explain(self, text: str) -> Merging:
        """The merges that `segments_plainly` makes, one by one; unused pieces are split again after them."""
        symbols, is_symbol = self.table.matcher.split(text)
        made: list[Made] = []
        merge_all(symbols, is_symbol, self._ranks, self._unused, made)
        merges = tuple(
            Merge(
                self.table.pieces[self.table.text_ids[first + second]].score,
                first,
                second,
                first + second,
                (left, right),
            )
            for left, right, first, second in made
        )
        return Merging(text, tuple(symbols), "score", merges)

    def segments(self, text: str) -> Sequence[Segment]:
        """The fast twin of `segments_plainly`: one word at a time, remembered.

        What an unused piece is split into depends on the whole text; a text that has one goes the plain way.
        """
        segments: list[Segment] = []
        get = self._cache.get
        for word in self.cuts.words(text):
            found = get(word)
            if found is None:
                found = self._word(word)
                if found is None:
                    return self.segments_plainly(text)
            segments += found
        return segments

    def token_ids(self, text: str) -> list[int]:
        """The ids of `tokenize`, and nothing else."""
        return super().token_ids(text) if self._unused else [*self.table.with_unknowns_joined(self.ids_of_words(text))]

    def ids_of_words(self, text: str) -> list[int]:
        """The ids of what stands between two cuts, word by word, of a model without unused pieces.

        Unknown ids of neighbouring words are not joined yet.
        """
        first, keys, last = self.cuts.keys(text)
        ids = [*self._ids_of_word[first]] if first else []
        ids += chain.from_iterable(map(self._ids_of_key.__getitem__, keys))
        if last:
            ids += self._ids_of_word[last]
        return ids

    def _key_ids(self, key: str) -> Sequence[int]:
        """The ids of a word, by its key; of one that ends with a mark that is cut off, those of the two."""
        word = self.cuts.word(key)
        if word[-2:-1].isalpha() and not word[-1].isalpha() and word[-2:] not in self.cuts.pairs:
            before = self.cuts.key(word[:-1])
            if before is not None:
                return *self._ids_of_key[before], *self._ids_of_word[word[-1]]
        return self._word_ids(word)

    def _word_ids(self, word: str) -> Sequence[int]:
        if self._is_simple:
            return [*chain.from_iterable(map(self._ids_of_piece.__getitem__, self._merges.pieces(word)))]
        segments: list[Segment] = []
        for part in self.cuts.short_parts(word):
            segments += [(piece, self.table.usable_id(piece)) for piece in self._merged(part) or ()]
        return tuple(self.table.token_ids(segments))

    def _merged_plainly(self, text: str) -> Sequence[str]:
        return merge_all(text, [False] * len(text), self._ranks)[0]

    @property
    def has_unused(self) -> bool:
        """Whether there are unused pieces."""
        return bool(self._unused)

    @property
    def may_depend_on_all(self) -> bool:
        """Whether there are unused pieces that are split as the whole text has it."""
        return len(self._settled) < sum(len(piece) > 1 for piece in self._unused)

    def settled_segments(self, text: str) -> tuple[Sequence[Segment], bool]:
        """The segments of what stands between two cuts, as far as no other text can change them; and if that is all.

        They end where there is an unused piece of which only the whole text tells what it is split into.
        """
        segments: list[Segment] = []
        merged, _ = merge_all(*self.table.matcher.split(text), self._ranks, self._unused)
        for part in merged:
            if part in self._unused and len(part) > 1 and part not in self._settled:
                return segments, False
            self._split_unused(part, self._settled, segments, 0)
        return segments, True

    def _word(self, word: str) -> Sequence[Segment] | None:
        """The segments of one word, None where an unused piece was seen."""
        segments: list[Segment] = []
        for part in self.cuts.short_parts(word):
            found = self._cache.get(part)
            if found is None:
                merged = self._merged(part)
                if merged is None:
                    return None
                found = [(piece, self.table.usable_id(piece)) for piece in merged]
                if len(part) < _CACHED_LENGTH:
                    self._cache.put(part, found)
            segments += found
        if len(word) < _CACHED_LENGTH:
            self._cache.put(word, segments)
        return segments

    def _merged(self, part: str) -> list[str] | None:
        symbols, is_symbol = self.table.matcher.split(part)
        if len(symbols) <= _FEW_SYMBOLS and not self._unused and True not in is_symbol:
            return merge_few(symbols, self._ranks)
        merged, splits = merge_all(symbols, is_symbol, self._ranks, self._unused)
        return None if splits else merged

    def _split_unused(
        self, part: str, splits: Mapping[str, tuple[str, str]], segments: list[Segment], depth: int
    ) -> None:
        if depth > _DEEPEST_SPLIT:
            segments.append((part, self.table.vocab.get(part, self.table.unk_id)))
        elif part in self._unused and part in splits:
            for half in splits[part]:
                self._split_unused(half, splits, segments, depth + 1)
        else:
            segments.append((part, self.table.usable_id(part)))


class _IdsOfPieces(dict[str, Sequence[int]]):
    """The ids of a piece, of no model with unused ones: of what is none, the unknown id or the ids of its bytes."""

    def __init__(self, table: PieceTable) -> None:
        super().__init__()
        self._known = table.text_ids.get
        self._byte_ids = [table.vocab[piece] for piece in BYTE_PIECES] if table.byte_fallback else []
        self._unknown = (table.unk_id,)

    def __missing__(self, piece: str) -> Sequence[int]:
        if len(self) >= _MOST_PIECES:
            self.clear()
        token_id = self._known(piece)
        if token_id is not None:
            found: Sequence[int] = (token_id,)
        elif self._byte_ids:
            found = [*map(self._byte_ids.__getitem__, piece.encode())]
        else:
            found = self._unknown
        self[piece] = found
        return found


class _Merging:
    """The symbols of a text while they merge, the candidates among them, and the splits of unused pieces."""

    def __init__(
        self, symbols: Sequence[str], frozen: Sequence[bool], ranks: Mapping[str, int], unused: Collection[str]
    ) -> None:
        self.symbols, self.frozen, self.ranks, self.unused = list(symbols), frozen, ranks, unused
        self.queue: list[Candidate] = []
        self.splits = Splits()

    def consider(self, left: int, right: int) -> None:
        """Queue the merge of two neighbours where they make a piece; -1 stands for no neighbour."""
        if left < 0 or right < 0:
            return
        first, second = self.symbols[left], self.symbols[right]
        rank = self.ranks.get(first + second)
        if rank is None or self.frozen[left] or self.frozen[right]:
            return
        if first + second in self.unused:
            self.splits[first + second] = first, second
        heappush(self.queue, (rank, left, right, len(first) + len(second)))


def merge_all(
    symbols: Sequence[str],
    frozen: Sequence[bool],
    ranks: Mapping[str, int],
    unused: Collection[str] = (),
    made: list[Made] | None = None,
) -> tuple[list[str], Splits]:
    """Merge until no two neighbours make a piece; the lowest rank first, the leftmost of equals first.

    The symbols are a doubly linked list, the candidates a heap. A candidate is stale when the lengths of its two
    symbols no longer add up to the length that it had. made: takes down each merge.

    >>> merge_all("abcab", [False] * 5, {"ab": 2, "bc": 1, "ca": 1})
    (['a', 'bc', 'ab'], {})
    """
    merging = _Merging(symbols, frozen, ranks, unused)
    merged, queue, last = merging.symbols, merging.queue, len(symbols) - 1
    for left in range(last):
        merging.consider(left, left + 1)
    following = [*range(1, last + 1), -1]
    previous = [*range(-1, last)]
    while queue:
        _, left, right, length = heappop(queue)
        if not merged[left] or not merged[right] or len(merged[left]) + len(merged[right]) != length:
            continue
        if made is not None:
            made.append((left, right, merged[left], merged[right]))
        merged[left] += merged[right]
        merged[right] = ""
        after = following[left] = following[right]
        if after >= 0:
            previous[after] = left
        merging.consider(previous[left], left)
        merging.consider(left, after)
    return [symbol for symbol in merged if symbol], merging.splits


def float_order(score: float) -> int:
    """A number that orders float32 as the library does, by their bits.

    >>> float_order(-1.0) < float_order(-0.5) < float_order(-0.0) < float_order(0.0) < float_order(2.0)
    True
    """
    bits: int = struct.unpack("<i", struct.pack("<f", score))[0]
    return bits if bits >= 0 else -(bits & 0x7FFFFFFF) - 1
