"""Mistakes in cutting out the added tokens: ASCII for Unicode, a loop that ends early, a trie by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from reftok.rules.huggingface.added_tokens import (
    AddedTokenPattern,
    AddedVocabulary,
    end_of_white_space_after,
    stands_alone,
    start_of_white_space_before,
)
from reftok.rules.pipeline import Pipeline
from tests.planted_defects.second.plain import Plain, of_class


class Cutting(AddedVocabulary):
    """The search of the reference, in parts that a defect replaces."""

    def found(self, text: str, pattern: AddedTokenPattern) -> Iterator[tuple[int, int, int]]:
        return pattern.find(text)

    def is_alone(self, text: str, start: int, stop: int) -> bool:
        return stands_alone(text, start, stop)

    def end_of_white_space(self, text: str, stop: int) -> int:
        return end_of_white_space_after(text, stop)

    def _matches(
        self, text: str, pattern: AddedTokenPattern, encode_special_tokens: bool
    ) -> Iterator[tuple[int | None, tuple[int, int]]]:
        covered = 0
        for token_id, start, stop in self.found(text, pattern):
            token = self.tokens[token_id]
            if token.single_word and not self.is_alone(text, start, stop):
                continue
            if token.lstrip:
                start = start_of_white_space_before(text, start, covered)
            if token.rstrip:
                stop = self.end_of_white_space(text, max(stop, covered))
            if start > stop:
                continue
            if covered < start:
                yield None, (covered, start)
            yield token_id, (start, stop)
            covered = stop
        if covered != len(text):
            yield None, (covered, len(text))


class AsciiWords(Plain):
    """Whether a single word stands alone is asked of isalnum, to which no letter beyond ASCII is one."""

    def changed(self, pipeline: Pipeline) -> Pipeline:
        return replace(pipeline, added_tokens=of_class(pipeline.added_tokens, _AsciiWords))


class _AsciiWords(Cutting):
    def is_alone(self, text: str, start: int, stop: int) -> bool:
        return not any(_is_ascii_word(character) for character in text[max(0, start - 1) : start] + text[stop:][:1])


def _is_ascii_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


class StripsOneSpace(Plain):
    """An added token with `rstrip` takes one character of white space, where there was to be a loop."""

    def changed(self, pipeline: Pipeline) -> Pipeline:
        return replace(pipeline, added_tokens=of_class(pipeline.added_tokens, _StripsOne))


class _StripsOne(Cutting):
    def end_of_white_space(self, text: str, stop: int) -> int:
        return min(end_of_white_space_after(text, stop), stop + 1)


class TrieGoesOn(Plain):
    """The trie of the added tokens has no way back: the character at which a match fails begins no other one."""

    def changed(self, pipeline: Pipeline) -> Pipeline:
        return replace(pipeline, added_tokens=of_class(pipeline.added_tokens, _GoesOn))


class _GoesOn(Cutting):
    def found(self, text: str, pattern: AddedTokenPattern) -> Iterator[tuple[int, int, int]]:
        beginnings = {content[:size] for content in pattern.ids for size in range(1, len(content) + 1)}
        position = 0
        while position < len(text):
            end, content = position, ""
            while end < len(text) and text[position : end + 1] in beginnings:
                end += 1
                content = text[position:end] if text[position:end] in pattern.ids else content
            if content:
                yield pattern.ids[content], position, position + len(content)
            position = position + len(content) if content else end + 1
