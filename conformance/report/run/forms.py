"""A run for programs, as lines on standard output: a finding in a line, JSON, or annotations of GitHub.

Source of the commands: GitHub, "Workflow commands for GitHub Actions", which shows ten annotations of a level and step.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from conformance.core.finding import Finding
from conformance.core.run import Run, finding_to_json, run_to_json
from conformance.report.blocks import phrases
from conformance.report.run import view
from conformance.report.run.sarif import level
from conformance.report.run.terminal import in_two_lines
from conformance.report.text import harmless, visible

FORMS = ("concise", "json", "github")
MOST_ANNOTATIONS = 10
_LEVELS = {"note": "notice"}
_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_ESCAPES_OF_NAMES = {**_ESCAPES, ":": "%3A", ",": "%2C"}


def in_form(run: Run, form: str) -> str:
    """The document of a form: what no expectation lists, the heaviest first; as JSON, all of the run."""
    if form == "json":
        value = {**run_to_json(run), "findings": list(map(finding_to_json, run.findings))}
        return json.dumps(value, ensure_ascii=True, sort_keys=True) + "\n"
    lines = _concise(run) if form == "concise" else _annotations(run)
    return "".join(f"{harmless(line)}\n" for line in lines)


def _concise(run: Run) -> Iterator[str]:
    yield from (_sentence(run, *one) for one in view.numbered(run, view.new_findings(run)))
    yield view.headline(run)


def _sentence(run: Run, number: int, finding: Finding) -> str:
    """A finding in one line: the two of the terminal, and its place."""
    lines = ("".join(part.text for part in phrases(line)) for line in in_two_lines(run, number, finding))
    return f"{'  '.join(map(str.strip, lines))}  {view.place(finding)}"


def _annotations(run: Run) -> Iterator[str]:
    """An annotation for each finding, at the file that names the subject where one does, and for each problem."""
    subjects = {subject.name: subject for subject in run.subjects}
    for number, finding in view.numbered(run, view.new_findings(run)[:MOST_ANNOTATIONS]):
        kind, subject = level(finding), subjects.get(finding.example.subject)
        named = {"title": visible(view.cause(finding))}
        if subject is not None and subject.file:
            named = {"file": subject.file, "line": str(max(1, subject.line)), **named}
        properties = ",".join(f"{name}={_replaced(value, _ESCAPES_OF_NAMES)}" for name, value in named.items())
        yield f"::{_LEVELS.get(kind, kind)} {properties}::{_replaced(_sentence(run, number, finding), _ESCAPES)}"
    for problem in run.problems[:MOST_ANNOTATIONS]:
        yield f"::error::{_replaced(visible(problem, 2_000), _ESCAPES)}"


def _replaced(text: str, escapes: dict[str, str]) -> str:
    """A text in which nothing ends the command.

    >>> _replaced("50 %: a,b", _ESCAPES_OF_NAMES)
    '50 %25%3A a%2Cb'
    """
    return "".join(escapes.get(character, character) for character in text)
