"""Merges whose results have ids in the order of the merges: the fast path of `reftok.spec.models.bpe.merge_all`.

Where the vocab was numbered as it was trained, the id of what a merge makes stands for its rank, each token comes about
in one way, and its parts have come about before it. Then the ids of a word need not be found merge by merge: they are
the one way to write it in tokens each of which its own symbols merge to, and of which no two neighbours would have
merged otherwise. So a short word is looked up, or merged step by step in a plain list, whose smallest element is found
faster than a heap is kept; a long one is merged window by window; one outside ASCII begins with its characters, see
`reftok.engine.bpe.character_symbols`. Source of the idea: the crate `bpe` of github/rust-gems, crates/bpe
(`is_valid_token_pair`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice, pairwise, repeat
from operator import lt

from reftok.engine.bpe.character_symbols import CharacterSymbols
from reftok.engine.bpe.windows import WINDOW, joined
from reftok.engine.caches import Results
from reftok.spec.byte_level import to_byte_characters

Pair = tuple[int, int]

SplitOf = Callable[[int], Pair | None]
"""The pair that an id is made of, None where no merge makes it."""

_LONGEST_KNOWN = 128
"""Code points of a window that is remembered, with what was merged again."""
_MOST_LONG = 1 << 8
"""So many longer ones are remembered: what repeats itself, such as a long run of spaces, is merged again and again."""
_NO_MERGE = 1 << 64
_DEEP = 32
_MOST_IDS_BEFORE = 1 << 16
_MOST_SYMBOLS = 512
"""Of a word that is merged in a list: the time it takes grows with the square."""
_MOST_NEIGHBOURS = 1 << 18
_MANY_BYTES = 4
"""A word with at least so many bytes more than characters begins with what its characters have merged to."""
_PATIENCE = 1 << 14
"""So many bytes of such words are merged one by one before the table for that, which takes as long, is made."""


def are_in_order(lefts: Sequence[int], rights: Sequence[int], wholes: Sequence[int]) -> bool:
    """Whether each merge makes an id that is greater than that of the merge before it and those of its two parts.

    >>> are_in_order([0, 2], [1, 0], [2, 3]), are_in_order([0, 3], [1, 0], [3, 2])
    (True, False)
    """
    return all(chain(map(lt, wholes, islice(wholes, 1, None)), map(lt, lefts, wholes), map(lt, rights, wholes)))


class OrderedMerges:
    """The ids of words, every character of which is an entry of the vocab and stands for itself before any merge.

    vocab: token to id. tokens: id to token, as many.
    lefts, rights, wholes: the ids of what merges, and those that they become; see `are_in_order`.

    >>> vocab = {"a": 0, "b": 1, "ab": 2, "aba": 3}
    >>> merges = OrderedMerges(vocab, {0: "a", 1: "b", 2: "ab", 3: "aba"}, [0, 2], [1, 0], [2, 3])
    >>> merges.ids("abab"), merges.ids("ababa" * 4), merges.ids("abc")
    ([2, 2], [2, 3, 2, 3, 2, 3, 2, 3], None)
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        tokens: Mapping[int, str],
        lefts: Sequence[int],
        rights: Sequence[int],
        wholes: Sequence[int],
    ) -> None:
        self._vocab = vocab
        self._tokens = tokens
        pairs = [*zip(lefts, rights, strict=True)]
        self.wholes = dict(zip(pairs, wholes, strict=True))
        split_of = _splits(wholes, pairs, max(tokens, default=0))
        self._is_reached = _Reached(tokens, self.wholes, split_of)
        self._may_touch = _Neighbours(self.wholes, split_of)
        self._symbols = CharacterSymbols(vocab, tokens, lefts, rights, self._merged)
        self._windows: Results[Sequence[int]] = Results(self._short_ids, _LONGEST_KNOWN, 1 << 14)
        self._long_windows: Results[Sequence[int]] = Results(self._short_ids, _MOST_SYMBOLS, _MOST_LONG)
        self._characters: Results[Sequence[int]] = Results(self._ids_of_characters, WINDOW, 1 << 14)
        self._patience = _PATIENCE

    def ids(self, word: str) -> Sequence[int] | None:
        """The ids of a word that is not ''; None where they are not found here."""
        token_id = self._vocab.get(word)
        if token_id is not None and self._is_reached[token_id]:
            return (token_id,)
        try:
            return self._short_ids(word) if len(word) <= WINDOW else self._ids_of_windows(word, self._windows)
        except KeyError:
            return None

    def ids_of_raw(self, word: str) -> Sequence[int] | None:
        """The ids of a word that is not '' and not yet written in the characters of its bytes."""
        encoded = to_byte_characters(word.encode())
        if len(encoded) < len(word) + _MANY_BYTES or self._waits(len(encoded)):
            return self.ids(encoded)
        token_id = self._vocab.get(encoded)
        if token_id is not None and self._is_reached[token_id]:
            return (token_id,)
        try:
            if len(word) <= WINDOW:
                return self._ids_of_characters(word)
            return self._ids_of_windows(word, self._characters)
        except KeyError:
            return None

    def _waits(self, size: int) -> bool:
        self._patience -= size
        return self._patience >= 0

    def _merged(self, ids: list[int]) -> list[int]:
        return merge_in_order(ids, self.wholes)

    def _short_ids(self, word: str) -> list[int]:
        return self._merged([*map(self._vocab.__getitem__, word)])

    def _ids_of_characters(self, word: str) -> list[int]:
        return self._merged(self._symbols.of(word))

    def _ids_of_windows(self, word: str, known: Mapping[str, Sequence[int]]) -> Sequence[int] | None:
        """known: what a window merges to."""
        windows = [word[start : start + WINDOW] for start in range(0, len(word), WINDOW)]
        return joined(map(known.__getitem__, windows), self._may_touch.__getitem__, self._merge_again)

    def _merge_again(self, ids: Sequence[int]) -> Sequence[int] | None:
        word = "".join(map(self._tokens.__getitem__, ids))
        if len(word) > _MOST_SYMBOLS:
            return None
        return (self._windows if len(word) <= _LONGEST_KNOWN else self._long_windows)[word]


def _splits(wholes: Sequence[int], pairs: Sequence[Pair], last_id: int) -> SplitOf:
    """The pair of ids that became an id; most vocabs number these without a gap, which saves a dict."""
    count = len(wholes)
    if not count or wholes[-1] - wholes[0] + 1 != count or last_id > 2 * count + _MOST_IDS_BEFORE:
        return dict(zip(wholes, pairs, strict=True)).get
    before: list[Pair | None] = [None] * wholes[0]
    return [*before, *pairs, *[None] * (last_id - wholes[-1])].__getitem__


class _Reached(dict[int, bool]):
    """For each id whether the characters of its token merge to it.

    split_of: the pair that becomes an id.
    """

    def __init__(self, tokens: Mapping[int, str], wholes: Mapping[Pair, int], split_of: SplitOf) -> None:
        super().__init__()
        self._tokens = tokens
        self._wholes = wholes
        self._split_of = split_of

    def __missing__(self, token_id: int) -> bool:
        split = self._split_of(token_id)
        if split is None:
            found = len(self._tokens[token_id]) == 1
        else:
            left, right = split
            if len(self._tokens[token_id]) > _DEEP:
                self._reach_parts(split)
            found = self[left] and self[right] and stay_apart(left, right, token_id, self._wholes, self._split_of)
        self[token_id] = found
        return found

    def _reach_parts(self, split: Pair) -> None:
        """The parts of a long token and theirs, the inner ones first, so that none asks for many others."""
        parts: dict[int, None] = {}
        waiting = [*split]
        while waiting:
            part = waiting.pop()
            if part not in self and part not in parts:
                parts[part] = None
                waiting += self._split_of(part) or ()
        for part in sorted(parts):
            self[part]


class _Neighbours(dict[Pair, bool]):
    """For two ids whether nothing merges across the place between them: forgotten together when they are too many."""

    def __init__(self, wholes: Mapping[Pair, int], split_of: SplitOf) -> None:
        super().__init__()
        self._wholes = wholes
        self._split_of = split_of

    def __missing__(self, pair: Pair) -> bool:
        if len(self) >= _MOST_NEIGHBOURS:
            self.clear()
        found = self[pair] = stay_apart(*pair, _NO_MERGE, self._wholes, self._split_of)
        return found


def stay_apart(left: int, right: int, limit: int, wholes: Mapping[Pair, int], split_of: SplitOf) -> bool:
    """Whether no merge that makes an id below the limit goes across the place between two tokens.

    The merges that made them are undone, the last one first. Before each, what then touched must not have merged
    earlier than that; of two equal merges, of which one overlaps the other, the left one was first.
    """
    get = wholes.get
    while get((left, right), limit) >= limit:
        split = split_of(left) if left > right else split_of(right)
        if split is None:
            split = split_of(right) if left > right else split_of(left)
            if split is None:
                return True
            undoes_left = left <= right
        else:
            undoes_left = left > right
        if undoes_left:
            limit = left
            left = split[1]
        else:
            limit = right + 1
            right = split[0]
    return False


def merge_in_order(ids: list[int], wholes: Mapping[Pair, int]) -> list[int]:
    """Merges until no two neighbours have a merge; changes `ids`.

    >>> merge_in_order([0, 0, 0], {(0, 0): 1})
    [1, 0]
    """
    get = wholes.get
    found = [*map(get, pairwise(ids), repeat(_NO_MERGE)), _NO_MERGE]
    lowest = min(found)
    while lowest != _NO_MERGE:
        left = found.index(lowest)
        right = left + 1
        ids[left] = lowest
        del ids[right], found[left]
        if left:
            found[left - 1] = get((ids[left - 1], lowest), _NO_MERGE)
        if right < len(ids):
            found[left] = get((lowest, ids[right]), _NO_MERGE)
        lowest = min(found)
    return ids
