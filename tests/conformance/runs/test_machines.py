"""A machine of a cluster must be like the one that began the run; `--engine ray` asks the same as one process."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from conformance.core.errors import InputError, UsageError
from conformance.engine.ray_workers import check_reachable
from conformance.files.digest import sha256
from conformance.runs.machines import check_machine
from conformance.subjects.versions import installed_versions

from ..commands import SMALLEST, Command, Corpus, Planted, outcome, said

# Ray takes 240 MB, so that the group of the tests goes without it; the other half is the test of its absence below.
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install '.[ray]'")
TEXTS = ("a  b", "cafe\u0301 ", " x", "plain")


@pytest.fixture
def hashes(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "corpus.txt").write_text("a", "utf-8")
    return {str(tmp_path / "corpus.txt"): sha256(tmp_path / "corpus.txt")}


def test_the_machine_that_began_the_run_is_like_itself(hashes: dict[str, str]) -> None:
    check_machine(hashes, installed_versions())


def test_a_machine_with_another_file_is_told(hashes: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("b", "utf-8")
    with pytest.raises(InputError, match=r"on .*: .*corpus\.txt: is gone or has changed"):
        check_machine(hashes, installed_versions())


def test_a_machine_with_another_library_is_told(hashes: dict[str, str]) -> None:
    with pytest.raises(InputError, match=r"on .*: tokenizers is .*, where the run began 0\.1"):
        check_machine(hashes, {**installed_versions(), "tokenizers": "0.1"})


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
def test_without_ray_the_command_that_installs_it_is_named(
    conformance: Command, corpus: Corpus, tmp_path: Path
) -> None:
    arguments = ("--model", "spm-char", "--corpus", corpus("a"), "--out", tmp_path / "out", *SMALLEST)
    result = conformance("run", *arguments, "--engine", "ray")
    said(result, 2, "--engine ray: Ray is not installed: python -m pip install '.[ray]'")


def test_an_address_at_which_no_cluster_answers_is_told_at_once() -> None:
    """Fault: Ray tried for minutes, and its own words were all that was seen."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        check_reachable(f"127.0.0.1:{port}")
    for address in (f"127.0.0.1:{port}", f"ray://127.0.0.1:{port}", "127.0.0.1:99999"):
        with pytest.raises(UsageError, match=rf"^--engine ray: no cluster at RAY_ADDRESS={address}: "):
            check_reachable(address)


KILLING = '''
"""Wrong answers; where there is a file "kill", the process of that number, or the one that asks, is killed once."""

import os
import time
from pathlib import Path

from strips_white_space import Subject as Wrong

ORDER = Path(__file__).with_name("kill")
JOURNAL = Path(__file__).with_name("out") / "journal.jsonl"


class Subject(Wrong):
    def encode_with_offsets(self, text, add_special_tokens):
        if ORDER.exists() and JOURNAL.exists() and b"\\n" in JOURNAL.read_bytes():
            while not (order := ORDER.read_text()):
                time.sleep(0.01)
            ORDER.unlink()
            os.kill(int(order) if order.isdigit() else os.getppid(), 9)
        return super().encode_with_offsets(text, add_special_tokens)
'''
ARGUMENTS = ("run", "--model", "spm-char", "--model", "spm-bpe", "--check", "ids", "--corpus", "texts.txt", "--timeout")
ARGUMENTS += ("60", "--inputs", "corpora", "--inputs", "fuzz", "--fuzz", "1001", "--subject", "killing.py:Subject")
ARGUMENTS += ("--quiet", "--out", "out")
RAY = ("--engine", "ray", "--jobs", "2")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, conformance: Command, planted: Planted) -> Callable[[str], Path]:
    """A folder to run in, by name; "one" holds the run of one process. All have one name: a run tells that of texts."""
    base = tmp_path_factory.mktemp("ray")

    def make(name: str) -> Path:
        folder = base / name / "here"
        folder.mkdir(parents=True)
        for file in ("official.py", "strips_white_space.py"):
            shutil.copy(Path(planted("correct")).parent / file, folder)
        (folder / "killing.py").write_text(KILLING, "utf-8")
        (folder / "texts.txt").write_text("\n".join(TEXTS), "utf-8")
        return folder

    result = conformance(*ARGUMENTS, "--jobs", "1", cwd=make("one"))
    assert result.returncode == 1, result.stderr
    return make


@needs_ray
def test_actors_give_what_one_process_gives_though_one_is_killed(
    folders: Callable[[str], Path], conformance: Command
) -> None:
    folder = folders("actor")
    (folder / "kill").write_text("who asks", "utf-8")
    result = conformance(*ARGUMENTS, *RAY, cwd=folder)
    assert (result.returncode, result.stderr) == (1, "")
    assert not (folder / "kill").exists()
    assert outcome(folder / "out") == outcome(folder.parent.parent / "one" / "here" / "out")


@needs_ray
def test_a_killed_driver_goes_on_where_it_was(
    folders: Callable[[str], Path], conformance: Command, command_environment: dict[str, str]
) -> None:
    folder = folders("driver")
    (folder / "kill").touch()
    command = [sys.executable, "-m", "conformance", *ARGUMENTS, *RAY]
    driver = subprocess.Popen(command, cwd=folder, env=command_environment)
    (folder / "kill").write_text(str(driver.pid), "utf-8")
    assert driver.wait() == -signal.SIGKILL
    assert b"\n" in (folder / "out" / "journal.jsonl").read_bytes()
    assert conformance("run", "--resume", "out", *RAY, "--quiet", cwd=folder).returncode == 1
    assert outcome(folder / "out") == outcome(folder.parent.parent / "one" / "here" / "out")


@needs_ray
def test_a_program_in_the_current_folder_is_not_imported_by_an_actor(
    conformance: Command, corpus: Corpus, tmp_path: Path
) -> None:
    """Ray puts the folder of its driver in front of what an actor imports."""
    for name in ("msgspec", "tokenizers", "reftok"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')", "utf-8")
    arguments = ("run", "--model", "spm-char", "--corpus", corpus("a"), "--out", "out", *SMALLEST, "--engine", "ray")
    result = conformance(*arguments, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
