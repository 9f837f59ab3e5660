"""Unigram of tokenizer.json, character by character."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from reftok.engine.sinks import StreamedModel
from reftok.engine.unigram.fast_unigram import SUMS, FastUnigram
from reftok.engine.unigram.running_score import RunningScore
from reftok.engine.unigram.search import Search

_SHORT = 32


class StreamedUnigram(Search, StreamedModel):
    """Gives a piece as soon as all paths that may still win begin with it.

    A run of unknown characters is one piece, and falls back to bytes as a whole: it is held until it ends where its
    beginning does not tell its first ids. The first two fragments of a pre-token wait for the next call, where they are
    short and of more than one character: most often they become the whole pre-token, which is looked up.

    model: whose ids are taken; trie: its pieces.
    ids: where they are put.

    _unknown_run: the run of unknown characters that is held; _is_run_told: whether the ids of one so far were given.
    _is_begun: whether text of the pre-token has come that is not `_waiting`.
    """

    def __init__(self, model: FastUnigram, ids: list[int]) -> None:
        score = RunningScore(model.scores)
        super().__init__(model.undecided_texts, model.whole_texts, SUMS, score)
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

    def _give(self, ids: Sequence[int]) -> None:
        unk_id = self._model.unk_id
        if not self._unknown_run and min(ids) >= 0 and unk_id not in ids:
            self._is_run_told = False
            self._ids += ids
            return
        for token_id in ids:
            if token_id < 0:
                self._give_unknown(chr(~token_id), is_piece=False)
            elif token_id == unk_id:
                self._give_unknown(self._model.pieces[token_id][0], is_piece=True)
            else:
                self._end_run()
                self._ids.append(token_id)

    def _give_unknown(self, text: str, is_piece: bool) -> None:
        """More of a run of unknown characters. is_piece: it is the unknown piece itself."""
        fast = self._fast
        if self._is_run_told:
            self._ids += fast.unknown_ids(text)
            return
        self._unknown_run += text
        # The unknown piece itself is no bytes as long as it stands alone.
        if fast.tells_unknown_at_once and not (self._model.byte_fallback and is_piece):
            self._end_run()
            self._is_run_told = True

    def _end_run(self) -> None:
        self._is_run_told = False
        if self._unknown_run:
            self._ids += self._fast.piece_ids(self._unknown_run)
            self._unknown_run = ""

    def end_pre_token(self) -> None:
        self._is_last_to_wait = False
        if self._waiting:
            pre_token, self._waiting = self._waiting, ""
            self._ids += self._known_ids[pre_token]
        elif self._is_begun:
            self._end_search()
            self._end_run()
            self._is_begun = False
            self._score.start(0.0)

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        # One long pre-token is a text that nothing has cut: it is streamed, and not remembered whole.
        if len(pre_tokens) == 1 and len(pre_tokens[0]) > _SHORT and not self._fast.has_long_pieces:
            self.text(pre_tokens[0])
            self.end_pre_token()
        else:
            self._ids += chain.from_iterable(map(self._known_ids.__getitem__, pre_tokens))
