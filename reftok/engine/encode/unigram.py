"""Unigram of tokenizer.json, character by character."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from reftok.engine.unigram.converging_paths import Open
from reftok.engine.unigram.fast_unigram import SURE, FastUnigram
from reftok.engine.unigram.looked_up_paths import LookedUpPaths
from reftok.engine.unigram.running_score import RunningScore

_SHORT = 32


class StreamedUnigram(LookedUpPaths):
    """Gives a piece as soon as all paths that may still win begin with it.

    A run of unknown characters is one piece, and falls back to bytes as a whole: it is held until it ends where its
    beginning does not tell its first ids. The first two fragments of a part wait for the next call, where they are
    short and of more than one character: most often they become the whole part, which is looked up.

    model: whose ids are taken; trie: its pieces.
    ids: where they are put.

    _unknown_run: the run of unknown characters that is held; _is_run_told: whether the ids of one so far were given.
    _is_begun: whether text of the part has come that is not `_waiting`.
    """

    holds_parts = ""

    def __init__(self, model: FastUnigram, ids: list[int]) -> None:
        super().__init__(model.undecided_texts, RunningScore(model.largest, SURE, model.added_scores))
        self._model = model.model
        self._fast = model
        self._known_ids = model.known_ids
        self._ids = ids
        self._waiting = ""
        self._is_last_to_wait = False
        self._unknown_run = ""
        self._is_run_told = False
        self._is_begun = False

    @property
    def held(self) -> int:
        return self._undecided_size + len(self._unknown_run) + len(self._waiting)

    def text(self, fragment: str) -> None:
        if not self._is_begun:
            text = self._waiting + fragment
            if len(fragment) > 1 and len(text) <= _SHORT and not self._is_last_to_wait:
                self._is_last_to_wait = bool(self._waiting)
                self._waiting = text
                return
            fragment, self._waiting = text, ""
            self._is_begun = True
        self._search(fragment)

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
        model = self._model
        if token_id != model.unk_id:
            self._end_run()
            self._ids.append(token_id)
            return
        text = model.pieces[token_id][0] if unknown_text is None else unknown_text
        if self._is_run_told:
            self._ids += self._fast.unknown_ids(text)
            return
        self._unknown_run += text
        # The unknown piece itself is no bytes as long as it stands alone.
        if self._fast.tells_unknown_at_once and not (model.byte_fallback and unknown_text is None):
            self._end_run()
            self._is_run_told = True

    def _end_run(self) -> None:
        self._is_run_told = False
        if self._unknown_run:
            self._ids += self._fast.piece_ids(self._unknown_run)
            self._unknown_run = ""

    def _decide(self, path: Sequence[int]) -> None:
        self._score.add(path, len(path))
        if not self._unknown_run and min(path) >= 0 and self._model.unk_id not in path:
            self._is_run_told = False
            self._ids += path
            return
        for token_id in path:
            if token_id < 0:
                self._emit(self._model.needed_unk_id(), chr(~token_id))
            else:
                self._emit(token_id, None)

    def end_part(self) -> None:
        self._is_last_to_wait = False
        if self._waiting:
            part, self._waiting = self._waiting, ""
            self._ids += self._known_ids[part]
        elif self._is_begun:
            self._end_search()
            self._end_run()
            self._is_begun = False
            self._score.start(0.0)

    def parts(self, parts: Sequence[str]) -> None:
        # One long part is a text that nothing has cut: it goes the way of a stream, which does not remember it whole.
        if len(parts) == 1 and len(parts[0]) > _SHORT:
            self.text(parts[0])
            self.end_part()
        else:
            self._ids += chain.from_iterable(map(self._known_ids.__getitem__, parts))

    def token(self, token_id: int) -> None:
        self._ids.append(token_id)
