"""The commit of a subject in which a finding came: what a run records, what `bisect` offers, and git with `replay`."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from conformance.core.errors import NotAskedError
from conformance.reproduce.bisect import bisection_by_git
from conformance.reproduce.replay import replay

from ..commands import SMALLEST, Command

pytestmark = pytest.mark.usefixtures("subjects_here")
RIGHT = """
import tokenizers
class Mine:
    def __init__(self, path):
        self.tokenizer = tokenizers.Tokenizer.from_file(path)
    def encode(self, text, add_special_tokens):
        return self.tokenizer.encode(text, add_special_tokens=add_special_tokens).ids
    def decode(self, ids, skip_special_tokens):
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
"""
TOML = 'name = "mine"\nfactory = "mine.py:Mine"\n'
WRONG = RIGHT.replace("encode(text,", "encode(text.strip(),")


def git(folder: Path, *words: str) -> str:
    me = ("-c", "user.name=me", "-c", "user.email=me@example.com")
    ended = subprocess.run(["git", "-C", str(folder), *me, *words], check=True, capture_output=True, text=True)
    return ended.stdout.strip()


def commit(folder: Path, name: str, **files: str) -> str:
    """The hash of a new commit. files: by their names without what follows the dot."""
    for stem, text in files.items():
        (folder / f"{stem}.{'toml' if stem == 'subject' else 'py'}").write_text(text, "utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", name)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def commits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A repository's folder and commits; `wrong` is the commit that brought the finding."""
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init", "--quiet")
    return {
        "folder": str(folder),
        "none": commit(folder, "none"),
        "first": commit(folder, "first", mine=RIGHT, subject=TOML),
        "second": commit(folder, "second"),
        "wrong": commit(folder, "wrong", mine=WRONG),
        "broken": commit(folder, "broken", mine="raise ImportError('half of it')\n"),
        "last": commit(folder, "last", mine=WRONG),
    }


@pytest.fixture(scope="module")
def folder(commits: dict[str, str], conformance_here: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the last commit, with one finding, outside of the repository."""
    here = tmp_path_factory.mktemp("runs")
    (here / "texts.txt").write_text("\ta\n", "utf-8")
    subject = ("--subject", str(Path(commits["folder"]) / "subject.toml"))
    arguments = ("--model", "bpe-qwen", *subject, "--check", "ids", "--corpus", "texts.txt", "--out", "out", *SMALLEST)
    assert conformance_here("run", *arguments, cwd=here).returncode == 1
    return here / "out"


@pytest.fixture
def at(commits: dict[str, str]) -> Iterator[Callable[[str], None]]:
    """Checks out a commit, by its name."""
    repository = Path(commits["folder"])
    yield lambda name: git(repository, "checkout", "--quiet", commits[name]) and None
    git(repository, "checkout", "--quiet", commits["last"])


def replayed(folder: Path) -> tuple[int, str]:
    said = StringIO()
    return replay(folder, "", Console(file=said, width=1_000)), said.getvalue()


def test_a_run_records_the_commit_of_a_subject_that_tells_no_version(folder: Path, commits: dict[str, str]) -> None:
    subjects = json.loads((folder / "run.json").read_text("ascii"))["subjects"]
    assert [one["version"] for one in subjects if one["name"] == "mine"] == [f"git {commits['last'][:7]}"]


def test_replay_tells_good_bad_and_untestable_commits_by_what_git_takes_for_these(
    folder: Path, at: Callable[[str], None]
) -> None:
    """Fault: where there was no subject yet, that was exit code 2, which git takes for a bad commit."""
    codes = {}
    for name in ("first", "wrong", "last"):
        at(name)
        codes[name] = replayed(folder)[0]
    assert codes == {"first": 0, "wrong": 1, "last": 1}
    for name, problem in (("broken", "half of it"), ("none", "there is no such file")):
        at(name)
        with pytest.raises(NotAskedError, match=problem) as error:
            replayed(folder)
        assert error.value.exit_code == 125


def test_the_commands_that_bisect_offers_find_the_commit(folder: Path, commits: dict[str, str]) -> None:
    sentence, start, run = bisection_by_git(folder, "")
    assert sentence.startswith("mine: git finds the commit in which it came")
    assert start.split() == ["git", "bisect", "start", commits["last"][:7], "GOOD"]
    words = shlex.split(run)
    assert words[:4] == ["git", "bisect", "run", "conformance"]
    repository = Path(commits["folder"])
    git(repository, *start.split()[1:-1], commits["first"])
    found = git(repository, *words[1:3], sys.executable, "-m", *words[3:])
    git(repository, "bisect", "reset")
    assert f"{commits['wrong']} is the first bad commit" in found


def test_a_build_that_fails_is_a_commit_that_cannot_be_tested(folder: Path, commits: dict[str, str]) -> None:
    toml = Path(commits["folder"]) / "subject.toml"
    toml.write_text(f"{TOML}build = 'make x'\n", "utf-8")
    *_, run = bisection_by_git(folder, "")
    toml.write_text(TOML, "utf-8")
    *_, shell, option, script = shlex.split(run)
    assert (shell, option) == ("sh", "-c")
    assert script.startswith(f"(cd {commits['folder']} && make x) || exit 125; conformance replay ")


def test_where_changes_were_not_committed_the_commit_is_left_to_the_user_and_without_one_nothing_is_offered(
    folder: Path, commits: dict[str, str]
) -> None:
    path, commit = folder / "run.json", f"git {commits['last'][:7]}"
    before = path.read_text("ascii")
    path.write_text(before.replace(commit, f"{commit} + changes"), "ascii")
    _, start, _ = bisection_by_git(folder, "")
    path.write_text(before.replace(commit, "1.0"), "ascii")
    nothing = bisection_by_git(folder, "")
    path.write_text(before, "ascii")
    assert (start, nothing) == ("  git bisect start BAD GOOD", ())


def test_no_commit_is_sought_where_another_is_wrong(folder: Path) -> None:
    path = folder / "findings.jsonl"
    before = path.read_text("ascii")
    path.write_text(json.dumps({**json.loads(before), "verdict": "the official library: so it is"}) + "\n", "ascii")
    offered = bisection_by_git(folder, "")
    path.write_text(before, "ascii")
    assert offered == ()


def test_another_commit_of_a_program_is_a_change_though_its_named_files_are_the_same(
    folder: Path, commits: dict[str, str], at: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: "not seen again, though nothing has changed", which git takes for a bad commit."""
    monkeypatch.setattr("conformance.reproduce.replay.changed_since", lambda folder: [])
    at("first")
    code, said = replayed(folder)
    versions = [f"git {commits[name][:7]}" for name in ("last", "first")]
    assert (code, f"changed since the run: mine: {' → '.join(versions)}\n" in said) == (0, True)
