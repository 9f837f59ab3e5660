"""Streams of models that merge: what comes is buffered up to the last safe split point."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import chain
from sys import maxsize
from typing import Any

from reftok.engine.bpe.fast_bpe import FastMerging
from reftok.engine.sinks import StreamedModel
from reftok.rules.byte_level import BYTE_TO_CHARACTER, to_byte_characters

LONG = 32
"""From so many code points on a pre-token is searched for safe split points: most end before."""
_GO_ON = frozenset(BYTE_TO_CHARACTER[byte] for byte in range(0x80, 0xC0))
"""The bytes of a character but for its first."""


class StreamedAtSplitPoints(StreamedModel):
    """Gives the ids up to the last place that no token can span; one character behind it is known by then.

    There is no other bound: one more letter can change every token since the last safe split point, whatever the length
    of the longest token is.

    ids: where the ids are put.
    """

    def __init__(self, ids: list[int]) -> None:
        self._ids = ids
        self._begin()

    def _begin(self) -> None:
        """Be ready for the next pre-token.

        _size: how many characters are held.
        _limit: how many characters may be held before it is time to look for a safe split point.
        _window: the end of what is held, in which none was found so far, '' before the first look.
        """
        self._fragments: list[str] = []
        self._size = 0
        self._limit = 0
        self._window = ""

    @property
    def held(self) -> int:
        return self._size

    def _cut(self, rest: int) -> None:
        """Give out all but so many characters."""
        text = "".join(self._fragments)
        given = len(text) - rest
        if self._give(text[:given]):
            self._hold(text[given:])
        else:
            self._limit = maxsize

    def _hold(self, rest: str) -> None:
        """Hold the end of the pre-token and nothing else."""
        self._fragments = [rest]
        self._size = len(rest)

    @abstractmethod
    def _give(self, text: str) -> bool:
        """Put the ids of what stands between two safe split points; False where other text can change them."""

    @abstractmethod
    def _give_rest(self, text: str) -> None:
        """Put the ids of what was held when the pre-token ends."""

    def end_pre_token(self) -> None:
        if self._size:
            self._give_rest(self._fragments[0] if len(self._fragments) == 1 else "".join(self._fragments))
            self._begin()


class StreamedMerges(StreamedAtSplitPoints):
    """Looks a complete pre-token up, and cuts a long one.

    It is not cut as long as it may still be an entry of the vocab that is taken as it is.

    model: whose ids are taken.
    """

    def __init__(self, model: FastMerging[Any], ids: list[int]) -> None:
        self._model = model
        self._known_ids = model.known_ids
        super().__init__(ids)

    def _begin(self) -> None:
        super()._begin()
        self._limit = LONG
        self._is_cut = False

    def text(self, fragment: str) -> None:
        self._fragments.append(fragment)
        self._size += len(fragment)
        if self._size > self._limit:
            self._look(self._window + fragment)

    def _look(self, window: str) -> None:
        """Give out what comes before the last place in the window that can be cut."""
        model = self._model
        if not self._window:
            pre_token = "".join(self._fragments)
            if model.may_be_whole(pre_token):
                self._limit = len(pre_token) + len(pre_token) // 4
                return
            self._limit = 0
            window = pre_token[1:]
        end = len(window) - model.has_other_ends
        cut = model.split_points.last(window[:end])
        self._window = window[max(cut, end - 1) :]
        if cut:
            self._cut(len(window) - cut)

    def _give(self, text: str) -> bool:
        self._put(text, ends=False)
        self._is_cut = True
        return True

    def _put(self, text: str, ends: bool) -> None:
        model = self._model
        if model.has_other_ends:
            self._ids += model.merged_ids(text, begins=not self._is_cut, ends=ends)
        else:
            self._ids += chain.from_iterable(map(model.inner_ids.__getitem__, model.split_points.words(text)))

    def _give_rest(self, text: str) -> None:
        if self._is_cut:
            self._put(text, ends=True)
        else:
            self._ids += self._known_ids[text]

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        # One long pre-token is a text that nothing has cut: it is streamed, and not remembered whole.
        if len(pre_tokens) == 1 and len(pre_tokens[0]) > LONG:
            super().pre_tokens(pre_tokens)
        else:
            self._ids += chain.from_iterable(map(self._known_ids.__getitem__, pre_tokens))

    def behind_bytes(self) -> StreamedByteMerges:
        """The same stage with ByteLevel before it."""
        return StreamedByteMerges(self._model, self._ids)


class StreamedByteMerges(StreamedMerges):
    """ByteLevel and the model as one stage: a word that is remembered need not be written in its bytes first."""

    def __init__(self, model: FastMerging[Any], ids: list[int]) -> None:
        super().__init__(model, ids)
        self._ids_of_raw = model.ids_of_raw

    def _begin(self) -> None:
        super()._begin()
        self._code_points = 0

    @property
    def held(self) -> int:
        return self._code_points

    def text(self, fragment: str) -> None:
        self._code_points += len(fragment)
        super().text(to_byte_characters(fragment.encode()))

    def _hold(self, rest: str) -> None:
        """A character that is cut within counts, as long as some of its bytes are held."""
        super()._hold(rest)
        self._code_points = sum(character not in _GO_ON for character in rest) + (rest[:1] in _GO_ON)

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        self._ids += chain.from_iterable(map(self._ids_of_raw.__getitem__, pre_tokens))
