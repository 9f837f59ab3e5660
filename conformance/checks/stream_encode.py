"""A streaming encoder gives the ids of the whole text, however that is cut, and holds no more back than it must.

Subjects are compared with their own encoding of the whole, so that a fault is not counted under two checks. Since
what a stream gave cannot be taken back, ids that are right in the end were right at every cut.
"""

from __future__ import annotations

from itertools import chain

from conformance.case import Case
from conformance.checks.base import Answers, Difference, Outcome, tails
from conformance.checks.streams import held_after_finish, not_streamed, outcome, rule_of_use, shown_stream
from conformance.observation import Failure
from conformance.streaming import FedStream, Piece, Streamed

OTHER_IDS = "other ids than those of the whole text"
"""What `conformance.attribute_streams` looks into."""


class StreamEncodeCheck:
    """Streamed ids equal the ids of the whole."""

    name = "stream encode"
    of_oracle = True

    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        return outcome(subject.stream_encoded, encoding_difference)


def encoding_difference(entry: FedStream) -> Difference | None:
    """What is wrong with a streaming encoder that was fed in one way."""
    streaming, whole = entry.streaming, entry.whole
    if isinstance(streaming, Failure):
        return not_streamed(streaming, whole, "refuses in chunks what it takes as a whole")
    assert isinstance(streaming, Streamed)
    for given in (streaming.given, streaming.beside) if entry.feeding.beside else (streaming.given,):
        ids = tuple(chain.from_iterable(given))
        if ids != whole:
            rule = rule_of_use(entry.feeding) or _rule(ids, whole)
            shown = shown_stream(entry.feeding, streaming, given, whole)
            return Difference(rule, "other ids", tails(whole, ids)[0], shown)
    return _held(entry, streaming)


def _rule(ids: tuple[object, ...], whole: Piece) -> str:
    return "the end is never given out" if whole[: len(ids)] == ids else OTHER_IDS


def _held(entry: FedStream, streamed: Streamed) -> Difference | None:
    """What is wrong with how much is held back, where the subject says it."""
    for held, most in zip(streamed.held or (), entry.most_held or (), strict=False):
        if held > most:
            shown = f"{held} after one of the chunks: {streamed.held}"
            return Difference("more text is held back than the rule needs", "offsets only", f"at most {most}", shown)
    return held_after_finish(streamed)


STREAM_ENCODE = StreamEncodeCheck()
