"""Each command that a document shows is run as it stands there, in its order, on small models and few texts.

What another test runs, or none can, is in ELSEWHERE and NOT_RUN, with the reason.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from reftok import embedded_models

from ..commands import SMALLEST, Command
from ..conftest import ROOT, environment

ELSEWHERE = {
    "docs/first-port.md": "test_first_port.py",
    "docs/gate.md": "test_gate.py",
    "docs/api.md": "test_documented_api.py",
    "docs/subjects.md": "as README.md",
}
"""The documents whose commands another test runs."""
TEXTS = "low lower lowest widest\na\r\nb\n"
FEW = f"--corpus texts.txt {' '.join(SMALLEST)}"
MINE = f"--model bpe-qwen {FEW}"
IN_FOLDER = "--out reports/runs/20261120-170500"
RAY = "test_machines.py has the engine"
NOT_RUN = {
    "python -m venv .venv && .": "it is for people",
    "python -m pip install": "it wants the network",
    "RAY_ADDRESS=": "test_machines.py has the engine",
    "(cd adapters/js-tiktoken && npm ci)": "it wants the network",
    "conformance run --model cl100k_base.tiktoken": "it wants what npm installs",
    "conformance run --model bpe-qwen --subject adapters/tiktoken/adapter.py:Subject --check stream-decode": "it takes "
    "20 s; test_documented_subjects.py asks that check of that subject",
    "gzip -dc bpe-qwen/core.json.gz | node runner.mjs": "test_runners.py has it",
    "docker": "it wants Docker",
    "conformance bisect": "it wants the network; test_bisection_by_git.py has what it tells of git",
    "git bisect": "test_bisection_by_git.py has it",
}
"""How the lines begin that are not run here, and why."""
FINDING = ((0, "conformance reproduce", ""), (1, "python bug.py", ""))
OWN_PROGRAM = (
    (0, "conformance subject init", ""),
    (1, "conformance subject check", ""),
    (1, "conformance run --model tokenizer.json --subject mine/subject.toml", "--jobs 1 --quiet -x"),
)
STORIES: Mapping[str, tuple[tuple[int, str, str], ...]] = {
    "README.md": (
        (0, "conformance run", MINE),
        (1, "conformance run --model bpe-qwen --subject mine.py:Mine", f"{FEW} {IN_FOLDER}"),
        (0, "conformance show 1", ""),
        *FINDING,
        *OWN_PROGRAM,
        (0, "conformance init", "--subject mine.py:Mine --model bpe-qwen"),
        (1, "conformance run", FEW),
        (0, "conformance accept", ""),
        (0, "conformance run --expectations known.toml", FEW),
        (0, "conformance fuzz", "--jobs 1 --cases 60"),
        (0, "reftok explain", ""),
    ),
    "CONTRIBUTING.md": ((0, "conformance run", "--corpus texts.txt"),),
    "adapters/PYTHON.md": (),
    "adapters/README.md": (),
    "corpora/vectors/README.md": (),
    "docs/ci.md": (
        (0, "pytest -n auto", "-n 0 --conformance-tier smoke --conformance-time 0.000001s -p no:cacheprovider"),
        (0, "pytest -m", "-p no:cacheprovider"),
    ),
    "docs/reference.md": (
        (0, "reftok info", ""),
        (0, "reftok encode", ""),
        (0, "reftok decode", ""),
        (0, "reftok explain", ""),
        (0, "reftok encode-file bpe-qwen", ""),
        (0, "zstdcat", ""),
        (0, "reftok encode-file bpe-gpt2", ""),
        (0, "reftok chat", ""),
        (0, "reftok chat", ""),
        (0, "reftok train", ""),
    ),
    "docs/runs.md": (
        *FINDING,
        (1, "conformance fuzz", "--jobs 1 --cases 240"),
        (0, "conformance corpus minimize", ""),
        (0, "conformance diff", ""),
        (0, "conformance history", ""),
    ),
    "docs/scale.md": (
        (0, "conformance run", FEW),
        (0, "conformance run", FEW),
        (1, "conformance merge", "--quiet"),
    ),
    "docs/training-conformance.md": (
        (0, "conformance train", "--configurations random --count 5"),
        (0, "conformance train", "--count 5"),
        (0, "conformance train --check", ""),
        (0, "conformance train --determinism", ""),
    ),
    "docs/training.md": (
        (0, "reftok train", ""),
        (0, "reftok train", ""),
        (0, "reftok train", "-o another.json"),
        (2, "reftok train", "-o other.json"),  # nothing was killed
    ),
    "docs/vectors.md": (
        (0, "conformance vectors make", "--jobs 1"),
        (1, "conformance vectors run", ""),
        (0, "conformance vectors lint", ""),
        (0, "conformance vectors diff", ""),
    ),
}
"""Of each document: the exit code of each line, how it begins, and what is given besides so that it takes little."""


def told(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def block(name: str, kind: str, beginning: str = "") -> str:
    """The one block of a document that is of this kind, and begins so."""
    (found,) = re.findall(rf"```{kind}\n({beginning}.*?)```", told(name), re.DOTALL)
    return str(found)


def shown(name: str) -> list[str]:
    """The lines of a document's consoles, without their comments."""
    return re.findall(r"^\$ (.*?)(?: +#.*)?$", told(name), re.MULTILINE)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a few texts, the subject of the README, a model where documents have it, and a conversation."""
    (tmp_path / "mine.py").write_text(block("README.md", "python", "class Mine:"), "utf-8")
    (tmp_path / "texts.txt").write_text(TEXTS, "utf-8", newline="")
    (tmp_path / "corpus").mkdir()
    for place in ("path/to", "models"):
        (tmp_path / place).mkdir(parents=True)
        shutil.copy(embedded_models()["bpe-qwen"], tmp_path / place / "tokenizer.json")
    (tmp_path / "path/to/model").mkdir()
    shutil.copy(embedded_models()["bpe-qwen"], tmp_path / "path/to/model/tokenizer.json")
    (tmp_path / "path/to/model/chat_template.jinja").write_text("{{ messages[0].content }}{{ tools }}", "utf-8")
    (tmp_path / "conversation.json").write_text('[{"role": "user", "content": "Hello"}]', "utf-8")
    (tmp_path / "tools.json").write_text('[{"type": "function"}]', "utf-8")
    shutil.copy(ROOT / "README.md", tmp_path / "corpus/texts.txt")
    if packer := shutil.which("zstd"):
        subprocess.run([packer, "-q", "texts.txt", "-o", "texts.zst"], cwd=tmp_path, check=True)
    return tmp_path


@pytest.fixture
def model_here(project: Path) -> None:
    shutil.copy(project / "models/tokenizer.json", project)


@pytest.fixture
def finding(project: Path, conformance_here: Command) -> None:
    """The run whose finding the documents reproduce, and two that they compare."""
    asked = ("run", "--subject", "mine.py:Mine", *MINE.split())
    assert conformance_here(*asked, *IN_FOLDER.split(), cwd=project).returncode == 1
    for name in ("before", "after"):
        shutil.copytree(project / "reports/runs/20261120-170500", project / "reports/runs" / name)


def make_right(project: Path) -> None:
    """Take the mistake out of the subject of the README."""
    source = (project / "mine.py").read_text("utf-8")
    right = source.replace(r'.replace("\r\n", "\n")', "")
    assert right != source
    (project / "mine.py").write_text(right, "utf-8")


@pytest.fixture
def tests_of_ci(project: Path) -> None:
    """The files of docs/ci.md for pytest, with the smallest tier."""
    make_right(project)
    settings = block("docs/ci.md", "toml", "subject = ")
    small = settings.replace('"core"  ', '"smoke"')
    assert small != settings
    (project / "mine.conformance.toml").write_text(small, "utf-8")
    (project / "test_mine.py").write_text(block("docs/ci.md", "python"), "utf-8")


@pytest.fixture
def trained_here(project: Path) -> None:
    """texts.txt, and the tokenizer.json that is trained of it as docs/training-conformance.md checks."""
    (project / "texts.txt").write_text("low low low lower\nlow lower\n", "utf-8")
    line = "reftok train hf-bpe texts.txt --vocab-size 260 --min-frequency 2 -o tokenizer.json"
    assert in_a_process(line, project)[0] == 0


@pytest.fixture
def program(project: Path, conformance_here: Command) -> None:
    """A program under test as it is before anything is filled in, a small model, and the files of two releases."""
    assert conformance_here("subject", "init", "--language", "python", "mine", cwd=project).returncode == 0
    shutil.copy(embedded_models()["spm-char"], project / "path/to/tokenizer.json")
    for name in ("old", "new"):
        shutil.copy(ROOT / "corpora/vectors/spm-char/smoke.json.gz", project / f"{name}.json.gz")


PREPARED = {
    "README.md": "model_here",
    "docs/ci.md": "tests_of_ci",
    "docs/runs.md": "finding",
    "docs/training-conformance.md": "trained_here",
    "docs/vectors.md": "program",
}


def in_a_process(line: str, folder: Path) -> tuple[int, str]:
    """Run a line in a shell that knows the commands of this environment."""
    python = f'python() {{ {shlex.quote(sys.executable)} "$@"; }}'
    modules = "; ".join(f'{name}() {{ python -m {name} "$@"; }}' for name in ("pytest", "reftok"))
    command = ["bash", "-c", f"set -o pipefail; {python}; {modules}; {line}"]
    ended = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, encoding="utf-8", timeout=300)
    return ended.returncode, ended.stdout + ended.stderr


def run(command: Command, folder: Path, line: str, besides: str = "") -> tuple[int, str]:
    """The exit code of a line and what it says; the harness runs in this process."""
    if not line.startswith("conformance "):
        return in_a_process(f"{line} {besides}", folder)
    arguments = (*shlex.split(line)[1:], *besides.split())
    ended = command(*arguments, cwd=folder, isolated="subject.toml" in line)
    return ended.returncode, ended.stdout + ended.stderr


def documents() -> list[str]:
    """Every document that shows a command which is to be run here."""
    kinds = ("*.md", "docs/*.md", "adapters/*.md", "corpora/**/*.md")
    names = sorted(str(page.relative_to(ROOT)) for kind in kinds for page in ROOT.glob(kind))
    return [name for name in names if name not in ELSEWHERE and shown(name)]


def test_nothing_is_listed_that_no_document_shows() -> None:
    every = {line for name in documents() for line in shown(name)}
    assert {*STORIES} == {*documents()}
    assert {*shown("docs/subjects.md")} < {*shown("README.md")}
    assert all(any(line.startswith(start) for line in every) for start in NOT_RUN)


@pytest.mark.parametrize("document", documents())
def test_the_commands_of_a_document_end_as_it_tells(
    document: str, conformance_here: Command, project: Path, request: pytest.FixtureRequest
) -> None:
    if document in PREPARED:
        request.getfixturevalue(PREPARED[document])
    lines = [line for line in shown(document) if not line.startswith((*NOT_RUN,))]
    for line, (code, start, besides) in zip(lines, STORIES[document], strict=True):
        assert line.startswith(start), f"{document} has `{line}` where `{start}` was"
        ended, said = run(conformance_here, project, line, besides)
        assert ended == code, (line, said)


def test_the_commands_of_other_ci_end_as_it_tells(conformance_here: Command, project: Path) -> None:
    make_right(project)
    (project / "conformance").mkdir()
    (project / "conformance/subject.toml").write_text('name = "mine"\nfactory = "../mine.py:Mine"\n', "utf-8")
    lines = re.findall(r"^ +(?:- )?(conformance run .*)$", told("docs/ci.md"), re.MULTILINE)
    assert len(lines) == 2
    for line in lines:
        ended, said = run(conformance_here, project, line.replace("{env_tmp_dir}", "tmp"), FEW)
        assert ended == 0, (line, said)
