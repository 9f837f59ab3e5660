"""`conformance fuzz` and `conformance corpus` at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click import Context
from click.testing import CliRunner

from conformance.cli.fuzz import corpus
from conformance.cli.fuzz import fuzz as fuzz_command
from conformance.core.errors import InputError
from conformance.report.run.folder import read_run_folder
from tests.conformance.commands import Command, said

SMALL = ("--model", "spm-char", "--check", "ids", "--check", "decode", "--quiet")


def fuzz(folder: Path, *more: str, cases: int = 60) -> tuple[str, ...]:
    return ("fuzz", *SMALL, "--out", str(folder), "--cases", str(cases), *more)


def resumed(folder: Path, *more: str, cases: int = 60) -> tuple[str, ...]:
    return ("fuzz", "--resume", str(folder), "--cases", str(cases), "--quiet", *more)


def test_a_session_writes_the_folder_of_a_run_and_its_coverage(conformance_here: Command, tmp_path: Path) -> None:
    result = conformance_here(*fuzz(tmp_path / "s"), "--verbose")
    assert result.returncode == 0, result.stderr
    assert "As expected" in result.stdout
    assert "vocab entries" in result.stdout
    of_a_run = {"run.json", "findings.jsonl", "report.html", "junit.xml", "summary.md"}
    assert {*of_a_run, "coverage.json"} <= {path.name for path in (tmp_path / "s").iterdir()}
    drawn = json.loads((tmp_path / "s" / "coverage.json").read_text("ascii"))["spm-char"]["generators"]
    assert read_run_folder(tmp_path / "s").cases == sum(drawn.values()) == 60
    assert "Coverage of the session" in (tmp_path / "s" / "report.html").read_text("utf-8")
    minimized = conformance_here("corpus", "minimize", tmp_path / "s")
    assert (minimized.returncode, minimized.stderr) == (0, "")
    merged = conformance_here("corpus", "merge", tmp_path / "s", tmp_path / "s")
    assert merged.returncode == 0
    said(conformance_here(*fuzz(tmp_path / "s")), 2, f"holds a run already; go on with --resume {tmp_path / 's'}")
    more = conformance_here(*resumed(tmp_path / "s", cases=90))
    assert (more.returncode, more.stderr) == (0, "")
    assert read_run_folder(tmp_path / "s").cases == 90


@pytest.mark.parametrize("command", [("minimize",), ("merge", "other")])
def test_a_folder_without_a_session_is_refused_and_left_as_it_is(tmp_path: Path, command: tuple[str, ...]) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError, match=r"is not the folder of a run: it has no plan\.json"):
            corpus.main([command[0], str(folder), *command[1:]], standalone_mode=False)
    assert not [*tmp_path.iterdir()]


def test_a_session_ends_when_its_time_is_up(conformance_here: Command, tmp_path: Path) -> None:
    result = conformance_here(*fuzz(tmp_path / "s", "--time", "0.1s", cases=10_000_000))
    assert result.returncode in (0, 1), result.stderr
    assert "cases" in (tmp_path / "s" / "run.json").read_text("ascii")


@pytest.mark.parametrize("time", ["soon", "", "10x", "m", "0s", "0", "0h0.0s"])
def test_what_is_no_time_is_refused(time: str) -> None:
    """Fault: a session of 0 s asked nothing, and told of each generator that it never fired."""
    result = CliRunner().invoke(fuzz_command, ["--time", time])
    assert result.exit_code == 2
    assert "is no time" in result.output


@pytest.mark.parametrize(
    ("time", "seconds"), [("90s", 90), ("10m", 600), ("1h30m", 5400), ("2d", 172_800), ("1.5", 1.5)]
)
def test_a_time_is_read(time: str, seconds: float) -> None:
    parameter = next(option for option in fuzz_command.params if option.name == "seconds")
    assert parameter.process_value(Context(fuzz_command), time) == seconds


@pytest.mark.parametrize("given", ["near-misses-of-vocab-entries", "near-misses of vocab entries"])
def test_a_generator_is_named_without_quotes_or_as_reports_have_it(given: str) -> None:
    parameter = next(option for option in fuzz_command.params if option.name == "generators")
    assert parameter.process_value(Context(fuzz_command), [given]) == ("near-misses of vocab entries",)


def test_a_session_without_a_finished_generation_says_how_it_goes_on(conformance_here: Command, tmp_path: Path) -> None:
    """Fault: it was said to be no session, and its file to be missing, though the session goes on."""
    session = tmp_path / "s"
    assert conformance_here(*fuzz(session)).returncode == 0
    (session / "state.json").unlink()
    message = f"{session}: its first generation is not finished; conformance fuzz --resume {session} goes on"
    said(conformance_here("corpus", "minimize", session), 2, message)
    assert conformance_here(*resumed(session)).returncode == 0
    assert conformance_here("corpus", "minimize", session).returncode == 0


def test_the_folder_of_a_run_is_no_session(conformance_here: Command, tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("{}", "utf-8")
    said(conformance_here(*fuzz(tmp_path)), 2, "holds a run already")


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        (None, "holds no fuzzing session"),
        ('{"generators": ["x"]}', "a generator is 'x', not one of "),
        ('{"generators": []}', "there are none"),
        ('{"generators": {"merges": 1}}', "Expected `array`, got `object`"),
        ("{}", "'generators' is missing"),
        ("[", "names no generators"),
    ],
)
def test_a_folder_without_the_generators_of_a_session_is_not_resumed(
    written: str | None, problem: str, conformance_here: Command, tmp_path: Path
) -> None:
    conformance_here(*fuzz(tmp_path, cases=1))
    (tmp_path / "session.json").unlink()
    if written is not None:
        (tmp_path / "session.json").write_text(written, "ascii")
    said(conformance_here(*resumed(tmp_path)), 2, problem)
