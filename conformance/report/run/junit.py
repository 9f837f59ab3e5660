"""A run as JUnit XML, for the CI systems that show tests: a suite per model, a case per subject × check."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from conformance.core.finding import Finding, Place
from conformance.core.run import MENDED, Absence, Cell, Run
from conformance.report.run import view
from conformance.report.run.view import plural
from conformance.report.text import harmless, visible

MOST_FAILURES = 50
"""Findings that one test case tells of; the rest are counted."""


def junit_xml(run: Run) -> str:
    """The XML document.

    New findings are failures, those that do not weigh enough to fail the run are only told; cells without answers and
    subjects that took no part are skipped; problems fail a suite "run".
    """
    findings: dict[Place, list[Finding]] = {}
    for finding in view.new_findings(run):
        findings.setdefault(finding.example.place, []).append(finding)
    root = Element("testsuites", name="conformance", time=f"{view.seconds(run):.3f}")
    items: list[Cell | Absence] = [*run.cells, *_cells_of_strays(run, findings), *run.absences]
    for model, of_model in groupby(sorted(items, key=_model), key=_model):
        suite = SubElement(root, "testsuite", name=model)
        _add_properties(suite, run)
        for item in of_model:
            if isinstance(item, Absence):
                _add_absence(suite, item)
            else:
                _add_cell(suite, item, run, findings.get(item.place, []))
    _add_problems(root, run)
    for suite in root:
        _add_totals(suite, run)
    _sum_totals(root)
    for element in root.iter():
        element.text = element.text and harmless(element.text)
        element.attrib = {name: harmless(value) for name, value in element.items()}
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def failure_text(finding: Finding) -> str:
    """A finding as a few lines of plain text."""
    case = finding.example.case
    notes = {
        "input": f" ({case.kind} from {visible(case.origin)})",
        "expected": f" ({view.expected_by(finding)})",
    }
    lines = [(name, value + notes.get(name, "")) for name, value in view.fields(finding)]
    lines.append(("seen", plural(finding.count, "time") + _in_languages(finding.languages)))
    lines += [("replay", visible(finding.replay, 2000))] if finding.replay else []
    title = f"{finding.example.severity} [{finding.fingerprint}]"
    return "\n".join([title, *(f"  {name}: {value}" for name, value in lines)])


def _in_languages(languages: tuple[str, ...], limit: int = 12) -> str:
    more = f" and {len(languages) - limit} more" if len(languages) > limit else ""
    return f" in {', '.join(languages[:limit])}{more}" if languages else ""


def _cells_of_strays(run: Run, findings: Iterable[Place]) -> list[Cell]:
    """Findings in a place that the matrix does not list must fail all the same."""
    listed = {cell.place for cell in run.cells}
    return [Cell(*place, compared=0) for place in findings if place not in listed]


def _add_properties(suite: Element, run: Run) -> None:
    properties = SubElement(suite, "properties")
    values = {"command": run.command, "seed": str(run.seed), "verdict": run.outcome}
    values |= {f"version.{name}": version for name, version in run.versions.items()}
    values |= {f"subject.{subject.name}": subject.version or subject.unavailable for subject in run.subjects}
    for name, value in values.items():
        SubElement(properties, "property", name=name, value=value)


def _add_cell(suite: Element, cell: Cell, run: Run, found: list[Finding]) -> None:
    """found: the new findings of its place."""
    findings = [finding for finding in found if run.is_failed_by(finding)]
    test = SubElement(suite, "testcase", classname=f"{cell.model}.{cell.subject}", name=cell.check)
    for finding in findings[:MOST_FAILURES]:
        example = finding.example
        message = f"{visible(finding.rule)} on {view.shown_input(example.case, 60)}"
        failure = SubElement(test, "failure", type=example.severity, message=message)
        failure.text = failure_text(finding)
    if len(findings) > MOST_FAILURES:
        more = plural(len(findings) - MOST_FAILURES, "more unexpected finding")
        SubElement(test, "failure", type="mismatch", message=f"and {more}")
    kind = view.state(cell)
    if not found and kind == "new":
        SubElement(test, "failure", type="mismatch", message=view.sentence(cell))
    elif not findings and cell.compared == 0:
        SubElement(test, "skipped", message=view.sentence(cell))
    told = [failure_text(finding) for finding in found if finding not in findings][:MOST_FAILURES]
    SubElement(test, "system-out").text = "\n\n".join([view.sentence(cell), *told])


def _model(item: Cell | Absence) -> str:
    return item.model


def _add_absence(suite: Element, absence: Absence) -> None:
    test = SubElement(suite, "testcase", classname=f"{absence.model}.{absence.subject}", name="takes part")
    SubElement(test, "skipped", message=view.absence_sentence(absence))


def _add_problems(root: Element, run: Run) -> None:
    if not run.problems:
        return
    suite = SubElement(root, "testsuite", name="run")
    for number, problem in enumerate(run.problems, 1):
        kind = "mended" if problem in run.mended else "problem"
        test = SubElement(suite, "testcase", classname="run", name=f"{kind} {number}")
        SubElement(test, "failure", type=kind, message=f"{MENDED}: {problem}" if kind == "mended" else problem)


def _add_totals(suite: Element, run: Run) -> None:
    """A test counts once, however many findings fail it."""
    tests = suite.findall("testcase")
    suite.set("tests", str(len(tests)))
    suite.set("failures", str(sum(test.find("failure") is not None for test in tests)))
    suite.set("errors", "0")
    suite.set("skipped", str(sum(test.find("skipped") is not None for test in tests)))
    if run.started:
        suite.set("timestamp", run.started)


def _sum_totals(root: Element) -> None:
    for name in ("tests", "failures", "errors"):  # of what is skipped, schemas know no sum
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
