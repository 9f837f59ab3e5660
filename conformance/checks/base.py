"""A check: a pure function of observations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from conformance.core.case import Case
from conformance.core.chats import AskedChat
from conformance.core.finding import Severity
from conformance.core.observation import Decoding, Encoded, Encoding, Failure
from conformance.core.settings import Asked
from conformance.core.streaming import FedStream


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """The text due from decoding an encoded text.

    text: the text itself, as the model keeps it, special tokens kept.
    read_as_bytes: what comes out where the letters of added tokens are taken for bytes, as the byte-level decoder of
        tokenizers does; None where that is the text itself.
    """

    text: str
    read_as_bytes: str | None = None


@dataclass(frozen=True, slots=True)
class Answers:
    """A subject's answers to one case; None for what it was not asked or cannot.

    encoding: of the case's text; on its own where `batch` is there, else perhaps from the batch call.
    batch: of the same text, from the batch call.
    bare: the same text without the special tokens of the template; None where that makes no difference.
    decoding: of the case's ids, or of the ids that the oracle gave for the text.
    own_decoding: of the ids that the subject itself gave for the text.
    stream_encoded: the text fed to a streaming encoder, cut in some ways.
    stream_decoded: the ids of `decoding`, and parts of them, fed to a streaming decoder.
    round_trip: what decoding the encoded text must give by the rule of the model; None where the model does not keep
        the text.
    bulk_ids: of the case's text, from the door for questions in bulk.
    with_settings: to questions with settings about the text and its parts; None where the official library has none.
    chat: to the conversation; None if the text is not one, or the subject does not render conversations.
    adapter_error: what an adapter said of itself in the place of an answer, which is then None; "" for nothing.
    """

    encoding: Encoding | None = None
    batch: Encoding | None = None
    decoding: Decoding | None = None
    own_decoding: Decoding | None = None
    stream_encoded: tuple[FedStream, ...] | None = None
    stream_decoded: tuple[FedStream, ...] | None = None
    round_trip: RoundTrip | None = None
    bulk_ids: tuple[int, ...] | None = None
    bare: Encoding | None = None
    with_settings: tuple[Asked, ...] | None = None
    chat: AskedChat | None = None
    adapter_error: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """A check that failed. rule: the kind of difference, the same for all cases with the same cause."""

    rule: str
    severity: Severity
    expected: str
    observed: str


Outcome: TypeAlias = Difference | Literal["same", "both refuse", "not applicable"]
"""A check's outcome on one case. "both refuse" agrees, but proves as little as no answer."""


Compared: TypeAlias = Literal[
    "encoding", "batch", "bare", "decoding", "own_decoding", "stream_encoded", "stream_decoded", "with_settings", "chat"
]
"""The fields of `Answers` that checks compare."""

Diagnosis: TypeAlias = Literal[
    "ids",
    "tokens",
    "offsets",
    "special tokens",
    "settings",
    "chat",
    "decoding",
    "round trip",
    "stream encoding",
    "stream decoding",
    "none",
]


class Check(ABC):
    """One property, and all that the harness knows of it: a new check is its file and its entry in `CHECKS`.

    name: as in the reports.
    compares: the answers that are needed for it besides encoding and decoding, which are always asked for.
    of_oracle: whether the official library is held to the property as well.
    on_cuts: whether it is asked where texts and ids are cut at every place.
    counts_answers: whether its counts tell how much of what a subject was asked it has answered.
    follows: the checks whose difference on the same case is the cause of its own, which is then told once.
    diagnosis: how `diagnosis.attribution` finds out stage and rule; with "none" the check's own rule is all.
    expected_by: who says what is expected, "" for the official library.
    methods: the methods or parts of answers of which a subject needs one.
    code: of `compared(official, subject)`, for a file that needs no harness; of its `constants`, INPUT is the case.
        "" where it has no short form.
    """

    name: str
    compares: Compared = "encoding"
    of_oracle: ClassVar[bool] = False
    on_cuts: ClassVar[bool] = False
    counts_answers: bool = False
    follows: ClassVar[tuple[str, ...]] = ()
    diagnosis: Diagnosis = "none"
    expected_by: str = ""
    methods: tuple[str, ...] = ()
    code: str = ""

    @property
    def is_of_streams(self) -> bool:
        """Whether it compares the output of streams."""
        return self.compares in ("stream_encoded", "stream_decoded")

    @property
    def asks_much(self) -> bool:
        """Whether it asks about each text in many ways."""
        return self.is_of_streams or self.compares == "with_settings"

    @property
    def is_sampled(self) -> bool:
        """Whether faults explain its differences, for and against which other answers of the subject speak."""
        return self.diagnosis in ("ids", "tokens", "offsets", "decoding")

    @abstractmethod
    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        """Whether the property holds."""

    def by_rule(self, subject: Answers) -> list[Answers]:
        """The answers of a subject that differ, apart by the rules that they break: streams may break several."""
        return [subject]

    def of_rule(self, subject: Answers, rule: str) -> Answers:
        """The answers of a subject without those that break other rules than this one."""
        return subject

    def culprit(self, subject: Answers) -> tuple[FedStream, Difference] | None:
        """The stream to tell of, and its difference; None where it is no stream that differs."""
        return None

    def constants(self, case: Case, subject: Answers) -> Mapping[str, Any] | None:
        """The constants of its code; None where there is no short form.

        subject: its answers.
        """
        return {"INPUT": reproduction_input(case)} if self.code else None


def reproduction_input(case: Case) -> Any:
    """A case as a reproduction is given it: a list of ids, bytes or a text."""
    return list(case.ids) if case.kind == "ids" else case.data if case.kind == "bytes" else case.text


def compare_failures(expected: Encoding | Decoding, observed: Encoding | Decoding, severity: Severity) -> Outcome:
    """The outcome for two answers of which at least one is a Failure.

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
    due = f"{expected.kind}: {expected.message}" if isinstance(expected, Failure) else "an answer"
    return Difference(failure.kind, "no answer", due, f"{failure.kind}: {failure.message}")


def first_difference(expected: Sequence[object], observed: Sequence[object]) -> int:
    """The number of items before the first that differs; the end of the shorter one counts.

    >>> first_difference("abc", "abd"), first_difference("ab", "abd")
    (2, 2)
    """
    pairs = zip(expected, observed, strict=False)
    return next((i for i, (one, other) in enumerate(pairs) if one != other), min(len(expected), len(observed)))


def tails(expected: Sequence[object], observed: Sequence[object], length: int = 12) -> tuple[str, str]:
    """Both sequences, one item a token, from the first difference on, as text.

    >>> tails([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 9])
    ('… 4 equal tokens … 5, 6', '… 4 equal tokens … 9')
    """
    first = first_difference(expected, observed)
    return _shown(expected, first, length), _shown(observed, first, length)


END = "(end)"
"""The answer has nothing more."""


def _shown(values: Sequence[object], start: int, length: int) -> str:
    shown = ", ".join(map(repr, values[start : start + length]))
    more = ", …" if len(values) > start + length else ""
    skipped = f"… {start:,} equal token{'s' * (start != 1)} … " if start else ""
    return skipped + (shown or END) + more


def text_tails(expected: str, observed: str, before: int = 12, length: int = 80) -> tuple[str, str]:
    """Both texts from a little before the first difference on.

    >>> text_tails("a" * 20 + "x", "a" * 20 + "y")
    ('…aaaaaaaaaaaax', '…aaaaaaaaaaaay')
    """
    start = max(0, first_difference(expected, observed) - before)
    mark = "…" if start else ""
    return mark + expected[start : start + length], mark + observed[start : start + length]
