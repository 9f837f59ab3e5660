"""The version of a subject that tells none: its commit, whether its files differ from it, or their hash."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.engine.plan import Plan
from conformance.inputs.shards import Inputs
from conformance.runs import subject_version
from conformance.runs.job import attending
from conformance.runs.models import plan_models
from conformance.runs.subject_version import worked_out_version


def git(folder: Path, *words: str) -> str:
    me = ("-c", "user.name=me", "-c", "user.email=me@example.com")
    ended = subprocess.run(["git", "-C", str(folder), *me, *words], check=True, capture_output=True, text=True)
    return ended.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository in which a FILE.py with what it imports, and a folder with a subject.toml, are committed."""
    (tmp_path / "mine.py").write_text("import part\n", "utf-8")
    (tmp_path / "part.py").write_text("x = 1\n", "utf-8")
    (tmp_path / "notes.txt").write_text("1\n", "utf-8")
    (tmp_path / "port").mkdir()
    (tmp_path / "port" / "subject.toml").write_text('name = "port"\ncommand = ["cat", "main"]\n', "utf-8")
    (tmp_path / "port" / "main").write_text("1\n", "utf-8")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    return tmp_path


def hashed(content: bytes) -> str:
    return f"sha256 {hashlib.sha256(content).hexdigest()[:8]}"


def mine(folder: Path) -> str:
    return worked_out_version(f"{folder / 'mine.py'}:Mine")


def test_a_subject_in_a_repository_has_its_commit_marked_where_a_file_that_decides_differs(repository: Path) -> None:
    port = str(repository / "port" / "subject.toml")
    commit = f"git {git(repository, 'rev-parse', 'HEAD')[:7]}"
    os.utime(repository / "mine.py", (1, 1))
    assert [mine(repository), worked_out_version(port)] == [commit, commit]
    (repository / "notes.txt").write_text("2\n", "utf-8")
    (repository / "port" / "main").write_text("2\n", "utf-8")
    assert [mine(repository), worked_out_version(port)] == [commit, f"{commit} + changes"]
    (repository / "part.py").write_text("x = 2\n", "utf-8")
    assert mine(repository) == f"{commit} + changes"
    git(repository, "stash")
    git(repository, "checkout", "--quiet", "--detach")
    git(repository, "worktree", "add", "--quiet", "--detach", "beside", "HEAD")
    (repository / "link.py").symlink_to("beside/mine.py")
    assert mine(repository / "beside") == worked_out_version(f"{repository / 'link.py'}:Mine") == commit


def test_a_program_is_changed_by_any_file_of_its_repository(repository: Path) -> None:
    """Fault: a library mended beside the folder of its adapter counted as no change."""
    (repository / "notes.txt").write_text("2\n", "utf-8")
    assert worked_out_version(str(repository / "port" / "subject.toml")).endswith(" + changes")


def _nothing(folder: Path) -> None:
    """No repository at all."""


def _no_commit(folder: Path) -> None:
    git(folder, "init", "--quiet")
    git(folder, "add", ".")


def _untracked(folder: Path) -> None:
    git(folder, "init", "--quiet")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "nothing")


def _ignored(folder: Path) -> None:
    (folder / ".gitignore").write_text("*.py\n", "utf-8")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")


def _broken(folder: Path) -> None:
    (folder / ".git").write_text("gitdir: nowhere\n", "utf-8")


@pytest.mark.parametrize("made", [_nothing, _no_commit, _untracked, _ignored, _broken])
def test_a_file_that_no_commit_has_is_told_by_its_hash(tmp_path: Path, made: Callable[[Path], None]) -> None:
    (tmp_path / "mine.py").write_bytes(b"x = 1\n")
    made(tmp_path)
    assert mine(tmp_path) == hashed(b"x = 1\n")


def test_without_git_and_without_an_answer_in_time_or_size_it_is_the_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_bytes(b"x = 1\n")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert mine(tmp_path) == hashed(b"x = 1\n")
    (tmp_path / "bin").mkdir()
    for script in ("exec /bin/sleep 60", "exec /bin/cat /dev/zero"):
        (tmp_path / "bin" / "git").write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        (tmp_path / "bin" / "git").chmod(0o755)
        monkeypatch.setattr(subject_version, "_SECONDS", 0.2 if "sleep" in script else 60.0)
        assert mine(tmp_path) == hashed(b"x = 1\n")


def test_a_file_that_is_gone_or_a_link_to_itself_has_no_version(tmp_path: Path) -> None:
    (tmp_path / "mine.py").symlink_to("mine.py")
    assert [mine(tmp_path), mine(tmp_path / "none")] == ["", ""]


@pytest.mark.parametrize("name", ["x", "x=y"])
def test_git_runs_nothing_that_a_repository_names(repository: Path, name: str) -> None:
    """Its own configuration may name programs: of filters, of hooks, of a monitor of files."""
    pwned = repository / "pwned"
    program = repository / "program"
    program.write_text(f"#!/bin/sh\necho $0 >> {pwned}\ncat\n", "utf-8")
    program.chmod(0o755)
    (repository / ".git" / "hooks").mkdir(exist_ok=True)
    shutil.copy(program, repository / ".git" / "hooks" / "post-index-change")
    (repository / ".gitattributes").write_text(f"* filter={name}\n", "utf-8")
    (repository / "part.py").write_text("x = 2\n", "utf-8")
    with (repository / ".git" / "config").open("a", encoding="utf-8") as config:
        config.write(f'[filter "{name}"]\nclean = {program}\nprocess = {program}\nrequired = true\n')
        config.write(f"[core]\nfsmonitor = {program}\n")
    said = mine(repository)
    assert not pwned.exists()
    assert said.endswith(" + changes") if name == "x" else said.startswith("sha256 ")


def test_the_variables_of_a_hook_of_another_repository_lead_nobody_astray(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = mine(repository)
    monkeypatch.setenv("GIT_DIR", str(repository / "nowhere"))
    assert mine(repository) == before != ""


@pytest.mark.usefixtures("subjects_here")
@pytest.mark.parametrize("told", ["", "version = '1.0'"])
def test_a_subject_that_tells_its_version_has_that_one(tmp_path: Path, told: str) -> None:
    (tmp_path / "mine.py").write_text(
        f"class Mine:\n    {told}\n    def __init__(self, path): pass\n"
        "    def encode(self, text, add_special_tokens): return [1]\n"
        "    def decode(self, ids, skip_special_tokens): return 'a'\n",
        "utf-8",
    )
    inputs = Inputs((), ("corpora",), fuzz=0, seed=0)
    plan = Plan(plan_models(("spm-char",)), (f"{tmp_path / 'mine.py'}:Mine",), ("ids",), inputs, timeout=60.0)
    _, about = attending(plan)
    assert about["mine.py:Mine"].version == ("1.0" if told else hashed((tmp_path / "mine.py").read_bytes()))
