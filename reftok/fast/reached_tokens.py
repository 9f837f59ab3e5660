"""Which tokens their own characters merge to, found without merging them.

Where the vocab was numbered as it was trained, each token comes about in one way, after its parts; so it is reached if
its two parts are, and nothing would have merged across the place between them before. Source of the idea: the crate
`bpe` of github/rust-gems, crates/bpe (`is_valid_token_pair`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from operator import lt

Pair = tuple[int, int]


def are_in_order(lefts: Sequence[int], rights: Sequence[int], wholes: Sequence[int]) -> bool:
    """Whether each merge makes the id that follows that of the merge before, and both of its parts have lower ones.

    There is at least one merge.

    >>> are_in_order([0, 2], [1, 0], [2, 3]), are_in_order([0, 3], [1, 0], [3, 2])
    (True, False)
    """
    follow_each_other = [*wholes] == [*range(wholes[0], wholes[0] + len(wholes))]
    return follow_each_other and all(chain(map(lt, lefts, wholes), map(lt, rights, wholes)))


class ReachedTokens(dict[int, bool]):
    """For each id whether the characters of its token merge to it; for tokens of a few characters.

    tokens: id to token.
    wholes: a pair of ids to what it becomes, in the order of `are_in_order`.

    >>> tokens = dict(enumerate(["a", "b", "c", "bc", "ab", "abc"]))
    >>> reached = ReachedTokens(tokens, {(1, 2): 3, (0, 1): 4, (4, 2): 5})
    >>> reached[4], reached[5]
    (True, False)
    """

    def __init__(self, tokens: Mapping[int, str], wholes: Mapping[Pair, int]) -> None:
        super().__init__()
        self._tokens = tokens
        self._wholes = wholes
        self._splits = [*wholes]
        self._first = next(iter(wholes.values()))

    def __missing__(self, token_id: int) -> bool:
        place = token_id - self._first
        if 0 <= place < len(self._splits):
            left, right = self._splits[place]
            found = self[left] and self[right] and self._stay_apart(left, right, token_id)
        else:
            found = len(self._tokens[token_id]) == 1
        self[token_id] = found
        return found

    def _stay_apart(self, left: int, right: int, limit: int) -> bool:
        """Whether no merge that makes an id below the limit goes across the place between two tokens.

        The merges that made them are undone, the last one first. Before each, what then touched must not have merged
        earlier than that; of two equal merges, of which one overlaps the other, the left one was first.
        """
        get, splits, first = self._wholes.get, self._splits, self._first
        while get((left, right), limit) >= limit:
            if left > right and left >= first:
                limit, left = left, splits[left - first][1]
            elif right >= first:
                limit, right = right + 1, splits[right - first][0]
            else:
                return True
        return False
