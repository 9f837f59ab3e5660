"""The words that every form of a history shares."""

from __future__ import annotations

from typing import Literal

from conformance.comparing.history import CauseTrend, History, RunPoint
from conformance.report.run.view import SYMBOLS, plural

CellState = Literal["equal", "new", "known", "none"]

MEANINGS: dict[CellState, str] = {
    "new": "seen, unexpected: how many mismatches",
    "known": "seen, and listed by an expectation",
    "equal": "not seen",
    "none": "not asked: nothing was compared where it was ever seen",
}
MOST_RUNS = 100
"""The newest runs, which tables by run show."""
MOST_CAUSES = 500


def headline(history: History) -> str:
    """The runs and causes in numbers."""
    there = sum(cause.is_there for cause in history.causes)
    gone = len(history.causes) - there
    causes = f"{plural(there, 'cause')} now" + (f", {gone:,} gone" if gone else "")
    return f"{plural(len(history.runs), 'run')}: {causes if history.causes else 'no finding in any'}"


def newest(history: History) -> tuple[int, ...]:
    """The numbers of the runs that are shown, from 0."""
    return tuple(range(max(0, len(history.runs) - MOST_RUNS), len(history.runs)))


def older_line(history: History) -> str:
    """The runs that are not shown, "" where all are."""
    left = len(history.runs) - len(newest(history))
    return f"{plural(left, 'older run')} not shown" if left else ""


def more_line(history: History) -> str:
    """The causes that are not shown, "" where all are."""
    left = len(history.causes) - MOST_CAUSES
    return f"and {plural(left, 'more cause')}, which JSON has" if left > 0 else ""


def title(cause: CauseTrend) -> str:
    """The stage and rule."""
    return f"{cause.stage}: {cause.rule}" if cause.stage else cause.rule


def state(cause: CauseTrend, number: int) -> CellState:
    """What a run says of a cause."""
    count = cause.mismatches[number]
    if count is None:
        return "none"
    return "equal" if not count else "known" if cause.is_known[number] else "new"


def shown(cause: CauseTrend, number: int) -> str:
    """The same as a sign, and as a number where it was seen."""
    count = cause.mismatches[number]
    sign = SYMBOLS[state(cause, number)]
    return f"{sign} {count:,}" if count else sign


def signs(cause: CauseTrend, history: History, most: int = MOST_RUNS) -> str:
    """The newest runs in a sign each, the oldest first."""
    return "".join(SYMBOLS[state(cause, number)] for number in newest(history)[-most:])


def period(cause: CauseTrend, history: History) -> str:
    """When it came and went."""
    words = [f"{'came in' if came else 'gone in'} {history.runs[number].name}" for number, came in cause.turns]
    first = cause.asked[0]
    since = [f"seen from {history.runs[first].name} on"] if cause.mismatches[first] else []
    return ", ".join([*since, *words])


def changed_line(point: RunPoint) -> str:
    """The versions that are others than in the run before.

    >>> changed_line(RunPoint("r", "", "as expected", 0, 0, 1, 1, 1.0, (("tokenizers", "0.21", "0.22"),)))
    'tokenizers 0.21 → 0.22'
    """
    return ", ".join(f"{name} {before or '–'} → {now or '–'}" for name, before, now in point.changed)


def duration(seconds: float) -> str:
    """Seconds for people.

    >>> duration(12.34), duration(754.0)
    ('12.3 s', '12 min 34 s')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes:,} min {rest} s" if seconds >= 100 else f"{seconds:.1f} s"
