"""The folder of a run: run.json and findings.jsonl for machines; a report, a summary and a badge for people.

Each file is replaced whole. All are rendered before the first is written; run.json comes last, so that a folder with
one is complete, and is emptied before findings.jsonl is replaced, so that the two never tell of different runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.core.errors import FORM_ERRORS, InputError, form_problem
from conformance.core.finding import Finding
from conformance.core.run import SCHEMA_VERSION, Run, finding_from_json, finding_to_json, run_from_json, run_to_json
from conformance.files.atomic import write_atomically
from conformance.report.run.badge import badge_json, badge_svg
from conformance.report.run.blocks import summary_markdown
from conformance.report.run.html import html_report
from conformance.report.run.junit import junit_xml
from conformance.report.run.sarif import sarif_json
from reftok.formats.files import file_bytes

RUN, FINDINGS, HTML, JUNIT, SUMMARY = "run.json", "findings.jsonl", "report.html", "junit.xml", "summary.md"
BADGE, BADGE_ENDPOINT, SARIF = "badge.svg", "badge.json", "findings.sarif"


def write_run_folder(run: Run, folder: Path, coverage: Mapping[str, Any] | None = None) -> None:
    """Writes the eight files; makes the folder where it is missing, replaces what an older run left.

    coverage: of a session, as coverage.json has it; the report shows it.
    """
    lines = [json.dumps(finding_to_json(finding), ensure_ascii=True, sort_keys=True) for finding in run.findings]
    texts = {
        HTML: html_report(run, coverage),
        JUNIT: junit_xml(run),
        SUMMARY: summary_markdown(run),
        SARIF: sarif_json(run),
        BADGE: badge_svg(run),
        BADGE_ENDPOINT: badge_json(run),
        FINDINGS: "".join(f"{line}\n" for line in lines),
        RUN: json.dumps(run_to_json(run), indent=1, ensure_ascii=True, sort_keys=True) + "\n",
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        if name == FINDINGS and (folder / RUN).exists():
            write_atomically(folder / RUN, "")
        write_atomically(folder / name, text)


def read_run_folder(folder: Path) -> Run:
    """The run that `write_run_folder` wrote; an `InputError` names the file, the place and what is wrong there."""
    path = folder / RUN
    if not folder.exists():
        raise InputError(f"{folder}: there is no such folder")
    if not path.exists():
        raise InputError(f"{folder}: is not the folder of a finished run: it has no {RUN}")
    text = _read(path)
    if not text:
        raise InputError(f"{path}: is truncated: its run was killed while it ended; go on with --resume {folder}")
    value = _json(text, str(path))
    if not isinstance(value, dict) or "schema" not in value:
        raise InputError(f"{path}: is not the run.json of a run")
    if value["schema"] != SCHEMA_VERSION:
        raise InputError(f"{path}: has schema {value['schema']!r}; this version reads schema {SCHEMA_VERSION}")
    findings = _read_findings(folder / FINDINGS)
    try:
        run = run_from_json(value, findings)
        told = value["unexpected"]
    except FORM_ERRORS as error:
        raise InputError(f"{path}: does not have the form of a run: {form_problem(error)}") from error
    if run.unexpected != told:
        raise InputError(f"{folder / FINDINGS}: holds {run.unexpected} new findings, but run.json tells of {told}")
    return run


def seconds_before(folder: Path) -> float:
    """The seconds that the starts of a run took which its folder tells of; 0 where it tells of none."""
    try:
        return read_run_folder(folder).times.get("total", 0.0)
    except InputError:
        return 0.0


def _read_findings(path: Path) -> tuple[Finding, ...]:
    lines = _read(path).split("\n")
    if lines.pop():
        raise InputError(f"{path}:{len(lines) + 1}: is truncated: the last line does not end")
    return tuple(_finding(line, f"{path}:{number}") for number, line in enumerate(lines, 1))


def _finding(line: str, place: str) -> Finding:
    value = _json(line, place)
    try:
        return finding_from_json(value)
    except FORM_ERRORS as error:
        raise InputError(f"{place}: does not have the form of a finding: {form_problem(error)}") from error


def _read(path: Path) -> str:
    try:
        return file_bytes(path).decode("utf-8")
    except FileNotFoundError as error:
        raise InputError(f"{path}: is missing") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8: byte {error.start}") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def _json(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if error.msg.startswith("Unterminated") or not text[error.pos :].strip():
            raise InputError(f"{place}: is truncated: the JSON breaks off after character {error.pos}") from error
        raise InputError(f"{place}: is not JSON: {error}") from error
    except FORM_ERRORS as error:
        raise InputError(f"{place}: is not JSON that can be read: {error}") from error
