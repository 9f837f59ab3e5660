"""A streaming encoder gives the ids of the whole text, however that is cut, and holds no more back than it must.

Subjects are compared with their own encoding of the whole, so that a fault is not counted under two checks. Since
what a stream gave cannot be taken back, ids that are right in the end were right at every cut.
"""

from __future__ import annotations

from itertools import chain

from conformance.checks.base import Difference, tails
from conformance.checks.streams import StreamCheck, given_and_due, not_streamed, rule_of_use, shown_stream, wrongly_held
from conformance.core.observation import Failure
from conformance.core.streaming import FedStream, Piece, Streamed

OTHER_IDS = "other ids than those of the whole text"
"""The rule that `conformance.causes.encoder_streams` looks into."""


def encoding_difference(entry: FedStream) -> Difference | None:
    """The difference in a streaming encoder that was fed in one way."""
    streaming = entry.streaming
    if isinstance(streaming, Failure):
        return not_streamed(streaming, entry.whole, "refuses in chunks what it takes as a whole")
    assert isinstance(streaming, Streamed)
    for given, whole in given_and_due(entry, streaming):
        ids = tuple(chain.from_iterable(given))
        if ids != whole:
            rule = rule_of_use(entry.feeding) or _rule(ids, whole)
            shown = shown_stream(entry.feeding, streaming, given, whole)
            return Difference(rule, "other ids", tails(whole, ids)[0], shown)
    return wrongly_held(entry, streaming)


def _rule(ids: tuple[object, ...], whole: Piece) -> str:
    return "the end is never given out" if whole[: len(ids)] == ids else OTHER_IDS


_REPRODUCTION = '''\
def compared(official, subject):
    """The ids of the whole, and of a stream that is fed the chunks of INPUT."""
    whole = INPUT[0][:0].join(INPUT)
    return subject.encode(whole)["ids"], answer(streamed, subject.stream_encoder)


def streamed(make):
    stream = make()
    feed = stream.feed if isinstance(INPUT[0], str) else stream.feed_bytes
    given = [token_id for chunk in INPUT for token_id in feed(chunk)]
    return given + list(stream.finish())
'''

STREAM_ENCODE = StreamCheck(
    name="stream encode",
    compares="stream_encoded",
    judge=encoding_difference,
    diagnosis="stream encoding",
    expected_by="the subject, fed the whole text",
    methods=("stream_encoder",),
    code=_REPRODUCTION,
)
