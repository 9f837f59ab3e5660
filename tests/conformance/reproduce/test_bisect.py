"""Releases of a library are asked about a finding, each in an environment of its own, until a turn is between two."""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.core.errors import InputError, UsageError
from conformance.core.finding import Finding
from conformance.engine.plan import Plan
from conformance.reproduce import bisect as bisecting
from conformance.reproduce.bisect import Asked, Bisected, State, Target, bisect, bisected, registered
from conformance.reproduce.registries import NotInstalledError, Npm, PyPi, Registry, in_order
from conformance.reproduce.replay import named_finding
from conformance.runs.plan_file import read_plan
from conformance.subjects.adapters import subject_label
from conformance.subjects.definition import Definition, definition

from ..commands import SMALLEST, Command

SUBJECT = """
import json
from pathlib import Path

try:
    import fake_library
except ImportError:
    fake_library = None


class Subject:
    def __init__(self, path):
        self.vocab = json.loads(Path(path).read_text("utf-8"))["model"]["vocab"]

    def encode(self, text, add_special_tokens):
        return [self.vocab[self.token(one)] for one in text if one in self.vocab]

    def token(self, text):
        if text != "a":
            return text
        return fake_library.token(text) if fake_library else "b"

    def decode(self, ids, skip_special_tokens):
        tokens = {token_id: token for token, token_id in self.vocab.items()}
        return "".join(tokens.get(one, "") for one in ids)
"""
RIGHT, WRONG, OTHER, BROKEN, ABSENT = "return text", "return 'b'", "return 'c'", "raise ValueError", ""


class Folder(Registry):
    """Releases that are modules in a folder; those without code do not install."""

    kind = "folder"

    def __init__(self, releases: dict[str, str], cache: Path) -> None:
        super().__init__("fake_library", cache)
        self.releases = releases
        self.installed: list[str] = []

    def versions(self) -> list[str]:
        return list(self.releases)

    def install(self, version: str, place: Path) -> None:
        self.installed.append(version)
        if self.releases[version] == ABSENT:
            raise NotInstalledError("no wheel")
        venv.create(place, symlinks=True)
        packages = Path(sysconfig.get_path("purelib", vars={"base": str(place)}))
        code = f"def token(text):\n    {self.releases[version]}\n"
        (packages / "fake_library.py").write_text(
            code if self.releases[version] != BROKEN else "raise OSError", "utf-8"
        )

    def subject(self, asked: Definition, place: Path) -> Definition:
        return asked.run_by(place / "bin" / "python")


@pytest.fixture(scope="module")
def run(conformance_here: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with one finding: the subject says b where a is right."""
    folder = tmp_path_factory.mktemp("bisect")
    (folder / "mine.py").write_text(SUBJECT, "utf-8")
    (folder / "a.txt").write_text("a\n", "utf-8")
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2}, "merges": []}
    (folder / "tokenizer.json").write_text(json.dumps({"model": model}), "utf-8")
    arguments = ("--model", "tokenizer.json", "--subject", "mine.py:Subject", "--check", "ids", "--corpus", "a.txt")
    assert conformance_here("run", *arguments, "--out", "out", *SMALLEST, cwd=folder).returncode == 1
    return folder / "out"


Asker = Callable[..., tuple[Bisected, Folder]]


@pytest.fixture
def asked(run: Path, tmp_path: Path) -> Asker:
    """Bisects over releases, the oldest first, whose code is given."""

    def of(*codes: str, bounds: tuple[str, str] = ("", "")) -> tuple[Bisected, Folder]:
        registry = Folder({f"1.{minor}": code for minor, code in enumerate(codes)}, tmp_path)

        def target(plan: Plan, finding: Finding, library: str, cache: Path) -> Target:
            return Target(registry, definition(plan.subjects[-1]))

        return bisect(run, "", tmp_path, bounds=bounds, target_of=target), registry

    return of


def states(found: Bisected) -> list[tuple[str, State]]:
    return [(one.version, one.state) for one in found.asked]


def test_the_release_in_which_a_finding_came_is_found(asked: Asker) -> None:
    found, _ = asked(RIGHT, RIGHT, RIGHT, RIGHT, WRONG, WRONG)
    assert found.sentence == "came in 1.4 (1.3 is as expected)"
    assert ("1.1", "as expected") not in states(found)


def test_the_release_in_which_a_finding_went_is_found(asked: Asker) -> None:
    found, _ = asked(WRONG, WRONG, RIGHT, RIGHT)
    assert found.sentence == "went in 1.2, which is as expected (1.1 still differs)"


def test_another_mistake_is_not_the_finding(asked: Asker) -> None:
    found, _ = asked(OTHER, OTHER, WRONG)
    assert states(found) == [("1.0", "differs otherwise"), ("1.1", "differs otherwise"), ("1.2", "differs")]
    assert found.sentence == "came in 1.2 (1.1 differs otherwise)"


def test_what_does_not_install_or_load_is_skipped_and_told(asked: Asker) -> None:
    found, _ = asked(ABSENT, RIGHT, BROKEN, WRONG)
    assert [one.state for one in found.asked] == ["skipped", "as expected", "skipped", "differs"]
    assert found.asked[0].said == "does not install: no wheel"
    assert found.asked[2].said.startswith("does not load: ")
    assert found.sentence == "came in 1.3 or in one skipped before it (1.1 is as expected)"


def test_where_both_ends_agree_it_is_said_of_how_many(asked: Asker) -> None:
    found, _ = asked(RIGHT, WRONG, RIGHT)
    assert found.sentence == "it is the same in all 2 releases asked: each is as expected"


def test_where_one_or_none_can_answer_that_is_said(asked: Asker) -> None:
    assert asked(ABSENT, ABSENT)[0].sentence == "none of the 2 releases asked could answer"
    assert asked(ABSENT, ABSENT, WRONG)[0].sentence == "only 1.2 could answer: it differs"


def test_only_releases_within_the_bounds_are_asked(asked: Asker) -> None:
    found, registry = asked(RIGHT, RIGHT, WRONG, RIGHT, bounds=("1.1", "1.2"))
    assert (found.sentence, found.of, sorted(registry.installed)) == (
        "came in 1.2 (1.1 is as expected)", 2, ["1.1", "1.2"]
    )  # fmt: skip
    with pytest.raises(
        UsageError, match=r"fake_library: has no release within --from and --to; there are 1\.0 to 1\.1"
    ):
        asked(RIGHT, WRONG, bounds=("2", ""))
    with pytest.raises(UsageError, match="--to x: is no version"):
        asked(RIGHT, bounds=("", "x"))


def test_a_release_is_installed_once_and_an_interrupted_one_anew(
    asked: Asker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: Folder, version: str, place: Path) -> None:
        (place / "half").touch()
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Folder, "install", interrupted)
        with pytest.raises(KeyboardInterrupt):
            asked(RIGHT, WRONG)
    assert list((tmp_path / "folder").iterdir()) == []
    assert sorted(asked(RIGHT, WRONG)[1].installed) == ["1.0", "1.1"]
    found, registry = asked(RIGHT, WRONG)
    assert (found.sentence, registry.installed) == ("came in 1.1 (1.0 is as expected)", [])


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc")
def test_what_a_killed_installation_left_is_removed_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: each kill -9 left some hundred megabytes for ever."""
    monkeypatch.setattr(Folder, "install", lambda self, version, place: None)
    kept = {"x-1.0.999999999", f".x-1.0.{os.getpid()}.tmp"}
    for name in (*kept, ".x-1.0.999999999.tmp"):
        (tmp_path / "folder" / name).mkdir(parents=True)
    Folder({}, tmp_path).place("2.0")
    left = {path.name for path in (tmp_path / "folder").iterdir()}
    assert left == {"fake_library-2.0", *kept}


@pytest.mark.parametrize("turn", range(1, 12))
def test_a_turn_is_found_with_few_questions(turn: int) -> None:
    versions = [f"1.{minor}" for minor in range(12)]
    found = bisected(versions, lambda one: Asked(one, "differs" if int(one[2:]) >= turn else "as expected"))
    assert Bisected("x", tuple(found), 12).sentence == f"came in 1.{turn} (1.{turn - 1} is as expected)"
    assert len(found) <= 6


def test_pre_releases_are_left_out() -> None:
    assert in_order(["1.10.0", "1.9.0", "2.0.0rc1", "2.0.0-alpha.1", "2.0.0-next.x"]) == ["1.9.0", "1.10.0"]


# --- which library


@pytest.fixture
def registered_of(run: Path, tmp_path: Path) -> Callable[..., Target]:
    """The target of a finding of a subject."""

    def of(subject: str, library: str = "") -> Target:
        plan, *_ = read_plan(run)
        finding = named_finding(run, "")
        plan = plan.__class__(plan.models, (subject,), plan.checks, plan.inputs, plan.timeout)
        example = finding.example.__class__(
            finding.example.model, subject_label(subject), "ids", "r", "other ids", finding.example.case, "", ""
        )
        made = finding.__class__(example, 1, (), "", "r", "tokenizers")
        return registered(plan, made, library, tmp_path / "cache")

    return of


def subject_toml(folder: Path, text: str) -> str:
    path = folder / "subject.toml"
    path.write_text(text, "utf-8")
    return str(path)


def test_the_library_is_the_one_that_the_subject_is_or_is_made_with(
    registered_of: Callable[..., Target], tmp_path: Path
) -> None:
    build = 'name = "n"\nfactory = "a.py:A"\nbuild = "python3 -m venv .venv && .venv/bin/pip install one==1 two==2"'
    by_pip = registered_of(subject_toml(tmp_path, build)).registry
    assert (by_pip.library, by_pip.kind) == ("one", "pypi")
    assert registered_of("reftok").registry.library == "tokenizers"
    assert registered_of("tokenizers").registry.library == "tokenizers"
    assert registered_of("/mine.py:Subject").registry.library == "tokenizers"
    assert registered_of("/mine.py:Subject", "another").registry.library == "another"


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not there")
def test_of_a_package_json_it_is_the_dependency_and_the_copy_finds_what_stands_beside(
    registered_of: Callable[..., Target], tmp_path: Path
) -> None:
    folder = tmp_path / "adapters" / "mine"
    folder.mkdir(parents=True)
    (tmp_path / "adapters" / "loop").mkdir()
    (folder / "server.mjs").write_text('import { serve } from "../loop/serve.mjs";', "utf-8")
    (folder / "package.json").write_text('{"dependencies": {"some-library": "1.0.0"}}', "utf-8")
    target = registered_of(subject_toml(folder, 'name = "n"\ncommand = ["node", "server.mjs"]'))
    assert isinstance(target.registry, Npm)
    assert target.registry.library == "some-library"
    place = tmp_path / "place"
    place.mkdir()
    asking = target.registry.subject(target.asking, place)
    copy = Path(asking.command[1])
    assert copy.parent.parent.parent == place
    assert (copy.parent.parent / "loop").is_dir()
    assert (copy.parent / "node_modules").is_symlink()


@pytest.mark.parametrize(
    ("subject", "library", "problem"),
    [
        ("reftok", "tiktoken", "--library tiktoken: releases are asked of tokenizers and sentencepiece"),
        ("/mine.py:Subject", "-x", "--library -x: is no name of a package"),
        ("cat", "x", "cat: which library is to be asked"),
    ],
)
def test_a_library_that_cannot_be_asked_is_refused(
    registered_of: Callable[..., Target], subject: str, library: str, problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        registered_of(subject, library)


@pytest.mark.parametrize("said", ["ERROR: no route to host", "ERROR: Could not find a version (from versions: none)"])
def test_without_a_network_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setattr(PyPi, "_pip", lambda self: [sys.executable, "-c", f"import sys; sys.exit({said!r})"])
    with pytest.raises(InputError, match=r"tokenizers: pip finds no release .* is there a network\?"):
        PyPi("tokenizers", tmp_path).versions()


def test_the_releases_are_those_that_pip_names_when_it_refuses_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "ERROR: Could not find a version that satisfies the requirement x==0+never (from versions: 0.1, 0.2rc1, 0.2)"
    monkeypatch.setattr(PyPi, "_pip", lambda self: [sys.executable, "-c", f"import sys; sys.exit({said!r})"])
    assert PyPi("x", tmp_path).versions() == ["0.1", "0.2rc1", "0.2"]


# --- the command


def test_the_command_says_each_answer_and_the_release(
    run: Path, conformance_here: Command, asked: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, _ = asked(RIGHT, WRONG)
    monkeypatch.setattr("conformance.cli.reproduce.bisect", lambda *_: found)
    ended = conformance_here("bisect", run, "")
    assert ended.returncode == 0
    assert "fake_library: came in 1.1 (1.0 is as expected)" in ended.stdout
    assert "2 of 2 releases asked" in ended.stdout


def test_a_run_that_is_none_is_refused(conformance_here: Command, tmp_path: Path) -> None:
    ended = conformance_here("bisect", tmp_path, "abc")
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1
    assert bisecting.default_cache().parts[-2:] == ("conformance", "releases")


def test_a_strange_run_is_not_asked_unless_it_is_trusted(run: Path, conformance_here: Command, tmp_path: Path) -> None:
    strange = shutil.copytree(run, tmp_path / "strange")
    plan = (strange / "plan.json").read_text("utf-8")
    (strange / "plan.json").write_text(plan.replace('"seal": "', '"seal": "0'), "utf-8")
    ended = conformance_here("bisect", strange, "")
    assert ended.returncode == 2
    assert "--trust" in ended.stderr
