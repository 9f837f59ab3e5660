"""A file is replaced whole and on disk, or is what it was."""

from __future__ import annotations

import errno
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


@pytest.mark.parametrize("error", [errno.EINVAL, errno.ENOTSUP])
def test_where_a_file_system_does_not_sync_folders_the_file_is_written_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    sync = os.fsync

    def refused(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(error, os.strerror(error))
        sync(descriptor)

    monkeypatch.setattr(atomic.os, "fsync", refused)
    write_atomically(path, "new")
    assert path.read_text("ascii") == "new"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_replaced_file_keeps_its_mode(path: Path, mode: int) -> None:
    path.chmod(mode)
    write_atomically(path, "new")
    assert (path.read_text("ascii"), stat.S_IMODE(path.stat().st_mode)) == ("new", mode)


def test_a_symbolic_link_stays_and_the_file_behind_it_is_replaced_or_made(path: Path) -> None:
    folder = path.parent / "elsewhere"
    folder.mkdir()
    for target in (path, folder / "made"):
        link = folder / f"link to {target.name}"
        link.symlink_to(target)
        write_atomically(link, "new")
        assert link.is_symlink()
        assert (target.read_text("ascii"), target.is_symlink()) == ("new", False)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_written_into(path: Path) -> None:
    pipe = path.with_name("pipe")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, "new")
    assert os.read(reader, 99) == b"new"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the system has no /proc")
def test_the_link_of_standard_output_leads_to_its_pipe(path: Path) -> None:
    """As /dev/stdout, which leads to /proc/self/fd/1, which leads to what has no path."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    link = path.with_name("link")
    link.symlink_to(f"/proc/self/fd/{writer}")
    write_atomically(link, "new")
    assert os.read(reader, 99) == b"new"
    os.close(reader)
    os.close(writer)
    assert {file.name for file in path.parent.iterdir()} == {"file", "link"}
