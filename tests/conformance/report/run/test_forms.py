"""The forms for programs: each finding in a line, and nothing in it ends the line or the command."""

from __future__ import annotations

import json
from dataclasses import replace

from conformance.core.run import Run, SubjectInfo, finding_from_json, run_from_json
from conformance.report.run.forms import MOST_ANNOTATIONS, in_form
from tests.conformance.report.sample_run import HOSTILE, sample_run

NASTY = "a\n::error::b\r%0A: ,"


def test_a_finding_is_a_line_with_its_number_and_the_headline_is_the_last() -> None:
    *lines, last = in_form(sample_run(), "concise").splitlines()
    assert [line.split()[1] for line in lines] == [f"#{number}" for number in range(1, 9)]
    assert lines[2].startswith("✗ #3 NRM000  other ids  Normalizer: composes e and U+0301")
    assert lines[2].endswith("  gpt2-mini / planted-nfc / ids")
    assert last == "8 unexpected findings, 2 problems"


def test_json_is_the_run_with_its_findings() -> None:
    value = json.loads(in_form(sample_run(), "json"))
    findings = tuple(map(finding_from_json, value.pop("findings")))
    assert run_from_json(value, findings) == sample_run()


def test_annotations_stand_at_the_subject_and_nothing_ends_their_command() -> None:
    info = SubjectInfo("planted-nfc", "1", "subject", file=f"{NASTY}.py", line=3)
    findings = (replace(HOSTILE[0], rule=NASTY),) * (MOST_ANNOTATIONS + 1)
    run: Run = replace(sample_run(), subjects=(info,), findings=findings, problems=(NASTY,))
    *lines, problem = in_form(run, "github").splitlines()
    assert len(lines) == MOST_ANNOTATIONS
    place = "file=a%0A%3A%3Aerror%3A%3Ab%0D%250A%3A %2C.py,line=3,title="
    assert all(line.startswith(f"::error {place}") for line in lines)
    assert problem == "::error::a␊::error::b␍%250A: ,"
    assert "file=" not in in_form(replace(run, subjects=()), "github")
