"""A finding as the text of an issue, in Markdown, to be pasted where the tokenizer's authors read it."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.core.finding import Finding
from conformance.core.run import Run
from conformance.report.markdown import code, escaped, prose
from conformance.report.run import view
from conformance.report.run.alignment import aligned
from conformance.report.run.blocks import ANSWERS
from conformance.report.run.snippet import reproduction_command, snippet
from conformance.report.text import visible

LONGEST, LONGEST_COMMAND = 200, 4_000
MOST_GROUPS = 12
"""Parts of the text in the table of tokens."""


def issue_markdown(run: Run, finding: Finding) -> str:
    """The issue: a title, what is wrong and how much it matters, both answers, their tokens, how to see it again."""
    example = finding.example
    deed = f"{example.subject} {view.accusation(finding)}: {finding.rule}"
    return "\n".join(
        [
            f"### {prose(deed, 400)}",
            "",
            *_facts(finding),
            *_tokens(finding),
            *_again(run, finding),
            "",
            f"Found by `conformance` with {', '.join(_versions(run, finding))}.",
            "",
        ]
    )


def _facts(finding: Finding) -> Iterator[str]:
    example, by = finding.example, view.expected_by(finding)
    yield f"- model: {prose(example.model, 80)}, check: {prose(example.check)}"
    beside = {
        "expected": f" (by {prose(by)})" if by else "",
        "observed": f" (by {prose(example.subject, 80)})",
    }
    for name, value in view.fields(finding, LONGEST):
        yield f"- {name}: {code(value) + beside.get(name, '') if name in ANSWERS else escaped(value)}"


def _tokens(finding: Finding) -> Iterator[str]:
    evidence = finding.example.evidence
    groups = aligned(finding.example.case, evidence) if evidence.expected else []
    if not groups:
        return
    yield from ("", "| text | expected | observed |", "|---|---|---|")
    for group in groups[:MOST_GROUPS]:
        sides = (" ".join(f"{_cell(one.token)} {one.id}" for one in side) for side in (group.expected, group.observed))
        yield f"| {_cell(group.text)} | {' | '.join(sides)} |"
    if len(groups) > MOST_GROUPS or evidence.is_cut:
        yield "| … | | |"


def _cell(text: str) -> str:
    r"""Foreign text in a table, where a code span would let a bar end the cell.

    >>> print(_cell("a|b"))
    a\|b
    """
    return prose(text, 60) if text else "(empty)"


def _again(run: Run, finding: Finding) -> Iterator[str]:
    model = next((item for item in run.models if item.name == finding.example.model), None)
    lines = snippet(finding, model)
    if lines:
        yield from ("", "What the official library answers:", "", "```python", *lines.splitlines(), "```")
    if command := reproduction_command(finding, model) or finding.replay:
        yield from ("", "Asked again by:", "", f"    {visible(command, LONGEST_COMMAND)}")


def _versions(run: Run, finding: Finding) -> Iterator[str]:
    subject = next((one for one in run.subjects if one.name == finding.example.subject), None)
    yield f"{prose(finding.example.subject, 80)} {prose(subject.version) if subject else ''}".strip()
    yield from (f"{visible(name)} {visible(version)}" for name, version in run.versions.items())
