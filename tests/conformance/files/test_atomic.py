"""A file is replaced whole and on disk, or is what it was."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from conformance.files import atomic
from conformance.files.atomic import write_atomically


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_text("old", "ascii")
    return path


def test_a_file_is_replaced_or_made(path: Path) -> None:
    for name in ("file", "other"):
        write_atomically(path.with_name(name), "new\n")
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == {"file": b"new\n", "other": b"new\n"}


def test_text_is_written_as_utf_8_and_a_lone_surrogate_as_its_escape(path: Path) -> None:
    write_atomically(path, "é\ud800")
    assert path.read_bytes() == "é".encode() + b"\\ud800"


def test_the_text_is_on_disk_before_the_name_and_the_name_before_the_end(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[tuple[str, str]] = []
    sync, replace = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            assert os.path.samestat(os.fstat(descriptor), path.parent.stat())
            steps.append(("folder", path.read_text("ascii")))
        else:
            (beside,) = {*path.parent.iterdir()} - {path}
            steps.append(("file", beside.read_text("ascii")))
        sync(descriptor)

    def replaced(source: Path, target: Path) -> None:
        assert source.parent == target.parent
        steps.append(("replace", path.read_text("ascii")))
        replace(source, target)

    monkeypatch.setattr(atomic.os, "fsync", synced)
    monkeypatch.setattr(atomic.os, "replace", replaced)
    write_atomically(path, "new")
    assert steps == [("file", "new"), ("replace", "old"), ("folder", "new")]


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_a_write_that_ends_in_the_middle_leaves_the_old_file_and_no_other(
    path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(atomic.os, step, fail)
    with pytest.raises(type(error)):
        write_atomically(path, "new")
    assert {file.name: file.read_text("ascii") for file in path.parent.iterdir()} == {"file": "old"}


def test_where_a_folder_cannot_be_synced_the_file_is_written_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, where a folder cannot be opened."""
    opened = os.open

    def refused(name: str | Path, flags: int, *more: int) -> int:
        if Path(name).is_dir():
            raise PermissionError
        return opened(name, flags, *more)

    monkeypatch.setattr(atomic.os, "open", refused)
    write_atomically(path, "new")
    assert path.read_text("ascii") == "new"
