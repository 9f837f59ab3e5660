"""Where a word can be cut so that no merge spans the cut, however the text goes on.

A merge of two tokens spans the place between two symbols only if the left one of these is the last symbol of the left
token and the other one the first of the right token. What stands between two places that no merge spans is merged on
its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import regex

from reftok.engine.caches import Results
from reftok.spec.models.bpe import BPE
from reftok.spec.sentencepiece.pieces import BYTE_PIECES, SPACE_SYMBOL

Ends: TypeAlias = dict[int, set[int]]
"""A token to the symbols that can be at one end of it."""

_WORDS = regex.compile(f"{SPACE_SYMBOL}+[^{SPACE_SYMBOL}]*|[^{SPACE_SYMBOL}]+")


def joinable_pairs(
    symbols: Iterable[int], merges: Mapping[tuple[int, int], tuple[int, int]]
) -> frozenset[tuple[int, int]]:
    """The pairs of symbols that some token can hold side by side.

    symbols: the ids of which a word can consist before any merge.
    merges: a pair of ids to the rank of its merge and the id that it becomes.

    >>> sorted(joinable_pairs([0, 1, 2], {(0, 1): (0, 3), (3, 2): (1, 4), (9, 9): (2, 5)}))
    [(0, 1), (1, 2)]
    """
    starting = frozenset(symbols)
    firsts = _ends(starting, ((left, whole) for (left, _), (_, whole) in merges.items()))
    lasts = _ends(starting, ((right, whole) for (_, right), (_, whole) in merges.items()))
    nothing: set[int] = set()
    return frozenset(
        (last, first)
        for left, right in merges
        for last in lasts.get(left, nothing)
        for first in firsts.get(right, nothing)
    )


def initial_ids(model: BPE) -> set[int]:
    """Every id that may stand in a word before any merge."""
    by_character = (*model.ids_at_start, *model.ids_after_start)
    ids = {token_id for found in by_character for key, token_id in found.items() if len(key) == 1}
    ids |= {model.vocab[piece] for piece in BYTE_PIECES if piece in model.vocab}
    return ids if model.unk_id is None else {*ids, model.unk_id}


def _ends(symbols: frozenset[int], steps: Iterable[tuple[int, int]]) -> Ends:
    """Which symbols can be at one end of each token. steps: a token and one that a merge makes with it at that end."""
    wholes: dict[int, list[int]] = {}
    for part, whole in steps:
        wholes.setdefault(part, []).append(whole)
    ends: Ends = {symbol: {symbol} for symbol in symbols}
    waiting = [(symbol, symbol) for symbol in symbols]
    while waiting:
        symbol, token = waiting.pop()
        for whole in wholes.get(token, ()):
            found = ends.setdefault(whole, set())
            if symbol not in found:
                found.add(symbol)
                waiting.append((symbol, whole))
    return ends


class SymbolCuts:
    """Cuts a word of a model with merges.

    An unknown token waits to be written until a known character comes, and the bytes of others may be written before
    it; where that can move a symbol across a place, there is no cut. The first and last character of a word, which may
    be other symbols, are for the caller to leave out.

    >>> from reftok.spec.models.bpe import BPE
    >>> cuts = SymbolCuts(BPE({"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}, [("a", "b"), ("ab", "c")]))
    >>> cuts.words("abcabca"), cuts.last_cut("abcab"), cuts.last_cut("ab")
    (['abc', 'abc', 'a'], 3, 0)
    """

    def __init__(self, model: BPE) -> None:
        self._model = model
        self._inner_ids = model.ids_after_start[0]
        self._joinable = joinable_pairs(initial_ids(model), model.merges)
        self.joins = Results(self._joins)
        has_every_byte = model.options.byte_fallback and all(piece in model.vocab for piece in BYTE_PIECES)
        self._unknown_may_wait = model.unk_id is not None and not has_every_byte
        space = self._inner_ids.get(SPACE_SYMBOL)
        self._spaces_begin_words = (
            space is not None
            and (model.unk_id is not None or has_every_byte)
            and all(left == space for left, right in self._joinable if right == space)
        )

    def _joins(self, pair: str) -> bool:
        """Whether a token can span the place between two characters within a word."""
        model = self._model
        left, right = pair[0], pair[1]
        last, first = self._inner_ids.get(left), self._inner_ids.get(right)
        is_unknown = False
        if last is None:
            if found := model.byte_ids(left):
                if self._unknown_may_wait:
                    return True
                last = found[-1]
            else:
                last, is_unknown = model.unk_id, True
        if first is None:
            if found := model.byte_ids(right):
                first = None if is_unknown else found[0]
            elif not model.options.byte_fallback and not (is_unknown and model.options.fuse_unk):
                first = model.unk_id
        return last is None or first is None or (last, first) in self._joinable

    def last_cut(self, text: str) -> int:
        """The last place where a text within a word can be cut, 0 where there is none."""
        joins = self.joins
        for index in range(len(text) - 1, 0, -1):
            if not joins[text[index - 1 : index + 1]]:
                return index
        return 0

    def words(self, text: str) -> list[str]:
        """A text within a word, cut before each run of `▁` where that can be, else wherever it can be."""
        if self._spaces_begin_words:
            words: list[str] = _WORDS.findall(text)
            return words
        joins = self.joins
        cuts = [index for index in range(1, len(text)) if not joins[text[index - 1 : index + 1]]]
        return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
