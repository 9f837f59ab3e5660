"""Which inputs tell which fault from the right answer: each fault of the model, asked about each input.

Faults are spread over processes; what is found of one hangs on no other, so it is the same on any number of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from multiprocessing import get_context
from typing import TypeAlias

from conformance.causes.edits import DecodingFault, Fault, decoding_faults, faults, of_classes, predicted
from conformance.causes.edits.limits import (
    UNITS,
    Words,
    cut_ids,
    cut_text,
    dropped_text,
    last_ids,
    length,
    text_in_pieces,
)
from conformance.causes.edits.older_releases import release_decoding_faults, release_faults
from conformance.engine.bench import load_reference
from conformance.engine.plan import ModelPlan
from reftok import Tokenizer

Rule: TypeAlias = tuple[str, str]
"""A stage and what is wrong there."""
Given: TypeAlias = str | tuple[int, ...]

LIMITS = (64, 128, 255, 512, 1024, 2048, 4000)
"""Of texts, in each unit, and in tokens."""
WORD_LIMITS = (16, 64, 128, 255)
_WORD_UNITS = UNITS[:2]
LONGEST_WORD_TEXT = 600
LONGEST_TELLING = 64
"""Characters: a longer text tells too much at once, so only limits are looked for in it."""
LONGEST_DATED = 160
"""But many characters in a text tell better of which version of Unicode a table is."""
_DATED = "characters are those of"
_NUMBER = re.compile(r"\b\d+(?= (?:characters|bytes|UTF-16 units|tokens))")
DOUBTFUL = ("\x85", "\u180e", "\u088f")
"""Characters that tables of classes differ about: white space today, white space once, a letter of late."""
_CHUNK = 8
MOST_OF_A_LIMIT = 1
"""Inputs that tell a limit: there are many limits of a rule."""


def rule_of(fault: Fault | DecodingFault) -> Rule:
    """The rule of a fault as docs/rules.md has it, with N for a limit.

    >>> rule_of(Fault("Input", "the text is cut at 255 bytes", len))
    ('Input', 'the text is cut at N bytes')
    """
    return fault.stage, without_limit(fault.rule)


def without_limit(rule: str) -> str:
    """A rule with N for the number of its limit.

    >>> without_limit("words are cut at 64 characters"), without_limit("digits in groups of 3")
    ('words are cut at N characters', 'digits in groups of 3')
    """
    return _NUMBER.sub("N", rule)


@dataclass(frozen=True, slots=True)
class FaultNumber:
    """A fault by its place. kind: "text", "limit" or "ids". rule: of it. least: the limit, 0 where there is none."""

    kind: str
    number: int
    rule: Rule
    least: int = 0

    @property
    def is_dated(self) -> bool:
        """Whether it is about the tables of a version of Unicode."""
        return self.rule[1].startswith(_DATED)

    def concerns(self, given: Given) -> bool:
        """Whether it is worth asking: limits about long texts, all else about short ones."""
        if self.kind != "limit":
            longest = LONGEST_DATED if self.is_dated else LONGEST_TELLING
            return isinstance(given, tuple) or len(given) <= longest
        if isinstance(given, tuple) or (self.rule[0] == "Model" and len(given) > LONGEST_WORD_TEXT):
            return False
        return length(given, next((unit for unit in UNITS if unit in self.rule[1]), "bytes")) > self.least


class FaultTable:
    """All faults of a model, made anew in each process in the same order."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._right: dict[Given, object] = {}
        self.by_kind: Mapping[str, Sequence[Fault | DecodingFault]] = {
            "text": [
                *release_faults(tokenizer),
                *faults(tokenizer),
                *(fault for one in DOUBTFUL for fault in of_classes(tokenizer, one)),
            ],
            "limit": [fault for fault, _ in self._limits],
            "ids": [*release_decoding_faults(tokenizer), *decoding_faults(tokenizer)],
        }

    @cached_property
    def _limits(self) -> list[tuple[Fault, int]]:
        return [*limit_faults(self._tokenizer)]

    @property
    def numbers(self) -> list[FaultNumber]:
        """The faults by their places."""
        return [
            FaultNumber(kind, number, rule_of(fault), self._limits[number][1] if kind == "limit" else 0)
            for kind, some in self.by_kind.items()
            for number, fault in enumerate(some)
        ]

    def kills(self, which: FaultNumber, given: Given) -> bool:
        """Whether the fault answers otherwise than it should, or breaks down."""
        fault = self.by_kind[which.kind][which.number]
        if isinstance(given, str) != isinstance(fault, Fault) or not which.concerns(given):
            return False
        if given not in self._right:
            self._right[given] = predicted(partial(_answer, self._tokenizer.encode_ids, self._tokenizer.decode, given))
        right = self._right[given]
        if right is None:
            return False
        if isinstance(fault, Fault):
            assert isinstance(given, str)
            found: object = predicted(lambda: list(fault.ids(given)))
        else:
            assert isinstance(given, tuple)
            found = predicted(lambda: [fault.text(given, skips) for skips in (True, False)])
        return found != right

    def tells_decoding(self, number: int, ids: tuple[int, ...], skips: bool) -> bool:
        """Whether a fault of decoding gives another text with special tokens skipped, or with them kept.

        number: its place among those of ids.
        """
        fault = self.by_kind["ids"][number]
        assert isinstance(fault, DecodingFault)
        found = predicted(lambda: fault.text(ids, skips))
        return found != self._tokenizer.decode(ids, skip_special_tokens=skips)


def _answer(
    encode: Callable[[str], Sequence[int]], decode: Callable[..., str], given: Given
) -> Sequence[int] | Sequence[str]:
    if isinstance(given, str):
        return list(encode(given))
    return [decode(given, skip_special_tokens=skips) for skips in (True, False)]


def limit_faults(tokenizer: Tokenizer) -> Iterator[tuple[Fault, int]]:
    """Limits of texts and words, which no file foretells, each with the characters or bytes that it needs to matter."""
    for limit in LIMITS:
        for unit in UNITS:
            for make in (cut_text, dropped_text, text_in_pieces):
                yield make(tokenizer, unit, limit), limit
        for keeps in (True, False):
            yield cut_ids(tokenizer, limit, keeps), limit
            yield last_ids(tokenizer, limit, keeps), limit
    words = Words(tokenizer)
    others = [*words.otherwise()]
    for limit in WORD_LIMITS:
        for unit in _WORD_UNITS:
            yield words.cut_off(unit, limit), limit
            yield words.in_pieces(unit, limit), limit
            yield from ((words.beyond(rule, unit, limit, other), limit) for rule, other in others)
        yield words.tokens_cut_off(limit), limit


@dataclass(frozen=True, slots=True)
class _Work:
    """What a process does with each fault. most: it stops at so many killing inputs, None to ask about all."""

    model: ModelPlan
    given: Sequence[Given] = field(repr=False)
    most: int | None


_table: list[tuple[_Work, FaultTable]] = []
"""Of this process: the work that it was started for."""


def killing(
    table: FaultTable,
    model: ModelPlan,
    given: Sequence[Given],
    which: Sequence[FaultNumber],
    most: int | None,
    jobs: int,
) -> list[list[int]]:
    """For each fault, the numbers of the inputs that tell it, in ascending order; at most so many.

    table: of the model, which other processes read themselves. jobs: processes; with one, all is done
    in this one, by the table, which need not make its faults anew for the next question.
    """
    work = _Work(model, given, most)
    chunks = [which[start : start + _CHUNK] for start in range(0, len(which), _CHUNK)]
    if jobs == 1:
        return [found for chunk in chunks for found in _of_chunk(work, table, chunk)]
    with ProcessPoolExecutor(jobs, get_context("spawn"), _start, (work,)) as pool:
        return [found for part in pool.map(_in_process, chunks) for found in part]


def _start(work: _Work) -> None:
    _table.append((work, FaultTable(load_reference(work.model))))


def _in_process(chunk: Sequence[FaultNumber]) -> list[list[int]]:
    return _of_chunk(*_table[0], chunk)


def _of_chunk(work: _Work, table: FaultTable, chunk: Iterable[FaultNumber]) -> list[list[int]]:
    return [_of_fault(work, table, which) for which in chunk]


def _of_fault(work: _Work, table: FaultTable, which: FaultNumber) -> list[int]:
    found: list[int] = []
    most = work.most if which.kind != "limit" or work.most is None else MOST_OF_A_LIMIT
    for number, given in enumerate(work.given):
        if table.kills(which, given):
            found.append(number)
            if len(found) == most:
                break
    return found
