"""A history as Markdown: the runs, then the causes with what each run says of them."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.comparing.history import History
from conformance.report.history import view
from conformance.report.run.markdown import code, prose
from conformance.report.run.view import SYMBOLS, shown_input, shown_time

MOST_SIGNS = 30
"""Runs that a cause's line has signs of."""


def history_markdown(history: History) -> str:
    """The whole document."""
    lines = [f"### Tokenizer conformance over time: {view.headline(history)}", "", *_runs(history)]
    return "\n".join([*lines, *_causes(history)]) + "\n"


def _runs(history: History) -> Iterator[str]:
    yield "| run | started | verdict | unexpected | known | answers | time | what changed |"
    yield "|---|---|---|--:|--:|--:|--:|---|"
    for number in reversed(view.newest(history)):
        point = history.runs[number]
        yield (
            f"| {prose(point.name, 80)} | {prose(shown_time(point.started))} | {point.verdict} | {point.unexpected:,} "
            f"| {point.known:,} | {point.answers:,} | {view.duration(point.seconds)} "
            f"| {prose(view.changed_line(point), 400)} |"
        )
    if view.older_line(history):
        yield from ("", view.older_line(history))


def _causes(history: History) -> Iterator[str]:
    if not history.causes:
        return
    meanings = ", ".join(f"{SYMBOLS[state]} {meaning}" for state, meaning in view.MEANINGS.items())
    yield from ("", f"A sign is a run, the newest last: {meanings}.", "")
    for cause in history.causes[: view.MOST_CAUSES]:
        period = prose(view.period(cause, history), 400)
        yield f"- {view.signs(cause, history, MOST_SIGNS)} **{prose(cause.subject, 80)}** {prose(view.title(cause))}"
        yield f"  {period}; such as {code(shown_input(cause.example.example.case, 40))}"
    if view.more_line(history):
        yield from ("", view.more_line(history))
