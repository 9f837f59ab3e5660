"""The ids of `reftok.spec.sentencepiece.bpe.SentencePieceBPE`, fast: word by word, remembered."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from reftok.engine.bpe.string_merging import StringMerges
from reftok.engine.bpe.unused_pieces import settled_splits
from reftok.engine.caches import Results
from reftok.engine.encode.segment_ids import ids_of_segments, with_unknowns_joined
from reftok.engine.fast_model import FastModel
from reftok.engine.split_points.pairs import PairCuts
from reftok.spec.models.merging import merge_all
from reftok.spec.sentencepiece.bpe import SentencePieceBPE
from reftok.spec.sentencepiece.pieces import PieceTable, Segment

_MOST_PIECES = 1 << 17


class FastSentencePieceBPE(FastModel[SentencePieceBPE]):
    """Merges the text between two safe split points apart from the rest, in lists and windows.

    What an unused piece is split into depends on the whole text: with such pieces a text goes the plain way.
    """

    def __init__(self, model: SentencePieceBPE) -> None:
        super().__init__(model)
        table = model.table
        self.cuts = PairCuts(table.text_ids)
        self.has_unused = bool(model.unused)
        self._settled = settled_splits(model.unused, model.ranks)
        self._is_simple = not model.unused and not table.matcher.symbols
        self._ids_of_word: Results[Sequence[int]] = Results(self._word_ids)
        self._ids_of_key: Results[Sequence[int]] = Results(self._key_ids)
        self._merges = StringMerges(model.ranks, self.cuts.pairs, self._merged_as_a_whole)
        self._ids_of_piece = _IdsOfPieces(table)

    def ids_of(self, text: str) -> Sequence[int]:
        if self.has_unused:
            return ids_of_segments(self.model.table, self.model.segments(text))
        return with_unknowns_joined(self.model.table, self.ids_of_words(text))

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
        return tuple(
            ids_of_segments(
                self.model.table,
                chain.from_iterable(map(self.model.segments, self.cuts.short_parts(word))),
            )
        )

    def _merged_as_a_whole(self, text: str) -> Sequence[str]:
        return [symbol for _, symbol in merge_all(text, self.model.merge_of)]

    @property
    def may_depend_on_all(self) -> bool:
        """Whether there are unused pieces that are split as the whole text has it."""
        return len(self._settled) < sum(len(piece) > 1 for piece in self.model.unused)

    def settled_segments(self, text: str) -> tuple[Sequence[Segment], bool]:
        """The segments of what stands between two cuts, as far as no other text can change them; and if that is all.

        They end where there is an unused piece of which only the whole text tells what it is split into.
        """
        segments: list[Segment] = []
        merged, _ = self.model.merged(text)
        for part in merged:
            if part in self.model.unused and len(part) > 1 and part not in self._settled:
                return segments, False
            self.model.split_unused(part, self._settled, segments)
        return segments, True


class _IdsOfPieces(dict[str, Sequence[int]]):
    """The ids of a piece, of no model with unused ones: of what is none, the unknown id or the ids of its bytes."""

    def __init__(self, table: PieceTable) -> None:
        super().__init__()
        self._known = table.text_ids.get
        self._byte_ids = table.byte_ids
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
