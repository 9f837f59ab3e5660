"""Merges whose results have ids in the order of the merges: the fast twin of `reftok.models.bpe.merge_all`.

Where the vocab was numbered as it was trained, the id of what a merge makes stands for its rank, each token comes about
in one way, and its parts have come about before it. Then the ids of a word need not be found merge by merge: they are
the one way to write it in tokens each of which its own symbols merge to, and of which no two neighbours would have
merged otherwise. Source of the idea: the crate `bpe` of github/rust-gems, crates/bpe (`encode_via_backtracking`,
`is_valid_token_pair`).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise, repeat
from operator import itemgetter, lt

Pair = tuple[int, int]

_MANY_SYMBOLS = 32
"""A word of more symbols is not merged step by step."""
_PATIENCE = 1 << 15
"""So many symbols of long words are left to `merge_all` before the search, whose table takes as long to make."""
_NO_MERGE = 1 << 64
_BEGINNING = 3
_DEEP = 32
_SHORTEST = [*range(_BEGINNING - 1, 0, -1)]
_LONGEST = 256
"""Of a token that is looked for, in code points: the time that a place in the text takes grows with it."""
_MOST_NEIGHBOURS, _MOST_BEGINNINGS = 1 << 18, 1 << 16


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
        pairs = [*zip(lefts, rights, strict=True)]
        self.wholes = dict(zip(pairs, wholes, strict=True))
        splits = dict(zip(wholes, pairs, strict=True))
        self._is_reached = _Reached(tokens, self.wholes, splits)
        self._may_touch = _Neighbours(self.wholes, splits)
        self._lengths: _Lengths | None = None
        self._patience = _PATIENCE

    def ids(self, word: str) -> list[int] | None:
        """The ids of a word that is not ''; None where they are not found here."""
        vocab = self._vocab
        token_id = vocab.get(word)
        if token_id is not None and self._is_reached[token_id]:
            return [token_id]
        if len(word) > _MANY_SYMBOLS:
            return self.searched_ids(word) if self._may_search(word) else None
        try:
            return merge_in_order([*map(vocab.__getitem__, word)], self.wholes)
        except KeyError:
            return None

    def _may_search(self, word: str) -> bool:
        """Whether it is time for the table that a search takes: it is made when it could have saved its time."""
        self._patience -= len(word)
        return self._patience < 0

    def searched_ids(self, word: str) -> list[int] | None:
        """Token by token, the longest first; back by one where none goes on, which no other way can have come to."""
        get, is_reached, may_touch = self._vocab.get, self._is_reached, self._may_touch
        size, position, last = len(word), 0, -1
        found: list[int] = []
        waiting: list[tuple[int, Iterator[int]]] = []
        dead: set[int] = set()
        if self._lengths is None:
            self._lengths = _Lengths(self._vocab)
        lengths_at = self._lengths
        lengths = iter(lengths_at[word[:_BEGINNING]])
        while position < size:
            for length in lengths:
                end = position + length
                if end > size or end in dead:
                    continue
                token_id = get(word[position:end])
                if token_id is not None and is_reached[token_id] and (last < 0 or may_touch[last, token_id]):
                    waiting.append((position, lengths))
                    found.append(token_id)
                    position, last = end, token_id
                    lengths = iter(lengths_at[word[end : end + _BEGINNING]])
                    break
            else:
                if not waiting:
                    return None
                dead.add(position)
                position, lengths = waiting.pop()
                found.pop()
                last = found[-1] if found else -1
        return found


class _Lengths(dict[str, Sequence[int]]):
    """For the first three characters of an entry of the vocab how long it can be, the longest first."""

    def __init__(self, vocab: Mapping[str, int]) -> None:
        super().__init__()
        self._found: defaultdict[str, set[int]] = defaultdict(set)
        beginnings = map(itemgetter(slice(_BEGINNING)), vocab)
        deque(map(set.add, map(self._found.__getitem__, beginnings), map(len, vocab)), maxlen=0)

    def __missing__(self, beginning: str) -> Sequence[int]:
        if len(self) >= _MOST_BEGINNINGS:
            self.clear()
        sizes = sorted(self._found.get(beginning, ()), reverse=True)
        found = self[beginning] = [size for size in sizes if _BEGINNING <= size <= _LONGEST] + _SHORTEST
        return found


class _Reached(dict[int, bool]):
    """For each id whether the characters of its token merge to it.

    splits: an id to the pair that becomes it.
    """

    def __init__(self, tokens: Mapping[int, str], wholes: Mapping[Pair, int], splits: Mapping[int, Pair]) -> None:
        super().__init__()
        self._tokens = tokens
        self.wholes = wholes
        self._splits = splits

    def __missing__(self, token_id: int) -> bool:
        token, split = self._tokens.get(token_id, ""), self._splits.get(token_id)
        if split is None:
            found = len(token) == 1
        elif not 2 <= len(token) <= _LONGEST:
            found = False
        else:
            left, right = split
            if len(token) > _DEEP:
                self._reach_parts(split)
            found = (
                self[left]
                and self[right]
                and self._tokens[left] + self._tokens[right] == token
                and stay_apart(left, right, token_id, self.wholes, self._splits)
            )
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
                waiting += self._splits.get(part, ())
        for part in sorted(parts):
            self[part]


class _Neighbours(dict[Pair, bool]):
    """For two ids whether nothing merges across the place between them: forgotten together when they are too many."""

    def __init__(self, wholes: Mapping[Pair, int], splits: Mapping[int, Pair]) -> None:
        super().__init__()
        self.wholes = wholes
        self._splits = splits

    def __missing__(self, pair: Pair) -> bool:
        if len(self) >= _MOST_NEIGHBOURS:
            self.clear()
        found = self[pair] = stay_apart(*pair, _NO_MERGE, self.wholes, self._splits)
        return found


def stay_apart(left: int, right: int, limit: int, wholes: Mapping[Pair, int], splits: Mapping[int, Pair]) -> bool:
    """Whether no merge that makes an id below the limit goes across the place between two tokens.

    The merges that made them are undone, the last one first. Before each, what then touched must not have merged
    earlier than that; of two equal merges, of which one overlaps the other, the left one was first.
    """
    get, split_of = wholes.get, splits.get
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
