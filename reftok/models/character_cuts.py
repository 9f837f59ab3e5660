"""Where a word that is written in bytes can be cut, because no token goes across the place between two characters.

The first token that goes across such a place is made by a merge of one that ends there and one that begins there. So
it is enough to look at what the left parts of all merges end with and the right parts begin with: a character, or a
part of one, with which the whole token must then begin or end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import compress
from operator import add, and_, itemgetter, not_

from reftok.byte_level import BYTE_TO_CHARACTER, to_byte_characters
from reftok.cache import Results

Pair = tuple[int, int]

_MOST_PAIRS = 1 << 18
_CONTINUATIONS = "".join(BYTE_TO_CHARACTER[byte] for byte in range(0x80, 0xC0))
_LENGTHS = {BYTE_TO_CHARACTER[byte]: 2 + (byte >= 0xE0) + (byte >= 0xF0) for byte in range(0xC2, 0xF5)}
"""How many bytes a character has that begins with this one."""


class CharacterCuts:
    """Cuts words between characters outside ASCII.

    vocab: token to id, in the characters of bytes. tokens: id to token. pairs: the ids of what merges.

    >>> vocab = {"Ã": 0, "©": 1, "¨": 2, "Ã©": 3, "Ã©Ã": 4}
    >>> cuts = CharacterCuts(vocab, {token_id: token for token, token_id in vocab.items()}, [(0, 1), (3, 0)])
    >>> cuts.parts("aéèéa")
    ['aéè', 'éa']
    """

    def __init__(self, vocab: Mapping[str, int], tokens: Mapping[int, str], pairs: Iterable[Pair]) -> None:
        self._vocab = vocab
        self._tokens = tokens
        self._pairs = pairs
        self._may_join = _MayJoin(self)
        self._before = Results(self._ends_before, capacity=_MOST_PAIRS)
        self._ends = Results(_ends, capacity=_MOST_PAIRS)

    def parts(self, word: str) -> list[str]:
        """The word cut wherever that can be."""
        joins = map(self._may_join.__getitem__, map(add, word, word[1:]))
        cuts = [*compress(range(1, len(word)), map(not_, joins))]
        return [word[start:end] for start, end in zip([0, *cuts], [*cuts, len(word)], strict=True)] if cuts else [word]

    def may_join(self, left: str, right: str) -> bool:
        """Whether a token can go across the place between two characters."""
        if left.isascii() or right.isascii():
            return True
        ends = self._ends[left]
        return not all(map(ends.isdisjoint, self._before[right]))

    def _ends_before(self, character: str) -> Sequence[set[str]]:
        """What the left part of a merge across the place before a character must end with, one of each set."""
        encoded = to_byte_characters(character.encode())
        starts = [encoded[:end] for end in range(1, len(encoded) + 1)]
        return [self._joints[start] for start in starts if start in self._joints]

    @cached_property
    def _joints(self) -> Mapping[str, set[str]]:
        """What the right parts of merges between characters begin with, to what the left parts end with.

        That is a character, or the whole part where it is not as long.
        """
        ending = self._ids_of(-1, _CONTINUATIONS)
        starting = self._ids_of(0, _LENGTHS)
        pairs = [*self._pairs]
        ends = map(ending.__contains__, map(itemgetter(0), pairs))
        starts = map(starting.__contains__, map(itemgetter(1), pairs))
        between = [*compress(pairs, map(and_, ends, starts))]
        last, first = _OfToken(self._tokens, _last_character), _OfToken(self._tokens, _first_character)
        lasts = map(last.__getitem__, map(itemgetter(0), between))
        joints: defaultdict[str, set[str]] = defaultdict(set)
        for start, end in frozenset(zip(map(first.__getitem__, map(itemgetter(1), between)), lasts, strict=True)):
            joints[start].add(end)
        return joints

    def _ids_of(self, place: int, characters: Iterable[str]) -> frozenset[int]:
        """The tokens that have one of the characters at a place."""
        there = map(itemgetter(slice(place, place + 1 or None)), self._vocab)
        return frozenset(compress(self._vocab.values(), map(frozenset(characters).__contains__, there)))


class _OfToken(dict[int, str]):
    """What a function says of the token of an id."""

    def __init__(self, tokens: Mapping[int, str], function: Callable[[str], str]) -> None:
        super().__init__()
        self._tokens = tokens
        self._function = function

    def __missing__(self, token_id: int) -> str:
        found = self[token_id] = self._function(self._tokens[token_id])
        return found


def _ends(character: str) -> frozenset[str]:
    """What the bytes of a character end with, and all of them."""
    encoded = to_byte_characters(character.encode())
    return frozenset(encoded[begin:] for begin in range(len(encoded)))


def _last_character(token: str) -> str:
    """The character that a token ends with, or what of one there is."""
    head = token.rstrip(_CONTINUATIONS)
    return token[len(head) - 1 :] if head else token


def _first_character(token: str) -> str:
    return token[: _LENGTHS[token[0]]]


class _MayJoin(dict[str, bool]):
    """For two characters whether a token can go across the place between them: forgotten when they are too many."""

    def __init__(self, cuts: CharacterCuts) -> None:
        super().__init__()
        self._cuts = cuts

    def __missing__(self, pair: str) -> bool:
        if len(self) >= _MOST_PAIRS:
            self.clear()
        found = self[pair] = self._cuts.may_join(pair[0], pair[1])
        return found
