"""The added tokens in the beginning of a text that nothing that follows can change.

A place is undecided as long as the text from there on may be the beginning of a content, or a `single_word` token waits
for the character behind it. White space at the end waits for a token that strips it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

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
    """

    parts: list[Part]
    start: int
    end: int


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
        # Where a search has to begin to find each part again: a match may begin within the white space that the token
        # before it has stripped.
        starts: list[int] = []
        rejected: list[Span] = []
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
                rejected.append((first, stop))
                continue
            if token.lstrip:
                first = start_of_white_space_before(text, first, covered)
            if token.rstrip:
                stop = end_of_white_space_after(text, max(stop, covered))
                if stop == len(text) and not ends:
                    undecided = min(first, found.start())
                    break
            if first > stop:
                continue
            if covered < first:
                parts.append((None, covered, first))
                starts.append(covered)
            if first < stop:
                parts.append((token_id, first, stop))
                starts.append(min(first, found.start()))
            # Of two tokens that overlap, the text goes on behind the second, though the first has covered more.
            covered = stop
        if pattern.strips_left and not ends:
            undecided = start_of_white_space_before(text, undecided, min(covered, undecided))
        for first, stop in reversed(rejected):
            # A search that began within such a match could find another token there.
            undecided = first if first < undecided < stop else undecided
        while parts and parts[-1][2] > undecided:
            # A token may begin in the white space that the last one has stripped: that one waits as well.
            parts.pop()
            undecided = min(undecided, starts.pop())
            covered = parts[-1][2] if parts else start
        return Decided(parts, covered, undecided)


class LlamaTokenSearch:
    """Finds the special tokens of llama.cpp, which searches the text for one token after the other.

    What is found in one place depends on all occurrences that overlap there. So a text is decided up to a place that
    no occurrence spans, nor white space that a token strips; what is before it is given to the rules.
    """

    def __init__(self, tokens: LlamaSpecialTokens, encode_special_tokens: bool) -> None:
        self._tokens = tokens
        self._ignores = encode_special_tokens
        vocab = tokens.vocab
        found = [(vocab.tokens[token_id], vocab.attributes[token_id]) for token_id in tokens.longest_first]
        self._attributes = {text: kind for text, kind in found if text and not (self._ignores and kind & SPECIAL)}
        self._entries = EntriesByBeginning(self._attributes)
        self._firsts = frozenset(content[0] for content in self._attributes)
        self._strips_left = any(kind & Attribute.LSTRIP for kind in self._attributes.values())

    def decided(self, text: str, start: int, ends: bool) -> Decided:
        """What is decided from a place on. ends: whether the text does."""
        end = len(text) if ends else self._end(text, start)
        parts: list[Part] = []
        for part in self._tokens.split_raw([TextPart(NormalizedString(text[start:end], start))], self._ignores):
            first = part.normalized.original_start
            parts.append((part.tokens[0].id if part.tokens else None, first, first + len(part.normalized)))
        last = parts.pop()[1] if parts and parts[-1][0] is None and parts[-1][2] == end else end
        return Decided(parts, last, end)

    def _end(self, text: str, start: int) -> int:
        """Up to where no continuation can change what is found, and nothing that is found lies across."""
        end = len(text)
        spans: list[Span] = []
        for place in range(start, len(text)) if not self._firsts.isdisjoint(text) else ():
            if text[place] in self._firsts and self._entries.may_continue(text, place):
                end = place
                break
            for entry in self._entries.at(text, place):
                stop = place + len(entry)
                if self._attributes[entry] & Attribute.RSTRIP:
                    stop = len(text) - len(text[stop:].lstrip(SPACES))
                    stop += stop == len(text)  # more spaces may follow
                spans.append((place, stop))
        before = -1
        while before != end:
            before = end
            if self._strips_left:
                end = max(len(text[:end].rstrip(SPACES)), start)
            for first, stop in reversed(spans):
                end = first if first < end < stop else end
        return end


TokenSearch: TypeAlias = AddedTokenSearch | LlamaTokenSearch


def token_searches(
    added_tokens: AddedVocabulary, encode_special_tokens: bool
) -> tuple[TokenSearch | None, TokenSearch | None]:
    """The searches in raw and in normalized text, None if there is nothing to find."""
    if isinstance(added_tokens, LlamaSpecialTokens):
        return LlamaTokenSearch(added_tokens, encode_special_tokens), None
    ignored = added_tokens.special_ids() if encode_special_tokens else frozenset[int]()
    raw, normalized = added_tokens.raw_pattern, added_tokens.normalized_pattern
    return (
        None if raw is None else AddedTokenSearch(raw, ignored),
        None if normalized is None else AddedTokenSearch(normalized, ignored),
    )
