"""A Viterbi search that goes on, whose steps are looked up wherever that is exact."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from reftok.engine.unigram.converging_paths import ConvergingPaths
from reftok.engine.unigram.running_score import RunningScore
from reftok.engine.unigram.undecided_text import LONGEST, LOST, UndecidedTexts

_SHORT = 16


class LookedUpPaths(ConvergingPaths):
    """Gives out what is decided; see `reftok.engine.unigram.undecided_text`.

    Where a step is lost, or the text ends at an open choice, the undecided text is searched again with the score that
    it really begins with, and from there on character by character, until what is undecided is known again from its
    text alone.

    texts: of the model.
    score: behind what is decided.

    _undecided: the undecided text, LOST while it is searched.
    _recent: the end of the text that is searched.
    """

    def __init__(self, texts: UndecidedTexts, score: RunningScore) -> None:
        super().__init__(texts.trie)
        self._texts = texts
        self._score = score
        self._undecided = texts.start
        self._recent = ""

    @abstractmethod
    def _step(self, character: str) -> None:
        """One more position of the search."""

    @abstractmethod
    def _decide(self, path: Sequence[int]) -> None:
        """Notes that this path comes next."""

    def _score_before(self) -> float:
        """The score that the undecided text is searched with."""
        return self._score.value()

    def _is_settled(self) -> bool:
        """Whether nothing was done to the scores behind the root but adding to them."""
        return True

    def _go_on(self, score: float) -> None:
        """All that came before has this score."""
        self._score.start(score)

    @property
    def _undecided_size(self) -> int:
        return self._end - self._root if self._undecided is LOST else len(self._undecided.text)

    def _search(self, text: str) -> None:
        if len(text) > LONGEST:
            for start in range(0, len(text), LONGEST):
                self._search(text[start : start + LONGEST])
            return
        undecided = self._undecided
        if undecided is not LOST and self._score.has_room(len(text)):
            decided: list[int] = []
            for character in text:
                undecided, path = undecided[character]
                if path:
                    decided += path
            if undecided is not LOST:
                self._undecided = undecided
                if decided:
                    self._decide(decided)
                return
        for character in text:
            self._search_one(character)

    def _search_one(self, character: str) -> None:
        undecided = self._undecided
        if undecided is not LOST:
            behind, path = undecided[character]
            if behind is not LOST and self._score.has_room(1):
                self._undecided = behind
                if path:
                    self._decide(path)
                return
            self._begin_search(undecided.text)
        self._step(character)
        self._recent = self._recent[1 - _SHORT :] + character
        if self._open[0][0] == self._root and self._end - self._root <= len(self._recent):
            self._look_up_again()

    def _begin_search(self, undecided: str) -> None:
        self._undecided = LOST
        self._start_over()
        self._open = [(0, self._score_before(), self._beginnings)]
        for character in undecided:
            self._step(character)
        self._recent = undecided

    def _look_up_again(self) -> None:
        """Nothing before the root counts any more: look up what came behind it, if it is known."""
        size = self._end - self._root
        undecided = self._texts.start
        decided: list[int] = []
        for character in self._recent[len(self._recent) - size :]:
            undecided, path = undecided[character]
            decided += path
        score = self._open[0][1]
        if undecided is not LOST and self._score.would_have_room(score) and self._is_settled():
            self._go_on(score)
            self._undecided = undecided
            if decided:
                self._decide(decided)

    def _end_search(self) -> None:
        """The text ends here, or no piece spans this place."""
        if self._undecided is not LOST and self._undecided.path is None:
            self._begin_search(self._undecided.text)
        if self._undecided is LOST:
            self._go_on(self._close())
        elif self._undecided.path:
            self._decide(self._undecided.path)
        self._undecided = self._texts.start
