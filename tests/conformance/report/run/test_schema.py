"""The published schema of run.json and of the lines of findings.jsonl: what is written holds to it, all of it."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from conformance.core.case import ids_case, text_case
from conformance.core.run import SCHEMA_VERSION, Run, finding_to_json, run_to_json
from conformance.report.run.folder import write_run_folder
from tests.conformance.commands import Command, Planted
from tests.conformance.report.sample_run import finding, passing_run, sample_run


def schema(name: str) -> Any:
    value = json.loads(resources.files("conformance.report").joinpath(f"schema/{name}.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(value)
    return value


RUN, FINDING = Draft202012Validator(schema("run")), Draft202012Validator(schema("finding"))


def hold(folder: Path) -> int:
    """Every file of the folder holds; gives how many findings it has."""
    RUN.validate(json.loads((folder / "run.json").read_text("ascii")))
    lines = (folder / "findings.jsonl").read_text("ascii").splitlines()
    for line in lines:
        FINDING.validate(json.loads(line))
    return len(lines)


@pytest.mark.parametrize("run", [sample_run(), passing_run()], ids=["sample", "passing"])
def test_a_run_made_by_hand_holds(run: Run, tmp_path: Path) -> None:
    write_run_folder(run, tmp_path)
    assert hold(tmp_path) == len(run.findings)


def test_a_run_of_the_command_holds(conformance_here: Command, planted: Planted, tmp_path: Path) -> None:
    corpus = tmp_path / "trouble.jsonl"
    corpus.write_text(json.dumps({"text": "\ta"}) + "\n" + json.dumps({"bytes_hex": "ff41"}) + "\n", "ascii")
    plan = ("--model", "spm-char", "--corpus", corpus, "--inputs", "corpora", "--check", "ids")
    subject = ("--subject", planted("strips_white_space"))
    assert conformance_here("run", *plan, *subject, "--jobs", "1", "--quiet", "--out", tmp_path / "out").returncode == 1
    assert hold(tmp_path / "out") > 0


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("status",), "odd"),
        (("fingerprint",), "xyz"),
        (("extra",), 1),
        (("count",), "1"),
        (("example", "severity"), "bad"),
        (("example", "case", "kind"), "bytes"),
        (("example", "case", "ids"), ["1"]),
        (("example", "evidence"), {"unknown": 1}),
    ],
    ids=lambda part: "-".join(part) if isinstance(part, tuple) else "",
)
def test_a_damaged_finding_does_not_hold(place: tuple[str, ...], value: object) -> None:
    line = json.loads(json.dumps(finding_to_json(finding(ids_case((1,), "o"), "r"))))
    assert FINDING.is_valid(line)
    inner = line
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    assert not FINDING.is_valid(line)


def test_a_run_without_a_part_does_not_hold() -> None:
    value = json.loads(json.dumps(run_to_json(sample_run())))
    assert RUN.is_valid(value)
    for name in schema("run")["required"]:
        assert not RUN.is_valid({key: part for key, part in value.items() if key != name}), name


WRITTEN_OTHERWISE = {
    ("Run", "findings"), ("Run", "schema"), ("Run", "exit_code"), ("Run", "unexpected"), ("Finding", "fingerprint"),
    ("Finding", "examples"),
    ("Case", "data"), ("Case", "bytes_hex"), ("Case", "tokens"),
    ("Evidence", "natural"), ("Evidence", "nearest"), ("Evidence", "skipped"), ("Evidence", "is_cut"),
    ("Evidence", "stage"), ("SeenToken", "span"),
}  # fmt: skip
"""Told beside the record, or in another form, or left out where it is empty."""
PUBLISHED = {
    "Run": schema("run"),
    "ModelInfo": schema("run")["$defs"]["model"],
    "SubjectInfo": schema("run")["$defs"]["subject"],
    "Absence": schema("run")["$defs"]["absence"],
    "Cell": schema("run")["$defs"]["cell"],
    "LanguageCell": schema("run")["$defs"]["language"],
    "Finding": schema("finding"),
    "Confidence": schema("finding")["$defs"]["confidence"],
    "Weight": schema("finding")["$defs"]["weight"],
    "Share": schema("finding")["$defs"]["share"],
    "Example": schema("finding")["$defs"]["example"],
    "Mismatch": schema("finding")["$defs"]["mismatch"],
    "Case": schema("finding")["$defs"]["case"],
    "Evidence": schema("finding")["$defs"]["evidence"],
    "SeenToken": schema("finding")["$defs"]["token"],
    "StageDifference": schema("finding")["$defs"]["stage"],
    "StreamStep": schema("finding")["$defs"]["step"],
}


def form(value: Any) -> Any:
    """A schema without its words and bounds, and which records it refers to."""
    if isinstance(value, dict):
        left_out = ("description", "default", "maximum")
        return {key: "…" if key == "$ref" else form(item) for key, item in value.items() if key not in left_out}
    return sorted(map(form, value), key=str) if isinstance(value, list) else value


def test_the_published_schemas_have_the_types_of_the_records() -> None:
    _, records = msgspec.json.schema_components([Run])
    assert records.keys() == PUBLISHED.keys()
    for name, record in records.items():
        fields, published = record["properties"], PUBLISHED[name]["properties"]
        differing = {field for field in {*fields, *published} if form(fields.get(field)) != form(published.get(field))}
        assert {(name, field) for field in differing} == {pair for pair in WRITTEN_OTHERWISE if pair[0] == name}


def test_the_number_of_the_schema_is_the_one_that_is_written() -> None:
    assert schema("run")["properties"]["schema"]["const"] == SCHEMA_VERSION


def test_a_lone_surrogate_holds(tmp_path: Path) -> None:
    write_run_folder(replace(passing_run(), findings=(finding(text_case("\ud800", "o"), "r"),)), tmp_path)
    assert hold(tmp_path) == 1
