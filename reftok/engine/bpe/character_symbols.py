"""Merges within the characters of a word that is written in bytes, before anything merges between them.

Where no merge between two characters takes but a part of one of them, the bytes of a character merge as they do alone.
And where the ids that merges make are in the order of the merges, a character is complete before it merges with others.
So its bytes need not be merged again in every word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, compress, pairwise, product
from operator import or_

from reftok.engine.caches import Results
from reftok.spec.byte_level import BYTE_TO_CHARACTER, to_byte_characters

_MOST_REMEMBERED = 1 << 16
_CONTINUATIONS = [BYTE_TO_CHARACTER[byte] for byte in range(0x80, 0xC0)]
_EVERY_CONTINUATION = "".join(_CONTINUATIONS)
_ASCII = frozenset(to_byte_characters(bytes(range(0x80))))
_LENGTHS = {BYTE_TO_CHARACTER[byte]: 2 + (byte >= 0xE0) + (byte >= 0xF0) for byte in range(0xC2, 0xF5)}
"""How many bytes a character outside ASCII has, by the first of them."""
_LEADS = {size: [lead for lead, length in _LENGTHS.items() if length == size] for size in (3, 4)}


class CharacterSymbols:
    """The symbols with which the merges of a word can begin.

    vocab: token to id, in the characters of bytes. tokens: id to token.
    lefts, rights: the ids of what merges.
    merge: what the ids of some bytes merge to.

    >>> vocab = {"Ã": 0, "©": 1, "¨": 2, "Ã©": 3, "Ã©Ã": 4}
    >>> tokens = {token_id: token for token, token_id in vocab.items()}
    >>> merged = {(0, 1): (3,), (0, 2): (0, 2)}
    >>> symbols = CharacterSymbols(vocab, tokens, [0, 3], [1, 0], lambda ids: merged[tuple(ids)])
    >>> symbols.of("éèé"), symbols.of("èé")
    ([0, 1, 0, 2, 3], [0, 2, 3])
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        tokens: Mapping[int, str],
        lefts: Sequence[int],
        rights: Sequence[int],
        merge: Callable[[list[int]], Sequence[int]],
    ) -> None:
        self._vocab = vocab
        self._tokens = tokens
        self._lefts = lefts
        self._rights = rights
        self._bytes: Results[list[int]] = Results(self._ids_of_bytes, capacity=_MOST_REMEMBERED)
        self._merge = merge
        self._merged: Results[Sequence[int]] = Results(self._ids_of_character, capacity=_MOST_REMEMBERED)
        self._torn_lefts = Results(self._torn_lefts_before, capacity=_MOST_REMEMBERED)
        self._ends = Results(_ends, capacity=_MOST_REMEMBERED)
        self._is_torn = Results(self._may_be_torn, capacity=_MOST_REMEMBERED)

    def of(self, word: str) -> list[int]:
        """The symbols of each character merged alone; its bytes where a neighbour may merge with a part of it.

        Raises KeyError for a byte that is not in the vocab.
        """
        torn = [
            bool(lefts or left.isascii()) and self._is_torn[left + right]
            for (left, right), lefts in zip(pairwise(word), map(self._torn_lefts.__getitem__, word[1:]), strict=True)
        ]
        if True not in torn:
            return [*chain.from_iterable(map(self._merged.__getitem__, word))]
        beside_torn = map(or_, [False, *torn], [*torn, False])
        symbols = [
            self._bytes[character] if torn else self._merged[character]
            for character, torn in zip(word, beside_torn, strict=True)
        ]
        return [*chain.from_iterable(symbols)]

    def _ids_of_bytes(self, character: str) -> list[int]:
        return [*map(self._vocab.__getitem__, to_byte_characters(character.encode()))]

    def _ids_of_character(self, character: str) -> Sequence[int]:
        return self._merge([*self._bytes[character]])

    def _may_be_torn(self, pair: str) -> bool:
        """Whether a merge between two characters may take but a part of one of them.

        Most often it does between ASCII and another character: the tables do without that.
        """
        left, right = pair[0], pair[1]
        if left.isascii():
            return not right.isascii()
        return any(not lefts.isdisjoint(self._ends[left]) for lefts in self._torn_lefts[right])

    def _torn_lefts_before(self, character: str) -> list[set[str]]:
        """The endings of left tokens of merges that tear a character, or the one before it; one of each set."""
        encoded = to_byte_characters(character.encode())
        beginnings = [encoded[:end] for end in range(1, len(encoded) + 1)]
        torn = self._torn_lefts_by_right
        return [torn[beginning] for beginning in beginnings if beginning in torn]

    @cached_property
    def _torn_lefts_by_right(self) -> Mapping[str, set[str]]:
        """Of the merges that tear a character: what the right tokens begin with, to what the left ones end with.

        That is a character, or all of a token that is a part of one. Those of tokens that end with ASCII are left out.
        """
        tokens = self._tokens
        ends, beginnings = self._ids(self._ends_of_characters()), self._ids(self._beginnings_of_characters())
        is_torn = map(or_, map(ends.__contains__, self._lefts), map(beginnings.__contains__, self._rights))
        lefts: defaultdict[str, set[str]] = defaultdict(set)
        for left, right in compress(zip(self._lefts, self._rights, strict=True), is_torn):
            first, last = _first_character(tokens[right]), _last_character(tokens[left])
            if first not in _EVERY_CONTINUATION and last not in _ASCII:
                lefts[first].add(last)
        return lefts

    def _ids(self, tokens: Iterable[str]) -> frozenset[int | None]:
        return frozenset(map(self._vocab.get, tokens))

    def _ends_of_characters(self) -> list[str]:
        """The tokens that are an end of a character, but not all of it."""
        two = self._joined(_CONTINUATIONS, _CONTINUATIONS)
        return [*_CONTINUATIONS, *two, *self._joined(_CONTINUATIONS, two), *self._joined(two, _CONTINUATIONS)]

    def _beginnings_of_characters(self) -> list[str]:
        """The tokens that are a beginning of a character, but not all of it."""
        two = self._joined(_LEADS[3] + _LEADS[4], _CONTINUATIONS)
        three = self._joined(self._joined(_LEADS[4], _CONTINUATIONS), _CONTINUATIONS)
        three += self._joined(_LEADS[4], self._joined(_CONTINUATIONS, _CONTINUATIONS))
        return [*_LENGTHS, *two, *three]

    def _joined(self, lefts: Iterable[str], rights: Iterable[str]) -> list[str]:
        """The tokens that are one of these and one of those."""
        return [*filter(self._vocab.__contains__, map("".join, product(lefts, rights)))]


def _last_character(token: str) -> str:
    head = token.rstrip(_EVERY_CONTINUATION)
    return token[len(head) - 1 :] if head else token


def _first_character(token: str) -> str:
    return token[: _LENGTHS.get(token[0], 1)]


def _ends(character: str) -> list[str]:
    """The endings of a character's bytes, the longest first."""
    encoded = to_byte_characters(character.encode())
    return [encoded[start:] for start in range(len(encoded))]
