"""The added tokens in the beginning of a text that nothing that follows can change.

A place is undecided as long as the text from there on may be the beginning of a content, or a `single_word` token waits
for the character behind it. White space at the end waits for a token that strips it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import regex

from reftok.rules.huggingface.added_tokens import (
    AddedTokenPattern,
    AddedVocabulary,
    end_of_white_space_after,
    stands_alone,
    start_of_white_space_before,
)
from reftok.rules.llama_cpp.special_tokens import SPACES, LlamaSpecialTokens
from reftok.rules.llama_cpp.vocab import SPECIAL, Attribute
from reftok.rules.longest_first import EntriesByBeginning
from reftok.rules.text import NormalizedString
from reftok.rules.text import Part as TextPart
from reftok.rules.types import Span

Part: TypeAlias = tuple[int | None, int, int]
"""The id of an added token, None for text; where it starts and ends."""


class Decided(NamedTuple):
    """What is known of the beginning of a text.

    parts: the added tokens and the text before each.
    start, end: of the text behind the last token, as far as it is decided.
    uncut: matches that turned out to be text: a search that began within one could find another token there.
    """

    parts: list[Part]
    start: int
    end: int
    uncut: Sequence[Span] = ()

    def cut(self, limit: int) -> int:
        """The last place up to a limit in the text behind the last token."""
        for start, end in reversed(self.uncut):
            if start < limit < end:
                limit = start
        return limit


@dataclass(frozen=True, slots=True)
class AddedTokenSearch:
    """Finds the tokens of a pattern, as `AddedVocabulary` does.

    ignored: the ids of tokens that are ordinary text where they match.
    """

    pattern: AddedTokenPattern
    ignored: frozenset[int] = frozenset()

    def decided(self, text: str, start: int, ends: bool) -> Decided:
        """What is decided from a place on. ends: whether the text does."""
        pattern = self.pattern
        parts: list[Part] = []
        uncut: list[Span] = []
        covered = position = start
        undecided = len(text)
        while (found := pattern.first_character.search(text, position)) is not None:
            first = found.start()
            if not ends and pattern.contents.may_continue(text, first):
                undecided = first
                break
            content = next(pattern.contents.at(text, first), None)
            if content is None:
                position = first + 1
                continue
            token_id, stop = pattern.ids[content], first + len(content)
            token = pattern.tokens[token_id]
            position = stop
            if token.single_word and stop == len(text) and not ends:
                undecided = first
                break
            if token_id in self.ignored or (token.single_word and not stands_alone(text, first, stop)):
                uncut.append((first, stop))
                continue
            if token.lstrip:
                first = start_of_white_space_before(text, first, covered)
            if token.rstrip:
                stop = end_of_white_space_after(text, max(stop, covered))
                if stop == len(text) and not ends:
                    undecided = first
                    break
            if first > stop:
                continue
            if covered < first:
                parts.append((None, covered, first))
            if first < stop:
                parts.append((token_id, first, stop))
            # Of two tokens that overlap, the text goes on behind the second, though the first has covered more.
            covered = stop
        if pattern.strips_left and not ends:
            undecided = start_of_white_space_before(text, undecided, min(covered, undecided))
        while parts and parts[-1][2] > undecided:
            # A token may begin in the white space that the last one has stripped: that one waits as well.
            _, first, _ = parts.pop()
            undecided = min(undecided, first)
            covered = parts[-1][2] if parts else start
        return Decided(parts, covered, undecided, uncut)


class LlamaTokenSearch:
    """Finds the special tokens of llama.cpp, which searches the text for one token after the other.

    What is found in one place depends on all occurrences that overlap there. So a text is decided up to a place that
    no occurrence spans, nor white space that a token strips; what is before it is given to the rules.
    """

    def __init__(self, tokens: LlamaSpecialTokens, encode_special_tokens: bool) -> None:
        self._tokens = tokens
        self._encode_special_tokens = encode_special_tokens
        vocab = tokens.vocab
        self._attributes = {
            vocab.tokens[token_id]: vocab.attributes[token_id]
            for token_id in tokens.longest_first
            if vocab.tokens[token_id] and not (encode_special_tokens and vocab.attributes[token_id] & SPECIAL)
        }
        self._entries = EntriesByBeginning(self._attributes)
        first_characters = "".join(map(regex.escape, sorted({content[0] for content in self._attributes})))
        self._find = regex.compile(f"[{first_characters}]" if first_characters else "(?!)", regex.V0).search
        self._strips_left = any(attribute & Attribute.LSTRIP for attribute in self._attributes.values())

    def decided(self, text: str, start: int, ends: bool) -> Decided:
        """What is decided from a place on. ends: whether the text does."""
        text = text[start:]
        end = len(text) if ends else self._end(text)
        parts: list[Part] = []
        for split in self._tokens.split_raw([TextPart(NormalizedString(text[:end], start))], self._encode_special_tokens):
            first = split.normalized.original_start
            token_id = split.tokens[0].id if split.tokens else None
            parts.append((token_id, first, first + len(split.normalized)))
        if parts and parts[-1][0] is None and parts[-1][2] == start + end:
            return Decided(parts[:-1], parts[-1][1], start + end)
        return Decided(parts, start + end, start + end)

    def _end(self, text: str) -> int:
        """Up to where no continuation can change what is found, and nothing that is found lies across."""
        if self._find(text) is None and not (self._strips_left and text[-1:] in SPACES):
            return len(text)
        spans, end = self._occurrences(text)
        strips_right = {stop for start, stop in spans if self._attributes[text[start:stop]] & Attribute.RSTRIP}
        while True:
            before = end
            if self._strips_left:
                end = len(text[:end].rstrip(SPACES))
            solid = len(text[:end].rstrip(SPACES))
            if end == len(text) or text[end] in SPACES:
                end = min([end, *(stop - 1 for stop in strips_right if solid <= stop <= end)])
            for start, stop in reversed(spans):
                if start < end < stop:
                    end = start
            if end == before:
                return end

    def _occurrences(self, text: str) -> tuple[list[Span], int]:
        """Every token that stands anywhere, by its start; and where one may begin and not be complete."""
        spans: list[Span] = []
        position = 0
        while (found := self._find(text, position)) is not None:
            start = found.start()
            if self._entries.may_continue(text, start):
                return spans, start
            spans += [(start, start + len(entry)) for entry in self._entries.at(text, start)]
            position = start + 1
        return spans, len(text)


TokenSearch: TypeAlias = AddedTokenSearch | LlamaTokenSearch


def token_searches(
    added_tokens: AddedVocabulary, encode_special_tokens: bool
) -> tuple[TokenSearch | None, TokenSearch | None]:
    """The searches in raw and in normalized text, None if there is nothing to find."""
    if isinstance(added_tokens, LlamaSpecialTokens):
        return LlamaTokenSearch(added_tokens, encode_special_tokens), None
    ignored = added_tokens.special_ids() if encode_special_tokens else frozenset[int]()
    raw, normalized = added_tokens.raw_pattern, added_tokens.normalized_pattern
    return raw and AddedTokenSearch(raw, ignored), normalized and AddedTokenSearch(normalized, ignored)
