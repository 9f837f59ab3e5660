"""The findings of a run as they are first seen, before they are shrunk, merged and weighed, as is done at the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from conformance.causes.findings import is_to_be_sought
from conformance.causes.weight_class import LEAST_TEXTS, weight_class
from conformance.checks import CHECKS
from conformance.core.finding import NO_RULE, Finding
from conformance.core.rule_table import rule_row
from conformance.core.weight import ALL, Share
from conformance.engine.bench import load_reference
from conformance.engine.result import ShardResult, telling
from conformance.inputs.shards import natural_texts
from conformance.report.run.view import cause, shown_input
from conformance.runs.expectations import Expectation, expectations_here, matching
from conformance.runs.gather import unshrunk
from conformance.runs.job import Job

MOST_OF_INPUT = 60
SOUGHT = "its cause is being sought"


class EnoughFoundError(Exception):
    """As many findings were seen as were asked for."""


class Seen:
    """What a run has seen so far that no expectation lists, a finding a cause.

    A cause is told by its stage and rule, whichever check shows it: so far as can be said of what is not merged.
    """

    def __init__(self, job: Job) -> None:
        self._listed = [*expectations_here(), *job.accepted]
        self._accepted, self._selection = job.accepted, job.selection
        self._natural = natural_texts(job.plan.inputs)
        self._models = {model.name: model for model in job.plan.models}
        self._most = job.most_findings
        self._keys: set[tuple[str, str, str, str]] = set()
        self._named: set[tuple[str, str, str, str]] = set()
        self._before = self._named_before = 0

    @property
    def expectations(self) -> Sequence[Expectation]:
        """What is known."""
        return self._listed

    def knows(self, result: ShardResult) -> None:
        """Take in what an earlier start has found, which does not count."""
        self._first_seen(result)
        self._before = len(self._keys)

    def knows_names(self, found: Iterable[Finding]) -> None:
        """Take in the causes that an earlier start has found, which do not count."""
        self.named(found)
        self._named_before = len(self._named)

    def fresh(self, result: ShardResult) -> tuple[str, ...]:
        """A line for each finding that is first seen in the result of a shard."""
        return tuple(first_line(one, self._weight(one)) for one in self._first_seen(result))

    def named(self, found: Iterable[Finding]) -> tuple[str, ...]:
        """A line for each finding whose cause is found, and was not before."""
        lines = []
        for one in found:
            key = (one.example.model, one.example.subject, one.stage, one.rule)
            if one.confidence is not None and key not in self._named and not self.is_known(one):
                self._named.add(key)
                lines.append(first_line(one, self._weight(one)))
        return tuple(lines)

    def _first_seen(self, result: ShardResult) -> list[Finding]:
        found: list[Finding] = []
        for one in sorted(unshrunk([result], self._natural), key=lambda finding: telling(finding.example)):
            key = (one.example.model, one.example.subject, one.stage, one.rule)
            if key not in self._keys and not self.is_known(one):
                self._keys.add(key)
                found.append(one)
        return found

    def _weight(self, finding: Finding) -> str:
        """How it weighs by this shard alone: as one that changes no natural text, unless it has changed one."""
        changed = sum(share.changed for share in finding.weight.shares)
        model = self._models[finding.example.model]
        so_far = Share(ALL, "texts", changed, max(changed, LEAST_TEXTS))
        kind = weight_class(finding, so_far, load_reference(model))
        return f"{kind} ({changed:,} so far)" if changed else kind

    def check_enough(self) -> None:
        """Raise EnoughFoundError where this start has seen as many as it was to see."""
        seen = max(len(self._keys) - self._before, len(self._named) - self._named_before)
        if self._most and seen >= self._most:
            raise EnoughFoundError

    def is_known(self, finding: Finding) -> bool:
        """Whether a list has it, or may have it under the name that it gets at the end, or its rule does not count.

        What a baseline lists by one check is known by the others too; and what is seen by a check by which it lists
        something without a known rule may turn out to be that. A finding whose cause is still to be sought may turn out
        to be whatever is listed of its subject and model.
        """
        if matching(self._listed, finding):
            return True
        check = finding.example.check
        if is_to_be_sought(finding):
            sought = (one for one in self._listed if one.check in CHECKS and CHECKS[one.check].is_sampled)
            return any(one.lists(_as_if(finding, one.check, one.rule)) for one in sought)
        if not self._selection.takes(rule_row(finding.stage, finding.rule).code):
            return True
        unnamed = (one for one in self._accepted if one.check == check and one.rule.startswith(NO_RULE))
        return any(one.lists(_as_if(finding, check, one.rule)) for one in unnamed) or any(
            one.lists(_as_if(finding, one.check, finding.rule)) for one in self._accepted
        )


def _as_if(finding: Finding, check: str, rule: str) -> Finding:
    """The finding, by another check and of another rule."""
    return replace(finding, example=replace(finding.example, check=check), rule=rule)


def first_line(finding: Finding, weight: str) -> str:
    """A finding that is not shrunk in a line: how it weighs as far as is known, whose it is, its rule and its input.

    >>> from conformance.core.case import text_case
    >>> from conformance.core.finding import Mismatch
    >>> example = Mismatch("m", "mine.py:M", "ids", "other ids", "other ids", text_case("cafe", ""), "", "")
    >>> first_line(Finding(example, 1, (), "Normalizer", "NFC is missing", ""), "natural text (7 so far)")
    '✗ natural text (7 so far): other ids  mine.py:M on m, ids  Normalizer: NFC is missing  “cafe”'
    >>> first_line(Finding(example, 1, (), "", "other ids", ""), "rare text")
    '✗ rare text: other ids  mine.py:M on m, ids  its cause is being sought  “cafe”'
    """
    example = finding.example
    rule = SOUGHT if is_to_be_sought(finding) else cause(finding)
    place = f"{example.subject} on {example.model}, {example.check}"
    shown = shown_input(example.case, MOST_OF_INPUT)
    return f"✗ {weight}: {example.severity}  {place}  {rule}  {f'“{shown}”' if example.case.kind == 'text' else shown}"
