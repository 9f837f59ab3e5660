"""Byte-pair encoding by scores, the model type BPE of sentencepiece.

Source: sentencepiece 0.2.3, bpe_model.cc (`Model::SampleEncode` without dropout).
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Mapping, Sequence
from operator import neg
from typing import TypeAlias

from reftok.rules.merging import Merging
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.pieces import PieceTable, PieceType, Segment

Splits: TypeAlias = dict[str, tuple[str, str]]
"""An unused piece to the pair of symbols that it was last seen as."""

_DEEPEST_SPLIT = 100
"""The library stops there: unused pieces may be parts of each other without end."""


class UserDefinedSymbol(str):
    """A user-defined symbol: it is cut out of the text and never merges."""

    __slots__ = ()


class SentencePieceBPE(Merging, PieceModel):
    """Merges the two neighbours whose piece has the highest score; of equal scores the leftmost pair.

    Quirks: user-defined symbols are cut out first and never merge. Control, unknown and byte pieces never match text.
    An unused piece merges like any other; if it is left at the end, it is split into the pair of symbols that it was
    last *seen* as anywhere in the text, whether that pair merged or not, and so on up to 100 levels deep. Scores are
    compared by the bits of float32: -0.0 is less than 0.0.

    >>> from reftok.rules.sentencepiece.pieces import Piece
    >>> pieces = [Piece("<unk>", 0.0, PieceType.UNKNOWN), Piece("bc", -1.0), Piece("ab", -2.0), Piece("a", -3.0)]
    >>> model = SentencePieceBPE(PieceTable(pieces))
    >>> [(token.id, token.value) for token in model.tokenize("abcab")]
    [(3, 'a'), (1, 'bc'), (2, 'ab')]
    """

    def __init__(self, table: PieceTable, source: str = "") -> None:
        super().__init__(table)
        self.source = source
        orders = float_orders(table.pieces[token_id].score for token_id in table.text_ids.values())
        self.ranks = dict(zip(table.text_ids, map(neg, orders), strict=True))  # the lowest rank is the highest score
        self.unused = table.of_type(PieceType.UNUSED)

    def segments(self, text: str) -> Sequence[Segment]:
        """The parts of the text with the ids of their pieces."""
        merged, splits = self.merged(text)
        segments: list[Segment] = []
        for part in merged:
            self.split_unused(part, splits, segments)
        return segments

    def merged(self, text: str) -> tuple[list[str], Splits]:
        """The symbols that are left after every merge, and the pairs that unused pieces were last seen as."""
        splits: Splits = {}

        def merge_of(left: str, right: str) -> tuple[int, str] | None:
            found = self.merge_of(left, right)
            if found is not None and found[1] in self.unused:
                # Whether the two merge or not: the library remembers a pair when it enters the queue.
                splits[found[1]] = left, right
            return found

        return [symbol for _, symbol in self.merge_symbols(self.symbols(text), merge_of)], splits

    def symbols(self, text: str) -> list[str]:
        """The text before any merge: its user-defined symbols and the characters between them."""
        parts, is_symbol = self.table.matcher.split(text)
        return [UserDefinedSymbol(part) if whole else part for part, whole in zip(parts, is_symbol, strict=True)]

    def merge_of(self, left: str, right: str) -> tuple[int, str] | None:
        """The rank of the merge of two neighbours and what they become; None if they do not merge."""
        whole = left + right
        rank = self.ranks.get(whole)
        if rank is None or isinstance(left, UserDefinedSymbol) or isinstance(right, UserDefinedSymbol):
            return None
        return rank, whole

    def split_unused(
        self, part: str, splits: Mapping[str, tuple[str, str]], segments: list[Segment], depth: int = 0
    ) -> None:
        """Append the segments that a symbol becomes in the end: an unused piece is split again."""
        if depth > _DEEPEST_SPLIT:
            segments.append((part, self.table.vocab.get(part, self.table.unk_id)))
        elif part in self.unused and part in splits:
            for half in splits[part]:
                self.split_unused(half, splits, segments, depth + 1)
        else:
            segments.append((part, self.table.usable_id(part)))


def float_orders(scores: Iterable[float]) -> list[int]:
    """Integers in the order in which the library compares scores: that of their bits as float32.

    >>> orders = float_orders([-1.0, -0.5, -0.0, 0.0, 2.0])
    >>> orders == sorted(orders), len({*orders})
    (True, 5)
    """
    packed = array("f", scores).tobytes()
    # As a signed integer, the bits of a positive float grow with it; those of a negative one grow as it falls.
    return [bits if bits >= 0 else -(bits & 0x7FFFFFFF) - 1 for (bits,) in struct.iter_unpack("=i", packed)]
