"""Both token sequences of a finding under the text that they stand for, in lines of a fixed pitch."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len

from conformance.core.evidence import SeenToken
from conformance.core.finding import Finding
from conformance.report.run.alignment import Group, aligned
from conformance.report.text import visible

_AROUND = 2
"""Equal groups that are shown on either side of what differs."""
_MOST_GROUPS = 9
_LONGEST = 24
"""Code points of a text or token."""
_NOTHING = "∅"


def aligned_lines(finding: Finding) -> list[str]:
    """The text, the expected and the observed tokens, a line each, with a bar between groups; none without tokens.

    >>> from conformance.core.case import text_case
    >>> from conformance.core.evidence import Evidence
    >>> from conformance.core.finding import Mismatch
    >>> tokens = SeenToken(7, "a", (0, 1)), SeenToken(8, "b", (1, 2)), SeenToken(9, "cd")
    >>> seen = Evidence(expected=tokens[:2], observed=tokens[:1] + tokens[2:])
    >>> example = Mismatch("m", "s", "ids", "r", "other ids", text_case("ab", ""), "", "", seen)
    >>> for line in aligned_lines(Finding(example, 1, (), "", "r", "tokenizers")):
    ...     print(line)
    text      a │ b
    expected  a │ b
    observed  a │ cd
    """
    evidence = finding.example.evidence
    if not evidence.expected or not evidence.observed:
        return []
    groups = _around(aligned(finding.example.case, evidence))
    columns = [(visible(group.text, _LONGEST), _shown(group.expected), _shown(group.observed)) for group in groups]
    widths = [max(map(cell_len, column)) for column in columns]
    rows = zip(("text", "expected", "observed"), zip(*columns, strict=True), strict=True)
    return [f"{name:8}  {' │ '.join(_padded(row, widths))}".rstrip() for name, row in rows]


def _around(groups: list[Group]) -> list[Group]:
    """The groups from a few before the first that differs; all of them where none does."""
    first = next((number for number, group in enumerate(groups) if group.differs), 0)
    last = max((number for number, group in enumerate(groups) if group.differs), default=len(groups))
    start = max(0, first - _AROUND)
    return groups[start : min(last + _AROUND + 1, start + _MOST_GROUPS)]


def _shown(tokens: Iterable[SeenToken]) -> str:
    return " ".join(visible(token.token, _LONGEST) or str(token.id) for token in tokens) or _NOTHING


def _padded(row: Iterable[str], widths: Iterable[int]) -> Iterable[str]:
    return (cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True))
