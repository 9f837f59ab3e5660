"""`conformance matrix`: run folders in, one report out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli.compare import matrix_command
from conformance.core.errors import InputError
from conformance.report.run.folder import write_run_folder

from ..comparing.test_matrix import finding, run


@pytest.fixture
def folders(tmp_path: Path) -> list[str]:
    write_run_folder(run("0.22.2", finding("known older")), tmp_path / "a")
    write_run_folder(run("0.23.3"), tmp_path / "b")
    return [str(tmp_path / "b"), str(tmp_path / "a")]


@pytest.mark.parametrize("form", ["terminal", "markdown", "html"])
def test_the_release_in_which_a_behaviour_went_is_named(folders: list[str], form: str) -> None:
    result = CliRunner().invoke(matrix_command, [*folders, "--format", form])
    assert result.exit_code == 0
    assert "gone in 0.23.3" in result.stdout


def test_as_json_in_a_file(folders: list[str], tmp_path: Path) -> None:
    result = CliRunner().invoke(matrix_command, [*folders, "--format", "json", "--out", str(tmp_path / "m.json")])
    assert (result.exit_code, result.stdout) == (0, "")
    (library,) = json.loads((tmp_path / "m.json").read_text("ascii"))["libraries"]
    assert library["releases"] == ["0.22.2", "0.23.3"]


def test_no_run_and_what_is_no_run_are_refused(tmp_path: Path) -> None:
    assert CliRunner().invoke(matrix_command, []).exit_code == 2
    result = CliRunner().invoke(matrix_command, [str(tmp_path)])
    assert isinstance(result.exception, InputError)
