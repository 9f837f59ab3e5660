"""The code that a run folder names is run without a word only where the folder was made by this user."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.core.errors import InputError
from conformance.runs.trust import check_trust, seal

Command = Callable[..., "subprocess.CompletedProcess[str]"]
SUBJECTS = ("reftok", "/their/subject.py:Subject")


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def test_what_was_sealed_here_is_trusted_and_nothing_else(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed = seal(SUBJECTS)
    check_trust(tmp_path, SUBJECTS, sealed)
    for subjects, others in ((SUBJECTS, ""), (SUBJECTS, "0" * 64), ((*SUBJECTS, "/x.py:X"), sealed)):
        with pytest.raises(InputError, match=r"was not made here, and would run /their/subject\.py:Subject.*--trust"):
            check_trust(tmp_path, subjects, others)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "of another user"))
    with pytest.raises(InputError, match="was not made here"):
        check_trust(tmp_path, SUBJECTS, sealed)


def test_a_plan_without_code_needs_no_trust(tmp_path: Path) -> None:
    check_trust(tmp_path, ("reftok", "tokenizers"), "")


def test_the_secret_is_this_users_alone(state: Path) -> None:
    seal(SUBJECTS)
    (key,) = (state / "conformance").iterdir()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert seal(SUBJECTS) == seal(SUBJECTS)


def test_what_a_killed_process_left_of_its_secret_goes(state: Path) -> None:
    """Fault: each process made a file of its own beside the secret, and one that was killed then left it for good."""
    (state / "conformance").mkdir(parents=True)
    left = state / "conformance" / "key.71"
    left.touch()
    sealed = seal(SUBJECTS)
    left.touch()
    assert seal(SUBJECTS) == sealed
    assert [path.name for path in (state / "conformance").iterdir()] == ["key"]


def test_a_secret_that_another_process_has_made_meanwhile_is_the_one(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def others_first(made: Path, path: Path) -> None:
        monkeypatch.setattr(os, "link", link)
        seal(SUBJECTS)  # which also takes away what this one has made
        link(made, path)

    monkeypatch.setattr(os, "link", others_first)
    sealed = seal(SUBJECTS)
    assert sealed
    assert sealed == seal(SUBJECTS)


def test_where_no_secret_can_be_kept_nothing_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert seal(SUBJECTS) == ""
    with pytest.raises(InputError, match="was not made here"):
        check_trust(tmp_path, SUBJECTS, seal(SUBJECTS))


def test_a_folder_of_a_stranger_is_read_but_its_code_is_not_run_unasked(
    conformance_here: Command, planted: Callable[[str], str], tmp_path: Path
) -> None:
    """Fault: replay, reproduce and --resume ran whatever code a folder named."""
    folder = tmp_path / "theirs"
    (tmp_path / "texts.txt").write_text("\ta\n", "utf-8")
    asked = ("--model", "spm-char", "--corpus", tmp_path / "texts.txt", "--inputs", "corpora", "--check", "ids")
    ran = conformance_here("run", *asked, "--subject", planted("strips_white_space"), "--out", folder, "--quiet")
    assert ran.returncode == 1
    plan = json.loads((folder / "plan.json").read_text("ascii"))
    (folder / "plan.json").write_text(json.dumps({**plan, "seal": "0" * 64}), "ascii")
    (finding, *_) = (folder / "findings.jsonl").read_text("ascii").splitlines()
    fingerprint = json.loads(finding)["fingerprint"]
    for command in (("replay", folder, fingerprint), ("reproduce", folder, fingerprint), ("run", "--resume", folder)):
        refused = conformance_here(*command)
        assert refused.returncode == 2
        assert "strips_white_space.py:Subject; add --trust" in refused.stderr
    assert conformance_here("replay", folder, fingerprint, "--trust").returncode == 1
    assert conformance_here("diff", folder, folder).returncode == 0
