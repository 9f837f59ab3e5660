"""A streaming decoder, fed one id at a time, gives what decoding all ids at once gives: nothing twice, nothing lost.

Subjects are compared with their own full decode, so that a fault is not counted under two checks. Since what a stream
gave cannot be taken back, text that is right in the end was right at every cut.
"""

from __future__ import annotations

from collections.abc import Sequence

from conformance.checks.base import Difference, tails, text_tails
from conformance.checks.streams import (
    StreamCheck,
    given_and_due,
    not_streamed,
    rule_of_use,
    shown_calls,
    shown_stream,
    wrongly_held,
)
from conformance.core.observation import Failure
from conformance.core.streaming import NONE_RETURNED, FedStream, Streamed

REPLACEMENT = "\ufffd"
STOP_IGNORED = "an early stop is ignored"
STOPPED_BY_NONE = "a callback that returns None stops the calls"
OTHER_CALLS = "the callback is called for other ids"
WRONGLY_FINAL = "is_final is not set with the last id alone"
NOT_COMPLETE = "a U+FFFD is given out for a character that is not complete"
OTHER_TEXT_HEARD = "the callback hears another text than the full decode"


def decoding_difference(entry: FedStream) -> Difference | None:
    """The difference in a streaming decoder that was fed in one way."""
    streaming = entry.streaming
    if isinstance(streaming, Failure):
        return not_streamed(streaming, entry.whole, entry.cause or "refuses what the full decode accepts")
    assert isinstance(streaming, Streamed)
    if entry.feeding.stop or streaming.called:
        return _callback_difference(entry, streaming, str(entry.whole))
    for given, due in given_and_due(entry, streaming):
        texts, full = tuple(map(str, given)), str(due)
        rule = _rule(entry, texts, full)
        if rule is not None:
            shown = shown_stream(entry.feeding, streaming, given, full)
            return Difference(rule, "other text", text_tails(full, "".join(texts))[0], shown)
    return wrongly_held(entry, streaming)


def _callback_difference(entry: FedStream, streamed: Streamed, full: str) -> Difference | None:
    """The difference in the calls of a callback; conformance/subjects/streams.py says what they must be."""
    ids = entry.feeding.chunks
    stop = entry.feeding.stop or 1 + len(ids)
    shown = shown_calls(streamed)
    if len(ids) >= stop < len(streamed.given):
        return Difference(STOP_IGNORED, "other text", f"no call after the one that returns False, number {stop}", shown)
    heard = [token_id for token_id, _ in streamed.called]
    if not _are_in_order(heard, ids):
        return Difference(OTHER_CALLS, "other text", f"calls for the ids {tails(ids, heard)[0]}", shown)
    is_stopped = len(heard) == stop
    if not is_stopped and _ends_with_none(streamed, ids):
        return Difference(STOPPED_BY_NONE, "other text", f"a call after number {NONE_RETURNED}", shown)
    if not _says_what_is_final(streamed, ids, is_stopped):
        return Difference(WRONGLY_FINAL, "other text", f"is_final with {ids[-1]!r}, the last id, and no other", shown)
    text = "".join(map(str, streamed.given))
    is_final = not is_stopped or streamed.called[-1][1]
    if text == full or (not is_final and full.startswith(text)):
        return None
    rule = "the callback never hears the end" if full.startswith(text) else OTHER_TEXT_HEARD
    return Difference(rule, "other text", text_tails(full, text)[0], shown)


def _ends_with_none(streamed: Streamed, ids: Sequence[object]) -> bool:
    """Whether the last call, for an id that is not the last, is the one at which the callback returned None."""
    last, is_final = streamed.called[-1] if streamed.called else (None, False)
    return len(streamed.called) == NONE_RETURNED and not is_final and last in ids[:-1]


def _says_what_is_final(streamed: Streamed, ids: Sequence[object], is_stopped: bool) -> bool:
    """Whether the call for the last id, and no other, is final. ids: what was fed, those of the calls among them."""
    *earlier, (last, is_final) = streamed.called or ((None, False),)
    if any(said for _, said in earlier):
        return False
    if is_final:
        return last == ids[-1]
    return not ids or (is_stopped and _are_in_order([*(token_id for token_id, _ in earlier), last], ids[:-1]))


def _are_in_order(some: Sequence[object], every: Sequence[object]) -> bool:
    """Whether these are among all, in the same order.

    >>> _are_in_order((1, 3), (1, 2, 3)), _are_in_order((3, 1), (1, 2, 3)), _are_in_order((1, 1), (1, 2))
    (True, False, False)
    """
    remaining = iter(every)
    return all(item in remaining for item in some)


def _rule(entry: FedStream, texts: tuple[str, ...], full: str) -> str | None:
    streamed = "".join(texts)
    if streamed == full:
        return None
    use = rule_of_use(entry.feeding)
    return use or entry.cause or _rule_of_text(streamed, full) or _rule_of_repetition(texts, full)


def _rule_of_text(streamed: str, full: str) -> str | None:
    if full.startswith(streamed):
        return "the end is never given out"
    if streamed == full.replace(REPLACEMENT, ""):
        return "bytes that are not UTF-8 are dropped"
    if full.strip() == streamed.strip():
        return "white space at the ends differs from the full decode"
    if full.replace(" ", "") == streamed.replace(" ", ""):
        return "spaces are lost between chunks" if len(full) > len(streamed) else "spaces are added between chunks"
    return None


def _rule_of_repetition(texts: tuple[str, ...], full: str) -> str:
    streamed = "".join(texts)
    has_same_rest = streamed.replace(REPLACEMENT, "") == full.replace(REPLACEMENT, "")
    if has_same_rest and streamed.count(REPLACEMENT) > full.count(REPLACEMENT):
        # The bytes of one character, each taken for one, look like U+FFFD given out twice.
        return NOT_COMPLETE
    if _repeats(texts, full):
        return "text is given out twice"
    given, wanted = next((pair for pair in zip(streamed, full, strict=False) if pair[0] != pair[1]), ("", ""))
    if given == REPLACEMENT:
        return NOT_COMPLETE
    if wanted == REPLACEMENT or has_same_rest:
        return "text around a U+FFFD differs from the full decode"
    return "text differs from the full decode"


def _repeats(texts: tuple[str, ...], full: str) -> bool:
    """Whether the full text is there, but some chunks begin with text that was given out before.

    >>> _repeats(("a", "ab", "c"), "abc"), _repeats(("a", "b"), "abc"), _repeats(("a", "x"), "a")
    (True, False, False)
    """
    given = 0
    for text in texts:
        known = next(
            (
                size
                for size in range(len(text) + 1)
                if full.endswith(text[:size], 0, given) and full.startswith(text[size:], given)
            ),
            None,
        )
        if known is None:
            return False
        given += len(text) - known
    return given == len(full)


_REPRODUCTION = '''\
def compared(official, subject):
    """The text of all ids, and of a stream that is fed one after another."""
    return subject.decode(INPUT)[0 if SKIPS else -1], answer(subject.stream_decode, INPUT, SKIPS)
'''

STREAM_DECODE = StreamCheck(
    name="stream decode",
    compares="stream_decoded",
    judge=decoding_difference,
    diagnosis="stream decoding",
    expected_by="the subject, fed all ids",
    methods=("stream_decode", "stream_decoder", "decode_with_callback"),
    code=_REPRODUCTION,
)
