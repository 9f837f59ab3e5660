"""Reads docs/rules.md: the code of each rule, and the usual cause of breaking it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from conformance.core.finding import NO_RULE, NOT_SOUGHT
from conformance.core.resources import rules_file

STREAMS, ANY_CHECK = "Streams", "Any check"
"""The sections of the rules without a stage."""
CODE = re.compile("[A-Z]{3}[0-9]{3}")
_NO_RULES_NUMBER = "000"
"""The number in a code for mismatches that no known rule explains, such as NRM000."""
_PLACEHOLDERS = {"N": r"\d[\d,]*(?:\.\d+)?", "U+N": "U\\+[0-9A-F]+", "X": ".+", "Y": ".+"}


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the tables: variants of one rule.

    code: "NRM003"; it never changes, and is not reused after the line is deleted. section: its stage.
    rules: X, Y and N stand for a token or a number. cause: how implementations usually break them.
    """

    code: str
    section: str
    rules: tuple[str, ...]
    cause: str


@dataclass(slots=True)
class _Section:
    """The rows of a stage by their rules, and by a pattern for one that has a number or a token in it."""

    by_rule: dict[str, Row] = field(default_factory=dict)
    by_pattern: dict[re.Pattern[str], Row] = field(default_factory=dict)

    def add(self, rule: str, row: Row) -> None:
        self.by_rule.setdefault(rule, row)
        words = re.split(r"(\bU\+N\b|(?<!\{)\b[NXY]\b)", rule)
        if len(words) > 1:
            pattern = "".join(_PLACEHOLDERS.get(word) or re.escape(word) for word in words)
            self.by_pattern.setdefault(re.compile(pattern, re.DOTALL), row)


def usual_cause(stage: str, rule: str) -> str:
    """How a tokenizer comes to break a rule, in a few words; "" where docs/rules.md does not say.

    stage: "" for rules of streams, and of any check.

    >>> usual_cause("Input", "text ends at the first NUL")
    'a C string'
    >>> usual_cause("Model", "ids are too high by 4")
    'an integer that is too small, an offset as of fairseq; learnt from a wrong answer'
    >>> usual_cause("Model", "no such rule")
    ''
    """
    return rule_row(stage, rule).cause


def rule_row(stage: str, rule: str) -> Row:
    """Looks up a rule in docs/rules.md; a rule that is not listed gets the number 000 and no cause.

    stage: as of `usual_cause`.

    >>> rule_row("Input", "text ends at the first NUL").code, rule_row("Model", "no known rule: ids are lost").code
    ('INP001', 'MOD000')
    """
    row = _row(stage, rule)
    if row is not None:
        return row
    begin = next((one.code[:3] for one in rows() if one.section == stage), "ANY")
    return Row(begin + _NO_RULES_NUMBER, stage, (NO_RULE,), "")


def _row(stage: str, rule: str) -> Row | None:
    if rule.startswith((NO_RULE, NOT_SOUGHT)):
        return None
    sections = [_sections().get(name, _Section()) for name in ([stage] if stage else [STREAMS, ANY_CHECK])]
    exact = (section.by_rule[rule] for section in sections if rule in section.by_rule)
    patterns = (pair for section in sections for pair in section.by_pattern.items())
    return next(exact, None) or next((row for pattern, row in patterns if pattern.fullmatch(rule)), None)


@cache
def _sections() -> Mapping[str, _Section]:
    found: dict[str, _Section] = {}
    for row in rows():
        section = found.setdefault(row.section, _Section())
        for rule in row.rules:
            section.add(rule, row)
    return found


@cache
def rows() -> tuple[Row, ...]:
    """The lines of docs/rules.md, in their order."""
    found: list[Row] = []
    for part in rules_file().read_text("utf-8").split("\n## ")[1:]:
        section = part.partition("\n")[0].partition(":")[0]
        for line in part.splitlines():
            cells = [cell.replace("\0", "|") for cell in line.replace("\\|", "\0").strip("| ").split(" | ")]
            if len(cells) == 3 and CODE.fullmatch(cells[0]):
                rules = dict.fromkeys((cells[1], *re.split(", (?!Y )", cells[1])))
                found.append(Row(cells[0], section, tuple(rules), cells[2]))
    return tuple(found)
