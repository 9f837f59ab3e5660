"""Samples of what subjects do, bounded: what they do with several texts tells which of several rules they follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from conformance.checks.base import Answers
from conformance.core.case import Case
from conformance.core.observation import Encoded
from conformance.core.streaming import FedStream, Streamed
from conformance.diagnosis.causes import offset_rules
from conformance.diagnosis.seams import are_chunks_encoded_alone
from reftok import Tokenizer

MOST_OFFSETS = 60
MOST_TEXTS, MOST_CUTS, LONGEST_TEXT = 30, 12, 100
"""So many texts, of so many code points, are remembered of each subject, each with so many ways to cut it."""

Seen = TypeVar("Seen")
Told = TypeVar("Told")


class Samples(Generic[Seen, Told]):
    """The first samples of each of one model's subjects, as many as are enough, and what is told by them."""

    def __init__(self, most: int, tell: Callable[[Sequence[Seen]], Told]) -> None:
        self._most = most
        self._tell = tell
        self._seen: dict[str, list[Seen]] = {}
        self._told: dict[str, Told] = {}

    def clear(self) -> None:
        """Forget all."""
        self._seen.clear()
        self._told.clear()

    def add(self, name: str, sample: Seen) -> None:
        """Take what a subject did as long as it is not enough."""
        seen = self._seen.setdefault(name, [])
        if len(seen) < self._most:
            seen.append(sample)
            self._told.pop(name, None)

    def told(self, name: str) -> Told:
        """What all samples of a subject say."""
        if name not in self._told:
            self._told[name] = self._tell(self._seen.get(name, ()))
        return self._told[name]


class OffsetSamples(Samples[tuple[str, Encoded, Encoded], Mapping[str, int]]):
    """Texts with the right ids and other offsets; told: the number of them that each rule explains."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__(
            MOST_OFFSETS, lambda seen: Counter(rule for one in seen for rule in offset_rules(tokenizer, *one))
        )

    def observe(self, name: str, text: str, expected: Encoded, observed: Encoded) -> None:
        """Take an answer that is a sample."""
        if expected.ids == observed.ids and expected.offsets != observed.offsets:
            self.add(name, (text, expected, observed))


class StreamSamples(Samples[Sequence[FedStream], bool]):
    """The output of streaming encoders for short texts; told: whether each chunk is taken for a text of its own."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__(
            MOST_TEXTS, lambda texts: are_chunks_encoded_alone(tokenizer, [one for fed in texts for one in fed])
        )

    def observe(self, name: str, case: Case, subject: Answers) -> None:
        """Take an answer that is a sample."""
        entries = [entry for entry in subject.stream_encoded or () if _is_of_text(entry)]
        if entries and len(case.text) <= LONGEST_TEXT:
            self.add(name, entries[:: 1 + len(entries) // MOST_CUTS])


def _is_of_text(entry: FedStream) -> bool:
    is_text = all(isinstance(chunk, str) and chunk for chunk in entry.feeding.chunks)
    return is_text and entry.feeding.is_plain and isinstance(entry.streaming, Streamed)
