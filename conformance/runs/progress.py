"""A run's progress, told on standard error: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from rich.console import RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Column
from rich.text import Text

from conformance.engine.result import ShardResult
from conformance.report.console import OutputConsole, say
from conformance.report.run.view import plural

SECONDS_BETWEEN_LINES = 10.0

MOST_TOLD = 20
"""So many findings are told as they are first seen; the report has all."""


Told = TypeVar("Told")


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run.

    total, done: shards. answers: compared so far. mismatches: so far; known: how many of those an expectation lists.
    fresh: the findings that are first seen, a line each.
    """

    total: int
    done: int = 0
    answers: int = 0
    mismatches: int = 0
    known: int = 0
    fresh: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The result so far, in words.

        >>> Progress(total=9, done=1, answers=1200, mismatches=8, known=8).sentence
        '1,200 answers compared, none unexpected, 8 known mismatches'
        """
        unexpected = f"{self.mismatches - self.known:,}" if self.mismatches > self.known else "none"
        known = f", {plural(self.known, 'known mismatch', 'es')}" if self.known else ""
        return f"{plural(self.answers, 'answer')} compared, {unexpected} unexpected{known}"


class NoiseTeller:
    """Says once of each subject that it printed something in the place of answers."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def __call__(self, result: ShardResult) -> None:
        for subject, line in result.noise.items():
            if subject not in self._told:
                self._told.add(subject)
                say(f"{subject}: noise on standard output: log to standard error: {line!r}")


@dataclass(frozen=True, slots=True)
class Finishing:
    """What is done with the findings, when all is asked. number: of what it is done with, counted from 1."""

    number: int
    total: int
    deed: str = "shrinking finding"

    @property
    def sentence(self) -> str:
        """For people.

        >>> Finishing(2, 9).sentence
        'shrinking finding 2 of 9'
        """
        return f"{self.deed} {self.number:,} of {self.total:,}"


class _Elapsing:
    """A sentence with the seconds since it was first shown."""

    def __init__(self, sentence: str) -> None:
        self._sentence = sentence
        self._begun = time.monotonic()

    def __rich__(self) -> Text:
        return Text(f"{self._sentence}: {time.monotonic() - self._begun:.0f} s")


class Pace:
    """The time for the rest of a run, by what it took so far; shards of an earlier session took no time in this.

    started: seconds of a clock.

    >>> pace = Pace(started=100.0)
    >>> pace.left(Progress(100, done=51), now=102.0), pace.left(Progress(100, done=60), now=120.0)
    ('about 98 s left', 'about 80 s left')
    """

    def __init__(self, started: float) -> None:
        self._started = started
        self._before: int | None = None

    def left(self, progress: Progress, now: float) -> str:
        """The time that is left at `now`, in words; "" at the end."""
        if self._before is None:
            self._before = progress.done - 1
        if progress.done == progress.total:
            return ""
        seconds = (now - self._started) / (progress.done - self._before) * (progress.total - progress.done)
        return f"about {seconds / 60:.0f} min left" if seconds >= 100 else f"about {max(1, round(seconds))} s left"


class Teller(ABC, Generic[Told]):
    """Tells of each progress that it is given, while it is entered: live on a terminal, elsewhere a line now and then.

    quiet: nothing at all.
    """

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._console = OutputConsole(stderr=True)
        self._live: Live | None = None
        self._last_line = time.monotonic()
        self._told = 0
        self._deed = ""

    @abstractmethod
    def _shown(self, progress: Told) -> RenderableType:
        """The progress on a terminal."""

    @abstractmethod
    def _line(self, progress: Told) -> tuple[str, bool]:
        """The progress as a line, and whether it is told however soon it comes after another."""

    def _fresh(self, progress: Told) -> tuple[str, ...]:
        """The findings that are first seen, a line each."""
        return ()

    def __enter__(self) -> Callable[[Told | Finishing], None]:
        if self._console.is_terminal and not self._quiet:
            self._live = Live(_Elapsing("loading models"), console=self._console, transient=True, refresh_per_second=4)
            self._live.start()
        return self._tell

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.stop()

    def _tell_fresh(self, lines: tuple[str, ...]) -> None:
        """Above what is live, or as lines of their own."""
        due = lines[: max(0, MOST_TOLD - self._told)]
        self._told += len(lines)
        if len(due) < len(lines) and self._told - len(lines) <= MOST_TOLD:
            due += ("… what else is found stands in the report",)
        for line in due:
            if self._live is not None:
                self._console.print(line, soft_wrap=True)
            else:
                say(line)

    def _tell(self, progress: Told | Finishing) -> None:
        if not self._quiet and not isinstance(progress, Finishing):
            self._tell_fresh(self._fresh(progress))
        if self._live is not None:
            if isinstance(progress, Finishing):
                self._live.update(_Elapsing(progress.sentence))
            else:
                self._live.update(self._shown(progress))
        elif not self._quiet:
            if isinstance(progress, Finishing):
                line, is_due = progress.sentence, progress.deed != self._deed
                self._deed = progress.deed
            else:
                line, is_due = self._line(progress)
            now = time.monotonic()
            if is_due or now - self._last_line > SECONDS_BETWEEN_LINES:
                self._last_line = now
                say(line)


class ProgressTeller(Teller[Progress]):
    """Tells of a run: a bar, or lines with the time that is left."""

    def __init__(self, quiet: bool) -> None:
        super().__init__(quiet)
        self._pace = Pace(self._last_line)
        self._bar = Bar(
            BarColumn(10),
            MofNCompleteColumn(),
            TextColumn("shards,"),
            TimeRemainingColumn(),
            TextColumn("left:"),
            TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis")),
            expand=True,
        )
        self._task = self._bar.add_task("")

    def _fresh(self, progress: Progress) -> tuple[str, ...]:
        return progress.fresh

    def _shown(self, progress: Progress) -> RenderableType:
        self._bar.update(self._task, completed=progress.done, total=progress.total, description=progress.sentence)
        return self._bar

    def _line(self, progress: Progress) -> tuple[str, bool]:
        left = self._pace.left(progress, time.monotonic())
        told = [f"{progress.done}/{progress.total} shards", progress.sentence, *([left] if left else [])]
        return ", ".join(told), not left
