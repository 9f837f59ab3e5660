"""What usually breaks a rule: the tables of docs/rules.md, by stage."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from conformance.core.finding import NO_RULE
from conformance.core.resources import rules_file

STREAMS, ANY_CHECK = "Streams", "Any check"
"""The sections of the rules without a stage."""
_PLACEHOLDERS = {"N": r"\d[\d,]*(?:\.\d+)?", "U+N": "U\\+[0-9A-F]+", "X": ".+", "Y": ".+"}


@dataclass(slots=True)
class _Section:
    """The causes of a stage's rules: by the rule, and by a pattern for one that has a number or a token in it."""

    by_rule: dict[str, str] = field(default_factory=dict)
    by_pattern: dict[re.Pattern[str], str] = field(default_factory=dict)

    def add(self, rule: str, cause: str) -> None:
        self.by_rule.setdefault(rule, cause)
        words = re.split(r"(\bU\+N\b|(?<!\{)\b[NXY]\b)", rule)
        if len(words) > 1:
            pattern = "".join(_PLACEHOLDERS.get(word) or re.escape(word) for word in words)
            self.by_pattern.setdefault(re.compile(pattern, re.DOTALL), cause)


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
    if rule.startswith(NO_RULE):
        return ""
    sections = [_sections().get(name, _Section()) for name in ([stage] if stage else [STREAMS, ANY_CHECK])]
    exact = (section.by_rule[rule] for section in sections if rule in section.by_rule)
    patterns = (pair for section in sections for pair in section.by_pattern.items())
    return next(exact, "") or next((cause for pattern, cause in patterns if pattern.fullmatch(rule)), "")


@cache
def _sections() -> Mapping[str, _Section]:
    found: dict[str, _Section] = {}
    for part in rules_file().read_text("utf-8").split("\n## ")[1:]:
        section = found.setdefault(part.partition("\n")[0].partition(":")[0], _Section())
        for line in part.splitlines():
            cells = line.replace("\\|", "\0").strip("| ").split(" | ")
            if line.startswith("| ") and len(cells) == 2 and cells[0] != "rule":
                rules, cause = (cell.replace("\0", "|") for cell in cells)
                for rule in dict.fromkeys((rules, *re.split(", (?!Y )", rules))):
                    section.add(rule, cause)
    return found
