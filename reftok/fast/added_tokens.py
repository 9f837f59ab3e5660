"""Added tokens: whether a text may have one, told by the first characters of their contents.

Where it may, the rules cut them out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from copy import copy

from reftok.rules.huggingface.added_tokens import AddedTokenPattern, AddedVocabulary
from reftok.rules.llama_cpp.special_tokens import LlamaSpecialTokens
from reftok.rules.text import Part

_LOOKED_AT = (3, 2, 1)
_MOST_BEGINNINGS = 1000
"""A pattern of more takes long to compile."""


class QuickAddedTokens(AddedVocabulary):
    """Cuts the added tokens out of a text, and looks for their beginnings first; nothing else is asked of it."""

    def __init__(self, added_tokens: AddedVocabulary) -> None:
        super().__init__()
        # The rules look for each first character, of which a text may have many: here it is the first three.
        self._rules = copy(added_tokens)
        self._rules.raw_pattern = _quick(added_tokens.raw_pattern)
        self._rules.normalized_pattern = _quick(added_tokens.normalized_pattern)
        raw = [] if self._rules.raw_pattern is None else self._rules.raw_pattern.ids
        if isinstance(added_tokens, LlamaSpecialTokens):
            raw = [added_tokens.vocab.tokens[token_id] for token_id in added_tokens.longest_first]
        self._may_be_raw = beginnings(raw)
        normalized = self._rules.normalized_pattern
        self._may_be_normalized = None if normalized is None else beginnings(normalized.ids)

    def split_raw(self, splits: Sequence[Part], encode_special_tokens: bool = False) -> list[Part]:
        """Cut the tokens with `normalized=False` out of raw text."""
        if _has_none(self._may_be_raw, splits):
            return [part for part in splits if part.normalized.text]
        return self._rules.split_raw(splits, encode_special_tokens)

    def split_normalized(self, splits: Sequence[Part], encode_special_tokens: bool = False) -> list[Part]:
        """Cut the tokens with `normalized=True` out of normalized text."""
        if _has_none(self._may_be_normalized, splits):
            return [
                part if part.tokens is not None else Part(part.normalized.slice(0, len(part.normalized)))
                for part in splits
                if part.normalized.text
            ]
        return self._rules.split_normalized(splits, encode_special_tokens)


def _quick(pattern: AddedTokenPattern | None) -> AddedTokenPattern | None:
    """The same pattern, which looks for up to three characters instead of the first."""
    if pattern is None:
        return None
    quick = copy(pattern)
    quick.first_character = beginnings(pattern.ids) or quick.first_character
    return quick


def _has_none(pattern: re.Pattern[str] | None, parts: Iterable[Part]) -> bool:
    return pattern is None or not any(part.tokens is None and pattern.search(part.normalized.text) for part in parts)


def beginnings(literals: Iterable[str]) -> re.Pattern[str] | None:
    r"""Finds every place where one of the literals may begin, and few others: it looks at up to three characters.

    At the end of a text there may be fewer. None without literals; none of them is "".

    >>> found = beginnings(["<|end|>", "</s>"])
    >>> [match.start() for match in map(found.search, ("<s>", "a<|e", "ab<|", "ab<")) if match]
    [1, 2, 2]
    """
    literals = [literal for literal in literals if literal]
    if not literals:
        return None
    for size in _LOOKED_AT:
        first = {literal[:size] for literal in literals}
        if len(first) <= _MOST_BEGINNINGS:
            break
    return re.compile(_one_of(first))


def _one_of(texts: Collection[str]) -> str:
    """A pattern for texts of which none is empty, and for their beginnings at the end of what is searched."""
    following: dict[str, set[str]] = {}
    for text in sorted(texts):
        following.setdefault(text[0], set()).add(text[1:])
    last = "".join(re.escape(character) for character, rests in following.items() if "" in rests)
    branches = [
        rf"{re.escape(character)}(?:{_one_of(rests)}|\Z)" for character, rests in following.items() if "" not in rests
    ]
    return "|".join([f"[{last}]"] * bool(last) + branches)
