"""A sink that remembers what it was given, and the ways to cut a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from reftok.engine.sinks import TextSink

Item = str | int
"""A part of text, or the id of an added token."""


class Recorder:
    """The end of a chain. items: whole parts and tokens; open: the fragments of the part that has not ended."""

    held = 0
    held_until_end = ""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.open: list[str] = []

    def text(self, fragment: str) -> None:
        assert fragment, "an empty fragment was handed on"
        self.open.append(fragment)

    def end_pre_token(self) -> None:
        if self.open:
            self.items.append("".join(self.open))
        self.open = []

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        assert not self.open, "whole parts within a part"
        self.items += pre_tokens

    def token(self, token_id: int) -> None:
        assert not self.open, "a token within a part"
        self.items.append(token_id)

    def so_far(self) -> list[Item]:
        """Everything that was given, the open part as it is."""
        return [*self.items, *(["".join(self.open)] if self.open else [])]


def cuts(text: str, most: int) -> Iterator[list[str]]:
    """Every way to cut a text at up to `most` places."""
    for count in range(most + 1):
        for places in combinations(range(1, len(text)), count):
            yield cut_at(text, places)


def cut_at(text: str, places: Sequence[int]) -> list[str]:
    """The pieces between the places, none of them empty."""
    ends = sorted({0, *(place for place in places if 0 < place < len(text)), len(text)})
    return [text[start:end] for start, end in pairwise(ends)]


def feed(stage: TextSink, fragments: Sequence[str]) -> None:
    """One part, from its first fragment to its end."""
    for fragment in fragments:
        stage.text(fragment)
    stage.end_pre_token()


def begins(given: Sequence[Item], whole: Sequence[Item]) -> bool:
    """Whether what was given early is a beginning of the whole."""
    if not given:
        return True
    *before, last = given
    if list(whole[: len(before)]) != before or len(whole) <= len(before):
        return False
    item = whole[len(before)]
    return item == last or (isinstance(item, str) and isinstance(last, str) and item.startswith(last))
