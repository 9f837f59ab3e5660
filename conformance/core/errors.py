"""Everything that conformance raises on purpose, as one tree.

    ConformanceError
    ├── UsageError            the command asks for something that cannot be done        exit code 2
    │   └── InputError          a file or folder is missing, truncated or foreign       exit code 2
    │       └── NotAskedError     the subject or model of a finding is missing          exit code 125
    └── HarnessError          the harness itself failed; its answer means nothing       exit code 3

A subject that fails is not among them: that is data, a `Failure`. Unexpected findings are exit code 1, and no error.
"""

from __future__ import annotations

from typing import ClassVar

FORM_ERRORS = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""Raised on reading a JSON value of another form than the one that is written here: such a file is not ours."""


class ConformanceError(Exception):
    """Base of every error that conformance raises on purpose; `exit_code` is what the command line ends with."""

    exit_code: ClassVar[int] = 3


class UsageError(ConformanceError):
    """The command, an option or a plan asks for something that cannot be done."""

    exit_code: ClassVar[int] = 2


class InputError(UsageError):
    """A file or folder that cannot be used: missing, truncated or foreign.

    >>> InputError("runs/7/run.json: is missing").exit_code
    2
    """


class NotAskedError(InputError):
    """The subject or the model of a finding is missing, so that the finding can be neither confirmed nor denied."""

    exit_code: ClassVar[int] = 125
    """`git bisect run` skips such a commit; it takes every other code from 1 to 127 for a bad one."""


class HarnessError(ConformanceError):
    """The harness itself failed, so that nothing can be said about the subjects."""

    exit_code: ClassVar[int] = 3


def form_problem(error: Exception) -> str:
    """One of FORM_ERRORS in one line.

    >>> form_problem(KeyError("models"))
    "'models' is missing"
    """
    return f"{error} is missing" if isinstance(error, KeyError) else " ".join(str(error).split())[:200]
