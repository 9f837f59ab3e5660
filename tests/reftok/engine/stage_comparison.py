"""A streamed stage held to the stage itself: every part, where each begins, and that nothing is taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from random import Random

from reftok.engine.sinks import TextSink
from reftok.rules.stages import Normalizer, PreTokenizer
from reftok.rules.text import NormalizedString, Part

Stream = Callable[[TextSink], TextSink]
Stage = Callable[[str], list[str]]


class PartRecorder:
    """The end of a chain; holds those before it to the contract of TextSink."""

    held = 0
    held_until_end = ""

    def __init__(self) -> None:
        self.items: list[str | int] = []
        self.open = ""

    def text(self, fragment: str) -> None:
        assert fragment, "an empty fragment was handed on"
        self.open += fragment

    def end_pre_token(self) -> None:
        if self.open:
            self.items.append(self.open)
        self.open = ""

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        assert not self.open, "whole parts within a part"
        assert all(pre_tokens)
        self.items += pre_tokens

    def token(self, token_id: int) -> None:
        assert not self.open, "a token within a part"
        self.items.append(token_id)

    def is_beginning_of(self, expected: Sequence[str | int]) -> bool:
        count = len(self.items)
        if self.items != list(expected[:count]):
            return False
        if not self.open:
            return True
        following = expected[count] if count < len(expected) else 0
        return not isinstance(following, int) and following.startswith(self.open)


def normalizer_stage(normalizer: Normalizer) -> Stage:
    def stage(text: str) -> list[str]:
        return [*filter(None, [normalizer.normalize(NormalizedString(text)).text])]

    return stage


def pre_tokenizer_stage(pre_tokenizer: PreTokenizer) -> Stage:
    def stage(text: str) -> list[str]:
        splits = pre_tokenizer.pre_tokenize([Part(NormalizedString(text, 1))])
        return [split.normalized.text for split in splits if split.normalized.text]

    return stage


def all_cuts(length: int, most: int) -> Iterator[tuple[int, ...]]:
    for count in range(min(most, length - 1) + 1):
        yield from combinations(range(1, length), count)


def random_places(length: int, seed: int, rounds: int) -> Iterator[tuple[int, ...]]:
    random = Random(seed)
    yield tuple(range(1, length))
    for _ in range(rounds):
        yield tuple(place for place in range(1, length) if random.random() < 0.5)


def check_chunks(stream: Stream, expected: Sequence[str], text: str, places: Sequence[int]) -> None:
    """One chunking of a part."""
    recorder = PartRecorder()
    stage = stream(recorder)
    for start, end in pairwise((0, *places, len(text))):
        stage.text(text[start:end])
        assert recorder.is_beginning_of(expected), (text, places, recorder.items, recorder.open, expected)
        # Held text is counted as it is written in the end: a rule of the tests makes up to three characters of one.
        assert 0 <= stage.held <= 3 * end + 1
    stage.end_pre_token()
    assert recorder.items == list(expected), (text, places)
    assert stage.held == 0
    stage.token(7)
    assert recorder.items == [*expected, 7]


def check_stage(stream: Stream, stage: Stage, text: str, seed: int = 0) -> None:
    """Every one-cut and two-cut chunking of a short text, and some random ones of a long one."""
    if not text:
        return
    expected = stage(text)
    for places in all_cuts(len(text), 2 if len(text) <= 12 else 1 if len(text) <= 40 else 0):
        check_chunks(stream, expected, text, places)
    for places in random_places(len(text), seed, 4):
        check_chunks(stream, expected, text, places)
    check_twice(stream, expected, text, Random(seed).randrange(len(text)))


def check_twice(stream: Stream, expected: Sequence[str], text: str, place: int) -> None:
    """A second part begins as the first one did: the stage is as new, and the two are not looked at together."""
    recorder = PartRecorder()
    streamed = stream(recorder)
    for _ in range(2):
        streamed.text(text[: place + 1])
        if text[place + 1 :]:
            streamed.text(text[place + 1 :])
        streamed.end_pre_token()
    streamed.pre_tokens([text, text])
    assert recorder.items == [*expected] * 4
