"""The base of the checks of streams: which of the ways a stream was fed is told of, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, ClassVar, Literal, TypeAlias

from conformance.checks.base import Answers, Check, Diagnosis, Difference, Outcome, failure_difference, first_difference
from conformance.core.case import Case
from conformance.core.observation import Failure
from conformance.core.streaming import FedStream, Feeding, Given, Piece, Streamed

Judge: TypeAlias = Callable[[FedStream], Difference | None]

SHOWN_CHUNKS = 6
HELD_TOO_LONG = "more text is held back than the rule needs"


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamCheck(Check):
    """Every stream gives what it should.

    compares: the answers of which streams. judge: what is wrong with one of them.
    """

    name: str
    compares: Literal["stream_encoded", "stream_decoded"]
    judge: Judge
    diagnosis: Diagnosis
    expected_by: str
    methods: tuple[str, ...]
    code: str

    of_oracle: ClassVar[bool] = True
    on_cuts: ClassVar[bool] = True

    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        fed = self._fed(subject)
        if not fed or all(entry.streaming is None for entry in fed):
            return "not applicable"
        found = self.culprit(subject)
        return "same" if found is None else found[1]

    def culprit(self, subject: Answers) -> tuple[FedStream, Difference] | None:
        """The one with fewest cuts of those with the first rule."""
        found = self._found(subject)
        alike = [pair for pair in found if pair[1].rule == found[0][1].rule]
        return min(alike, key=lambda pair: len(pair[0].feeding.chunks), default=None)

    def constants(self, case: Case, subject: Answers) -> Mapping[str, Any] | None:
        found = self.culprit(subject)
        if found is None or not found[0].feeding.is_plain:
            return None
        feeding = found[0].feeding
        settings = {"SKIPS": feeding.skip_special_tokens} if feeding.to == "decoder" else {}
        return {"INPUT": list(feeding.chunks), **settings}

    def by_rule(self, subject: Answers) -> list[Answers]:
        """Apart, so that a known fault hides no other of the same case.

        What callbacks hear stays together, since one wrong call breaks several rules.
        """
        apart: dict[str, list[FedStream]] = {}
        for entry, difference in self._found(subject):
            apart.setdefault("" if entry.feeding.stop else difference.rule, []).append(entry)
        return [self._with(subject, entries) for entries in apart.values()]

    def of_rule(self, subject: Answers, rule: str) -> Answers:
        others = {id(entry) for entry, difference in self._found(subject) if difference.rule != rule}
        return self._with(subject, [entry for entry in self._fed(subject) if id(entry) not in others])

    def _fed(self, subject: Answers) -> tuple[FedStream, ...]:
        fed: tuple[FedStream, ...] = getattr(subject, self.compares) or ()
        return fed

    def _with(self, subject: Answers, entries: list[FedStream]) -> Answers:
        change: dict[str, Any] = {self.compares: tuple(entries)}
        return replace(subject, **change)

    def _found(self, subject: Answers) -> list[tuple[FedStream, Difference]]:
        """The streams that differ, first those fed and finished, without empty chunks.

        What such a stream gets wrong is no fault of reset, of a neighbour or of an empty chunk: then nothing is said of
        these with the same chunks, nor of a neighbour that is such a stream.
        """
        judged = [(entry, self.judge(entry)) for entry in self._fed(subject) if entry.streaming is not None]
        found = [(entry, difference) for entry, difference in judged if difference is not None]
        found.sort(key=lambda pair: (not pair[0].feeding.is_plain, pair[0].feeding.has_empty_chunk))
        plain = {entry.feeding for entry, _ in found if entry.feeding == entry.feeding.plain}
        return [
            pair for pair in found if pair[0].feeding in plain or plain.isdisjoint(_plain_counterparts(pair[0].feeding))
        ]


def _plain_counterparts(feeding: Feeding) -> set[Feeding]:
    """The feedings of each of the streams, alone."""
    plain = feeding.plain
    return {plain, replace(plain, skip_special_tokens=True)} if feeding.beside else {plain}


def not_streamed(failure: Failure, whole: object, rule: str) -> Difference:
    """A stream that failed where the whole was answered. rule: what a refusal is called."""
    if failure.kind == "refused":
        return Difference(rule, "no answer", str(whole)[:80], failure.message)
    return failure_difference(whole, failure)


def wrongly_held(entry: FedStream, streamed: Streamed) -> Difference | None:
    """The difference in how much a stream holds: anything at its end, or too much on its way."""
    if streamed.held and streamed.held[-1]:
        still = f"{streamed.held[-1]} code points"
        return Difference("text is held after finish", "offsets only", "0 code points", still)
    late = entry.late
    if late is None:
        return None
    shown = f"{late.held} code points after chunk {1 + late.chunk} of {len(entry.feeding.chunks)}"
    return Difference(entry.cause or HELD_TOO_LONG, "offsets only", f"at most {late.most}", shown)


def given_and_due(entry: FedStream, streamed: Streamed) -> tuple[tuple[Given, Piece], ...]:
    """The ids or text that each stream gave, one or two, and those due."""
    first = streamed.given, entry.whole
    return (first, (streamed.beside, entry.whole_beside)) if entry.feeding.beside else (first,)


def rule_of_use(feeding: Feeding) -> str | None:
    """The rule where only this use of streams gives something else; None for a plain one without empty chunks."""
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
    end = " and finish" if feeding.is_finished else ""
    ends = list(accumulate(map(len, given)))
    parts: list[object] = [part for piece in given for part in piece]
    right = first_difference(parts, whole)
    wrong = next((number for number, end in enumerate(ends) if end > right), len(ends) - 1)
    start = max(0, wrong + 1 - SHOWN_CHUNKS)
    shown = [f"{chunk!r} → {_shown(piece)}" for chunk, piece in zip(chunks, given, strict=False)]
    last = f"finish → {_shown(given[-1])}" if len(given) > len(chunks) else "no more text"
    middle = shown[start : max(wrong + 1, start + SHOWN_CHUNKS)]
    before = [f"reset after {len(feeding.forgotten)} chunks{end}"] if feeding.forgotten else []
    before += ["…"] if start else []
    after = ["…"] if len(shown) > start + len(middle) else []
    return ", ".join([*before, *middle, *after, last])


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
