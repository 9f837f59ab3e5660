"""A Viterbi search that goes on with every character, whose steps are looked up wherever that is exact.

What comes as a long text is searched as a whole.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Sequence
from math import inf
from typing import TypeAlias

from reftok.engine.unigram.running_score import RunningScore, Sums
from reftok.engine.unigram.trie import Entry, Ids, PieceTrie
from reftok.engine.unigram.undecided_text import LONGEST, LOST, OPEN_CHOICE, UndecidedTexts, Unknown
from reftok.engine.unigram.whole_texts import WholeTexts, bounds, shared_beginning

_SHORT = 16
_BLOCK = 2048
"""So many code points are searched as a whole; it is more than the undecided text of almost any text has."""

Open: TypeAlias = tuple[int, float, dict[str, PieceTrie]]
"""A position where a piece may have begun that reaches beyond the text so far, its score, and how that may go on."""


class ConvergingPaths:
    """The best paths to all positions from which the text may go on, as a tree.

    A piece can only begin where another one ended, so every segmentation of the whole text goes on from one of the
    open positions: the end of the text so far, and those from which a piece may reach beyond it. What the best paths to
    all of them begin with is final. It is given to `give`, and the tree then has its root behind it.

    trie: the pieces; unknown: what becomes of a character that is none.
    sums: of the library.
    score: that the text begins with.

    open: the open positions in order; the last is the end of the text.
    root, end: of the tree and of the text.
    _links: of a position the last piece of its path: where it starts and its ids.
    _uses: of a position how many pieces of the tree start there, and one more if it is open.
    _resets: the positions where the score was beyond the threshold, and how much was taken off there.
    """

    def __init__(
        self, trie: PieceTrie, unknown: Unknown, sums: Sums, score: float, give: Callable[[Ids], None]
    ) -> None:
        self._beginnings = trie.children
        self._unknown = unknown
        self._threshold = sums.threshold
        self._cell = array(sums.typecode, (0.0,))
        self._give = give
        self.root = self.end = 0
        self.open: list[Open] = [(0, score, self._beginnings)]
        self._links: dict[int, tuple[int, Ids]] = {}
        self._uses = {0: 1}
        self._resets: list[tuple[int, float]] = []

    @property
    def is_settled(self) -> bool:
        """Whether nothing was done to the scores behind the root but adding to them."""
        return not any(position > self.root for position, _ in self._resets)

    def step(self, character: str) -> None:
        """One more position: what `spec.viterbi.best_paths` does for one place, from each start in order."""
        cell = self._cell
        best, start = 0.0, -1
        chosen: Entry = OPEN_CHOICE
        entry = None
        still_open: list[Open] = []
        closed: list[int] = []
        resets = self._resets_behind(self.open[0][0]) if self._resets else None
        for position, score, following in self.open:
            while resets and resets[0][0] <= position:
                cell[0] = best - resets.pop(0)[1]
                best = cell[0]
            child = following.get(character)
            if child is None:
                entry = None
                closed.append(position)
                continue
            entry = child.entry
            if entry is not None:
                cell[0] = score + entry[1]
                if start < 0 or cell[0] > best:
                    best, start, chosen = cell[0], position, entry
            if child.children:
                still_open.append((position, score, child.children))
            else:
                closed.append(position)
        if entry is None:
            cell[0] = score + self._unknown.score
            if start < 0 or cell[0] > best:
                best, start, chosen = cell[0], self.end, self._unknown.entry(character)
        self.end += 1
        if abs(best) > self._threshold:
            self._resets.append((self.end, best))
            best = 0.0
        still_open.append((self.end, best, self._beginnings))
        self.open = still_open
        self._grow(start, chosen[0], closed)

    def _resets_behind(self, first_open: int) -> list[tuple[int, float]]:
        """Those that still have an effect: behind the first open position."""
        self._resets = [reset for reset in self._resets if reset[0] > first_open]
        return self._resets[:]

    def _grow(self, start: int, ids: Ids, closed: list[int]) -> None:
        """The best path to the end ends with a piece from `start`; some positions have closed."""
        uses = self._uses
        self._links[self.end] = start, ids
        uses[start] += 1
        uses[self.end] = 1
        for position in closed:
            if uses[position] > 1:
                uses[position] -= 1
            else:
                self._prune(position)
        if uses[self.root] == 1 and self.open[0][0] != self.root:
            self._advance()

    def _prune(self, position: int) -> None:
        """Use a position once less; take its path away where nothing uses it, as far as it is no part of another."""
        uses = self._uses
        while uses[position] == 1:
            del uses[position]
            position, _ = self._links.pop(position)
        uses[position] -= 1

    def _advance(self) -> None:
        """Give out what all paths begin with."""
        path: list[int] = []
        position = self.open[0][0]
        while position != self.root:
            path.append(position)
            position, _ = self._links[position]
        while path and self._uses[self.root] == 1:
            del self._uses[self.root]
            self.root = path.pop()
            self._give(self._links.pop(self.root)[1])

    def close(self) -> float:
        """Give out the best path to the end of the text, which no piece spans; its score."""
        for position, _, _ in self.open[:-1]:
            self._prune(position)
        del self.open[:-1]
        self._advance()
        return self.open[0][1]


class Search(ABC):
    """The streamed search of a unigram model: by the steps of `undecided_text`, else by character.

    A long text is searched block by block, up to where the best paths to all places part from which it may go on; from
    there on, what it ends with, by steps.

    Where a step is lost, or the text ends at an open choice, the undecided text is searched again with the score that
    it really begins with, and from there on character by character, until what is undecided is known again from its
    text alone.

    texts: of the model; whole_texts: the same for whole ones, None where its pieces are too long.
    sums: of the library.
    score: behind what is decided.

    _undecided: the undecided text, LOST while it is searched by `_paths`.
    _recent: the end of the text that is searched.
    """

    def __init__(self, texts: UndecidedTexts, whole_texts: WholeTexts | None, sums: Sums, score: RunningScore) -> None:
        self._texts = texts
        self._whole_texts = whole_texts
        self._sums = sums
        self._score = score
        self._undecided = texts.start
        self._recent = ""

    @abstractmethod
    def _give(self, ids: Sequence[int]) -> None:
        """These come next."""

    @property
    def _undecided_size(self) -> int:
        return self._paths.end - self._paths.root if self._undecided is LOST else len(self._undecided.text)

    def _search(self, text: str, is_end: bool = False) -> None:
        """More text. is_end: whether no piece spans its end, which the caller then says by `_end_search`."""
        whole_texts = self._whole_texts
        while whole_texts is not None and (is_end or len(text) > LONGEST):
            size = LONGEST
            if self._undecided is not LOST:
                text = self._undecided.text + text
                self._undecided = self._texts.start
                size = _BLOCK
                rest = self._searched(text[:size], whole_texts, is_end and len(text) <= size)
                if rest is not None:
                    text = rest + text[size:]
                    if text:
                        continue
                    return
            self._search_by_steps(text[:size])
            text = text[size:]
            if not text:
                return
        self._search_by_steps(text)

    def _searched(self, text: str, whole_texts: WholeTexts, is_end: bool) -> str | None:
        """Search a text behind what is decided: the rest of it, which is still undecided.

        None where that is most of it, and where sums may get too large.
        """
        if not self._score.is_finite(len(text)):
            return None
        best, starts = whole_texts.paths(text, self._score.value())
        size = len(text)
        end = size if is_end else shared_beginning(starts, {*whole_texts.may_go_on(text), size})
        # What is taken off depends on all scores: those of places behind the end must be the same in the next search.
        while self._sums.threshold < inf and (start := min(starts[end + 1 :], default=end)) < end:
            end = shared_beginning(starts, {start, end})
        if end < size // 2:
            return None
        # What begins with a score beyond the threshold has it taken off.
        self._score.start(0.0 if abs(best[end]) > self._sums.threshold else best[end])
        if end:
            self._give(whole_texts.ids(text, bounds(starts, end), self._texts.unknown.ids))
        return text[end:]

    def _search_by_steps(self, text: str) -> None:
        if len(text) <= LONGEST and self._look_up(text):
            return
        start, size = 0, LONGEST
        while start < len(text):
            part = text[start : start + size]
            if self._look_up(part):
                start += len(part)
                size = min(4 * size, LONGEST)
            elif size > 1:
                size //= 4
            else:
                self._step(part)
                start += 1

    def _look_up(self, text: str) -> bool:
        """Take the steps of a text, if none of them is lost."""
        undecided = self._undecided
        if undecided is LOST or not self._score.has_room(len(text)):
            return False
        decided: list[int] = []
        for character in text:
            undecided, ids = undecided[character]
            if ids:
                decided += ids
        if undecided is LOST:
            return False
        self._undecided = undecided
        if decided:
            self._decide(decided)
        return True

    def _step(self, character: str) -> None:
        if self._undecided is not LOST:
            self._begin_search(self._undecided.text)
        paths = self._paths
        paths.step(character)
        self._recent = self._recent[1 - _SHORT :] + character
        if paths.open[0][0] == paths.root and paths.end - paths.root <= len(self._recent):
            self._look_up_again()

    def _decide(self, ids: Sequence[int]) -> None:
        self._score.add(ids)
        self._give(ids)

    def _begin_search(self, undecided: str) -> None:
        self._undecided = LOST
        texts = self._texts
        self._paths = ConvergingPaths(texts.trie, texts.unknown, self._sums, self._score.value(), self._give)
        for character in undecided:
            self._paths.step(character)
        self._recent = undecided

    def _look_up_again(self) -> None:
        """Nothing before the root counts any more: look up what came behind it, if it is known."""
        paths = self._paths
        size = paths.end - paths.root
        undecided, decided = self._texts.start.after(self._recent[len(self._recent) - size :])
        score = paths.open[0][1]
        if undecided is not LOST and self._score.would_have_room(score) and paths.is_settled:
            self._score.start(score)
            self._undecided = undecided
            if decided:
                self._decide(decided)

    def _end_search(self) -> None:
        """The text ends here, or no piece spans this place."""
        path = self._undecided.path
        if path:
            self._decide(path)
        elif path is None:
            if self._undecided is not LOST:
                self._begin_search(self._undecided.text)
            self._score.start(self._paths.close())
        self._undecided = self._texts.start
