"""The files of a run by their hashes."""

from __future__ import annotations

from pathlib import Path

from conformance.runs.job import file_hash, is_unchanged


def test_a_file_is_unchanged_while_it_can_be_read_and_has_its_hash(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(b"one")
    digest = file_hash(path)
    assert is_unchanged(path, digest)
    path.write_bytes(b"other")
    assert not is_unchanged(path, digest)


def test_a_path_that_no_file_can_have_is_a_file_that_is_gone(tmp_path: Path) -> None:
    assert not is_unchanged(tmp_path / ("a" * 300), "")
