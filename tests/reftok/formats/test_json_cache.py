from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import reftok
from reftok.formats import json_cache
from reftok.formats.json_cache import cached_json, packed, unpacked

from ...hostile.files import hostile
from ..official import Json, bpe, tokenizer_json

OF_FILE = bytes(range(32))
TOKENS = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
SCORES = st.one_of(st.integers(-(2**52), 2**52), st.floats(-(2.0**52), 2.0**52))
Parse = Callable[[bytes], Any]


@st.composite
def models(draw: st.DrawFn) -> Json:
    tokens = draw(st.lists(TOKENS, min_size=1, max_size=8, unique=True))
    if draw(st.booleans()):
        return {"type": "Unigram", "vocab": [[token, draw(SCORES)] for token in tokens]}
    merges = draw(st.lists(st.tuples(*[st.sampled_from(tokens)] * 2).map(list), max_size=8))
    return {"merges": merges, "vocab": {token: draw(st.integers(0, 2**32 - 1)) for token in tokens}, "unk_token": None}


def as_lists(value: Any) -> Any:
    return json.loads(json.dumps(value))


def as_kept(root: Any) -> bytes:
    return b"".join(packed(root, OF_FILE))


@given(models(), st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TOKENS)
@example({"vocab": {"".join(json_cache.SEPARATORS[:-1]): 1}}, 0)
@example({"vocab": {"": 0}}, -0.0)
def test_what_is_packed_is_unpacked_as_it_was(model: Json, other: object) -> None:
    root = {"version": "1.0", "model": model, "other": other}
    read = unpacked(as_kept(root), OF_FILE)
    assert as_lists(read) == as_lists(root)
    assert [*read] == [*root]
    assert [*read["model"]] == [*model]


@pytest.mark.parametrize(
    "model",
    [
        {"vocab": {}},
        {"vocab": {"a": -1}},
        {"vocab": {"a": 2**32}},
        {"vocab": {"a": True}},
        {"vocab": {"a": 1.0}},
        {"vocab": {"".join(json_cache.SEPARATORS): 1}},
        {"vocab": [["a"]]},
        {"vocab": [["a", 2**53 + 1]]},
        {"vocab": [["a", None]]},
        {"vocab": [[1, 1.0]]},
        {"vocab": ["a"]},
        {"vocab": {"a": 0}, "merges": ["a b"]},
        {"vocab": {"a": 0}, "merges": ["a"]},
        {"vocab": {"#version:": 0, "0.2": 1}, "merges": ["#version: 0.2"]},
        {"vocab": {"a": 0}, "merges": [["a", 1]]},
        {"vocab": {"a": 0}, "merges": [["a", ["a"]]]},
        {"vocab": {"a": 0}, "merges": [["a", "a"], "a a"]},
        {"vocab": {"a": 0, "b": 1}, "merges": {"a b": 0}},
        {"vocab": {"": 0}, "merges": " "},
        {"vocab": {"a": 0}, "merges": 5},
        {"vocab": {"a": 0}, "merges": True},
        {"vocab": [[["a"], 1.0]], "merges": [["a", "a"]]},
        None,
    ],
)
def test_what_the_form_does_not_hold_to_the_bit_is_not_kept(model: object) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        packed({"model": model}, OF_FILE)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(json_cache, "SMALLEST_BYTES", 1)
    return tmp_path / "cache" / "reftok"


@pytest.fixture
def parsed() -> list[bytes]:
    return []


@pytest.fixture
def parse(parsed: list[bytes]) -> Parse:
    """A parser that keeps what it was given."""

    def parse(data: bytes) -> Any:
        parsed.append(data)
        return json.loads(data)

    return parse


def content(number: int = 0) -> bytes:
    return json.dumps({"model": {"vocab": {"a": number, "ab": 7}, "merges": [["a", "ab"]]}}).encode()


def test_a_file_is_parsed_once(cache: Path, parse: Parse, parsed: list[bytes]) -> None:
    read = [as_lists(cached_json(data, parse)) for data in (content(), content(), content(1), content())]
    assert read == [json.loads(data) for data in (content(), content(), content(1), content())]
    assert parsed == [content(), content(1)]
    assert len([*cache.iterdir()]) == 2
    assert cache.stat().st_mode & 0o777 == 0o700


def test_a_small_file_is_not_kept(cache: Path, parse: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_cache, "SMALLEST_BYTES", len(content()) + 1)
    cached_json(content(), parse)
    assert not cache.exists()


def test_what_is_not_as_it_was_written_is_made_anew(cache: Path, parse: Parse, parsed: list[bytes]) -> None:
    """Every byte changed, every length; and another program's file under that name."""
    cached_json(content(), parse)
    (kept,) = cache.iterdir()
    whole = kept.read_bytes()
    damaged = [whole[:end] for end in range(len(whole))]
    damaged += [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(len(whole))]
    damaged += [whole + b"\0", as_kept(json.loads(content()))]
    for count, data in enumerate(damaged, 2):
        kept.write_bytes(data)
        assert as_lists(cached_json(content(), parse)) == json.loads(content())
        assert len(parsed) == count
        assert kept.read_bytes() == whole


def test_a_file_of_another_tokenizer_is_not_believed(cache: Path, parse: Parse) -> None:
    """Fault: the hash of the tokenizer.json stood in the name alone."""
    cached_json(content(1), parse)
    (first,) = cache.iterdir()
    cached_json(content(2), parse)
    (second,) = {*cache.iterdir()} - {first}
    second.write_bytes(first.read_bytes())
    assert as_lists(cached_json(content(2), parse)) == json.loads(content(2))


def test_a_longer_file_is_not_read(cache: Path, parse: Parse, parsed: list[bytes]) -> None:
    cached_json(content(), parse)
    (kept,) = cache.iterdir()
    with kept.open("r+b") as file:
        file.truncate(1 << 40)  # no disk has it, and no memory
    cached_json(content(), parse)
    assert len(parsed) == 2


def test_what_others_may_write_is_not_used(cache: Path, parse: Parse, parsed: list[bytes]) -> None:
    """The file, the folder, and the folder above it, where others could put one of theirs; /tmp is one where not."""
    cached_json(content(), parse)
    (kept,) = cache.iterdir()
    for path in (kept, cache, cache.parent):
        mode = path.stat().st_mode
        for others in (0o020, 0o002):
            path.chmod(mode | others)
            cached_json(content(), parse)
            path.chmod(mode)
            cached_json(content(), parse)
    assert len(parsed) == 7
    cache.parent.chmod(0o1777)
    cached_json(content(), parse)
    assert len(parsed) == 7


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
def test_what_belongs_to_somebody_else_is_not_used(cache: Path, parse: Parse, parsed: list[bytes]) -> None:
    cached_json(content(), parse)
    (kept,) = cache.iterdir()
    for path in (kept, cache, cache.parent):
        os.chown(path, 65534, -1)
        cached_json(content(), parse)
        os.chown(path, 0, -1)
    assert len(parsed) == 4


def test_the_folder_above_is_made_for_the_user_alone(cache: Path, parse: Parse, parsed: list[bytes]) -> None:
    """Fault: with umask 002 the group could write into it, and the cache was never used."""
    before = os.umask(0o002)
    try:
        for _ in range(2):
            cached_json(content(), parse)
    finally:
        os.umask(before)
    assert len(parsed) == 1


def lowest_descriptor() -> int:
    """The one that the next file gets."""
    with open(os.devnull, "rb") as file:
        return file.fileno()


def test_what_is_no_file_leaves_no_descriptor_open(cache: Path, parse: Parse) -> None:
    cached_json(content(), parse)
    (kept,) = cache.iterdir()
    kept.unlink()
    kept.mkdir()
    before = lowest_descriptor()
    for _ in range(20):
        cached_json(content(), parse)
    assert lowest_descriptor() == before


def test_a_link_is_not_the_folder(cache: Path, tmp_path: Path, parse: Parse) -> None:
    """Fault: what was in the folder that it led to was deleted."""
    (elsewhere := tmp_path / "elsewhere").mkdir(mode=0o700)
    cache.parent.mkdir()
    cache.symlink_to(elsewhere)
    cached_json(content(), parse)
    assert [*elsewhere.iterdir()] == []


@pytest.mark.parametrize("base", ["rel", "~/.cache", "."])
def test_a_relative_folder_is_not_used(
    base: str, cache: Path, tmp_path: Path, parse: Parse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: a folder of somebody else's archive was taken for the cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", base)
    cached_json(content(), parse)
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    assert len([*(tmp_path / "home" / ".cache" / "reftok").iterdir()]) == 1
    monkeypatch.setenv("HOME", "home")
    assert as_lists(cached_json(content(1), parse)) == json.loads(content(1))
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    assert len([*(tmp_path / "home" / ".cache" / "reftok").iterdir()]) == 1


def test_a_cache_that_cannot_be_written_is_no_error(cache: Path, parse: Parse, parsed: list[bytes]) -> None:
    cache.parent.write_text("a file, and no folder")
    assert as_lists(cached_json(content(), parse)) == json.loads(content())
    cache.parent.unlink()
    cached_json(content(), parse)
    (kept,) = cache.iterdir()
    kept.unlink()
    kept.mkdir()
    assert as_lists(cached_json(content(), parse)) == json.loads(content())
    assert [*cache.iterdir()] == [kept]


def test_the_cache_has_an_end(cache: Path, parse: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not used for the longest time goes, left-overs of what was killed too, and nothing that is not ours."""
    cached_json(content(0), parse)
    (first,) = cache.iterdir()
    monkeypatch.setattr(json_cache, "MOST_BYTES", 2 * first.stat().st_size)
    left_over, foreign = cache / f"{first.stem}a_8.new", cache / "thesis.txt"
    for number, path in enumerate((foreign, left_over, first)):
        if path != first:
            path.write_bytes(b"\0" * 1000)
        os.utime(path, (number, number))
    cached_json(content(1), parse)
    assert not left_over.exists()
    cached_json(content(0), parse)
    (second,) = {*cache.iterdir()} - {first, foreign}
    os.utime(second, (2, 2))
    cached_json(content(2), parse)
    assert first.exists()
    assert foreign.exists()
    assert not second.exists()
    in_the_future = 1 << 40
    os.utime(first, (in_the_future, in_the_future))
    monkeypatch.setattr(json_cache, "MOST_BYTES", first.stat().st_size)
    cached_json(content(3), parse)
    assert len([*cache.iterdir()]) == 2


def test_a_tokenizer_from_the_cache_is_the_same(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(tokenizer_json(bpe(["a", "b", "c", "ab", "abc"], ["a b", "ab c"]))))
    first, second = (reftok.load(path, cache=True) for _ in range(2))
    plain = reftok.load(path)
    assert len([*cache.iterdir()]) == 1
    assert first.encode("abcab") == second.encode("abcab") == plain.encode("abcab")
    assert plain.encode_ids("abcab") == [4, 3]


@pytest.mark.parametrize(
    ("model", "is_kept"),
    [
        (bpe(["a", "b"], ["a b"]), True),
        (bpe(["a", "b"]) | {"merges": 5}, False),
        (bpe(["a", "b", "ab"]) | {"merges": {"a b": 0}}, False),
        (bpe(["a", "b", "ab"]) | {"unk_token": 1}, True),
        ({"type": "Unigram", "vocab": [["a", 1.0], ["a", 1]], "unk_id": 7}, True),
        ({"type": "Unigram", "vocab": [[["a"], 1.0]], "merges": [["a", "a"]], "unk_id": 0}, False),
    ],
)
def test_an_error_of_a_file_is_the_same_from_the_cache(model: Json, is_kept: bool, cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(tokenizer_json(model)))
    messages = []
    for is_cached in (True, True, False):
        with pytest.raises(reftok.ModelFormatError) as error:
            reftok.load(path, cache=is_cached)
        messages.append(str(error.value))
    assert len({*messages}) == 1
    assert len([*cache.iterdir()]) == is_kept


@pytest.mark.parametrize("number", range(60))
def test_a_damaged_file_ends_as_without_the_cache(number: int, cache: Path, tmp_path: Path) -> None:
    made = hostile(7, number)
    for name, data in made.files.items():
        (tmp_path / name).write_bytes(data)

    def outcome(is_cached: bool) -> object:
        try:
            tokenizer = reftok.load(tmp_path / made.name, made.encoding, cache=is_cached)
            return tokenizer.encode_ids("the quick  brown\nfox ab abc a1 é中")
        except reftok.ReftokError as error:
            return str(error)

    assert outcome(True) == outcome(False)
    assert outcome(True) == outcome(False)
