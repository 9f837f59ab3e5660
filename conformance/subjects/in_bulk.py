"""The common part of the adapters' doors for questions in bulk: one refusal spoils one answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from conformance.subjects.base import refusal

Question = TypeVar("Question")
Answer = TypeVar("Answer")


def at_once(ask: Callable[[], list[Answer]]) -> list[Answer] | None:
    """All answers of one call; None where one of them cannot be had, which spoils them all."""
    try:
        return ask()
    except BaseException as error:
        refusal(error)
        return None


def each(ask: Callable[[Question], Answer], questions: Iterable[Question]) -> list[Answer | None]:
    """The answers one by one; None for what is refused.

    >>> each((12).__truediv__, [4, 0, 3])
    [3.0, None, 4.0]
    """
    return [_one(ask, question) for question in questions]


def _one(ask: Callable[[Question], Answer], question: Question) -> Answer | None:
    try:
        return ask(question)
    except BaseException as error:
        refusal(error)
        return None
