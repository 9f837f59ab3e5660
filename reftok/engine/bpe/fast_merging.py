"""The base of the fast models that merge the symbols of a pre-token: safe split points of a long one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol, TypeVar

from reftok.engine.bpe.beginnings import Beginnings
from reftok.engine.caches import Results
from reftok.engine.fast_model import FastModel
from reftok.spec.byte_level import to_byte_characters
from reftok.spec.models.vocab_model import VocabModel

_WITHIN_CHARACTER = frozenset(to_byte_characters(bytes(range(0x80, 0xC0))))


MergingModel = TypeVar("MergingModel", bound=VocabModel)


class SplitPoints(Protocol):
    """The places that no token can span, however the text goes on."""

    def last_cut(self, text: str) -> int:
        """The last such place in a text, 0 where there is none."""
        ...

    def words(self, text: str) -> list[str]:
        """The text cut at such places."""
        ...


class FastMerging(FastModel[MergingModel]):
    """A model that merges neighbours, and may take a word that is in the vocab as it is.

    takes_whole_words: whether it may do so.
    has_other_ends: whether the first or the last character of a word can be another symbol than within.
    tokens: id to token.
    inner_ids: what stands between two safe split points, to its ids.
    ids_of_raw: a word that is not yet written in the characters of its bytes, to its ids.
    characters_begun, begins_within: of a token in these characters, how many characters of the text begin in it, and
        whether it begins within one.
    """

    takes_whole_words = True
    has_other_ends = False

    def __init__(self, model: MergingModel) -> None:
        super().__init__(model)
        self.tokens = model.tokens
        self.inner_ids: Results[Sequence[int]] = Results(self._inner_ids)
        self.ids_of_raw: Results[Sequence[int]] = Results(self._ids_of_raw)
        self.characters_begun: Results[int] = Results(_characters_begun)
        self.begins_within: Results[bool] = Results(_begins_within)
        self._cuts: SplitPoints | None = None
        self._beginnings: Beginnings | None = None

    def _inner_ids(self, text: str) -> Sequence[int]:
        return self.merged_ids(text, begins=False, ends=False)

    def _ids_of_raw(self, word: str) -> Sequence[int]:
        return self.ids_of(to_byte_characters(word.encode()))

    @abstractmethod
    def merged_ids(self, text: str, begins: bool = True, ends: bool = True) -> Sequence[int]:
        """The ids of a word that is not taken as it is, or of a part of one between two safe split points.

        begins, ends: whether the word does here.
        """

    @abstractmethod
    def _find_cuts(self) -> SplitPoints:
        """Where a word can be cut, the places behind its first and before its last character left out."""

    @property
    def cuts(self) -> SplitPoints:
        """The result of `_find_cuts`, computed when it is first asked for."""
        if self._cuts is None:
            self._cuts = self._find_cuts()
        return self._cuts

    def may_be_whole(self, beginning: str) -> bool:
        """Whether a word that begins so may be taken as it is."""
        if not self.takes_whole_words:
            return False
        if self._beginnings is None:
            self._beginnings = Beginnings(self.model.vocab)
        return beginning in self._beginnings


def _characters_begun(token: str) -> int:
    return sum(character not in _WITHIN_CHARACTER for character in token)


def _begins_within(token: str) -> bool:
    return token[:1] in _WITHIN_CHARACTER
