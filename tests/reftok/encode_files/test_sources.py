"""The inputs: whatever is read at once, the documents are those of the whole input."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from reftok.encode_files import sources
from reftok.encode_files.sources import Sources, Unit
from reftok.errors import EncodingStopped


@contextmanager
def read_at_once(block: int, longest: int) -> Iterator[None]:
    """Bytes that are read at once, and of the longest document that comes whole."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "UNIT_BYTES", block)
        patch.setattr(sources, "LONGEST", longest)
        yield


def documents(units: list[Unit]) -> list[tuple[str, int, bytes]]:
    """Each document with its source and number; the parts of a long one put together."""
    found: list[tuple[str, int, bytes]] = []
    begun = b""
    for unit in units:
        assert unit.is_part or not begun
        pieces = [begun + unit.documents[0]] if unit.is_part else unit.documents
        begun = b"" if unit.is_last else pieces[0]
        found += [(unit.source, number, piece) for number, piece in enumerate(pieces, unit.number) if unit.is_last]
    assert not begun
    return found


@given(
    st.lists(st.text("ab\n\r\ufeff", max_size=40), min_size=1, max_size=3),
    st.sampled_from(["\n", "\n\n", "ab", "aab", "aa", None]),
    st.integers(1, 9),
    st.integers(1, 12),
)
def test_documents_do_not_depend_on_what_is_read_at_once(
    tmp_path_factory: pytest.TempPathFactory, contents: list[str], separator: str | None, block: int, longest: int
) -> None:
    """A separator ends a document, everything else is text; an empty document counts, except at the very end."""
    folder, expected = tmp_path_factory.mktemp("inputs"), []
    for name, content in enumerate(contents):
        (folder / str(name)).write_bytes(content.encode())
        whole = [content] if separator is None else content.split(separator)
        kept = whole if separator is None or whole[-1] else whole[:-1]
        expected += [(str(folder / str(name)), number, document.encode()) for number, document in enumerate(kept, 1)]
    with read_at_once(block, longest):
        units = list(Sources([folder / str(name) for name in range(len(contents))], separator).units())
    assert documents(units) == expected
    assert all(sum(map(len, unit.documents)) <= longest + 2 * block + len(separator or "") for unit in units)


@pytest.mark.parametrize("is_compressed", [False, True])
@given(content=st.binary(max_size=60), block=st.integers(4, 70))
def test_each_unit_knows_what_was_read(
    tmp_path_factory: pytest.TempPathFactory, is_compressed: bool, content: bytes, block: int
) -> None:
    path, half = tmp_path_factory.mktemp("inputs") / "input", len(content) // 2
    frames = zstandard.compress(content[:half]) + zstandard.compress(content[half:])
    stored = frames if is_compressed else b"." + content
    path.write_bytes(stored)
    opened = Sources([path, path], None)
    with read_at_once(block, 1 << 22):
        units = list(opened.units())
    assert documents(units) == [(str(path), 1, content if is_compressed else stored)] * 2
    assert opened.raw_size == units[-1].raw_bytes == 2 * len(stored)
    assert [unit.seen for unit in units] == [hashlib.sha256(stored * times).hexdigest() for times in (1, 2)]


def test_a_zstd_bomb_comes_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zst"
    path.write_bytes(zstandard.ZstdCompressor(level=19).compress(bytes(1 << 26)))
    sizes = [len(unit.documents[0]) for unit in Sources([path], None).units()]
    assert max(sizes) <= sources.LONGEST + 2 * sources.UNIT_BYTES
    assert sum(sizes) == 1 << 26


FRAME = zstandard.compress(b"some text " * 1000)


def test_zstd_data_that_is_cut_off_is_not_taken_for_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "texts.zst"
    for data, problem in (
        *((FRAME[:cut], "the zstd data is cut off") for cut in (5, 12, -1)),
        (FRAME + b"no zstd", "is not valid zstd"),
        (FRAME, r'zstandard is not installed: pip install "reftok\[zstd\]"'),
    ):
        if data == FRAME:
            monkeypatch.setitem(sys.modules, "zstandard", None)
        path.write_bytes(data)
        with pytest.raises(EncodingStopped, match=rf"texts\.zst: {problem}"):
            list(Sources([path], None).units())
