"""Words as they stand in a text, between spaces: what normalizer and model of sentencepiece make of them together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import cast

from reftok.engine.caches import Results
from reftok.engine.encode.sentencepiece_rewriting import rewriter
from reftok.engine.unigram.fast_sentencepiece_unigram import FastSentencePieceUnigram
from reftok.engine.unigram.trie import Ids
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL

_LONG = 255
"""A word of more code points is not looked up."""
_LAST_OF_SPACES = re.compile(" (?! )")


class RawWords:
    """The paths of words that come between spaces, each with its `▁`: before it, or behind it.

    Most words of a text were seen before. Here they are looked up once: not in the normalizer first and then, cut anew
    at `▁`, in the model.

    paths: the best path through a word, as `FastSentencePieceUnigram.paths_of_keys` has it; () where there is none that
        is sure, or nothing is left of the word; None where what is beside it counts.

    >>> import reftok
    >>> tokenizer = reftok.load("spm-unigram")
    >>> words = RawWords.of(tokenizer.rules.normalizers[0], FastSentencePieceUnigram(tokenizer.rules.model))
    >>> words.words("Ｎｏ…  a"), words.normalized("Ｎｏ…"), words.normalized("\u00a0")
    (['Ｎｏ…', 'a'], '▁No...', '')
    """

    def __init__(self, normalizer: SentencePieceNormalizer, model: FastSentencePieceUnigram) -> None:
        self._rewriter = rewriter(normalizer)
        self._model = model
        self._line_end = "\n" if "\n" in self._rewriter.blanks else ""
        self._plain = self._rewriter.unchanged.union(self._line_end)
        self._is_behind = normalizer.options.treat_whitespace_as_suffix
        self.paths: Results[Ids | None] = Results(self._path, longest=_LONG)

    @classmethod
    def of(cls, normalizer: SentencePieceNormalizer, model: FastSentencePieceUnigram) -> RawWords | None:
        """None where no words come with a `▁` each: repeated spaces that stay before a word, or go behind one.

        So it is where user-defined symbols reach across spaces.
        """
        options, points = normalizer.options, model.split_points
        is_before = points.are_before_words and options.remove_extra_whitespaces
        is_behind = points.are_behind_words and not options.remove_extra_whitespaces
        if not (options.add_dummy_prefix and options.escape_whitespaces):
            return None
        if normalizer.symbols is not None and any(" " in symbol for symbol in normalizer.symbols.symbols):
            return None
        if not (is_behind if options.treat_whitespace_as_suffix else is_before):
            return None
        known: RawWords | None = model.raw_words.get(normalizer)
        if known is None:
            known = model.raw_words.setdefault(normalizer, cls(normalizer, model))
        return known if known._rewriter.before_space("") == " " else None

    def words(self, text: str) -> list[str]:
        """The words of a text, which is not ''; where `▁` comes behind them, with all but one of the spaces there."""
        if self._is_behind and "  " in text:
            return _LAST_OF_SPACES.split(text)
        words = text.split(" ")
        return words if self._is_behind or "" not in words else [*filter(None, words)]

    def known(self, words: Sequence[str]) -> tuple[list[Ids], int]:
        """The paths of the words up to one for which what is beside it counts, and how many words these are."""
        found = [*map(self.paths.__getitem__, words)]
        count = len(found)
        if None in found:
            count = found.index(None)
            if self._is_behind and count:  # a space that it begins with belongs to the word before it
                count -= 1
        return cast(list[Ids], found[:count]), count

    def behind(self, text: str, words: Sequence[str]) -> str:
        """The text behind these words, with which it begins."""
        if self._is_behind:
            return text[sum(map(len, words)) + len(words) :]
        end = 0
        for word in words:
            end = text.index(word, end) + len(word)
        return text[end:]

    def normalized(self, word: str) -> str | None:
        """A word in front of a space, normalized; '' where nothing is left, None where what is beside it counts."""
        if word and self._rewriter.unchanged.issuperset(word):
            return word + SPACE_SYMBOL if self._is_behind else SPACE_SYMBOL + word
        rewritten = self._rewriter.before_space(word)
        if rewritten is None or SPACE_SYMBOL in rewritten:
            return None
        if self._is_behind:
            return None if rewritten[0] == " " else rewritten.replace(" ", SPACE_SYMBOL)
        return "".join(map(SPACE_SYMBOL.__add__, filter(None, rewritten.split(" "))))

    def _path(self, word: str) -> Ids | None:
        if len(word) > _LONG:
            return None
        if word and self._plain.issuperset(word):
            if not self._line_end or self._line_end not in word:
                return self._model.path_of_key(word, self.paths)
            words = word.split(self._line_end)
            if "" not in words:
                return self._joined([*map(self.paths.__getitem__, words)])
        normalized = self.normalized(word)
        if not normalized:
            return None if normalized is None else ()
        first, keys, last = self._model.split_points.keys(normalized)
        if first or last:
            return ()
        if len(keys) == 1:
            return self._model.path_of_key(keys[0])
        return self._joined([*map(self._model.paths_of_keys.__getitem__, keys)])

    def _joined(self, paths: Sequence[Ids | None]) -> Ids:
        return tuple(chain.from_iterable(filter(None, paths))) if all(paths) else ()
