"""The findings of a run as they are first seen, before they are shrunk, merged and weighed, as is done at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conformance.core.finding import NO_RULE, Finding
from conformance.engine.repeating import UNREPEATED
from conformance.engine.result import ShardResult, telling
from conformance.inputs.corpora import is_natural
from conformance.report.run.view import cause, shown_input
from conformance.runs.expectations import Expectation, expectations_here, matching
from conformance.runs.gather import unshrunk
from conformance.runs.job import Job

MOST_OF_INPUT = 60


class EnoughFoundError(Exception):
    """As many findings were seen as were asked for."""


class Seen:
    """What a run has seen so far that no expectation lists, a finding a cause.

    A cause is told by its stage and rule, whichever check shows it: so far as can be said of what is not merged.
    """

    def __init__(self, job: Job) -> None:
        self._listed = [*expectations_here(), *job.accepted]
        self._accepted = job.accepted
        self._natural = {path.stem for path in job.plan.inputs.files if is_natural(path)}
        self._most = job.most_findings
        self._keys: set[tuple[str, str, str, str]] = set()
        self._before = 0

    @property
    def expectations(self) -> Sequence[Expectation]:
        """What is known."""
        return self._listed

    def knows(self, result: ShardResult) -> None:
        """Take in what an earlier start has found, which does not count."""
        self.fresh(result)
        self._before = len(self._keys)

    def fresh(self, result: ShardResult) -> tuple[str, ...]:
        """A line for each finding that is first seen in the result of a shard."""
        lines: list[str] = []
        for one in sorted(unshrunk([result]), key=lambda finding: telling(finding.example)):
            key = (one.example.model, one.example.subject, one.stage, one.rule)
            if key not in self._keys and not self._is_known(one):
                self._keys.add(key)
                lines.append(first_line(one, not self._natural.isdisjoint(one.languages)))
        return tuple(lines)

    def check_enough(self) -> None:
        """Raise EnoughFoundError where this start has seen as many as it was to see."""
        if self._most and len(self._keys) - self._before >= self._most:
            raise EnoughFoundError

    def _is_known(self, finding: Finding) -> bool:
        """Whether a list has it; what a baseline lists by one check is known by the others too."""
        if matching(self._listed, finding):
            return True
        return any(
            one.lists(replace(finding, example=replace(finding.example, check=one.check))) for one in self._accepted
        )


def first_line(finding: Finding, is_natural_text: bool) -> str:
    """A finding that is not shrunk in a line: how it weighs as far as is known, whose it is, its rule and its input.

    >>> from conformance.core.case import text_case
    >>> from conformance.core.finding import Mismatch
    >>> example = Mismatch("m", "mine.py:M", "ids", "r", "other ids", text_case("cafe", ""), "", "")
    >>> first_line(Finding(example, 1, (), "Normalizer", "NFC is missing", ""), is_natural_text=True)
    '✗ natural text: other ids  mine.py:M on m, ids  Normalizer: NFC is missing  “cafe”'
    >>> first_line(Finding(example, 1, (), "", "another id", ""), is_natural_text=False)
    '✗ other ids  mine.py:M on m, ids  no known rule: another id  “cafe”'
    """
    example = finding.example
    weight = f"{'natural text: ' if is_natural_text else ''}{example.severity}"
    is_named = finding.stage or finding.rule in UNREPEATED or finding.rule.startswith(NO_RULE)
    rule = cause(finding) if is_named else f"{NO_RULE}: {finding.rule}"
    place = f"{example.subject} on {example.model}, {example.check}"
    shown = shown_input(example.case, MOST_OF_INPUT)
    return f"✗ {weight}  {place}  {rule}  {f'“{shown}”' if example.case.kind == 'text' else shown}"
