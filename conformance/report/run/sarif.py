"""A run as SARIF 2.1.0, for services that show findings beside the code: one result a finding, one rule a code.

Source of the form: OASIS, Static Analysis Results Interchange Format Version 2.1.0. Source of the limits: GitHub,
"SARIF support for code scanning": 25,000 results a run, of which 5,000 are shown; 10 MB, packed by gzip; a result is
shown at a file of the repository only. A tokenizer's mistake has no line that the harness knows, so it stands where its
subject.toml or FILE.py names the subject.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from conformance.core.finding import Finding
from conformance.core.rule_table import rule_row
from conformance.core.run import Run, SubjectInfo
from conformance.report.run import view
from conformance.report.run.weight_words import weight_words
from conformance.report.text import visible

VERSION = "2.1.0"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_RESULTS = 5_000
MOST_BYTES = 9_500_000
"""Packed by gzip: a little below the 10 MB that are taken."""
_MOST_LETTERS = 1_000
"""Of a message."""


def sarif_json(run: Run) -> str:
    """The document: the findings that no expectation lists, the heaviest first, as many as are shown.

    How many were left out stands among the notifications, with the problems of the run.
    """
    findings = view.new_findings(run)
    shown = findings[:MOST_RESULTS]
    text = _document(run, shown, len(findings) - len(shown))
    while len(text.encode()) > MOST_BYTES < len(gzip.compress(text.encode(), 6)):
        shown = shown[: len(shown) // 2]
        text = _document(run, shown, len(findings) - len(shown))
    return text


def _document(run: Run, findings: Sequence[Finding], left_out: int) -> str:
    rules = {rule_row(finding.stage, finding.rule).code: _rule(finding) for finding in findings}
    numbers = {rule: number for number, rule in enumerate(rules)}
    subjects = {subject.name: subject for subject in run.subjects}
    results = [_result(finding, numbers, subjects) for finding in findings]
    version = {"version": run.versions["reftok"]} if run.versions.get("reftok") else {}
    value = {
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [
            {
                "tool": {"driver": {"name": "conformance", **version, "rules": list(rules.values())}},
                "invocations": [_invocation(run, left_out)],
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _result(finding: Finding, rules: Mapping[str, int], subjects: Mapping[str, SubjectInfo]) -> Mapping[str, Any]:
    """A finding. rules: the number of each rule, by its id."""
    rule, example = rule_row(finding.stage, finding.rule).code, finding.example
    return {
        "ruleId": rule,
        "ruleIndex": rules[rule],
        "level": level(finding),
        "message": {"text": _message(finding)},
        "locations": [_location(example.subject, subjects.get(example.subject))],
        # GitHub tells alerts apart by the first, which it would else make of the line: the same for every finding.
        "partialFingerprints": {
            "primaryLocationLineHash": f"{finding.fingerprint}:1",
            "conformanceFinding/v1": finding.fingerprint,
        },
        "properties": {
            "severity": example.severity,
            "weight": visible(weight_words(finding.weight), 400),
            "seen": finding.count,
            "replay": visible(finding.replay, 400),
        },
    }


def _rule(finding: Finding) -> Mapping[str, Any]:
    row = rule_row(finding.stage, finding.rule)
    return {
        "id": row.code,
        "shortDescription": {"text": _literal(row.rules[0])},
        "help": {"text": _literal(f"How it comes about: {row.cause}." if row.cause else "No known rule explains it.")},
        "properties": {"tags": ["tokenizer", *([visible(finding.stage, 40)] if finding.stage else [])]},
    }


def level(finding: Finding) -> str:
    """By its weight, whatever fails the run: what changes natural text, then what else is no choice or edge."""
    if finding.weight.fails("natural"):
        return "error"
    return "warning" if finding.weight.fails("edge") else "note"


def _message(finding: Finding) -> str:
    """What is wrong where, on which input, and both answers."""
    said = dict(view.fields(finding, 80))
    lines = [f"{view.place(finding)}: {view.accusation(finding)}. {visible(view.cause(finding))}"]
    lines += [f"{name}: {said[name]}" for name in ("input", "expected", "observed", "scope", "weight") if name in said]
    text = "\n".join(lines)
    return _literal(text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}…")


def _literal(text: str) -> str:
    r"""A text in which no brace is a placeholder (SARIF 3.11.5), and no bracket begins a link (3.11.6).

    >>> print(_literal(r"\u{200b} [a](b)"))
    \\u{{200b}} \[a\](b)
    """
    for character in "\\[]":
        text = text.replace(character, f"\\{character}")
    return text.replace("{", "{{").replace("}", "}}")


def _location(name: str, subject: SubjectInfo | None) -> Mapping[str, Any]:
    """The place that names the subject; for one that no file tells of, a file of its name, at which nothing is lost."""
    file, line = (subject.file, subject.line) if subject is not None and subject.file else (visible(name), 1)
    uri = quote(file.encode("utf-8", "backslashreplace"))
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": max(1, line)},
        }
    }


def _invocation(run: Run, left_out: int) -> Mapping[str, Any]:
    told = [visible(problem, 1_000) for problem in run.problems]
    told += [f"{view.plural(left_out, 'more finding')} in findings.jsonl"] if left_out else []
    return {
        "executionSuccessful": run.verdict != "incomplete",
        "commandLine": visible(run.command, 2_000),
        "exitCode": run.exit_code,
        "toolExecutionNotifications": [{"level": "warning", "message": {"text": _literal(text)}} for text in told],
    }
