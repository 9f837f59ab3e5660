"""Selects the findings that count by the codes of their rules: `--select` and `--ignore`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from conformance.core.finding import Finding
from conformance.core.rule_table import rule_row


@dataclass(frozen=True, slots=True)
class Selection:
    """Codes of rules, or prefixes of codes, that count or do not. The longest matching one decides, as in ruff.

    select: those that count; all where it is empty. ignore: those that do not.

    >>> [Selection(ignore=("NRM", "DEC001")).takes(code) for code in ("NRM003", "DEC001", "DEC002")]
    [False, False, True]
    >>> [Selection(("NRM", "DEC"), ("DEC001",)).takes(code) for code in ("NRM003", "DEC001", "MOD002")]
    [True, False, False]
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def takes(self, code: str) -> bool:
        """Whether findings with this code count."""
        return _longest(self.select or ("",), code) > _longest(self.ignore, code)

    def counted(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """The findings; those that do not count are marked as known, so that reports still show them."""
        return tuple(one if self.takes(rule_row(one.stage, one.rule).code) else _uncounted(one) for one in findings)


def _longest(begins: Iterable[str], code: str) -> int:
    return max((len(begin) for begin in begins if code.startswith(begin)), default=-1)


def _uncounted(finding: Finding) -> Finding:
    code = rule_row(finding.stage, finding.rule).code
    return replace(finding, status="known", reason=f"{code} does not count here, by --select or --ignore")
