"""Unigram of tokenizer.json, character by character."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from reftok.models.unigram import Unigram
from reftok.streaming.encoding.converging_paths import ConvergingPaths, Open

_SHORT = 32


class StreamedUnigram(ConvergingPaths):
    """Gives a piece as soon as all paths that may still win begin with it.

    A run of unknown characters is one piece, and falls back to bytes as a whole: it is held until it ends. Fragments of
    more than one character that a part begins with wait for the next call, as long as they are short together: most
    often they become the whole part, which is looked up.

    model: whose ids are taken; trie: its pieces.
    ids: where they are put.
    """

    holds_parts = ""

    def __init__(self, model: Unigram, ids: list[int]) -> None:
        super().__init__(model.trie)
        self._model = model
        self._known_ids = model.known_ids
        self._ids = ids
        self._waiting = ""
        self._unknown_run = ""

    @property
    def held(self) -> int:
        return self._end - self._root + len(self._unknown_run) + len(self._waiting)

    def text(self, fragment: str, at_start: int = 0) -> None:
        if not self._end:
            text = self._waiting + fragment
            if len(fragment) > 1 and len(text) <= _SHORT:
                self._waiting = text
                return
            fragment, self._waiting = text, ""
        for character in fragment:
            self._step(character)

    def _step(self, character: str) -> None:
        """One more position: what `Unigram.best_paths` does for one end, from each start in order."""
        best, start, best_id = 0.0, -1, -1
        still_open: list[Open] = []
        closed: list[int] = []
        entry = None
        for position, score, following in self._open:
            child = following.get(character)
            if child is None:
                entry = None
                closed.append(position)
                continue
            entry = child.entry
            if entry is not None:
                candidate = entry[1] + score
                if start < 0 or candidate > best:
                    best, start, best_id = candidate, position, entry[0]
            if child.children:
                still_open.append((position, score, child.children))
            else:
                closed.append(position)
        end = self._end + 1
        if entry is None:
            candidate = self._model.unknown_score + self._open[-1][1]
            if start < 0 or candidate > best:
                best, start, best_id = candidate, self._end, self._model.needed_unk_id()
                self._unknown_texts[end] = character
        still_open.append((end, best, self._beginnings))
        self._grow(start, best_id, still_open, closed)

    def _emit(self, token_id: int, unknown_text: str | None) -> None:
        if token_id == self._model.unk_id:
            self._unknown_run += self._model.pieces[token_id][0] if unknown_text is None else unknown_text
            return
        self._end_run()
        self._ids.append(token_id)

    def _end_run(self) -> None:
        if self._unknown_run:
            self._ids += self._model.piece_ids(self._unknown_run)
            self._unknown_run = ""

    def end_part(self) -> None:
        if self._waiting:
            part, self._waiting = self._waiting, ""
            self._ids += self._known_ids[part]
        elif self._end:
            self._close()
            self._end_run()
            self._start_over()

    def parts(self, parts: Sequence[str]) -> None:
        self._ids += chain.from_iterable(map(self._known_ids.__getitem__, parts))

    def token(self, token_id: int) -> None:
        self._ids.append(token_id)
