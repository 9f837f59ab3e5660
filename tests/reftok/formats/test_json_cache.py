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

from ..official import Json, bpe, tokenizer_json

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


@given(models(), st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TOKENS)
@example({"vocab": {"".join(json_cache.SEPARATORS[:-1]): 1}}, 0)
@example({"vocab": {"": 0}}, -0.0)
def test_what_is_packed_is_unpacked_as_it_was(model: Json, other: object) -> None:
    root = {"version": "1.0", "model": model, "other": other}
    read = unpacked(packed(root))
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
        {"vocab": {"a": 0}, "merges": {"a": "a"}},
        None,
    ],
)
def test_what_the_form_does_not_hold_to_the_bit_is_not_kept(model: object) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        packed({"model": model})


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
    damaged += [whole + b"\0" * (5 << 20), packed(json.loads(content()))[:-1]]
    for count, data in enumerate(damaged, 2):
        kept.write_bytes(data)
        assert as_lists(cached_json(content(), parse)) == json.loads(content())
        assert len(parsed) == count
        assert kept.read_bytes() == whole


def test_a_folder_that_others_may_write_into_is_not_used(cache: Path, parse: Parse, parsed: list[bytes]) -> None:
    cached_json(content(), parse)
    for mode in (0o722, 0o770, 0o702):
        cache.chmod(mode)
        cached_json(content(), parse)
    assert len(parsed) == 4


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
    """What was not used for the longest time goes, and left-overs of what was killed with it."""
    cached_json(content(0), parse)
    (first,) = cache.iterdir()
    monkeypatch.setattr(json_cache, "MOST_BYTES", 2 * first.stat().st_size)
    (left_over := cache / "killed.new").write_bytes(b"\0" * 10)
    os.utime(left_over, (1, 1))
    os.utime(first, (2, 2))
    cached_json(content(1), parse)
    assert not left_over.exists()
    cached_json(content(0), parse)
    (second,) = {*cache.iterdir()} - {first}
    os.utime(second, (2, 2))
    cached_json(content(2), parse)
    assert first.exists()
    assert not second.exists()
    assert len([*cache.iterdir()]) == 2


def test_a_tokenizer_from_the_cache_is_the_same(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(tokenizer_json(bpe(["a", "b", "c", "ab", "abc"], ["a b", "ab c"]))))
    first, second = (reftok.load(path, cache=True) for _ in range(2))
    plain = reftok.load(path)
    assert len([*cache.iterdir()]) == 1
    assert first.encode("abcab") == second.encode("abcab") == plain.encode("abcab")
    assert plain.encode_ids("abcab") == [4, 3]


def test_an_error_of_a_file_is_the_same_from_the_cache(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(tokenizer_json(bpe(["a", "b"], ["a b"]))))
    messages = []
    for is_cached in (True, True, False):
        with pytest.raises(reftok.ModelFormatError) as error:
            reftok.load(path, cache=is_cached)
        messages.append(str(error.value))
    assert len({*messages}) == 1
