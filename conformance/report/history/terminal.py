"""A history on the terminal: the runs, then the causes with a sign for each run."""

from __future__ import annotations

from rich.console import Console

from conformance.comparing.history import History
from conformance.report.console import ConsoleLines
from conformance.report.history import view
from conformance.report.run.view import SYMBOLS, shown_input, shown_time

MOST_SIGNS = 30
"""Runs that a cause's line has signs of."""


def print_history(history: History, console: Console) -> None:
    """Prints the history; foreign text is escaped, so that it cannot command the terminal."""
    lines = ConsoleLines(console)
    lines.line(view.headline(history), "bold")
    lines.line()
    rows = [
        (
            point.name,
            shown_time(point.started),
            view.changed_line(point),
            f"{point.unexpected:,}",
            f"{point.known:,}",
            f"{point.answers:,}",
            view.duration(point.seconds),
        )
        for point in (history.runs[number] for number in view.newest(history))
    ]
    lines.table(("run", "started", "what changed", "unexpected", "known", "answers", "time"), rows, names=3)
    if view.older_line(history):
        lines.line(view.older_line(history), "dim")
    if history.causes:
        lines.line()
        meanings = "   ".join(f"{SYMBOLS[state]} {meaning}" for state, meaning in view.MEANINGS.items())
        lines.line(f"A sign is a run, the newest last: {meanings}", "dim")
    for cause in history.causes[: view.MOST_CAUSES]:
        lines.line()
        lines.labelled(f"{view.signs(cause, history, MOST_SIGNS)}  ", f"{cause.subject}: {view.title(cause)}", "bold")
        period, given = lines.text(view.period(cause, history), limit=400), shown_input(cause.example.example.case, 60)
        lines.grid([("when", period), ("models", lines.text(", ".join(cause.models))), ("input", lines.shown(given))])
    if view.more_line(history):
        lines.line(view.more_line(history), "dim")
