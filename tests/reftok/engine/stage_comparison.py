"""A streamed stage held to the stage itself: every part, where each begins, and that nothing is taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from random import Random

from reftok.engine.sinks import TextSink, rewritten
from reftok.spec.stages import Normalizer, PreTokenizer
from reftok.spec.text import NormalizedString, Split

Part = tuple[str, int]
"""A part, and how many of its first characters begin where the original text does."""

Stream = Callable[[TextSink], TextSink]
Stage = Callable[[str, int], list[Part]]


class PartRecorder:
    """The end of a chain; holds those before it to the contract of TextSink."""

    held = 0
    holds_parts = ""

    def __init__(self) -> None:
        self.items: list[Part | int] = []
        self.open = ""
        self.at_start = 0

    def text(self, fragment: str, at_start: int = 0) -> None:
        assert fragment, "an empty fragment was handed on"
        assert at_start == 0 or self.at_start == len(self.open), "what begins at the start comes first"
        assert at_start <= len(fragment)
        self.open += fragment
        self.at_start += at_start

    def end_part(self) -> None:
        if self.open:
            self.items.append((self.open, self.at_start))
        self.open, self.at_start = "", 0

    def parts(self, parts: Sequence[str]) -> None:
        assert not self.open, "whole parts within a part"
        assert all(parts)
        self.items += [(part, 0) for part in parts]

    def token(self, token_id: int) -> None:
        assert not self.open, "a token within a part"
        self.items.append(token_id)

    def is_beginning_of(self, expected: Sequence[Part | int]) -> bool:
        count = len(self.items)
        if self.items != list(expected[:count]):
            return False
        if not self.open:
            return True
        following = expected[count] if count < len(expected) else 0
        return not isinstance(following, int) and following[0].startswith(self.open)


def normalizer_stage(normalizer: Normalizer) -> Stage:
    def stage(text: str, at_start: int) -> list[Part]:
        return [part for part in [rewritten(normalizer, text, at_start)] if part[0]]

    return stage


def pre_tokenizer_stage(pre_tokenizer: PreTokenizer) -> Stage:
    def stage(text: str, at_start: int) -> list[Part]:
        spans = [(0, 1)] * at_start + [(1, 2)] * (len(text) - at_start)
        splits = [Split(NormalizedString(text, 0 if at_start else 1, spans))]
        parts = [split.normalized for split in pre_tokenizer.pre_tokenize(splits)]
        return [(part.text, sum(start == 0 for start, _ in part.spans())) for part in parts if part.text]

    return stage


def all_cuts(length: int, most: int) -> Iterator[tuple[int, ...]]:
    for count in range(min(most, length - 1) + 1):
        yield from combinations(range(1, length), count)


def random_places(length: int, seed: int, rounds: int) -> Iterator[tuple[int, ...]]:
    random = Random(seed)
    yield tuple(range(1, length))
    for _ in range(rounds):
        yield tuple(place for place in range(1, length) if random.random() < 0.5)


def check_chunks(stream: Stream, expected: Sequence[Part], text: str, places: Sequence[int], at_start: int) -> None:
    """One chunking: the part is fed twice, with an added token between, and is nowhere at the start the second time."""
    recorder = PartRecorder()
    stage = stream(recorder)
    for start, end in pairwise((0, *places, len(text))):
        stage.text(text[start:end], min(max(at_start - start, 0), end - start))
        assert recorder.is_beginning_of(expected), (text, places, recorder.items, recorder.open, expected)
        # Held text is counted as it is written in the end: a rule of the tests makes up to three characters of one.
        assert 0 <= stage.held <= 3 * end + 1
    stage.end_part()
    assert recorder.items == list(expected), (text, places, at_start)
    assert stage.held == 0
    stage.token(7)
    assert recorder.items == [*expected, 7]


def check_stage(stream: Stream, stage: Stage, text: str, seed: int = 0, at_start: int | None = None) -> None:
    """Every one-cut and two-cut chunking of a short text, and some random ones of a long one."""
    if not text:
        return
    size = Random(seed).choice([0, 1, 1, 2, 5]) if at_start is None else at_start
    size = min(size, len(text))
    expected = stage(text, size)
    for places in all_cuts(len(text), 2 if len(text) <= 12 else 1 if len(text) <= 40 else 0):
        check_chunks(stream, expected, text, places, size)
    for places in random_places(len(text), seed, 4):
        check_chunks(stream, expected, text, places, size)
    check_twice(stream, stage, text, size, Random(seed).randrange(len(text)))


def check_twice(stream: Stream, stage: Stage, text: str, at_start: int, place: int) -> None:
    """A second part begins as the first one did: the stage is as new, and the two are not looked at together."""
    recorder = PartRecorder()
    streamed = stream(recorder)
    for part, size in ((text, at_start), (text, 0)):
        streamed.text(part[: place + 1], min(size, place + 1))
        if part[place + 1 :]:
            streamed.text(part[place + 1 :], max(size - place - 1, 0))
        streamed.end_part()
    streamed.parts([text, text])
    second = stage(text, 0)
    assert recorder.items == [*stage(text, at_start), *second, *second, *second]
