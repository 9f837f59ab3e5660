"""Segments of a sentencepiece model as ids, bit by bit."""

from __future__ import annotations

from collections.abc import Sequence

from reftok.spec.sentencepiece.pieces import PieceTable, Segment


class SegmentIds:
    """What `PieceTable.token_ids` gives for all segments of a part: a run of unknown ones is one id, or falls to bytes.

    table: of the pieces.
    ids: where they are put.
    given: how many ids were given for the part so far.

    >>> from reftok.spec.sentencepiece.pieces import Piece, PieceType
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
            ids = self._table.token_ids(segments)
            if self._follows_unknown and segments[0][1] == unk_id and not self._table.byte_fallback:
                del ids[0]
            self._follows_unknown = segments[-1][1] == unk_id
            self._ids += ids
            self.given += len(ids)

    def add_ids(self, ids: Sequence[int]) -> None:
        """The ids of the next words, of which unknown ones are still to be joined."""
        if ids:
            self._ids += self._table.with_unknowns_joined(ids, self._follows_unknown)
            self._follows_unknown = ids[-1] == self._table.unk_id
            self.given += len(ids)

    def add_plain(self, ids: Sequence[int]) -> None:
        """The ids of the next segments; an unknown one is not the first and has no unknown one before it."""
        if ids:
            self._ids += ids
            self._follows_unknown = ids[-1] == self._table.unk_id
            self.given += len(ids)

    def end_part(self) -> None:
        """What follows is another part."""
        self._follows_unknown = False
        self.given = 0
