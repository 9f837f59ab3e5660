"""The search for a smaller model: the smallest that was accepted, and how often one may still be offered.

A step of the search is a function that offers models, each smaller than the accepted one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic, Protocol, TypeAlias, TypeVar

from conformance.core.case import Case

Fails: TypeAlias = Callable[[bytes, Case], bool]
"""Whether a model file and a case still show the mismatch."""


class ShrinkableModel(Protocol):
    """A model file, taken apart."""

    def written(self, case: Case) -> tuple[bytes, Case] | None:
        """The file, and the case with its ids there; None where a token of the case is not there any more."""
        ...


Model = TypeVar("Model", bound=ShrinkableModel)


class Search(Generic[Model]):
    """A model and a case that fail, made smaller.

    model: the smallest so far; case: as in the file that was first read.
    attempts: how many files may be tried; one that was tried before does not count.
    """

    def __init__(self, model: Model, case: Case, fails: Fails, attempts: int) -> None:
        self.model = model
        self.case = case
        self._fails = fails
        self._left = attempts
        self._tried: set[bytes] = set()

    def offer(self, model: Model) -> bool:
        """Take the model if it still fails."""
        written = model.written(self.case)
        if written is None:
            return False
        digest = hashlib.sha256(written[0]).digest()
        if digest in self._tried:
            return False
        if not self._left:
            raise _NoAttemptsLeftError
        self._left -= 1
        self._tried.add(digest)
        if self._fails(*written):
            self.model = model
            return True
        return False

    def run(self, steps: Sequence[Callable[[Search[Model]], None]]) -> None:
        """Take the steps one after another, until none of them gets further or no attempts are left."""
        with suppress(_NoAttemptsLeftError):
            before = None
            while before is not self.model:
                before = self.model
                for step in steps:
                    step(self)


class _NoAttemptsLeftError(Exception):
    pass


def parts_of(texts: Sequence[str]) -> set[str]:
    """Every part of the texts that is not empty.

    >>> sorted(parts_of(["aba"]))
    ['a', 'ab', 'aba', 'b', 'ba']
    """
    return {text[start:end] for text in texts for start in range(len(text)) for end in range(start + 1, len(text) + 1)}
