"""What the checks of streams share: which of the ways a stream was fed is told of, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TypeAlias

from conformance.checks.base import Difference, Outcome, failure_difference
from conformance.observation import Failure
from conformance.streaming import FedStream, Feeding, Given, Piece, Streamed

Judge: TypeAlias = Callable[[FedStream], Difference | None]

SHOWN_CHUNKS = 6


def outcome(fed: Sequence[FedStream] | None, judge: Judge) -> Outcome:
    """Whether every stream gave what it should."""
    if not any(entry.streaming is not None for entry in fed or ()):
        return "not applicable"
    found = culprit(fed or (), judge)
    return "same" if found is None else found[1]


def culprit(fed: Sequence[FedStream], judge: Judge) -> tuple[FedStream, Difference] | None:
    """The stream to tell of, and its difference: of those with the rule that is seen first, the one with fewest cuts.

    A stream that is fed and finished goes before others, and of these one without empty chunks: what it gets wrong is
    no fault of such a chunk, of reset or of a neighbour.
    """
    judged = [(entry, judge(entry)) for entry in fed if entry.streaming is not None]
    found = [(entry, difference) for entry, difference in judged if difference is not None]
    plain = [pair for pair in found if pair[0].feeding.is_plain] or found
    plainest = [pair for pair in plain if not pair[0].feeding.has_empty_chunk] or plain
    alike = [pair for pair in plainest if pair[1].rule == plainest[0][1].rule]
    return min(alike, key=lambda pair: len(pair[0].feeding.chunks), default=None)


def not_streamed(failure: Failure, whole: object, rule: str) -> Difference:
    """A stream that failed where the whole was answered. rule: what a refusal is called."""
    if failure.kind == "refused":
        return Difference(rule, "no answer", str(whole)[:80], failure.message)
    return failure_difference(whole, failure)


def held_after_finish(streamed: Streamed) -> Difference | None:
    """What is wrong with a stream that says that it still holds something at its end."""
    if not streamed.held or not streamed.held[-1]:
        return None
    return Difference("text is held after finish", "offsets only", "0 code points", f"{streamed.held[-1]} code points")


def rule_of_use(feeding: Feeding) -> str | None:
    """What is wrong where only this use of streams gives something else; None for a plain one without empty chunks."""
    if feeding.forgotten:
        return "what was fed before a reset is not forgotten"
    if feeding.beside:
        return "two streams share their state"
    return "an empty chunk changes what is given" if feeding.has_empty_chunk else None


def shown_stream(feeding: Feeding, streamed: Streamed, given: Given, whole: Sequence[object]) -> str:
    r"""The chunks up to the first that gave something wrong, each with what came out, and what `finish` gave.

    >>> streamed = Streamed(((), (7, 8), (9,)))
    >>> shown_stream(Feeding("encoder", ("a b", "c")), streamed, streamed.given, (7, 9))
    "'a b' → [], 'c' → [7, 8], finish → [9]"
    """
    chunks = feeding.beside if given is streamed.beside else feeding.chunks
    ends = list(accumulate(map(len, given)))
    parts: list[object] = [part for piece in given for part in piece]
    right = next((n for n, pair in enumerate(zip(parts, whole, strict=False)) if pair[0] != pair[1]), len(whole))
    wrong = next((number for number, end in enumerate(ends) if end > right), len(ends) - 1)
    start = max(0, wrong + 1 - SHOWN_CHUNKS)
    shown = [f"{chunk!r} → {_shown(piece)}" for chunk, piece in zip(chunks, given, strict=False)]
    last = f"finish → {_shown(given[-1])}" if len(given) > len(chunks) else "no finish"
    middle = shown[start : max(wrong + 1, start + SHOWN_CHUNKS)]
    before = ["…"] if start else []
    after = ["…"] if len(shown) > start + len(middle) else []
    return ", ".join(
        [f"reset after {len(feeding.forgotten)} chunks"] * bool(feeding.forgotten) + before + middle + after + [last]
    )


def shown_calls(streamed: Streamed) -> str:
    """The last calls of a callback: text, id, is_final.

    >>> shown_calls(Streamed(("He", "llo"), called=((7, False), (8, True))))
    "('He', 7, False), ('llo', 8, True)"
    """
    pairs = zip(streamed.given, streamed.called, strict=True)
    calls = [f"({text!r}, {token_id}, {said})" for text, (token_id, said) in pairs]
    return ", ".join(["…"] * (len(calls) > SHOWN_CHUNKS) + calls[-SHOWN_CHUNKS:]) or "no call"


def _shown(piece: Piece) -> str:
    return repr(piece) if isinstance(piece, str) else str(list(piece))
