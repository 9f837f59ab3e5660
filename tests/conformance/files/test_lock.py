"""One process at a time works on a folder, and one that is killed leaves it free."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.core.errors import InputError
from conformance.files.lock import LOCK, check_no_links, locked

HOLDER = """
import sys
from pathlib import Path
from conformance.files.lock import locked

with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process, which holds the folder until its standard input ends."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def taken(folder: Path) -> None:
    with locked(folder):
        pass


def test_a_folder_that_another_process_holds_is_refused(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    with pytest.raises(InputError) as caught:
        taken(tmp_path)
    assert str(caught.value) == f"{tmp_path}: is being worked on by another process"


def test_a_folder_is_free_when_its_process_ends(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    holder.communicate()
    assert holder.returncode == 0
    taken(tmp_path)


def test_a_folder_is_free_when_its_process_is_killed(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.wait()
    taken(tmp_path)


def test_a_folder_is_held_once_within_a_process_too(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(InputError, match="is being worked on by another process"):
        taken(tmp_path)


def test_a_folder_is_free_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError), locked(tmp_path):
        raise KeyError
    taken(tmp_path)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file: cannot be written: "):
        taken(tmp_path / "file")


@pytest.mark.parametrize(
    ("link", "told"),
    [(Path.symlink_to, "is a link to somewhere else"), (Path.hardlink_to, "has another name elsewhere")],
)
def test_a_folder_with_a_link_is_not_written_into(
    tmp_path: Path, link: Callable[[Path, Path], None], told: str
) -> None:
    """Faults: a stranger's state.json that was a link, and a journal that was a hard one, wrote to the file behind."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine", "utf-8")
    folder = tmp_path / "theirs"
    folder.mkdir()
    link(folder / "coverage.json", elsewhere)
    with pytest.raises(InputError, match=rf"coverage\.json: {told}"), locked(folder):
        pass
    assert not (folder / LOCK).exists()
    assert elsewhere.read_text("utf-8") == "mine"


def test_a_file_that_another_process_has_for_a_moment_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "iterdir", lambda folder: iter([folder / ".run.json.4711.tmp"]))
    check_no_links(tmp_path)


def test_what_a_killed_writer_left_beside_its_file_goes(tmp_path: Path) -> None:
    """Fault: each kill within a write left a hidden file for ever."""
    (tmp_path / ".run.json.4711.tmp").write_text("{", "ascii")
    others = {"notes.tmp", ".notes.tmp"}
    for name in others:
        (tmp_path / name).write_text("mine", "ascii")
    with locked(tmp_path):
        assert {path.name for path in tmp_path.iterdir()} == {LOCK, *others}
