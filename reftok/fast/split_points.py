"""Safe split points: places in a text that no piece spans.

A piece can only span the place between two characters if the pair of them stands inside some piece. What lies between
two such places is segmented by itself, so that it can be looked up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import compress, islice, pairwise
from operator import add, itemgetter, not_

from reftok.fast.memo import Memo
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, SPACE_SYMBOL

_SPACE_FIRST = re.compile(f"{SPACE_SYMBOL}+[^{SPACE_SYMBOL}]*|[^{SPACE_SYMBOL}]+")
_SPACE_LAST = re.compile(f"[^{SPACE_SYMBOL}]*{SPACE_SYMBOL}+|[^{SPACE_SYMBOL}]+")
_BETWEEN = "\ud800"
"""A surrogate, which is in no text that is encoded: what stands on its two sides is no pair."""
_JOINED = 256
"""So many pieces are looked at as one text: all of them would take many times the memory of the file."""
_LONG = 24
"""A word of more characters is cut further: it is likely to be new as a whole, and to have parts that are known."""
_BLOCK = 8
"""Characters that `last` looks at first, from the end; it doubles the number until it finds a split point."""


class SplitPoints:
    """Cuts a text between pairs of characters that stand inside no piece.

    pieces: every piece that can match text, or be a step on the way to one that does.

    >>> SplitPoints(["▁a", "ab", "bc"]).parts("▁abcab▁c")
    ['▁abc', 'ab', '▁', 'c']
    """

    def __init__(self, pieces: Iterable[str]) -> None:
        self.pairs = _pairs(pieces)
        self._joins: Callable[[str], bool] = self.pairs.__contains__
        self._words: re.Pattern[str] | None = None
        mixed = [pair for pair in self.pairs if pair.count(SPACE_SYMBOL) == 1]
        if all(pair.startswith(SPACE_SYMBOL) for pair in mixed):
            self._words = _SPACE_FIRST
        elif all(pair.endswith(SPACE_SYMBOL) for pair in mixed):
            self._words = _SPACE_LAST

    def words(self, text: str) -> list[str]:
        """The text cut into words that are likely to come again, at safe split points only.

        They are cut before each run of `▁`, or behind each where the pieces have it last; long ones, and all text of
        a model whose pieces have it in their middle, wherever that can be.
        """
        if self._words is None:
            return self.parts(text)
        words: list[str] = self._words.findall(text)
        if not words or max(map(len, words)) <= _LONG:
            return words
        return [part for word in words for part in ((word,) if len(word) <= _LONG else self.parts(word))]

    def parts(self, text: str) -> list[str]:
        """The text cut wherever that can be."""
        joins = [*map(self._joins, map(add, text, text[1:]))]
        if False not in joins:
            return [text] if text else []
        places = [0, *compress(range(1, len(text)), map(not_, joins)), len(text)]
        return [text[start:end] for start, end in pairwise(places)]

    def last(self, text: str) -> int:
        """The last place where the text can be cut, 0 if there is none.

        >>> SplitPoints(["▁a", "ab", "bc"]).last("▁a▁abc")
        2
        """
        end, size = len(text), _BLOCK
        while end > 1:
            block = text[max(end - size, 0) : end]
            found = [*map(self._joins, map(add, block, block[1:]))]
            if False in found:
                return end - found[::-1].index(False) - 1
            end -= len(found)
            size *= 2
        return 0


class MergeSplitPoints(SplitPoints):
    """Cuts a word of a model with merges between characters whose symbols no merge joins.

    A merge joins the last character of its left token and the first one of its right token. An unknown token is written
    when the next known character comes, and the bytes of others may be written before it; where that can move a symbol
    across a place, there is no cut. If two
    tokens share an id, the text of that id is ambiguous, and nothing is cut.

    model: without continuing_subword_prefix and end_of_word_suffix, which change the first or last symbol of a word.

    >>> points = MergeSplitPoints(BPE({"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}, [("a", "b"), ("ab", "c")]))
    >>> points.words("abcabca"), points.last("abcab"), points.last("ab")
    (['abc', 'abc', 'a'], 3, 0)
    """

    def __init__(self, model: BPE) -> None:
        lefts, rights, _ = model.ids_of_merges
        lasts = map(itemgetter(slice(-1, None)), map(model.tokens.__getitem__, lefts))
        firsts = map(itemgetter(slice(1)), map(model.tokens.__getitem__, rights))
        super().__init__({*map(add, lasts, firsts)})
        self._model = model
        self._known = model.vocab
        self._ids_are_unique = len(model.tokens) == len(model.vocab)
        byte_ids = {model.vocab[piece] for piece in BYTE_PIECES if piece in model.vocab}
        has_every_byte = model.options.byte_fallback and len(byte_ids) == len(BYTE_PIECES)
        self._unknown_may_wait = model.unk_id is not None and not has_every_byte
        self._merging = {*byte_ids, model.unk_id}.intersection((*lefts, *rights))
        vanishes = model.unk_id is None and not has_every_byte
        if vanishes or self._merging or SPACE_SYMBOL not in self._known or not self._ids_are_unique:
            # Not every place before a space is a split point: each has to be looked at.
            self._words = None
        self._joins = Memo(self._may_join).__getitem__

    def _may_join(self, pair: str) -> bool:
        """Whether a token can span the place between two characters within a word."""
        model = self._model
        left, right = pair[0], pair[1]
        last, first = self._known.get(left), self._known.get(right)
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
        is_sure = None not in (last, first) and self._ids_are_unique
        return not is_sure or not self._merging.isdisjoint((last, first)) or pair in self.pairs


def _pairs(pieces: Iterable[str]) -> frozenset[str]:
    """The pairs of characters inside the pieces."""
    found: set[str] = set()
    left = iter(pieces)
    while some := [*islice(left, _JOINED)]:
        text = _BETWEEN.join(some)
        found.update(map(add, text, text[1:]))
    return frozenset(pair for pair in found if _BETWEEN not in pair)
