"""A gate as docs/gate.md has it, and what is told in the first seconds of a run."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from conformance.cli import run as run_command
from conformance.core.finding import MOST_EXAMPLES
from conformance.inputs.tiers import TIERS, Tier
from conformance.report.run.folder import read_run_folder
from tests.conformance.commands import SMALLEST, Command, Findings, said

from ..conftest import ROOT

DOCUMENT = (ROOT / "docs" / "gate.md").read_text("utf-8")
(MINE,) = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
COMMANDS = re.findall(r"^\$ conformance (.*?)  # (\d)$", DOCUMENT, re.MULTILINE)
FAULTS = """
class Subject:
    def __init__(self, path): pass
    def encode(self, text, add_special_tokens): {encode}
    def decode(self, ids, skip_special_tokens): {decode}
"""


@pytest.fixture
def project(tmp_path: Path, corpus: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a project, in which a quick run asks a few texts."""
    texts = corpus("Hello", "a\0b", "\0", "x\0\0", b"\xff", b"a\xfe")
    core = Tier((str(texts),), ("corpora",), 0)
    monkeypatch.setattr(run_command, "TIERS", MappingProxyType({**TIERS, "core": core}))
    (tmp_path / "mine.py").write_text(MINE, "utf-8")
    return tmp_path


def words(line: str) -> list[str]:
    return [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)]


def test_the_documented_gate_opens_and_closes_as_the_document_says(conformance_here: Command, project: Path) -> None:
    told: dict[str, str] = {}
    for line, code in COMMANDS:
        if line.startswith("run --out third"):
            (project / "mine.py").write_text(MINE.replace('text.replace("\\0", "")', "text"), "utf-8")
        result = conformance_here(*words(line), cwd=project)
        assert result.returncode == int(code), (line, result.stdout, result.stderr)
        told[line] = result.stdout + result.stderr
    first, second, third = (read_run_folder(project / name) for name in ("first", "second", "third"))
    assert first.unexpected == len(first.findings) - len([one for one in first.findings if one.status == "known"]) > 1
    assert (second.verdict, second.unexpected) == ("as expected", 0)
    assert {one.fingerprint for one in second.findings} == {one.fingerprint for one in first.findings}
    (problem,) = third.problems
    assert "no longer happens on bpe-qwen: is it fixed" in problem
    assert "settings: conformance.toml (subjects, models, tier, expectations, fail-on)" in told["run --out first"]
    assert re.search(
        r"✗ edge of Unicode: other ids  mine.py:Tokenizer on bpe-qwen, ids  its cause is being sought  “.*␀.*”",
        told["run --out first"],
    )
    assert "1 entry pruned" in told["known prune third"]
    assert "as of 1.3 https://example.org/7" in told["known list"]
    again = conformance_here("init", cwd=project)
    said(again, 2, "conformance.toml: is there already, and is not overwritten; --force replaces it")
    assert conformance_here("init", "--force", cwd=project).stdout.startswith("replaced  conformance.toml")


def workflow_of(conformance_here: Command, folder: Path, *asked: str) -> tuple[str, str]:
    """The workflow that `conformance init` writes, and what it says."""
    result = conformance_here("init", *asked, cwd=folder)
    assert result.returncode == 0, result.stderr
    return (folder / ".github" / "workflows" / "conformance.yml").read_text("utf-8"), result.stdout


@pytest.mark.parametrize(("ignored", "is_told"), [(None, True), ("coverage-reports/\n", True), ("/reports/\n", False)])
def test_the_folder_of_runs_is_to_be_kept_out_of_git(
    conformance_here: Command, tmp_path: Path, ignored: str | None, is_told: bool
) -> None:
    if ignored is not None:
        (tmp_path / ".gitignore").write_text(ignored, "utf-8")
    _, said = workflow_of(conformance_here, tmp_path, "--model", "bpe-qwen")
    assert ("keep out of git: reports/runs/" in said) is is_told


def test_a_workflow_builds_the_subject_that_has_a_build_before_the_run(
    conformance_here: Command, tmp_path: Path
) -> None:
    """Fault: a fresh clone ended with "no file adapter.jar … is it built?"."""
    for name, build in {"mine": 'build = "make"\n', "other": ""}.items():
        (tmp_path / name).mkdir()
        text = f'name = "{name}"\ncommand = ["java", "-jar", "adapter.jar"]\n{build}'
        (tmp_path / name / "subject.toml").write_text(text, "utf-8")
    subjects = ("--subject", "mine/subject.toml", "--subject", "other/subject.toml")
    workflow, _ = workflow_of(conformance_here, tmp_path, *subjects, "--model", "bpe-qwen")
    built = workflow.index('- run: "conformance subject check --build mine/subject.toml --model bpe-qwen"')
    assert workflow.index("pip install") < built < workflow.index("conformance run")
    assert workflow.count("--build") == 1


@pytest.mark.parametrize(
    ("asked", "extras"),
    [
        (("--model", "bpe-qwen"), ""),
        (("--model", "own.tiktoken"), "[tiktoken]"),
        (("--model", "Qwen/Qwen3-0.6B", "--model", "own.tiktoken"), "[hub,tiktoken]"),
        (("--subject", "llama.cpp"), "[llama]"),
        (("--model", "nowhere.json"), ""),
    ],
)
def test_a_workflow_installs_the_extra_that_a_model_needs(
    conformance_here: Command, tmp_path: Path, asked: tuple[str, ...], extras: str
) -> None:
    """Fault: "tiktoken is not installed", of a gate on a rank file."""
    (tmp_path / "own.tiktoken").write_text("IQ== 0\n", "ascii")
    workflow, _ = workflow_of(conformance_here, tmp_path, *asked)
    (installed,) = re.findall(r'pip install "(.*)"', workflow)
    assert installed.startswith(f"reftok{extras} @ " if extras else ("reftok @ ", "WHERE"))


def test_a_file_outside_the_folder_is_told_with_the_way_out(conformance_here: Command, tmp_path: Path) -> None:
    """Fault: an absolute path went into conformance.toml without a word; no clone has that file."""
    project = tmp_path / "project"
    project.mkdir()
    outside = tmp_path / "own.tiktoken"
    for path in (outside, project / "own.tiktoken"):
        path.write_text("IQ== 0\n", "ascii")
    asked = ("--model", str(outside), "--model", "own.tiktoken", "--model", "bpe-qwen", "--model", "Qwen/Qwen3-0.6B")
    _, said = workflow_of(conformance_here, project, *asked)
    (line,) = (line for line in said.splitlines() if line.startswith("outside: "))
    assert line.startswith(
        f"outside: {outside} is in no clone of this folder: copy it here, or have the workflow fetch"
    )


def test_a_run_ends_after_the_first_finding_and_does_not_pass_even_where_it_is_accepted(
    conformance_here: Command, project: Path
) -> None:
    for number in range(3):
        (project / "corpus" / f"more{number}.jsonl").write_text(json.dumps({"text": f"\0{number}"}) + "\n", "ascii")
    asked = (
        "run",
        "--subject",
        "mine.py:Tokenizer",
        "--model",
        "bpe-qwen",
        "--model",
        "bpe-gpt2",
        "--corpus",
        "corpus",
    )
    result = conformance_here(*asked, "--inputs", "corpora", "-x", "--jobs", "1", "--out", "run", cwd=project)
    assert result.returncode == 1, result.stderr
    (problem,) = read_run_folder(project / "run").problems
    assert problem == "stopped early, after 1 finding, as --max-findings has it: 1 of 2 shards were not asked"
    pruned = conformance_here("known", "prune", "run", "--expectations", "none.toml", cwd=project)
    said(pruned, 2, "run: was not asked to its end")
    resumed = conformance_here("run", "--resume", "run", "--quiet", cwd=project)
    assert resumed.returncode == 1
    assert not read_run_folder(project / "run").problems


def test_findings_have_ten_other_examples_of_which_three_are_shown(
    conformance_here: Command, corpus: Any, project: Path, findings: Findings
) -> None:
    texts = corpus(*(f"{'x' * number}\0" for number in range(1, 15)), *(["\0"] * 3), name="many.jsonl")
    asked = ("run", "--subject", "mine.py:Tokenizer", "--model", "bpe-qwen", "--corpus", texts, *SMALLEST)
    assert conformance_here(*asked, "--out", "run", cwd=project).returncode == 1
    (found,) = (one for one in findings(project / "run") if one["status"] == "new")
    examples = [one["case"]["text"] for one in found["examples"]]
    assert len({*examples}) == len(examples) == MOST_EXAMPLES
    assert "  - also: x␀, xx␀, xxx␀\n" in (project / "run" / "summary.md").read_text("utf-8")


def test_what_raises_on_all_first_questions_is_told_with_its_place(conformance_here: Command, tmp_path: Path) -> None:
    raising = {"encode": "return self.tokens[text]", "decode": "raise ValueError('no such id')"}
    (tmp_path / "mine.py").write_text(FAULTS.format(**raising), "utf-8")
    result = conformance_here(
        "run", "--subject", "mine.py:Subject", "--model", "bpe-qwen", "--out", "run", cwd=tmp_path
    )
    assert result.returncode == 2
    assert "--subject mine.py:Subject: raises on all that it is asked first with bpe-qwen:" in result.stderr
    assert f'File "{tmp_path / "mine.py"}", line 4, in encode' in result.stderr
    assert "AttributeError: 'Subject' object has no attribute 'tokens'" in result.stderr
    assert "line 5, in decode" in result.stderr
    assert "serve.py" not in result.stderr
    assert not (tmp_path / "run").exists()


def test_a_method_with_other_arguments_is_told_before_anything_is_asked(
    conformance_here: Command, tmp_path: Path
) -> None:
    source = FAULTS.format(encode="return []", decode="return ''").replace(
        "(self, text, add_special_tokens)", "(self, text)"
    )
    (tmp_path / "mine.py").write_text(source, "utf-8")
    result = conformance_here(
        "run", "--subject", "mine.py:Subject", "--model", "bpe-qwen", "--out", "run", cwd=tmp_path
    )
    said(result, 2, "encode(text, add_special_tokens) is asked for, but it is encode(text), line 4 of mine.py")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("accept", "run", "--reason", "r"), "name the findings that are accepted"),
        (("accept", "run", "--all", "--reason", " "), "--reason: says nothing"),
        (("accept", "run", "--all", "--reason", "r", "--issue", "javascript:x"), "is no link"),
        (("accept", "run", "--all", "--reason", "r", "--expires", "2020-01-01"), "is not in the future"),
        (("accept", "run", "--all", "--reason", "r"), "run: there is no such folder"),
        (("known", "list"), "there is no baseline"),
        (("run", "--expectations", "none.toml"), "none.toml: cannot be read: No such file or directory"),
    ],
)
def test_a_mistake_is_told_in_a_line(
    conformance_here: Command, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    said(conformance_here(*arguments, cwd=tmp_path), 2, message)


def test_settings_that_are_wrong_are_told_with_file_and_key(conformance_here: Command, tmp_path: Path) -> None:
    (tmp_path / "conformance.toml").write_text("modles = []\n", "utf-8")
    said(conformance_here("run", cwd=tmp_path), 2, "conformance.toml: the key 'modles' is not known")


def test_an_option_takes_the_place_of_a_setting(conformance_here: Command, project: Path) -> None:
    (project / "conformance.toml").write_text(
        'models = ["bpe-qwen"]\ntier = "core"\nsubjects = ["none.py:T"]\n', "utf-8"
    )
    result = conformance_here("run", "--subject", "reftok", "--out", "run", "--quiet", cwd=project)
    assert result.returncode == 0, result.stderr
    run = read_run_folder(project / "run")
    assert [model.name for model in run.models] == ["bpe-qwen"]
    assert replace(run, findings=()).fuzz == 0
