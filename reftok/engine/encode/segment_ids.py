"""Segments of a sentencepiece model as ids, whole and bit by bit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from reftok.rules.sentencepiece.pieces import NO_ID, PieceTable, Segment


class SegmentIds:
    """The fast path of `ids_of_segments`, for all of a pre-token: a run of unknown segments is one id, or bytes.

    table: of the pieces.
    ids: where they are put.
    given: how many ids were given for the pre-token so far.

    >>> from reftok.rules.sentencepiece.pieces import Piece, PieceType
    >>> ids: list[int] = []
    >>> stage = SegmentIds(PieceTable([Piece("<unk>", 0.0, PieceType.UNKNOWN), Piece("a", 0.0)]), ids)
    >>> stage.add([("a", 1), ("x", 0)]); stage.add([("y", 0), ("a", 1)]); ids
    [1, 0, 1]
    """

    def __init__(self, table: PieceTable, ids: list[int]) -> None:
        self._table = table
        self._ids = ids
        self._follows_unknown = False
        self.given = 0

    def add(self, segments: Sequence[Segment]) -> None:
        """The next segments."""
        if segments:
            unk_id = self._table.unk_id
            ids = ids_of_segments(self._table, segments)
            if self._follows_unknown and segments[0][1] == unk_id and not self._table.byte_fallback:
                del ids[0]
            self._follows_unknown = segments[-1][1] == unk_id
            self._ids += ids
            self.given += len(ids)

    def add_ids(self, ids: Sequence[int]) -> None:
        """The ids of the next words, of which unknown ones are still to be joined."""
        if ids:
            self._ids += with_unknowns_joined(self._table, ids, self._follows_unknown)
            self._follows_unknown = ids[-1] == self._table.unk_id
            self.given += len(ids)

    def end_pre_token(self) -> None:
        """Ends the pre-token; the next text belongs to another."""
        self._follows_unknown = False
        self.given = 0


def ids_of_segments(table: PieceTable, segments: Iterable[Segment]) -> list[int]:
    """The ids of `PieceTable.tokens`, and nothing else."""
    ids: list[int] = []
    follows_unknown = False
    for text, token_id in segments:
        if token_id != table.unk_id:
            ids.append(token_id)
            follows_unknown = False
            continue
        if table.byte_fallback:
            ids += [table.byte_ids[byte] for byte in text.encode("utf-8")]
        elif not follows_unknown:
            ids.append(token_id)
        follows_unknown = True
    return ids


def with_unknowns_joined(table: PieceTable, ids: Sequence[int], follows_unknown: bool = False) -> Sequence[int]:
    """The ids of words one after the other, where a run of unknown ids is one, unless bytes fall back.

    follows_unknown: whether the id before them is unknown.
    """
    unk_id = table.unk_id
    if table.byte_fallback or unk_id not in ids:
        return ids
    before = chain((unk_id if follows_unknown else NO_ID - 1,), ids)
    return [token_id for token_id, last in zip(ids, before, strict=False) if token_id != unk_id or last != unk_id]
