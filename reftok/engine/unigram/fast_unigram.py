"""The ids of `reftok.spec.models.unigram.Unigram`, fast: the pieces as a tree, and steps that are remembered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import repeat
from math import inf

from reftok.engine.fast_model import FastModel
from reftok.engine.unigram.trie import PieceTrie
from reftok.engine.unigram.undecided_text import UndecidedTexts, Unknown
from reftok.spec.models.unigram import Unigram
from reftok.spec.sentencepiece.pieces import BYTE_PIECES

MOST_TRIE_NODES = 20_000_000
SURE = 1e9
"""A score nearer to 0 than this changes nothing in almost any text."""

_ROUNDING = 2.0**-53
_FARTHEST = -1e6
"""A sum of scores that are nearer to 0 is never rounded by as much as UNK_PENALTY."""


class _Lengths(dict[int, int]):
    def __missing__(self, token_id: int) -> int:
        return 1


class FastUnigram(FastModel[Unigram]):
    """Viterbi over a tree of the pieces.

    >>> model = Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.5), ("ab", -2.0)], unk_id=0)
    >>> FastUnigram(model).ids("abxyb")
    [3, 0, 2]
    """

    def ids_of(self, text: str) -> Sequence[int]:
        model = self.model
        if not self.has_small_trie:
            return super().ids_of(text)
        links = self._best_links(text)
        ids: list[int] = []
        end, end_of_run = len(text), 0
        while end > 0:
            start, token_id = links[end]
            if token_id == model.unk_id:
                end_of_run = end_of_run or end
            else:
                if end_of_run:
                    ids += self.piece_ids(text[end:end_of_run])[::-1]
                    end_of_run = 0
                ids.append(token_id)
            end = start
        if end_of_run:
            ids += self.piece_ids(text[:end_of_run])[::-1]
        return ids[::-1]

    def piece_ids(self, piece: str) -> list[int]:
        """The id of a piece, or of a run of unknown characters; or the ids of its bytes, all or none of them."""
        model = self.model
        return [model.vocab[byte_piece] for byte_piece in model.byte_pieces(piece)] or [model.id_or_unknown(piece)]

    @cached_property
    def tells_unknown_at_once(self) -> bool:
        """Whether the ids of a run of unknown characters begin with those of each of its beginnings.

        A run gets the unknown id once, or the ids of its bytes, unless it is a piece itself. It never is where no score
        is above 0, since each unknown character costs more than any piece. What consists of nothing but the unknown
        piece costs less: so no piece may be a repetition of that one.
        """
        model = self.model
        if model.unk_id is None:
            return False
        if not all(_FARTHEST < score <= 0.0 for _, score in model.pieces):
            return False
        unk = model.pieces[model.unk_id][0]
        if any(piece != unk and not piece.replace(unk, "") for piece in model.vocab if piece):
            return False
        return not model.byte_fallback or model.vocab.keys() >= set(BYTE_PIECES)

    def unknown_ids(self, text: str) -> list[int]:
        """The ids that a text adds to a run of unknown characters that it goes on, where they are told at once."""
        if not self.model.byte_fallback:
            return []
        return [self.model.vocab[BYTE_PIECES[byte]] for byte in text.encode("utf-8")]

    @cached_property
    def has_small_trie(self) -> bool:
        """Whether all pieces together are short enough for `trie`; a published model has a tenth of that."""
        return sum(map(len, self.model.vocab)) <= MOST_TRIE_NODES

    @cached_property
    def trie(self) -> PieceTrie:
        """The pieces that match text, as a tree; made when it is first asked for."""
        pieces = self.model.pieces
        entries = ((piece, (token_id, pieces[token_id][1])) for piece, token_id in self.model.vocab.items() if piece)
        return PieceTrie.of(entries)

    @cached_property
    def largest(self) -> float:
        """The largest score, without its sign."""
        return max(map(abs, (self.model.unknown_score, *(score for _, score in self.model.pieces))))

    @cached_property
    def undecided_texts(self) -> UndecidedTexts:
        """For streams; made when it is first asked for. In a path `~ord(character)` stands for an unknown one."""
        lengths = _Lengths((token_id, len(piece)) for piece, token_id in self.model.vocab.items())
        unknown = Unknown(self.model.unknown_score, self._unknown_path)
        return UndecidedTexts(self.trie, unknown, lengths, SURE * _ROUNDING)

    def _unknown_path(self, character: str) -> tuple[int]:
        self.model.needed_unk_id()
        return (~ord(character),)

    def added_scores(self, score: float, path: Iterable[int]) -> float:
        """The scores of a path of `undecided_texts`, added to a score one after the other."""
        for token_id in path:
            score = (self.model.unknown_score if token_id < 0 else self.model.pieces[token_id][1]) + score
        return score

    def _best_links(self, text: str) -> list[tuple[int, int]]:
        """For each position the start and the id of the last piece of its best path: the fast path of `best_paths`."""
        size = len(text)
        best = [0.0, *repeat(-inf, size)]
        links = [(-1, -1)] * (size + 1)
        beginnings = self.trie.children
        unknown_score = self.model.unknown_score
        for start in range(size):
            here = best[start]
            end = start + 1
            node = beginnings.get(text[start])
            if node is None or node.entry is None:
                score = unknown_score + here
                if score > best[end] or links[end][0] < 0:
                    best[end], links[end] = score, (start, self.model.needed_unk_id())
            while node is not None:
                entry = node.entry
                if entry is not None:
                    score = entry[1] + here
                    if score > best[end] or links[end][0] < 0:
                        best[end], links[end] = score, (start, entry[0])
                if end == size:
                    break
                node = node.children.get(text[end])
                end += 1
        return links
