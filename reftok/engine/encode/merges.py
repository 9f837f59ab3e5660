"""Pre-tokens of models that merge: held, and from a length on cut where no merge can ever reach across."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from reftok.engine.bpe.fast_merging import FastMerging
from reftok.spec.byte_level import BYTE_TO_CHARACTER, to_byte_characters

LONG = 32
"""From so many code points on a part is cut: most parts end before, and the places cost something to find."""
_GO_ON = frozenset(BYTE_TO_CHARACTER[byte] for byte in range(0x80, 0xC0))
"""The bytes of a character but for its first."""


class StreamedMerges:
    """Looks a complete part up; gives the ids of a long one up to the last place that no token can span.

    A part is not cut as long as it may still be an entry of the vocab that is taken as it is. There is no other bound:
    one more letter can change every token since the last cut, whatever the length of the longest token is.

    model: whose ids are taken.
    ids: where they are put.
    """

    holds_parts = ""

    def __init__(self, model: FastMerging[Any], ids: list[int]) -> None:
        self._model = model
        self._known_ids = model.known_ids
        self._ids = ids
        self._begin()

    def _begin(self) -> None:
        """Be ready for the next part.

        _size: how many characters are held, and held, of how many code points of the text: ByteLevel makes more of one.
        _limit: how many characters may be held before it is time to look for a cut.
        _window: the end of what is held, in which no cut was found so far, '' before the part is long.
        """
        self._fragments: list[str] = []
        self.held = self._size = 0
        self._limit = LONG
        self._window = ""
        self._is_cut = False

    def text(self, fragment: str) -> None:
        self._take(fragment, len(fragment))

    def _take(self, fragment: str, code_points: int) -> None:
        self._fragments.append(fragment)
        self._size += len(fragment)
        self.held += code_points
        if self._size > self._limit:
            self._look(fragment)

    def _code_points(self, rest: str) -> int:
        """Of how many code points of the text these are the end."""
        return len(rest)

    def _look(self, fragment: str) -> None:
        """Give out what comes before the last place that can be cut."""
        model = self._model
        if self._window:
            window = self._window + fragment
        else:
            part = "".join(self._fragments)
            if model.may_be_whole(part):
                self._limit = len(part) + len(part) // 4
                return
            self._limit = 0
            window = part[1:]
        end = len(window) - model.has_other_ends
        cut = model.cuts.last_cut(window[:end])
        self._window = window[max(cut, end - 1) :]
        if cut:
            text = "".join(self._fragments)
            given = len(text) - len(window) + cut
            self._give(text[:given], ends=False)
            rest = text[given:]
            self._fragments = [rest]
            self._size = len(rest)
            self.held = self._code_points(rest)
            self._is_cut = True

    def _give(self, text: str, ends: bool) -> None:
        model = self._model
        if model.has_other_ends:
            self._ids += model.merged_ids(text, begins=not self._is_cut, ends=ends)
        else:
            self._ids += chain.from_iterable(map(model.inner_ids.__getitem__, model.cuts.words(text)))

    def end_part(self) -> None:
        if self._size:
            text = self._fragments[0] if len(self._fragments) == 1 else "".join(self._fragments)
            if self._is_cut:
                self._give(text, ends=True)
            else:
                self._ids += self._known_ids[text]
            self._begin()

    def parts(self, parts: Sequence[str]) -> None:
        # One long part is a text that nothing has cut: it goes the way of a stream, which does not remember it whole.
        if len(parts) == 1 and len(parts[0]) > LONG:
            self.text(parts[0])
            self.end_part()
        else:
            self._ids += chain.from_iterable(map(self._known_ids.__getitem__, parts))

    def token(self, token_id: int) -> None:
        self._ids.append(token_id)

    def behind_bytes(self) -> StreamedByteMerges:
        """The same stage with ByteLevel before it."""
        return StreamedByteMerges(self._model, self._ids)


class StreamedByteMerges(StreamedMerges):
    """ByteLevel and the model as one stage: a word that is remembered need not be written in its bytes first."""

    def __init__(self, model: FastMerging[Any], ids: list[int]) -> None:
        super().__init__(model, ids)
        self._ids_of_raw = model.ids_of_raw

    def text(self, fragment: str) -> None:
        self._take(to_byte_characters(fragment.encode()), len(fragment))

    def _code_points(self, rest: str) -> int:
        """One that is cut within counts, as long as some of its bytes are held."""
        return sum(character not in _GO_ON for character in rest) + (rest[:1] in _GO_ON)

    def parts(self, parts: Sequence[str]) -> None:
        self._ids += chain.from_iterable(map(self._ids_of_raw.__getitem__, parts))
