"""The common part of the commands that ask subjects about models."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable
from typing import Any

import click
from rich.console import Console

from conformance.core.errors import UsageError
from conformance.core.slugs import named, slug
from conformance.engine.plan import MOST_SECONDS
from conformance.runs.progress import to_nowhere
from conformance.subjects.adapters import check_subject_name, subject_label


class Timeout(click.FloatRange):
    """Seconds that a subject has for an answer: a number, which to Python "nan" is as well."""

    def __init__(self) -> None:
        super().__init__(0.1, MOST_SECONDS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Raises click.BadParameter for what is no number of seconds in the range."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail("is not a number of seconds", param, ctx)
        return seconds


class Named(click.Choice[str]):
    """One of some names, given as its slug; as the reports have it, it is taken as well."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(names)
        super().__init__(list(map(slug, self._names)))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Raises click.BadParameter for what is none of them."""
        return named(value, self._names) or super().convert(value, param, ctx)


class OutputConsole(Console):
    """A console that goes on without a word when its reader is gone: the exit code is still to be told."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        to_nowhere(sys.stdout)


def checked_subjects(names: Iterable[str]) -> tuple[str, ...]:
    """The subjects, each once, in their order.

    Raises UsageError for one that is not there, and for two that reports would call by the same name.
    """
    subjects = tuple(dict.fromkeys(names))
    for name in subjects:
        check_subject_name(name)
    labels = [subject_label(name) for name in subjects]
    repeated = next((label for label in labels if labels.count(label) > 1), None)
    if repeated is not None:
        raise UsageError(f"--subject: two subjects would both be called {repeated}; rename one file")
    return subjects


def cores() -> int:
    """The number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
