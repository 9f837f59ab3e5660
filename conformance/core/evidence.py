"""The evidence of a difference at its example: both token sequences, the first stage that differs, a stream's steps."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.core.case import Case


@dataclass(frozen=True, slots=True)
class SeenToken:
    """A token of an answer.

    token: the entry of the vocab, "" where there is none.
    span: half-open, in code points of the text (bytes, where the case is bytes); None where it was not told.
    """

    id: int
    token: str = ""
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class StageDifference:
    """The first stage after which the text is not what it should be.

    expected, observed: the parts of the text after this stage; expected_by, observed_by: who or what gives them.
    """

    stage: str
    expected: tuple[str, ...]
    observed: tuple[str, ...]
    expected_by: str
    observed_by: str


@dataclass(frozen=True, slots=True)
class StreamStep:
    """One chunk of a stream, and what came out: text, or ids with commas between.

    fed: a chunk as text, bytes in hexadecimal, or an id with its token; "" at the end of the stream.
    is_wrong: the first step after which what came out cannot become right any more.
    """

    fed: str
    given: str
    is_wrong: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that can be shown of an example besides the two answers; whatever is not known is empty.

    decoded: the tokens whose ids were decoded.
    expected, observed: the tokens of both answers, from `skipped` on, which is how many equal ones come before.
    is_cut: whether tokens were left out at the end.
    nearest: the nearest input on which the subject is right; None where none was found.
    natural: the shortest word or line of a language that the finding changes; None where none was met.
    stream: the steps around the first that is wrong; stream_use: how it was used, where it was not plainly fed.
    """

    decoded: tuple[SeenToken, ...] = ()
    expected: tuple[SeenToken, ...] = ()
    observed: tuple[SeenToken, ...] = ()
    skipped: int = 0
    is_cut: bool = False
    stage: StageDifference | None = None
    stream: tuple[StreamStep, ...] = ()
    stream_use: str = ""
    nearest: Case | None = None
    natural: Case | None = None


NO_EVIDENCE = Evidence()
