"""`conformance diff`: between two runs one defect was planted and another mended, and every form says exactly that."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from conformance.cli.compare import diff
from conformance.core.errors import InputError
from conformance.core.finding import Finding
from conformance.report.run.folder import read_run_folder, write_run_folder
from tests.conformance.report.sample_run import PLAIN, passing_run

from ..commands import Command, said


class Pair(NamedTuple):
    """Two run folders: with one defect, with another."""

    before: Path
    after: Path


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Two run folders of one plan, in each of which one thing is wrong."""
    found = Pair(*(tmp_path_factory.mktemp("diff") / name for name in ("before", "after")))
    wrong = replace(PLAIN[0], rule="marks are composed"), replace(PLAIN[1], rule="a byte too many is replaced")
    for folder, one in zip(found, wrong, strict=True):
        write_run_folder(replace(passing_run(), findings=(one,)), folder)
    return found


def only_finding(folder: Path) -> Finding:
    (found,) = read_run_folder(folder).findings
    return found


def invoked(*arguments: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(diff, list(map(str, arguments)))
    return result.exit_code, result.stdout


def test_as_json(pair: Pair) -> None:
    code, text = invoked(*pair, "--format", "json")
    value = json.loads(text)
    found = {kind: [entry["fingerprint"] for entry in entries] for kind, entries in value["findings"].items()}
    mended, planted = map(only_finding, pair)
    assert found == {
        "new": [planted.fingerprint],
        "fixed": [mended.fingerprint],
        "changed": [],
        "unchanged": [],
        "only before": [],
        "only after": [],
    }
    assert (planted.example.check, mended.example.check) == ("offsets", "ids")
    assert (code, value["verdict"], value["headline"]) == (1, "worse", "Worse: 1 new finding, 1 fixed")
    assert (value["notes"], value["unlike"]) == ([], "")
    assert value["counts"] == {"new": 1, "changed": 0, "fixed": 1, "still wrong": 0}


@pytest.mark.parametrize("form", ["terminal", "markdown", "html"])
def test_as_text(pair: Pair, form: str) -> None:
    code, text = invoked(*pair, "--format", form)
    mended, planted = map(only_finding, pair)
    assert code == 1
    assert "Worse: 1 new finding, 1 fixed" in text
    new, fixed = text.index("New: 1 finding"), text.index("Fixed: 1 finding")
    assert new < text.index(planted.rule, new) < fixed < text.index(mended.rule, fixed)
    assert planted.rule not in text[fixed:].partition("By ")[0]
    assert mended.rule not in text[new:fixed]
    assert "Changed:" not in text
    assert "not alike" not in text


def test_the_way_back_and_a_run_with_itself(pair: Pair) -> None:
    assert "Worse: 1 new finding, 1 fixed" in invoked(pair.after, pair.before)[1]
    code, text = invoked(pair.before, pair.before)
    assert (code, "Nothing changed" in text) == (0, True)


@pytest.mark.parametrize("form", ["terminal", "markdown", "json", "html"])
def test_a_file_gets_what_is_shown(pair: Pair, form: str, tmp_path: Path) -> None:
    shown = invoked(*pair, "--format", form)[1]
    code, text = invoked(*pair, "--format", form, "--out", tmp_path / "out")
    assert (code, text) == (1, "")
    written = (tmp_path / "out").read_text("utf-8")
    if form in ("markdown", "json"):
        assert written == shown
    assert "Worse: 1 new finding" in written


def test_the_page_leads_to_the_finding_in_the_report_of_its_run_where_that_is(pair: Pair, tmp_path: Path) -> None:
    before, after = (shutil.copytree(run, tmp_path / f"{run.name} #1") for run in pair)
    mended, planted = (only_finding(run).fingerprint for run in pair)
    (tmp_path / "pages").mkdir()
    out = tmp_path / "pages" / "diff.html"
    invoked(before, after, "--format", "html", "--out", out)
    page = out.read_text("utf-8")
    assert f'href="../before%20%231/report.html#{mended}"' in page
    assert f'href="../after%20%231/report.html#{planted}">#{planted} in the report of its run</a>' in page
    assert f'id="{planted}"' in (after / "report.html").read_text("utf-8")
    (after / "report.html").unlink()
    invoked(before, after, "--format", "html", "--out", out)
    assert f'report.html#{mended}"' in out.read_text("utf-8")
    assert f'report.html#{planted}"' not in out.read_text("utf-8")
    assert "report.html#" not in invoked(before, after, "--format", "html")[1]


def test_a_page_leads_to_a_folder_whose_name_is_no_utf_8(pair: Pair, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"run\xff")
    shutil.copytree(pair.after, folder)
    assert invoked(pair.before, folder, "--format", "html", "--out", tmp_path / "diff.html")[0] == 1
    assert 'href="run%FF/report.html#' in (tmp_path / "diff.html").read_text("utf-8")


def test_what_cannot_be_read_or_written_is_refused_by_name(pair: Pair, tmp_path: Path) -> None:
    result = CliRunner().invoke(diff, [str(pair.before), str(tmp_path)])
    assert isinstance(result.exception, InputError)
    assert "it has no run.json" in str(result.exception)
    result = CliRunner().invoke(diff, [*map(str, pair), "--out", str(tmp_path / "no" / "file")])
    assert isinstance(result.exception, InputError)
    assert "cannot be written" in str(result.exception)


def test_the_command_is_there_and_a_mistake_is_told_in_a_line(conformance: Command, tmp_path: Path) -> None:
    said(conformance("diff", tmp_path, tmp_path), 2, "it has no run.json")
