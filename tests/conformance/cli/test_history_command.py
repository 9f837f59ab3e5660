"""`conformance history`: a folder of runs, or runs one by one, in; one report out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli.commands import cli
from conformance.cli.compare import history_command
from conformance.core.errors import InputError
from conformance.report.run.folder import write_run_folder
from tests.conformance.report.sample_run import passing_run, sample_run


def test_runs_are_found_and_what_is_none_is_left_out_by_name(tmp_path: Path) -> None:
    write_run_folder(passing_run(), tmp_path / "one")
    write_run_folder(replace(sample_run(), started="2026-01-02T03:04:05Z"), tmp_path / "two")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text("{", "ascii")
    (tmp_path / "notes").mkdir()
    out = tmp_path / "trend.html"
    result = CliRunner().invoke(history_command, [str(tmp_path), "--format", "html", "--out", str(out)])
    assert (result.exit_code, result.stdout) == (0, "")
    assert "left out: " in result.stderr
    assert "broken" in result.stderr
    assert "notes" not in result.stderr
    assert '<a href="one/report.html">one</a>' in out.read_text("utf-8")
    result = CliRunner().invoke(history_command, [str(tmp_path), "--format", "json"])
    assert [run["name"] for run in json.loads(result.stdout)["runs"]] == ["one", "two"]


def test_a_folder_without_runs_and_no_folder_are_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        assert isinstance(CliRunner().invoke(history_command, [str(folder)]).exception, InputError)


def test_runs_that_are_named_one_by_one_keep_their_order_and_are_told_apart(tmp_path: Path) -> None:
    """Fault: the same name in two folders were one run."""
    for folder in ("new/run", "old/run"):
        write_run_folder(replace(sample_run(), started="" if folder == "new/run" else "2026-01-02"), tmp_path / folder)
    paths = [str(tmp_path / "old" / "run"), str(tmp_path / "new" / "run")]
    result = CliRunner().invoke(history_command, [*paths, "--format", "json"])
    assert [run["name"] for run in json.loads(result.stdout)["runs"]] == paths


@pytest.mark.parametrize("name", ["matrix", "histroy"])
def test_a_name_that_is_no_command_names_the_one_that_is_meant(name: str) -> None:
    assert "conformance history" in str(CliRunner().invoke(cli, [name]).exception)
