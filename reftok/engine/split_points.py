"""Safe split points: where a text can be cut so that no piece spans the place.

A piece can only span the place between two characters if the pair of them occurs inside some piece. What lies between
two such places is segmented on its own, so that it can be looked up in a cache.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import compress, islice
from operator import add, itemgetter, not_
from typing import TypeAlias

from reftok.engine.caches import Results
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, SPACE_SYMBOL

_SPACE_FIRST = re.compile(f"{SPACE_SYMBOL}+[^{SPACE_SYMBOL}]*|[^{SPACE_SYMBOL}]+")
_SPACE_LAST = re.compile(f"[^{SPACE_SYMBOL}]*{SPACE_SYMBOL}+|[^{SPACE_SYMBOL}]+")
_BEHIND_SPACE = re.compile(f"{SPACE_SYMBOL}({SPACE_SYMBOL}*[^{SPACE_SYMBOL}]*)")
_BEFORE_SPACE = re.compile(f"([^{SPACE_SYMBOL}]*{SPACE_SYMBOL}*){SPACE_SYMBOL}")
_TWO_SPACES = 2 * SPACE_SYMBOL
_BETWEEN = "\ud800"
"""Half of a surrogate pair, which is in no text that is encoded."""
_JOINED = 256
"""So many pieces at a time: all of them as one text would take many times the memory of the file."""
_BLOCK = 8

Keys: TypeAlias = tuple[str, list[str], str]
"""The word before the first `▁`, '' if there is none; the keys of the words; and the word behind the last `▁`."""


def _pairs(pieces: Iterable[str]) -> frozenset[str]:
    """The pairs of characters within the pieces."""
    found: set[str] = set()
    left = iter(pieces)
    while some := [*islice(left, _JOINED)]:
        text = _BETWEEN.join(some)
        found.update(map(add, text, text[1:]))
    return frozenset(pair for pair in found if _BETWEEN not in pair)


class PairSplitPoints:
    """Cuts a text between the pairs of characters that are inside no piece.

    pieces: every piece that can match text, or be a step on the way to one that does.

    >>> PairSplitPoints(["▁a", "ab", "bc"]).parts("▁abcab▁c")
    ['▁abc', 'ab', '▁', 'c']
    """

    def __init__(self, pieces: Iterable[str]) -> None:
        self.pairs = _pairs(pieces)
        self._joins: Callable[[str], bool] = self.pairs.__contains__
        self._words = None
        mixed = [pair for pair in self.pairs if pair.count(SPACE_SYMBOL) == 1]
        if all(pair.startswith(SPACE_SYMBOL) for pair in mixed):
            self._words = _SPACE_FIRST
        elif all(pair.endswith(SPACE_SYMBOL) for pair in mixed):
            self._words = _SPACE_LAST
        self._before = SPACE_SYMBOL * (self._words is _SPACE_FIRST)
        self._behind = SPACE_SYMBOL * (self._words is _SPACE_LAST)

    @property
    def are_before_words(self) -> bool:
        """Whether a text can be cut before each run of `▁`."""
        return self._words is _SPACE_FIRST

    @property
    def are_behind_words(self) -> bool:
        """Whether it can be cut behind each."""
        return self._words is _SPACE_LAST

    def words(self, text: str) -> list[str]:
        """The text cut before each run of `▁`, else behind each, where no piece is in the way; else `parts`."""
        if self._words is None:
            return self.parts(text)
        words: list[str] = self._words.findall(text)
        return words

    def first(self, text: str) -> int:
        """Where the first of `words` ends; text: not ''.

        >>> PairSplitPoints(["▁a", "ab", "bc"]).first("ab▁ab▁c")
        2
        """
        found = self._words and self._words.match(text)
        return found.end() if found else len(self.parts(text)[0])

    def keys(self, text: str) -> Keys:
        """The same as keys, which are words without the one `▁` that all of them begin or end with.

        To split a text at a character is several times as fast as to find words in it.

        >>> PairSplitPoints(["▁a", "ab", "bc"]).keys("ab▁a▁▁b")
        ('ab', ['a', '▁b'], '')
        """
        if self._before:
            keys: list[str] = text.split(SPACE_SYMBOL)
            first = keys.pop(0)
            return first, _BEHIND_SPACE.findall(text) if _TWO_SPACES in text else keys, ""
        if self._behind:
            keys = text.split(SPACE_SYMBOL)
            last = keys.pop()
            return "", _BEFORE_SPACE.findall(text) if _TWO_SPACES in text else keys, last
        return "", self.parts(text), ""

    def word(self, key: str) -> str:
        """The word of a key."""
        return self._before + key + self._behind

    def key(self, part: str) -> str | None:
        """The key of a part of a word, None where it is not a word by itself."""
        if self._before and part[0] == SPACE_SYMBOL:
            return part[1:]
        return part[:-1] if self._behind and part[-1] == SPACE_SYMBOL else None

    def parts(self, text: str) -> list[str]:
        """The text cut wherever that can be."""
        joins = map(self._joins, map(add, text, text[1:]))
        cuts = [*compress(range(1, len(text)), map(not_, joins))]
        starts = [0, *cuts] if text else []
        return [text[start:end] for start, end in zip(starts, [*cuts, len(text)], strict=False)]

    def last(self, text: str) -> int:
        """The last place where the text can be cut, 0 where there is none.

        >>> PairSplitPoints(["▁a", "ab", "bc"]).last("▁a▁abc")
        2
        """
        joins = self._joins
        if len(text) == 2:
            return int(not joins(text))
        end, size = len(text), _BLOCK
        while end > 1:
            block = text[max(end - size, 0) : end]
            found = [*map(joins, map(add, block, block[1:]))]
            if False in found:
                return end - found[::-1].index(False) - 1
            end -= len(found)
            size *= 2
        return 0


class MergeSplitPoints(PairSplitPoints):
    """Cuts a word of a model with merges between the characters whose symbols no merge ever joins.

    A merge joins the last character of its left token and the first one of its right token. An unknown token waits to
    be written until a known character comes, and the bytes of others may be written before it; where that can move a
    symbol across a place, there is no cut. The first and last character of a word, which may be other symbols, are for
    the caller to leave out. Where two tokens have one id, what it stands for is not known, and nothing is cut.

    >>> points = MergeSplitPoints(BPE({"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}, [("a", "b"), ("ab", "c")]))
    >>> points.words("abcabca"), points.last("abcab"), points.last("ab")
    (['abc', 'abc', 'a'], 3, 0)
    """

    def __init__(self, model: BPE) -> None:
        lefts, rights, _ = model.merge_ids
        prefix = len(model.options.continuing_subword_prefix)
        lasts = map(itemgetter(slice(-1, None)), map(model.tokens.__getitem__, lefts))
        firsts = map(itemgetter(slice(prefix, prefix + 1)), map(model.tokens.__getitem__, rights))
        pairs: Iterable[str] = map(add, lasts, firsts)
        if prefix:
            # A token of one character without the prefix is the first of a word, a place that the caller leaves out.
            pairs = compress(pairs, (len(model.tokens[left]) > 1 for left in lefts))
        super().__init__({*pairs})
        self._model = model
        self._known = model.ids_after_start[0]
        self._has_one_text_each = len(model.tokens) == len(model.vocab)
        byte_ids = {model.vocab[piece] for piece in BYTE_PIECES if piece in model.vocab}
        has_every_byte = model.options.byte_fallback and len(byte_ids) == len(BYTE_PIECES)
        self._unknown_may_wait = model.unk_id is not None and not has_every_byte
        self._merging = {*byte_ids, model.unk_id}.intersection((*lefts, *rights))
        vanishes = model.unk_id is None and not has_every_byte
        if vanishes or self._merging or SPACE_SYMBOL not in self._known or not self._has_one_text_each:
            self._words = None
        self._joins = Results(self._may_join).__getitem__

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
        is_sure = None not in (last, first) and self._has_one_text_each
        return not is_sure or not self._merging.isdisjoint((last, first)) or pair in self.pairs
