"""SARIF holds to the schema of OASIS and to GitHub's limits, whatever a run found; JUnit holds to its own schema."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jsonschema import Draft4Validator
from lxml import etree

from conformance.core.case import text_case
from conformance.core.run import Cell, Run, SubjectInfo
from conformance.core.weight import Weight, WeightClass
from conformance.report.run import sarif
from conformance.report.run.folder import write_run_folder
from conformance.report.run.junit import junit_xml
from conformance.report.run.sarif import sarif_json
from conformance.runs.assemble import with_problems
from conformance.subjects.definition import definition, told_at
from tests.conformance.report.sample_run import HOSTILE, KNOWN, PLAIN, finding, passing_run, sample_run

SCHEMAS = Path(__file__).parent.parent / "schemas"
SARIF = Draft4Validator(json.loads((SCHEMAS / "sarif-2.1.0.json").read_text("utf-8")))


def log(run: Run) -> Any:
    """The only run of the document, which holds to the schema."""
    value = json.loads(sarif_json(run))
    SARIF.validate(value)
    (only,) = value["runs"]
    return only


def junit(run: Run) -> Any:
    """The root of JUnit's XML, which holds to the schema."""
    root = etree.fromstring(junit_xml(run).encode("utf-8"))
    etree.XMLSchema(etree.parse(SCHEMAS / "junit-10.xsd")).assertValid(root)
    return root


@cache
def many() -> Run:
    """400 findings with as many rules, in 20 places, with texts that gzip cannot pack."""
    letters = "".join(Random(0).choices([chr(code) for code in range(0x4E00, 0x5000)], k=80_000))
    findings = []
    for number in range(400):
        text = letters[200 * number : 200 * (number + 1)]
        place = {"model": f"model-{number % 5}", "check": f"check {number // 5 % 4}"}
        findings.append(finding(text_case(text, ""), f"{number} {text}", expected=text, observed=text[::-1], **place))
    cells = tuple(Cell(f"model-{m}", "planted-nfc", f"check {c}", 10**6, 100) for m in range(5) for c in range(4))
    return replace(sample_run(), findings=tuple(findings), cells=cells, absences=())


@pytest.mark.parametrize("run", [sample_run(), passing_run()], ids=["sample", "passing"])
def test_a_run_holds_to_the_schemas(run: Run) -> None:
    assert len(log(run)["results"]) == sum(found.status == "new" for found in run.findings)
    junit(run)


@pytest.mark.parametrize(("most_bytes", "most"), [(sarif.MOST_BYTES, 300), (80_000, 150)])
def test_of_many_findings_as_many_are_given_as_are_taken(
    monkeypatch: pytest.MonkeyPatch, most_bytes: int, most: int
) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 300)
    monkeypatch.setattr(sarif, "MOST_BYTES", most_bytes)
    text = sarif_json(many())
    assert len(gzip.compress(text.encode())) <= most_bytes
    value = log(many())
    assert 30 < len(value["results"]) <= most
    told = [notification["message"]["text"] for notification in value["invocations"][0]["toolExecutionNotifications"]]
    assert told[-1] == f"{400 - len(value['results']):,} more findings in findings.jsonl"


def test_junit_of_many_findings_holds_to_the_schema() -> None:
    assert junit(many()).get("failures") == str(20 + len(sample_run().problems))


def test_what_an_expectation_lists_is_no_result_and_each_other_finding_is_one_of_its_own() -> None:
    results = log(replace(sample_run(), findings=(KNOWN, *HOSTILE, *PLAIN)))["results"]
    prints = {result["partialFingerprints"]["primaryLocationLineHash"] for result in results}
    assert prints == {f"{found.fingerprint}:1" for found in (*HOSTILE, *PLAIN)}


def test_a_rule_is_told_once_and_results_name_it_by_its_number() -> None:
    one, other = (finding(text_case("x", ""), "NFC is missing", model=name) for name in ("a", "b"))
    value = log(replace(sample_run(), findings=(one, other, *PLAIN)))
    rules = value["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules) == 4
    assert "NRM001" in {rule["id"] for rule in rules}
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in value["results"])


@pytest.mark.parametrize(
    ("kind", "level"),
    [("natural text", "error"), ("not weighed", "error"), ("streams", "warning"), ("policy", "note")],
)
def test_the_level_is_that_of_the_weight(kind: WeightClass, level: str) -> None:
    found = replace(PLAIN[0], weight=Weight(kind))
    (result,) = log(replace(sample_run(), findings=(found,)))["results"]
    assert result["level"] == level


def test_it_stands_at_the_line_that_names_the_subject() -> None:
    mine = SubjectInfo("planted-nfc", "1", "subject", file="my port/subject.toml", line=3)
    (result,) = log(replace(sample_run(), findings=PLAIN[:1], subjects=(mine,)))["results"]
    (place,) = result["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "my%20port/subject.toml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3},
    }


def test_a_subject_without_a_file_has_a_place_all_the_same() -> None:
    nasty = "../a b\ud800\u202e:c"
    found = finding(text_case("x", ""), "rule", subject=nasty)
    (result,) = log(replace(sample_run(), findings=(found,)))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].isascii()


def test_nothing_in_a_message_is_a_link_or_a_placeholder_or_commands_a_terminal() -> None:
    nasty = "[a](javascript:b) {0} \x1b[31m\u202e"
    found = finding(text_case(nasty, ""), nasty, subject=nasty, expected=nasty)
    text = sarif_json(with_problems(replace(sample_run(), findings=(found,)), [nasty]))
    assert not {*"\x1b\u202e"} & {*text}
    messages = [result["message"]["text"] for result in json.loads(text)["runs"][0]["results"]]
    assert r"\[a\](javascript:b) {{0}}" in messages[0]


def test_a_file_is_named_from_the_root_of_its_repository(tmp_path: Path) -> None:
    folder = tmp_path / "repository" / "port"
    folder.mkdir(parents=True)
    (tmp_path / "repository" / ".git").mkdir()
    (folder / "subject.toml").write_text('# mine\n\nname = "mine"\ncommand = ["node", "server.mjs"]\n', "utf-8")
    (folder / "mine.py").write_text("import re\n\n\nclass Minerals: ...\n\n\nclass Mine:\n    pass\n\n\nother = Mine\n")
    (folder / "server.mjs").write_text("", "utf-8")
    assert told_at(definition(str(folder / "subject.toml"))) == ("port/subject.toml", 3)
    assert told_at(definition(f"{folder / 'mine.py'}:Mine")) == ("port/mine.py", 7)
    assert told_at(definition(f"{folder / 'mine.py'}:other")) == ("port/mine.py", 11)
    assert told_at(definition(f"node {folder / 'server.mjs'}")) == ("port/server.mjs", 1)
    (tmp_path / "repository" / ".git").rmdir()
    assert told_at(definition(f"{folder / 'mine.py'}:Mine")) == ("mine.py", 7)


def test_it_is_a_file_of_the_run_folder(tmp_path: Path) -> None:
    write_run_folder(sample_run(), tmp_path)
    assert (tmp_path / "findings.sarif").read_text("utf-8") == sarif_json(sample_run())
