"""A line that was added is on disk and comes back; one that a kill cut off does not, and is in nobody's way."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from conformance.files import lines
from conformance.files.lines import LineFile, read_lines


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lines.jsonl"


def add(path: Path, values: Iterable[Any]) -> None:
    with closing(LineFile(path)) as file:
        file.add(values)


def values(path: Path) -> list[Any]:
    return [json.loads(line) for line in read_lines(path)]


def test_what_was_added_comes_back_in_its_order(path: Path) -> None:
    assert values(path) == []
    add(path, [1, {"é": "\ud800\n\x85"}])
    add(path, ["3"])
    assert values(path) == [1, {"é": "\ud800\n\x85"}, "3"]
    assert path.read_bytes().isascii()


def test_some_lines_can_be_read(path: Path) -> None:
    add(path, range(5))
    assert read_lines(path, 1, 3) == [b"1", b"2"]
    assert read_lines(path, 3) == [b"3", b"4"]


def test_a_value_is_on_disk_when_it_was_added(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[bytes] = []
    monkeypatch.setattr(lines.os, "fsync", lambda descriptor: synced.append(path.read_bytes()))
    with closing(LineFile(path)) as file:
        synced.clear()
        file.add([1, 2])
        assert synced == [b"1\n2\n"]


def test_the_name_of_a_new_file_is_on_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders: list[Path] = []
    monkeypatch.setattr(lines, "sync_folder", folders.append)
    for _ in range(2):
        LineFile(path).close()
    assert folders == [path.parent]


@pytest.mark.parametrize("torn", [b"{", b'"2', b"2", b"\r", b"\xff"])
def test_a_line_that_was_cut_off_is_not_read_and_goes_when_the_next_is_added(path: Path, torn: bytes) -> None:
    path.write_bytes(b"1\n" + torn)
    assert values(path) == [1]
    add(path, [2])
    assert path.read_bytes() == b"1\n2\n"


def test_who_reads_leaves_a_line_that_another_process_is_writing(path: Path) -> None:
    path.write_bytes(b'1\n{"a"')
    read_lines(path)
    assert path.read_bytes() == b'1\n{"a"'


def test_the_whole_lines_are_not_written_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(b"1\n{")
    before = os.stat(path).st_ino
    LineFile(path).close()
    assert (path.read_bytes(), os.stat(path).st_ino) == (b"1\n", before)


def test_an_emptied_file_is_added_to_from_its_start(path: Path) -> None:
    with closing(LineFile(path)) as file:
        file.add([1])
        file.empty()
        file.add([2])
    assert path.read_bytes() == b"2\n"
