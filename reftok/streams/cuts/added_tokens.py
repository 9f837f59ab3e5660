"""The added tokens in the beginning of a text that nothing that follows can change.

A text is decided up to a place that no content spans, neither with the white space that its token strips nor with the
character behind it that a `single_word` token looks at. Behind the place no content begins that may go on beyond the
text. What is before the place is given to the plain rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import regex

from reftok.rules.huggingface.added_tokens import AddedTokenPattern, AddedVocabulary
from reftok.rules.llama_cpp.special_tokens import SPACES, LlamaSpecialTokens
from reftok.rules.llama_cpp.vocab import SPECIAL, Attribute
from reftok.rules.longest_first import EntriesByBeginning
from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import Span
from reftok.unicode.characters import WHITE_SPACE


@dataclass(frozen=True, slots=True)
class TokenSearch:
    """Finds tokens.

    split: the plain rule.
    contents, first_character: what it looks for.
    strips_left, strips_right: whether any token strips the white space before it; the contents of those that strip it
        behind them.
    single_words: the contents that must not touch a word.
    blanks: the white space.
    """

    split: Callable[[Sequence[Part]], list[Part]]
    contents: EntriesByBeginning
    first_character: re.Pattern[str] | regex.Pattern[str]
    strips_left: bool
    strips_right: frozenset[str]
    single_words: frozenset[str]
    blanks: str

    def decided(self, text: str, start: int, ends: bool) -> tuple[list[str | int | None], int]:
        """What is decided from a place on, and up to where.

        ends: whether the text does.
        Gives the text between the tokens, and for each token None, since a part ends before it, and its id.
        """
        if not self.strips_left and self.first_character.search(text, start) is None:
            return [text[start:]] if start < len(text) else [], len(text)
        end = len(text) if ends else self._end(text, start)
        found: list[str | int | None] = []
        for part in self.split([Part(NormalizedString(text[:end]))]) if start < end else ():
            first = part.normalized.original_start
            last = first + len(part.normalized)
            if last > start:
                found += (text[max(first, start) : last],) if part.tokens is None else (None, part.tokens[0].id)
        return found, end

    def _end(self, text: str, start: int) -> int:
        """Up to where no continuation can change what is found, and nothing that is found lies across."""
        end = len(text)
        spans: list[Span] = []
        for found in self.first_character.finditer(text, start):
            place = found.start()
            if self.contents.may_continue(text, place):
                end = place
                break
            for content in self.contents.at(text, place):
                stop = place + len(content)
                if content in self.strips_right:
                    stop = len(text) - len(text[stop:].lstrip(self.blanks))
                    stop += stop == len(text)  # more white space may follow
                spans.append((place, stop + (content in self.single_words)))
        before = -1
        while before != end:
            before = end
            if self.strips_left:
                end = start + len(text[start:end].rstrip(self.blanks))
            for first, stop in reversed(spans):
                end = first if first < end < stop else end
        return end


@lru_cache(maxsize=32)  # for all streams
def token_searches(
    added_tokens: AddedVocabulary, encode_special_tokens: bool
) -> tuple[TokenSearch | None, TokenSearch | None]:
    """The searches in raw and in normalized text, None if there is nothing to find."""
    split = partial(added_tokens.split_raw, encode_special_tokens=encode_special_tokens)
    if isinstance(added_tokens, LlamaSpecialTokens):
        return _of_llama(added_tokens, split, encode_special_tokens), None
    split_normalized = partial(added_tokens.split_normalized, encode_special_tokens=encode_special_tokens)
    return _search(added_tokens.raw_pattern, split), _search(added_tokens.normalized_pattern, split_normalized)


def _search(pattern: AddedTokenPattern | None, split: Callable[[Sequence[Part]], list[Part]]) -> TokenSearch | None:
    if pattern is None:
        return None
    tokens = {content: pattern.tokens[token_id] for content, token_id in pattern.ids.items()}
    strips_right = frozenset(content for content, token in tokens.items() if token.rstrip)
    single_words = frozenset(content for content, token in tokens.items() if token.single_word)
    blanks = "".join(WHITE_SPACE)
    contents, first_character = pattern.contents, pattern.first_character
    return TokenSearch(split, contents, first_character, pattern.strips_left, strips_right, single_words, blanks)


def _of_llama(
    tokens: LlamaSpecialTokens, split: Callable[[Sequence[Part]], list[Part]], ignores_special: bool
) -> TokenSearch | None:
    vocab = tokens.vocab
    kinds = {vocab.tokens[token_id]: vocab.attributes[token_id] for token_id in tokens.longest_first}
    looked_for = {text: kind for text, kind in kinds.items() if text and not (ignores_special and kind & SPECIAL)}
    if not looked_for:
        return None
    first_character = re.compile("|".join(map(re.escape, sorted({content[0] for content in looked_for}))))
    strips_left = any(kind & Attribute.LSTRIP for kind in looked_for.values())
    strips_right = frozenset(content for content, kind in looked_for.items() if kind & Attribute.RSTRIP)
    contents = EntriesByBeginning(looked_for)
    return TokenSearch(split, contents, first_character, strips_left, strips_right, frozenset(), SPACES)
