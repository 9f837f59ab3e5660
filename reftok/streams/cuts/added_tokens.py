"""The added tokens in the beginning of a text that nothing that follows can change.

A text is decided up to a place that no content spans, neither with the white space that its token strips nor with the
character behind it that a `single_word` token looks at. Behind the place no content begins that may go on beyond the
text. What is before the place is given to the plain rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import TypeAlias

from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.llama_cpp.special_tokens import SPACES, LlamaSpecialTokens
from reftok.rules.llama_cpp.vocab import SPECIAL, Attribute
from reftok.rules.longest_first import EntriesByBeginning
from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import AddedToken, Span
from reftok.unicode.characters import WHITE_SPACE

Split: TypeAlias = Callable[[Sequence[Part]], list[Part]]

_BLANKS = "".join(sorted(WHITE_SPACE))


class TokenSearch:
    """Finds tokens.

    split: the plain rule.
    tokens: what it looks for, by content.
    blanks: the white space that some tokens strip.
    """

    def __init__(self, split: Split, tokens: Mapping[str, AddedToken], blanks: str) -> None:
        self._split, self._blanks = split, blanks
        self._contents = EntriesByBeginning(tokens)
        self._first_character = re.compile("|".join(map(re.escape, sorted({content[0] for content in tokens}))))
        self._strips_left = any(token.lstrip for token in tokens.values())
        self._strips_right = frozenset(content for content, token in tokens.items() if token.rstrip)
        self._single_words = frozenset(content for content, token in tokens.items() if token.single_word)

    def decided(self, text: str, start: int, ends: bool) -> tuple[list[str | int | None], int]:
        """What is decided from a place on, and up to where.

        ends: whether the text does.
        Gives the text between the tokens, and for each token None, since a part ends before it, and its id.
        """
        if not self._strips_left and self._first_character.search(text, start) is None:
            return [text[start:]] if start < len(text) else [], len(text)
        end = len(text) if ends else self._end(text, start)
        found: list[str | int | None] = []
        for part in self._split([Part(NormalizedString(text[:end]))]) if start < end else ():
            first = part.normalized.original_start
            last = first + len(part.normalized)
            if last > start:
                found += (text[max(first, start) : last],) if part.tokens is None else (None, part.tokens[0].id)
        return found, end

    def _end(self, text: str, start: int) -> int:
        """Up to where no continuation can change what is found, and nothing that is found lies across."""
        end = len(text)
        spans: list[Span] = []
        for found in self._first_character.finditer(text, start):
            place = found.start()
            if self._contents.may_continue(text, place):
                end = place
                break
            for content in self._contents.at(text, place):
                stop = place + len(content)
                if content in self._strips_right:
                    stop = len(text) - len(text[stop:].lstrip(self._blanks))
                    stop += stop == len(text)  # more white space may follow
                spans.append((place, stop + (content in self._single_words)))
        before = -1
        while before != end:
            before = end
            if self._strips_left:
                end = start + len(text[start:end].rstrip(self._blanks))
            for first, stop in reversed(spans):
                end = first if first < end < stop else end
        return end


@lru_cache(maxsize=32)  # for all streams
def token_searches(
    added_tokens: AddedVocabulary, encode_special_tokens: bool
) -> tuple[TokenSearch | None, TokenSearch | None]:
    """The searches in raw and in normalized text, None if there is nothing to find."""
    split, split_normalized = (
        partial(rule, encode_special_tokens=encode_special_tokens)
        for rule in (added_tokens.split_raw, added_tokens.split_normalized)
    )
    if isinstance(added_tokens, LlamaSpecialTokens):
        vocab = added_tokens.vocab
        kinds = {vocab.tokens[token_id]: vocab.attributes[token_id] for token_id in added_tokens.longest_first}
        tokens = {
            text: AddedToken(text, lstrip=bool(kind & Attribute.LSTRIP), rstrip=bool(kind & Attribute.RSTRIP))
            for text, kind in kinds.items()
            if text and not (encode_special_tokens and kind & SPECIAL)
        }
        return TokenSearch(split, tokens, SPACES) if tokens else None, None
    raw, normalized = (
        {content: pattern.tokens[token_id] for content, token_id in pattern.ids.items()} if pattern is not None else {}
        for pattern in (added_tokens.raw_pattern, added_tokens.normalized_pattern)
    )
    return (
        TokenSearch(split, raw, _BLANKS) if raw else None,
        TokenSearch(split_normalized, normalized, _BLANKS) if normalized else None,
    )
