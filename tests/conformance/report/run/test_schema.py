"""The published schema of run.json and of the lines of findings.jsonl: what is written holds to it, all of it."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.core.case import ids_case, text_case
from conformance.core.evidence import Evidence
from conformance.core.finding import SEVERITIES, Finding
from conformance.core.run import SCHEMA_VERSION, Cell, LanguageCell, ModelInfo, Run, SubjectInfo
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
    corpus.write_text(json.dumps({"text": "cafe\u0301"}) + "\n" + json.dumps({"bytes_hex": "ff41"}) + "\n", "ascii")
    plan = ("--model", "bpe-qwen", "--corpus", corpus, "--inputs", "corpora", "--subject", planted("no_nfc"))
    assert conformance_here("run", *plan, "--jobs", "1", "--quiet", "--out", tmp_path / "out").returncode == 1
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
def test_a_damaged_finding_does_not_hold(place: tuple[str, ...], value: object, tmp_path: Path) -> None:
    write_run_folder(replace(passing_run(), findings=(finding(ids_case((1,), "o"), "r"),)), tmp_path)
    line = json.loads((tmp_path / "findings.jsonl").read_text("ascii"))
    assert FINDING.is_valid(line)
    inner = line
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    assert not FINDING.is_valid(line)


@pytest.mark.parametrize("name", sorted(schema("run")["required"]))
def test_a_run_without_a_part_does_not_hold(name: str, tmp_path: Path) -> None:
    write_run_folder(sample_run(), tmp_path)
    value = json.loads((tmp_path / "run.json").read_text("ascii"))
    del value[name]
    assert not RUN.is_valid(value)


@pytest.mark.parametrize(
    ("name", "kind"), [("model", ModelInfo), ("subject", SubjectInfo), ("cell", Cell), ("language", LanguageCell)]
)
def test_every_field_of_a_run_is_published(name: str, kind: type) -> None:
    assert set(schema("run")["$defs"][name]["properties"]) == {field.name for field in fields(kind)}


def test_every_field_of_a_finding_is_published() -> None:
    value = schema("finding")
    assert set(value["properties"]) == {field.name for field in fields(Finding)} | {"fingerprint"}
    assert set(value["$defs"]["evidence"]["properties"]) == {field.name for field in fields(Evidence)}
    assert value["$defs"]["mismatch"]["properties"]["severity"]["enum"] == list(SEVERITIES)


def test_the_number_of_the_schema_is_the_one_that_is_written() -> None:
    assert schema("run")["properties"]["schema"]["const"] == SCHEMA_VERSION


def test_a_lone_surrogate_holds(tmp_path: Path) -> None:
    write_run_folder(replace(passing_run(), findings=(finding(text_case("\ud800", "o"), "r"),)), tmp_path)
    assert hold(tmp_path) == 1
