"""What a check is: a pure function of observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from conformance.case import Case
from conformance.finding import Severity
from conformance.observation import Decoding, Encoding, Failure


@dataclass(frozen=True, slots=True)
class Answers:
    """What a subject did with one case; None for what it was not asked or cannot.

    encoding: of the case's text, from the batch call where there is one.
    single: the same text on its own.
    decoding: of the case's ids, or of the ids that the oracle gave for the text.
    own_decoding: of the ids that the subject itself gave for the text.
    streamed: the ids of `decoding` fed to a streaming decoder.
    round_trip: the text that decoding the encoded text must give by the rule of the model; None where the model
        does not keep the text.
    """

    encoding: Encoding | None = None
    single: Encoding | None = None
    decoding: Decoding | None = None
    own_decoding: Decoding | None = None
    streamed: Decoding | None = None
    round_trip: str | None = None


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


def failure_difference(expected: object, failure: Failure) -> Difference:
    """A subject that gave no answer where one was due."""
    wanted = f"{expected.kind}: {expected.message}" if isinstance(expected, Failure) else "an answer"
    return Difference(failure.kind, "no answer", wanted, f"{failure.kind}: {failure.message}")


def tails(expected: Sequence[object], observed: Sequence[object], length: int = 12) -> tuple[str, str]:
    """Both sequences from the first difference on, as text.

    >>> tails([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 9])
    ('[…4] 5, 6', '[…4] 9')
    """
    first = next((i for i, pair in enumerate(zip(expected, observed, strict=False)) if pair[0] != pair[1]), None)
    if first is None:
        first = min(len(expected), len(observed))
    return _shown(expected, first, length), _shown(observed, first, length)


def _shown(values: Sequence[object], start: int, length: int) -> str:
    shown = ", ".join(map(repr, values[start : start + length]))
    more = ", …" if len(values) > start + length else ""
    return (f"[…{start}] " if start else "") + (shown or "(end)") + more


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
