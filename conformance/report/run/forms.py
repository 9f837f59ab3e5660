"""A run for programs, as lines on standard output: a finding in a line, JSON, or annotations of GitHub.

Source of the commands: GitHub, "Workflow commands for GitHub Actions", which shows ten annotations of a level and step.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from conformance.core.finding import Finding
from conformance.core.run import Run, finding_to_json, run_to_json
from conformance.report.run import view
from conformance.report.run.sarif import level
from conformance.report.run.weight_words import brief_words
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
    yield from (f"#{number} {_sentence(finding)}" for number, finding in view.numbered(run, view.new_findings(run)))
    yield view.headline(run)


def _sentence(finding: Finding) -> str:
    """A finding in one line."""
    expected, observed = view.answers(finding.example, 60).lines
    answers = f"{view.numbered_input(finding.example.case, 40)}: expected {expected} ≠ observed {observed}"
    what = visible(view.cause(finding), 400)
    return f"{view.place(finding)}: {brief_words(finding.weight) or finding.example.severity}: {what}: {answers}"


def _annotations(run: Run) -> Iterator[str]:
    """An annotation for each finding, at the file that names the subject where one does, and for each problem."""
    subjects = {subject.name: subject for subject in run.subjects}
    for finding in view.new_findings(run)[:MOST_ANNOTATIONS]:
        kind, subject = level(finding), subjects.get(finding.example.subject)
        named = {"title": visible(view.cause(finding))}
        if subject is not None and subject.file:
            named = {"file": subject.file, "line": str(max(1, subject.line)), **named}
        properties = ",".join(f"{name}={_replaced(value, _ESCAPES_OF_NAMES)}" for name, value in named.items())
        yield f"::{_LEVELS.get(kind, kind)} {properties}::{_replaced(_sentence(finding), _ESCAPES)}"
    for problem in run.problems[:MOST_ANNOTATIONS]:
        yield f"::error::{_replaced(visible(problem, 2_000), _ESCAPES)}"


def _replaced(text: str, escapes: dict[str, str]) -> str:
    """A text in which nothing ends the command.

    >>> _replaced("50 %: a,b", _ESCAPES_OF_NAMES)
    '50 %25%3A a%2Cb'
    """
    return "".join(escapes.get(character, character) for character in text)
