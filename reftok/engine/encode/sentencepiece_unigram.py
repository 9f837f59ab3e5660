"""Unigram of sentencepiece: word by word where whole words come, else character by character."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from reftok.engine.encode.segment_ids import SegmentIds
from reftok.engine.unigram.converging_paths import Open
from reftok.engine.unigram.fast_sentencepiece_unigram import FastSentencePieceUnigram
from reftok.engine.unigram.looked_up_paths import LookedUpPaths
from reftok.engine.unigram.running_words import RunningWords
from reftok.spec.sentencepiece.unigram import RESET_THRESHOLD

_SHORT = 4
"""A fragment of fewer code points is taken character by character."""


class StreamedSentencePieceUnigram(LookedUpPaths):
    """Gives a piece as soon as all paths that may still win begin with it.

    Between two places that no piece spans, only the score at the first of them depends on what came before: such words
    are looked up. The last word of a long fragment waits for the next call. Short fragments are searched, and where the
    steps cannot be looked up, as in `best_path`: a score beyond the threshold is taken off from all sums that
    are still open.

    model: whose ids are taken.
    ids: where they are put.

    _is_searching: whether the text since the last such place is searched; else it is `_waiting`.
    _last: the last character of what is searched.
    _resets: the positions where the score was set back, and how much was taken off there.
    """

    holds_parts = ""

    def __init__(self, model: FastSentencePieceUnigram, ids: list[int]) -> None:
        self._model = model
        self._segment_ids = SegmentIds(model.model.table, ids)
        self._words = RunningWords(model, self._segment_ids, self._search_word)
        super().__init__(model.undecided_texts, self._words.score)
        self._ids = ids
        self._waiting = ""
        self._is_searching = False
        self._last = ""
        self._resets: list[tuple[int, float]] = []
        self._cell = array("f", (0.0,))

    @property
    def held(self) -> int:
        return self._undecided_size if self._is_searching else len(self._waiting)

    def text(self, fragment: str, at_start: int = 0) -> None:
        if len(fragment) < _SHORT:
            self._search_more(fragment)
            return
        if self._is_searching:
            fragment = self._searched_up_to_cut(fragment)
        text = self._waiting + fragment
        cut = self._model.cuts.last_cut(text)
        if cut:
            self._words.add(text[:cut])
            self._waiting = text[cut:]
        elif fragment:
            self._search_more(fragment)

    def _search_more(self, fragment: str) -> None:
        if not self._is_searching:
            self._is_searching = True
            fragment, self._waiting = self._waiting + fragment, ""
        self._search(fragment)
        self._last = fragment[-1]

    def _searched_up_to_cut(self, fragment: str) -> str:
        """Search up to the first place that no piece spans; what is behind it, '' if there is none."""
        words = self._model.cuts.words(self._last + fragment)
        if len(words) == 1:
            self._search_more(fragment)
            return ""
        size = len(words[0]) - 1
        if size:
            self._search(fragment[:size])
        self._end_search()
        self._is_searching = False
        return fragment[size:]

    def _search_word(self, word: str) -> None:
        """A word between two cuts."""
        self._search(word)
        self._end_search()

    def _decide(self, path: Sequence[int]) -> None:
        self._words.add_ids(path)

    def _score_before(self) -> float:
        score = self._score.value()
        return 0.0 if score < -RESET_THRESHOLD or score > RESET_THRESHOLD else score

    def _is_settled(self) -> bool:
        return not any(position > self._root for position, _ in self._resets)

    def _go_on(self, score: float) -> None:
        self._score.start(score)
        self._resets.clear()

    def _step(self, character: str) -> None:
        """One more position: what `best_path` does for one end, from each start in order."""
        cell = self._cell
        best, start, best_id = 0.0, -1, -1
        still_open: list[Open] = []
        closed: list[int] = []
        end = self._end + 1
        resets = self._resets_after(self._open[0][0]) if self._resets else None
        for position, score, following in self._open:
            while resets and resets[0][0] <= position:
                cell[0] = best - resets.pop(0)[1]
                best = cell[0]
            child = following.get(character)
            if child is None:
                entry = None
                closed.append(position)
            else:
                entry = child.entry
                if child.children:
                    still_open.append((position, score, child.children))
                else:
                    closed.append(position)
            is_unknown = entry is None and position == self._end
            if is_unknown:
                entry = self._model.unknown
            if entry is not None and (start < 0 or not score + entry[1] <= best):
                cell[0] = score + entry[1]
                if start < 0 or cell[0] > best:
                    best, start, best_id = cell[0], position, entry[0]
                    if is_unknown:
                        self._unknown_texts[end] = character
        if best < -RESET_THRESHOLD or best > RESET_THRESHOLD:
            self._resets.append((end, best))
            best = 0.0
        still_open.append((end, best, self._beginnings))
        self._grow(start, best_id, still_open, closed)

    def _resets_after(self, first_open: int) -> list[tuple[int, float]]:
        """Where the score was set back behind the first open position; what is before has no effect any more."""
        self._resets = [reset for reset in self._resets if reset[0] > first_open]
        return self._resets[:]

    def _emit(self, token_id: int, unknown_text: str | None) -> None:
        if unknown_text is None:
            self._segment_ids.add_plain((token_id,))
        else:
            self._segment_ids.add([(unknown_text, token_id)])

    def end_part(self) -> None:
        if self._is_searching:
            self._end_search()
            self._is_searching = False
        elif self._waiting:
            self._words.add(self._waiting)
            self._waiting = ""
        self._segment_ids.end_part()
        self._score.start(0.0)

    def parts(self, parts: Sequence[str]) -> None:
        for part in parts:
            self.text(part)
            self.end_part()

    def token(self, token_id: int) -> None:
        self._ids.append(token_id)
