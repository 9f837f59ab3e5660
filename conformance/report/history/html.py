"""A history as one HTML file that needs nothing else: charts of the runs, and the causes run by run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conformance.comparing.history import History, RunPoint
from conformance.report.history import view
from conformance.report.run.view import SYMBOLS, rounded
from conformance.report.templates import page

HEIGHT, WIDTH, GAP = 100, 24, 6
"""Of a chart and of a bar in it, in units of the picture."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A run in a chart: where its bar begins, the heights of its parts from below, and its value in words."""

    x: int
    parts: tuple[tuple[str, float, float], ...]
    words: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A value of all runs. width: of the picture; most: the largest value, in words."""

    title: str
    width: int
    most: str
    bars: tuple[Bar, ...]


def history_html(history: History, reports: Mapping[str, str] | None = None) -> str:
    """The whole page. reports: the addresses of the runs' reports by the names of their folders."""
    return page(
        "history.html.jinja",
        ["report.css", "comparison.css", "history.css"],
        "report.js",
        history=history,
        charts=_charts(history),
        newest=view.newest(history),
        reports=reports or {},
        words=view,
        symbols=SYMBOLS,
        height=HEIGHT,
        bar_width=WIDTH,
    )


def _charts(history: History) -> list[Chart]:
    return [
        _chart(history, "Findings", lambda run: (("new", run.unexpected), ("known", run.known)), _findings, rounded),
        _chart(history, "Answers compared", lambda run: (("plain", run.answers),), _answers, rounded),
        _chart(history, "Duration", lambda run: (("plain", run.seconds),), _seconds, view.duration),
    ]


def _findings(run: RunPoint) -> str:
    return f"{run.unexpected:,} unexpected, {run.known:,} known"


def _answers(run: RunPoint) -> str:
    return f"{run.answers:,} answers"


def _seconds(run: RunPoint) -> str:
    return view.duration(run.seconds)


def _chart(
    history: History,
    title: str,
    values: Callable[[RunPoint], tuple[tuple[str, float], ...]],
    in_words: Callable[[RunPoint], str],
    short: Callable[[int], str] | Callable[[float], str],
) -> Chart:
    runs = [history.runs[number] for number in view.newest(history)]
    most = max((sum(value for _, value in values(run)) for run in runs), default=0)
    bars = []
    for number, run in enumerate(runs):
        below, parts = 0.0, []
        for kind, value in values(run):
            tall = HEIGHT * value / most if most else 0.0
            parts.append((kind, round(HEIGHT - below - tall, 2), round(tall, 2)))
            below += tall
        bars.append(Bar(number * (WIDTH + GAP), tuple(parts), f"{run.name}: {in_words(run)}"))
    return Chart(title, max(1, len(runs) * (WIDTH + GAP) - GAP), short(int(most)), tuple(bars))
