"""A history as blocks, and as JSON: charts, the causes run by run, the runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

from conformance.comparing.history import CauseTrend, History, RunPoint
from conformance.core.finding import Finding
from conformance.core.run import finding_to_json
from conformance.report import blocks
from conformance.report.blocks import Line, Phrase, foreign, sign
from conformance.report.run.view import SYMBOLS, cause_words, plural, rounded, shown_input, shown_time

SCHEMA_VERSION = 1
CellState = Literal["equal", "new", "known", "none"]

MEANINGS: dict[CellState, str] = {
    "new": "seen, unexpected: how many mismatches",
    "known": "seen, and listed by an expectation",
    "equal": "not seen",
    "none": "not asked: nothing was compared where it was ever seen",
}
MOST_RUNS = 100
"""The newest runs, which are shown."""
MOST_CAUSES = 500


def history_report(history: History, reports: Mapping[str, str] | None = None) -> blocks.Report:
    """The report. reports: the addresses of the runs' reports by the names of their folders."""
    left = len(history.runs) - len(newest(history))
    older = [blocks.Paragraph(f"{plural(left, 'older run')} not shown", "soft")] if left else []
    body = (
        blocks.Charts(tuple(_charts(history))),
        blocks.Section("runs", "Runs", (_runs(history, reports or {}), *older)),
        blocks.Section("causes", "Findings by cause", tuple(_causes(history))),
    )
    return blocks.Report("Tokenizer conformance over time", headline(history), (), body)


def headline(history: History) -> str:
    """The runs and causes in numbers."""
    there = sum(cause.is_there for cause in history.causes)
    gone = len(history.causes) - there
    back = sum(cause.is_there and bool(cause.regressed) for cause in history.causes)
    marks = "".join(f", {count:,} {word}" for count, word in ((back, "regressed"), (gone, "gone")) if count)
    causes = f"{plural(there, 'cause')} now{marks}"
    return f"{plural(len(history.runs), 'run')}: {causes if history.causes else 'no finding in any'}"


def newest(history: History) -> tuple[int, ...]:
    """The numbers of the runs that are shown, from 0."""
    return tuple(range(max(0, len(history.runs) - MOST_RUNS), len(history.runs)))


# --- the runs


def _charts(history: History) -> Iterator[blocks.Chart]:
    runs = [history.runs[number] for number in newest(history)]
    words = [f"{run.unexpected:,} unexpected, {run.known:,} known" for run in runs]
    findings = [((sign("✗"), run.unexpected), (sign("≈"), run.known)) for run in runs]
    yield _chart("Findings", runs, words, findings, rounded(max(run.unexpected + run.known for run in runs)))
    words = [f"{run.answers:,} answers" for run in runs]
    answers = [(("", run.answers),) for run in runs]
    yield _chart("Answers compared", runs, words, answers, rounded(max(run.answers for run in runs)))
    words = [duration(run.seconds) for run in runs]
    times = [(("", run.seconds),) for run in runs]
    yield _chart("Duration", runs, words, times, duration(max(run.seconds for run in runs)))


def _chart(
    title: str,
    runs: Sequence[RunPoint],
    words: Sequence[str],
    values: Sequence[tuple[tuple[Line, float], ...]],
    most: str,
) -> blocks.Chart:
    bars = zip(runs, words, values, strict=True)
    return blocks.Chart(title, most, tuple(blocks.Bar(f"{run.name}: {said}", parts) for run, said, parts in bars))


def _runs(history: History, reports: Mapping[str, str]) -> blocks.Table:
    titles = ("run", "what changed", "started", "verdict", "unexpected", "known", "cases", "answers", "time")
    rows = (_row(history.runs[number], reports) for number in reversed(newest(history)))
    return blocks.Table("runs", titles, tuple(rows), names=2)


def _row(run: RunPoint, reports: Mapping[str, str]) -> tuple[Line | blocks.Cell, ...]:
    return (
        foreign(run.name, target=reports.get(run.name, "")),
        foreign(changed_line(run)),
        shown_time(run.started),
        run.verdict,
        *(f"{number:,}" for number in (run.unexpected, run.known, run.cases, run.answers)),
        blocks.Cell(duration(run.seconds), order=run.seconds),
    )


def changed_line(point: RunPoint) -> str:
    """The versions that are others than in the run before.

    >>> changed_line(RunPoint("r", "", "as expected", 0, 0, 1, 1, 1.0, (("tokenizers", "0.21", "0.22"),)))
    'tokenizers: 0.21 → 0.22'
    """
    return ", ".join(f"{name}: {before or '–'} → {now or '–'}" for name, before, now in point.changed)


def duration(seconds: float) -> str:
    """Seconds for people.

    >>> duration(12.34), duration(754.0)
    ('12.3 s', '12 min 34 s')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes:,} min {rest} s" if seconds >= 100 else f"{seconds:.1f} s"


# --- the causes


def _causes(history: History) -> Iterator[blocks.Block]:
    if not history.causes:
        yield blocks.Paragraph("None.")
        return
    signs = [part for state, words in MEANINGS.items() for part in (sign(SYMBOLS[state]), f" {words}, ")]
    yield blocks.Paragraph((*signs, "a sign a run, the newest last"), "soft")
    names = tuple(foreign(history.runs[number].name).text for number in newest(history))
    rows = ((_card(cause, history), _cells(cause, history)) for cause in history.causes[:MOST_CAUSES])
    yield blocks.Timelines("causes", names, tuple(rows))
    if (left := len(history.causes) - MOST_CAUSES) > 0:
        yield blocks.Paragraph(f"and {plural(left, 'more cause')}, which JSON has", "soft")


def _card(cause: CauseTrend, history: History) -> blocks.Card:
    title = (foreign(f"{cause.subject}:"), " ", foreign(cause_words(cause.stage, cause.rule), "strong"))
    fields = (
        *([blocks.Field("flaky", "comes and goes though no version changed")] if cause.is_flaky else []),
        blocks.Field("when", foreign(period(cause, history), limit=400)),
        blocks.Field("models", foreign(", ".join(cause.models))),
        blocks.Field("input", Phrase(shown_input(cause.example.example.case, 40), "code")),
        *_reasons(cause.example),
    )
    return blocks.Card(title, fields)


def _reasons(finding: Finding) -> Iterator[blocks.Field]:
    """What an expectation says of it."""
    if finding.reason:
        yield blocks.Field("because", foreign(finding.reason, limit=2000))
    if upstream := finding.upstream:
        yield blocks.Field("upstream", foreign(upstream, target=upstream if upstream.startswith("https://") else ""))


def _cells(cause: CauseTrend, history: History) -> tuple[blocks.Cell, ...]:
    """What each run says of a cause."""
    counts = [(cause.mismatches[number], sign(SYMBOLS[state(cause, number)])) for number in newest(history)]
    return tuple(blocks.Cell((mark, f" {count:,}") if count else mark, order=count or 0) for count, mark in counts)


def state(cause: CauseTrend, number: int) -> CellState:
    """What a run says of a cause."""
    count = cause.mismatches[number]
    if count is None:
        return "none"
    return "equal" if not count else "known" if cause.is_known[number] else "new"


def period(cause: CauseTrend, history: History) -> str:
    """When it came and went, the newest run first."""
    back = cause.regressed
    turns = [(number, "regressed" if number in back else "came" if came else "gone") for number, came in cause.turns]
    words = [f"{word} in {history.runs[number].name}" for number, word in turns]
    first = cause.asked[0]
    since = [f"seen from {history.runs[first].name} on"] if cause.mismatches[first] else []
    return ", ".join(reversed([*since, *words]))


# --- as JSON


def history_json(history: History) -> str:
    """The document, which has everything whole; in ASCII and sorted, so that the same runs give the same bytes."""
    value = {
        "schema": SCHEMA_VERSION,
        "headline": headline(history),
        "runs": [{**asdict(point), "changed": list(map(list, point.changed))} for point in history.runs],
        "causes": [_cause(cause, history) for cause in history.causes],
    }
    return json.dumps(value, indent=1, ensure_ascii=True, sort_keys=True) + "\n"


def _cause(cause: CauseTrend, history: History) -> dict[str, Any]:
    names = ("subject", "stage", "rule", "is_there", "is_flaky")
    return {
        **{name: getattr(cause, name) for name in names},
        **{name: list(getattr(cause, name)) for name in ("mismatches", "is_known", "models")},
        "turns": [{"run": history.runs[number].name, "came": came} for number, came in cause.turns],
        "regressed": [history.runs[number].name for number in cause.regressed],
        "example": finding_to_json(cause.example),
    }
