"""The paths of a Viterbi search that goes on, as far as they are still of use, and what all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod

from reftok.engine.unigram.trie import PieceTrie

Open = tuple[int, float, dict[str, PieceTrie]]
"""A position where a piece may have begun that reaches beyond the text so far, its score, and how that may go on."""


class ConvergingPaths(ABC):
    """The best paths to all positions from which the text may go on, as a tree.

    A piece can only begin where another one ended, so every segmentation of the whole text goes on from one of the
    open positions: the end of the text so far, and those from which a piece may reach beyond it. What the best paths to
    all of them begin with is final. It is given to `_emit`, and the tree then has its root behind it.

    trie: the pieces.

    _open: the open positions in order; the last is the end of the text.
    _links: of a position the last piece of its path: where it starts and its id.
    _uses: of a position how many pieces of the tree start there, and one more if it is open.
    _unknown_texts: the characters that are no piece, by where they end.
    """

    def __init__(self, trie: PieceTrie) -> None:
        self._beginnings = trie.children
        self._start_over()

    def _start_over(self) -> None:
        """Begin with an empty text."""
        self._root = self._end = 0
        self._open: list[Open] = [(0, 0.0, self._beginnings)]
        self._links: dict[int, tuple[int, int]] = {}
        self._uses = {0: 1}
        self._unknown_texts: dict[int, str] = {}

    @abstractmethod
    def _emit(self, token_id: int, unknown_text: str | None) -> None:
        """The next piece of the segmentation. unknown_text: the character, where it is no piece."""

    def _grow(self, start: int, token_id: int, open_positions: list[Open], closed: list[int]) -> None:
        """The best path to the next position ends with a piece from `start`; some positions have closed."""
        end = self._end = self._end + 1
        uses = self._uses
        self._links[end] = start, token_id
        uses[start] += 1
        uses[end] = 1
        self._open = open_positions
        for position in closed:
            if uses[position] > 1:
                uses[position] -= 1
            else:
                self._prune(position)
        if uses[self._root] == 1 and open_positions[0][0] != self._root:
            self._advance()

    def _prune(self, position: int) -> None:
        """Use a position once less; take its path away where nothing uses it, as far as it is no part of another."""
        uses = self._uses
        while uses[position] == 1:
            del uses[position]
            if self._unknown_texts:
                self._unknown_texts.pop(position, None)
            position, _ = self._links.pop(position)
        uses[position] -= 1

    def _advance(self) -> None:
        """Give out what all paths begin with."""
        path: list[int] = []
        position = self._open[0][0]
        while position != self._root:
            path.append(position)
            position, _ = self._links[position]
        while path and self._uses[self._root] == 1:
            del self._uses[self._root]
            root = self._root = path.pop()
            _, token_id = self._links.pop(root)
            self._emit(token_id, self._unknown_texts.pop(root, None))

    def _close(self) -> float:
        """Give out the best path to the end of the text, which no piece spans; its score."""
        for position, _, _ in self._open[:-1]:
            self._prune(position)
        del self._open[:-1]
        self._advance()
        return self._open[0][1]
