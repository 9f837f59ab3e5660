"""What a check is: a pure function of observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from conformance.core.case import Case
from conformance.core.finding import Severity
from conformance.core.observation import Decoding, Encoded, Encoding, Failure
from conformance.core.streaming import FedStream


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """What decoding an encoded text must give.

    text: the text itself, as the model keeps it, special tokens kept.
    read_as_bytes: what comes out where the letters of added tokens are taken for bytes, as the byte-level decoder of
        tokenizers does; None where that is the text itself.
    """

    text: str
    read_as_bytes: str | None = None


@dataclass(frozen=True, slots=True)
class Answers:
    """What a subject did with one case; None for what it was not asked or cannot.

    encoding: of the case's text, from the batch call where there is one.
    single: the same text on its own.
    decoding: of the case's ids, or of the ids that the oracle gave for the text.
    own_decoding: of the ids that the subject itself gave for the text.
    stream_encoded: the text fed to a streaming encoder, cut in some ways.
    stream_decoded: the ids of `decoding`, and parts of them, fed to a streaming decoder.
    round_trip: what decoding the encoded text must give by the rule of the model; None where the model does not keep
        the text.
    """

    encoding: Encoding | None = None
    single: Encoding | None = None
    decoding: Decoding | None = None
    own_decoding: Decoding | None = None
    stream_encoded: tuple[FedStream, ...] | None = None
    stream_decoded: tuple[FedStream, ...] | None = None
    round_trip: RoundTrip | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """A check that failed. rule: the kind of difference, the same for all cases with the same cause."""

    rule: str
    severity: Severity
    expected: str
    observed: str


Outcome: TypeAlias = Difference | Literal["same", "both refuse", "not applicable"]
"""What a check says of one case. "both refuse" agrees, but proves as little as no answer."""


class Check(Protocol):
    """One property."""

    @property
    def name(self) -> str:
        """As in the reports."""
        ...

    @property
    def of_oracle(self) -> bool:
        """Whether the official library is held to the property as well."""
        ...

    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        """Whether the property holds."""
        ...


def compare_failures(expected: Encoding | Decoding, observed: Encoding | Decoding, severity: Severity) -> Outcome:
    """What a check says of two answers of which at least one is a Failure.

    Where the oracle did not refuse but broke down, there is nothing to compare with; a subject that breaks down as well
    is still at fault.
    severity: of an answer where the oracle refuses.
    """
    if isinstance(observed, Failure) and observed.kind != "refused":
        return failure_difference(expected, observed)
    if isinstance(expected, Failure) and expected.kind != "refused":
        return "not applicable"
    if isinstance(observed, Failure):
        return "both refuse" if isinstance(expected, Failure) else failure_difference(expected, observed)
    assert isinstance(expected, Failure)
    shown = str(observed.ids[:12]) if isinstance(observed, Encoded) else observed.text[:80]
    return Difference("answers what the oracle refuses", severity, expected.message, shown)


def failure_difference(expected: object, failure: Failure) -> Difference:
    """A subject that gave no answer where one was due."""
    wanted = f"{expected.kind}: {expected.message}" if isinstance(expected, Failure) else "an answer"
    return Difference(failure.kind, "no answer", wanted, f"{failure.kind}: {failure.message}")


def tails(expected: Sequence[object], observed: Sequence[object], length: int = 12) -> tuple[str, str]:
    """Both sequences, one item a token, from the first difference on, as text.

    >>> tails([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 9])
    ('… 4 equal tokens … 5, 6', '… 4 equal tokens … 9')
    """
    first = next((i for i, pair in enumerate(zip(expected, observed, strict=False)) if pair[0] != pair[1]), None)
    if first is None:
        first = min(len(expected), len(observed))
    return _shown(expected, first, length), _shown(observed, first, length)


def _shown(values: Sequence[object], start: int, length: int) -> str:
    shown = ", ".join(map(repr, values[start : start + length]))
    more = ", …" if len(values) > start + length else ""
    skipped = f"… {start:,} equal token{'s' * (start != 1)} … " if start else ""
    return skipped + (shown or "(end)") + more


def text_tails(expected: str, observed: str, before: int = 12, length: int = 80) -> tuple[str, str]:
    """Both texts from a little before the first difference on.

    >>> text_tails("a" * 20 + "x", "a" * 20 + "y")
    ('…aaaaaaaaaaaax', '…aaaaaaaaaaaay')
    """
    first = next((i for i, pair in enumerate(zip(expected, observed, strict=False)) if pair[0] != pair[1]), None)
    if first is None:
        first = min(len(expected), len(observed))
    start = max(0, first - before)
    mark = "…" if start else ""
    return mark + expected[start : start + length], mark + observed[start : start + length]
