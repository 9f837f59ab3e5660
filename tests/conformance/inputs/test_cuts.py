"""Cuts: every place where it is promised, nothing lost or added, each way once, the same each time."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from typing import get_args

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from conformance.core.streaming import Chunks, Feeding
from conformance.engine.bench import Bench
from conformance.engine.plan import Plan
from conformance.inputs.byte_tokens import byte_token_cases
from conformance.inputs.cuts import MOST_FED, SHORT, SHORTEST, Depth, bytes_feedings, ids_feedings, text_feedings
from conformance.inputs.shards import Inputs, Shard, shard_cases
from conformance.runs.models import plan_models

DEPTHS: tuple[Depth, ...] = get_args(Depth)
LINE = "e\u0301 👩\u200d👧 <|x|>\r\n" * 6
LINE = LINE[:SHORT]


def joined(chunks: Chunks) -> bytes:
    return b"".join(chunk if isinstance(chunk, bytes) else str(chunk).encode("utf-8") for chunk in chunks)


def chunkings(feedings: list[Feeding]) -> set[Chunks]:
    return {feeding.chunks for feeding in feedings if feeding.is_plain}


@pytest.mark.parametrize("depth", DEPTHS)
@given(text=st.text(max_size=30), ends=st.sets(st.integers(0, 30)))
def test_the_chunks_of_a_text_are_the_text_however_it_is_cut(depth: Depth, text: str, ends: set[int]) -> None:
    feedings = text_feedings(text, depth, ends)
    assert feedings == text_feedings(text, depth, ends)
    assert len(set(feedings)) == len(feedings) > 0
    for feeding in feedings:
        assert joined(feeding.chunks) == text.encode("utf-8")
        assert not feeding.beside or joined(feeding.beside) == text.encode("utf-8")
        earlier = feeding.forgotten
        if feeding.is_finished and not isinstance(earlier[0], bytes):
            earlier = earlier[::-1]
        assert joined(earlier) == text.encode("utf-8")[: len(joined(earlier))]


@pytest.mark.parametrize("depth", DEPTHS)
@given(data=st.binary(max_size=20))
def test_the_chunks_of_bytes_are_the_bytes_however_they_are_cut(depth: Depth, data: bytes) -> None:
    feedings = bytes_feedings(data, depth)
    assert feedings == bytes_feedings(data, depth)
    assert {joined(feeding.chunks) for feeding in feedings} == {data}


@pytest.mark.parametrize("depth", DEPTHS)
@given(ids=st.lists(st.integers(0, 300), max_size=20))
def test_a_decoder_is_fed_all_ids_and_slices_of_them(depth: Depth, ids: list[int]) -> None:
    feedings = ids_feedings(tuple(ids), depth)
    assert tuple(ids) in chunkings(feedings)
    slices = {tuple(ids[start:stop]) for start in range(len(ids)) for stop in range(start, len(ids) + 1)}
    assert chunkings(feedings) <= slices | {()}


@given(st.text(max_size=30))
def test_what_a_shallower_depth_cuts_a_deeper_one_cuts_too_and_first(text: str) -> None:
    sample, close, sweep = (text_feedings(text, depth) for depth in DEPTHS)
    assert close[: len(sample)] == sample
    assert sweep[: len(close)] == close


def test_a_sweep_cuts_a_line_in_every_place_once_and_twice() -> None:
    cut = chunkings(text_feedings(LINE, "sweep"))
    for count in (1, 2):
        for places in combinations(range(1, len(LINE)), count):
            ends = (0, *places, len(LINE))
            assert tuple(LINE[a:b] for a, b in pairwise(ends)) in cut
    data = LINE.encode("utf-8")
    assert {(data[:place], data[place:]) for place in range(1, len(data))} <= cut
    assert {tuple(LINE), tuple(regex.findall(r"\X", LINE))} <= cut


@pytest.mark.parametrize("depth", ["close", "sweep"])
def test_the_whole_is_also_fed_as_one_chunk_of_text_and_of_bytes(depth: Depth) -> None:
    assert {("é" * 99,), (b"\xc3\xa9" * 99,)} <= chunkings(text_feedings("é" * 99, depth))
    assert (b"\xff" * 99,) in chunkings(bytes_feedings(b"\xff" * 99, depth))


def test_a_sweep_cuts_by_token() -> None:
    assert ("ab", "c", "def") in chunkings(text_feedings("abcdef", "sweep", (0, 3, 2, 6, 7)))


def test_what_is_short_enough_for_a_shrinker_is_cut_in_every_place_too() -> None:
    text = LINE[:SHORTEST]
    cut = chunkings(text_feedings(text, "close"))
    assert {(text[:a], text[a:b], text[b:]) for a, b in combinations(range(1, SHORTEST), 2)} <= cut


def test_a_sweep_gives_a_decoder_every_slice_of_a_line_and_stops_it_after_every_id_and_never() -> None:
    ids = tuple(range(SHORT))
    feedings = ids_feedings(ids, "sweep")
    assert chunkings(feedings) == {ids[a:b] for a, b in combinations(range(SHORT + 1), 2)}
    assert {feeding.stop for feeding in feedings} == {*range(SHORT + 2)}
    assert {feeding.forgotten for feeding in feedings} == {*(ids[:stop] for stop in range(SHORT + 1)), ids[::-1]}


@pytest.mark.parametrize("depth", ["close", "sweep"])
def test_streams_of_bytes_are_reset_and_interleaved_within_a_character(depth: Depth) -> None:
    feedings = [feeding for feeding in text_feedings("aéb", depth) if isinstance(feeding.chunks[0], bytes)]
    assert any(feeding.forgotten == (b"a", b"\xc3") and not feeding.is_finished for feeding in feedings)
    assert any(feeding.is_finished for feeding in feedings)
    assert any(feeding.beside for feeding in feedings)
    assert (b"a", b"\xc3", b"", b"\xa9", b"b") in {feeding.chunks for feeding in feedings}


@pytest.mark.parametrize("depth", ["close", "sweep"])
def test_the_bytes_of_a_short_text_are_cut_twice_in_every_place(depth: Depth) -> None:
    data = "a€b 😀".encode()
    assert len(data) <= SHORTEST
    cut = chunkings(text_feedings("a€b 😀", depth))
    assert {(data[:a], data[a:b], data[b:]) for a, b in combinations(range(1, len(data)), 2)} <= cut


@pytest.mark.parametrize("depth", ["close", "sweep"])
def test_a_stream_that_was_finished_is_reset_after_other_chunks(depth: Depth) -> None:
    finished = [feeding for feeding in text_feedings("abc", depth) if feeding.is_finished]
    assert Feeding("encoder", ("a", "b", "c"), forgotten=("c", "b", "a"), is_finished=True) in finished
    of_ids = [feeding for feeding in ids_feedings((1, 2, 3), depth) if feeding.is_finished]
    assert {feeding.skip_special_tokens for feeding in of_ids} == {True, False}


def test_the_sweep_of_a_long_text_is_bounded() -> None:
    text = "long " * 4_000
    cut = [feeding for feeding in text_feedings(text, "sweep") if len(feeding.chunks) == 2]
    assert MOST_FED // 2 <= sum(len(joined(feeding.chunks)) for feeding in cut) <= 2 * MOST_FED


@pytest.mark.parametrize("depth", ["close", "sweep"])
def test_an_empty_chunk_is_fed_first_and_later_and_the_same_chunks_without_it_before(depth: Depth) -> None:
    feedings = [feeding for feeding in text_feedings("ab c", depth) if feeding.is_plain]
    chunks = [feeding.chunks for feeding in feedings]
    assert {("", "ab", " c"), ("ab", "", " c"), ("", *"ab c")} <= set(chunks)
    for feeding in feedings:
        if feeding.has_empty_chunk:
            assert chunks.index(tuple(filter(None, feeding.chunks))) < chunks.index(feeding.chunks)


def test_a_second_stream_gets_no_empty_chunk() -> None:
    beside = [feeding for feeding in text_feedings("ab c", "sweep") if feeding.beside]
    assert beside
    assert all(feeding.beside == feeding.chunks and not feeding.has_empty_chunk for feeding in beside)


def test_a_sample_has_a_second_decoder_only_with_what_it_does_alone() -> None:
    samples = [ids_feedings((number, 1, 2), "sample") for number in range(200)]
    beside = [feedings for feedings in samples if feedings[-1].beside]
    assert len(beside) > 10
    assert {feedings[0].skip_special_tokens for feedings in beside} == {True, False}
    for *alone, use in beside:
        assert alone == list(dict.fromkeys([use.plain, replace(use.plain, skip_special_tokens=True)]))


def test_samples_have_empty_chunks_beside_their_plain_twins() -> None:
    samples = [text_feedings(f"text {number}", "sample") for number in range(200)]
    empty = [(first, more[0]) for first, *more in samples if more and more[0].has_empty_chunk]
    assert all(tuple(filter(None, second.chunks)) == first.chunks for first, second in empty)
    assert len(empty) > 10


BYTE_TOKENS = {case.tokens for case in byte_token_cases()}


def test_byte_tokens_come_in_every_order_and_cut_off_everywhere() -> None:
    assert {("<0xC3>",), ("<0xA9>", "<0xC3>"), ("<0xEF>", "<0xBF>", "<0xBD>"), ("<0xF0>", "<0x98>")} <= BYTE_TOKENS
    assert {("Ã",), ("©", "Ã"), ("ï", "¿", "½")} <= BYTE_TOKENS
    assert len({case.origin for case in byte_token_cases()}) == len(byte_token_cases()) == len(BYTE_TOKENS)


def test_runs_of_byte_tokens_end_at_ordinary_tokens_one_of_them_the_replacement_character() -> None:
    assert ("▁", "<0xC3>", "a", "<0x61>", "<0xC3>", "▁a") in BYTE_TOKENS
    assert ("\ufffd", "<0xC3>", "\ufffd", "<0x61>", "<0xC3>", "\ufffd") in BYTE_TOKENS
    assert {("Ġ", "Ã", "a", "a", "Ã", "Ġa"), ("ï¿½", "Ã", "ï¿½", "a", "Ã", "ï¿½")} <= BYTE_TOKENS


@pytest.mark.parametrize(
    "data", [b"\xe0\xa0", b"\xed\x9f", b"\xf0\x90", b"\xf4\x8f", b"\xc0\x80", b"\xe0\x80", b"\xff"]
)
def test_byte_tokens_come_to_the_edges_of_utf_8_and_beyond(data: bytes) -> None:
    assert {tuple(map("<0x{:02X}>".format, part)) for part in (data, data + b"a", b"a" + data)} <= BYTE_TOKENS


@pytest.mark.parametrize("name", ["bpe-gpt2", "spm-bpe", "spm-bpe-hf", "spm-unigram-bytes"])
def test_reftok_decodes_byte_tokens_and_every_slice_of_them_as_the_library_does(name: str) -> None:
    (model,) = plan_models((name,))
    inputs = Inputs((), ("cuts",), 0, 0)
    bench = Bench(Plan((model,), ("reftok",), (), inputs, 60), model)
    cases = shard_cases(inputs, Shard(name, "cuts", 0, len(byte_token_cases())), bench.vocab)
    assert len(cases) > len(byte_token_cases()) // 3
    ids = {case.ids[start:stop] for case in cases for start, stop in combinations(range(1 + len(case.ids)), 2)}
    oracle, reference = bench.subjects[bench.oracle], bench.reference
    assert oracle is not reference
    assert [one for one in sorted(ids) if oracle.decode(one) != reference.decode(one)] == []
