"""How inputs are read and cut: whatever the blocks, the documents are those of the whole input."""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from reftok.encode_files import sources
from reftok.encode_files.sources import Block, Sources
from reftok.encode_files.units import Place, Unit, UnitCutter
from reftok.errors import EncodingStopped

SEPARATORS = st.sampled_from([b"\n", b"ab", b"aab", b"aa", None])
CONTENTS = st.lists(st.text("ab\n", max_size=40).map(str.encode), min_size=1, max_size=4)


def blocks_of(contents: Sequence[bytes], size: int) -> list[Block]:
    """As `Sources` makes them: all blocks of a source but its last one have the same size."""
    made = []
    for source, content in enumerate(contents):
        for start in range(0, len(content) + 1, size):
            data = content[start : start + size]
            made.append(Block(data, source, start == 0, len(data) < size, raw_bytes=start + len(data)))
    return made


def expected_documents(contents: Sequence[bytes], separator: bytes | None) -> list[tuple[bytes, int, int]]:
    """Each document, its source and where it begins there."""
    found = []
    for source, content in enumerate(contents):
        pieces = [content] if separator is None else content.split(separator)
        if separator is not None and not pieces[-1]:
            pieces.pop()
        offset = 0
        for piece in pieces:
            found.append((piece, source, offset))
            offset += len(piece) + len(separator or b"")
    return found


def documents(units: Sequence[Unit], separator: bytes | None) -> list[tuple[bytes, int, int]]:
    """The same, put together from units."""
    found: list[tuple[bytes, int, int]] = []
    begun = b""
    for unit in units:
        if unit.is_part:
            (part,), (place,) = unit.documents, unit.places
            begun += part
            if unit.is_last:
                found.append((begun, place.source, place.offset))
                begun = b""
        else:
            assert not begun
            for index, document in enumerate(unit.documents):
                place = unit.place(index, separator)
                assert place.document == index
                found.append((document, place.source, place.offset))
    assert not begun
    return found


@given(CONTENTS, SEPARATORS, st.integers(1, 9), st.integers(1, 12), st.integers(1, 12))
def test_the_documents_and_their_places_do_not_depend_on_blocks_and_units(
    contents: list[bytes], separator: bytes | None, block: int, longest: int, size: int
) -> None:
    units = list(UnitCutter(separator, longest, size).units(blocks_of(contents, block)))
    assert documents(units, separator) == expected_documents(contents, separator)


@given(CONTENTS, SEPARATORS, st.integers(1, 9), st.integers(4, 12))
def test_no_unit_is_larger_than_what_is_read_at_once_and_the_longest_document(
    contents: list[bytes], separator: bytes | None, block: int, longest: int
) -> None:
    for unit in UnitCutter(separator, longest, 1).units(blocks_of(contents, block)):
        assert sum(map(len, unit.documents)) <= longest + block


def test_a_long_document_comes_in_parts_with_the_place_where_it_begins() -> None:
    units = list(UnitCutter(b"\n", 4, 100).units(blocks_of([b"ab\ncdefghijkl\nm\n"], 5)))
    assert [(list(unit.documents), unit.is_part, unit.is_last) for unit in units] == [
        ([b"ab"], False, True),
        ([b"cdefghi"], True, False),
        ([b"jkl"], True, True),
        ([b"m"], False, True),
    ]
    assert [place for unit in units[1:3] for place in unit.places] == [Place(0, 0, 3)] * 2


@pytest.mark.parametrize("compressed", [False, True])
@given(content=st.binary(max_size=60), block=st.integers(1, 70))
def test_blocks_are_the_content_with_the_hash_of_what_lies_on_the_disk(
    tmp_path_factory: pytest.TempPathFactory, compressed: bool, content: bytes, block: int
) -> None:
    path = tmp_path_factory.mktemp("inputs", numbered=True) / "input"
    half = len(content) // 2
    frames = zstandard.compress(content[:half]) + zstandard.compress(content[half:])
    stored = frames if compressed else b"." + content
    path.write_bytes(stored)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK_BYTES", max(block, 4))
        opened = Sources([path, path])
        blocks = list(opened.blocks())
    assert b"".join(found.data for found in blocks) == (content if compressed else stored) * 2
    assert [found.is_first for found in blocks].count(True) == [found.is_last for found in blocks].count(True) == 2
    assert opened.raw_size == blocks[-1].raw_bytes == 2 * len(stored)
    before = accumulate((len(found.data) for found in blocks), initial=0)
    reached = {(found.source, start + len(found.data)) for found, start in zip(blocks, before, strict=False)}
    assert len({found.seen for found in blocks}) == len(reached)
    told = {"path": str(path), "bytes": len(stored), "sha256": hashlib.sha256(stored).hexdigest()}
    assert opened.finished == [told | {"compression": "zstd" if compressed else None}] * 2


def test_standard_input_may_be_compressed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(zstandard.compress(b"text"))))
    opened = Sources(["-"])
    assert opened.raw_size is None
    assert [block.data for block in opened.blocks()] == [b"text"]


@pytest.mark.parametrize("cut", [5, 12, -1])
def test_zstd_data_that_is_cut_off_is_not_taken_for_its_end(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "texts.zst"
    path.write_bytes(zstandard.compress(b"some text " * 1000)[:cut])
    with pytest.raises(EncodingStopped, match=r"texts\.zst: the zstd data is cut off"):
        list(Sources([path]).blocks())


def test_what_is_broken_inside_of_zstd_data_is_told(tmp_path: Path) -> None:
    path = tmp_path / "texts.zst"
    path.write_bytes(zstandard.compress(b"some text") + b"no zstd")
    with pytest.raises(EncodingStopped, match=r"texts\.zst: is not sound as zstd"):
        list(Sources([path]).blocks())


def test_a_zstd_bomb_comes_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zst"
    path.write_bytes(zstandard.ZstdCompressor(level=19).compress(bytes(1 << 26)))
    blocks = list(Sources([path]).blocks())
    assert max(len(block.data) for block in blocks) == sources.BLOCK_BYTES
    assert sum(len(block.data) for block in blocks) == 1 << 26


def test_a_missing_decompressor_is_named_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "texts.zst"
    path.write_bytes(zstandard.compress(b"text"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(EncodingStopped, match=r'zstandard is not installed: pip install "reftok\[zstd\]"'):
        list(Sources([path]).blocks())


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "no input"),
        (["-", "-"], "standard input can be read once only"),
        (["no-such-file"], "no-such-file: cannot be read: No such file"),
        (["."], "is a folder: name the files in it"),
        (["a\0b"], "cannot be read"),
    ],
)
def test_what_is_no_file_is_refused_before_anything_is_read(names: list[str], message: str) -> None:
    with pytest.raises(EncodingStopped, match=message):
        Sources(names)
