"""The doors to the CI of others: the steps of action.yml run as shell, and the documents say what there is."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from conformance.cli.commands import cli

ROOT = Path(__file__).resolve().parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
DOCUMENT = (ROOT / "docs" / "ci.md").read_text("utf-8")
COMMAND = """#!/bin/bash
printf '%s\\n' "$@" >>"$SAID"
echo >>"$SAID"
for argument; do case "$argument" in --out=* | --resume=*) folder="${argument#*=}" ;; esac; done
code_of="CODE_${1}"
[ "${!code_of:-0}" = 2 ] && exit 2
mkdir -p "$folder"
echo '{"unexpected": 3}' >"$folder/run.json"
echo '{}' >"$folder/plan.json"
exit "${!code_of:-0}"
"""
"""Stands for conformance: writes down what it is given, and ends with $CODE_run or $CODE_fuzz."""

Step = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def step(tmp_path: Path) -> Step:
    """Runs the script of a step in a folder of its own, its inputs in the environment, as the runner's bash does."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "conformance").write_text(COMMAND, "utf-8")
    (bin_folder / "conformance").chmod(0o755)
    (bin_folder / "python").symlink_to(sys.executable)
    work = tmp_path / "work"
    work.mkdir()

    def run(name: str, **inputs: str) -> subprocess.CompletedProcess[str]:
        empty = dict.fromkeys(STEPS[name].get("env", {}), "")
        outputs = {"GITHUB_OUTPUT": str(tmp_path / "output"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
        environment = {"PATH": f"{bin_folder}:/usr/bin:/bin", "SAID": str(tmp_path / "said"), **empty, **outputs}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
        return subprocess.run(
            command, cwd=work, env={**environment, **inputs}, capture_output=True, encoding="utf-8", timeout=60
        )

    return run


RUN = {
    "SUBJECT": "mine.py:Mine",
    "MODELS": "a.json",
    "TIER": "full",
    "FAIL_ON": "any",
    "FOLDER": "out",
    "WORKING_DIRECTORY": ".",
}


def said(folder: Path) -> list[list[str]]:
    """What the command was given, each time."""
    return [call.split("\n") for call in (folder / "said").read_text("utf-8").strip().split("\n\n")]


def test_every_action_is_pinned_by_a_full_hash_with_its_release() -> None:
    used = re.findall(r"uses: (\S+)(.*)", (ROOT / "action.yml").read_text("utf-8") + DOCUMENT)
    assert len(used) == 6
    for action, comment in used:
        if action != "OWNER/reftok@COMMIT":
            assert re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40}", action), action
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action


def test_no_script_has_an_expression_in_it_and_every_variable_is_an_input() -> None:
    for step in STEPS.values():
        assert "${{" not in step.get("run", "")
        assert step.get("shell", "bash") == "bash"
    expressions = re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", (ROOT / "action.yml").read_text("utf-8"))
    assert {*expressions} | {"sarif"} == {*ACTION["inputs"]}


def test_the_exit_code_comes_last_and_nothing_before_it_fails_for_findings(step: Step, tmp_path: Path) -> None:
    assert [*STEPS][-1] == "Exit code"
    assert step("Run", **RUN, CODE_run="1").returncode == 0
    assert (tmp_path / "output").read_text("utf-8") == "exit-code=1\nfindings=3\nreport=./out/run\n"
    assert step("Exit code", CODE="1").returncode == 1
    assert step("Exit code").returncode == 3


def test_inputs_are_lines_and_nothing_in_them_is_a_command(step: Step, tmp_path: Path) -> None:
    nasty = "$(touch harmed) `touch harmed`; touch harmed #'\"\\"
    ended = step("Run", **{**RUN, "SUBJECT": nasty, "MODELS": "a b.json\r\n\n--out=elsewhere\n", "INPUTS": "corpora"})
    assert ended.returncode == 0, ended.stderr
    models = ["--model=a b.json", "--model=--out=elsewhere"]
    given = ["run", f"--subject={nasty}", *models, "--inputs=corpora", "--tier=full", "--fail-on=any", "--out=out/run"]
    assert said(tmp_path) == [given]
    assert not (tmp_path / "work" / "harmed").exists()


def test_what_is_printed_is_no_command_to_the_runner(step: Step) -> None:
    first, *_, last = step("Run", **RUN).stdout.splitlines()
    assert re.fullmatch(r"::stop-commands::[0-9a-f]{32}", first)
    assert last == f"::{first.rpartition('::')[2]}::"


def test_a_bad_input_leaves_no_report_and_its_code(step: Step, tmp_path: Path) -> None:
    assert step("Run", **RUN, CODE_run="2").returncode == 0
    assert (tmp_path / "output").read_text("utf-8").startswith("exit-code=2\nfindings=\n")


def test_a_session_goes_on_where_the_cache_has_one_and_begins_anew_where_it_is_of_something_else(
    step: Step, tmp_path: Path
) -> None:
    for codes in ({}, {"CODE_fuzz": "1"}, {"CODE_fuzz": "2"}):
        assert step("Run", **RUN, FUZZ_TIME="10m", INPUTS="vocab", **codes).returncode == 0
    fuzzed = [call for call in said(tmp_path) if call[0] == "fuzz"]
    anew = ["fuzz", "--subject=mine.py:Mine", "--model=a.json", "--time=10m", "--fail-on=any", "--out=out/session"]
    on = ["fuzz", "--resume=out/session", "--trust", "--time=10m", "--fail-on=any"]
    assert fuzzed == [anew, on, on, anew]
    codes = re.findall(r"exit-code=(\d)", (tmp_path / "output").read_text("utf-8"))
    assert codes == ["0", "1", "2"]


@pytest.mark.parametrize("kind", ["yaml", "toml", "ini", "python", "console"])
def test_the_document_has_blocks_that_can_be_read(kind: str) -> None:
    read: dict[str, Callable[[str], Any]] = {"yaml": yaml.safe_load, "toml": tomllib.loads}
    blocks = re.findall(rf"```{kind}\n(.*?)```", DOCUMENT, re.DOTALL)
    assert blocks
    for block in blocks:
        read.get(kind, lambda text: compile(text, kind, "exec") if kind == "python" else text)(block)


def commands() -> list[list[str]]:
    """Every use of `conformance` that documents, the hook and the image tell of."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    texts = [DOCUMENT, (ROOT / "Dockerfile").read_text("utf-8"), *(hook["entry"] for hook in hooks)]
    return [shlex.split(found) for text in texts for found in re.findall(r"conformance (run .*)", text)]


def test_every_command_that_is_told_has_options_that_there_are() -> None:
    every = commands()
    assert len(every) == 5
    for name, *arguments in every:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        command.make_context(name, arguments)


def test_inputs_of_the_workflow_are_inputs_of_the_action() -> None:
    workflow = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", DOCUMENT, re.DOTALL)[0])
    *_, used = workflow["jobs"]["conformance"]["steps"]
    assert {*used["with"]} <= {*ACTION["inputs"]}


def test_the_image_is_of_a_named_release_and_ends_as_no_root() -> None:
    lines = (ROOT / "Dockerfile").read_text("utf-8").splitlines()
    bases = {line.split()[1] for line in lines if line.startswith("FROM ")}
    assert len(bases) == 1
    assert re.fullmatch(r"python:\d+\.\d+\.\d+-slim-\w+", bases.pop())
    users = [line.split()[1] for line in lines if line.startswith("USER ")]
    assert users == ["10001:10001"]
    after = lines[lines.index("USER 10001:10001") :]
    assert not [line for line in after if line.startswith(("RUN", "COPY"))]


def test_what_the_wheel_is_made_of_is_in_the_context_of_the_image() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")]
    for source in (*wheel["packages"], *wheel["force-include"], "README.md", "LICENSE", "pyproject.toml"):
        assert any(source == one or source.startswith(f"{one}/") for one in kept), source
