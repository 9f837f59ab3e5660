"""Chains of decoders, in every order, and of whole random files; what each hands on as early as it can be certain."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import ModelFormatError, ReftokError
from reftok.tokenizer import Tokenizer

from ...official import Json, added, bpe, chain, official, outcome, own, tokenizer_json, wordlevel
from ...rules.huggingface.test_decoders import ALL_TOKENS, BYTE_CHARACTERS
from ...tokenizers_strategies import decoders, pipelines
from ...tokenizers_strategies.decoders import strips
from ..decoding import assert_streams, certain_text, decoded, given_texts

TOKENS = list(dict.fromkeys(["<unk>", *filter(None, ALL_TOKENS), "<0", "x41>", "<0x", "4", "1>", " n", "'t", "aa"]))
SPECIAL = [added("<pad>", special=True), added("é", special=True)]
id_lists = st.lists(st.integers(0, len(TOKENS) + 3), max_size=8)
BYTE_LEVEL: Json = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
FUSE: Json = {"type": "Fuse"}
BYTE_FALLBACK: Json = {"type": "ByteFallback"}


def strip(content: str, start: int, stop: int) -> Json:
    return {"type": "Strip", "content": content, "start": start, "stop": stop}


def literal(pattern: str, content: str) -> Json:
    return {"type": "Replace", "pattern": {"String": pattern}, "content": content}


def tokenizer(tokens: list[str], *steps: Json) -> Tokenizer:
    return own(tokenizer_json(wordlevel(tokens), decoder=chain("decoders", steps)))


@settings(max_examples=150)
@given(
    st.lists(st.one_of(decoders, decoders, decoders, strips), max_size=4),
    id_lists,
    st.lists(id_lists, max_size=3),
    st.booleans(),
    st.sampled_from([TOKENS, [*TOKENS, ""]]),
)
def test_a_stream_gives_what_the_chain_gives_for_all_tokens(
    steps: list[Json], ids: list[int], continuations: list[list[int]], skip: bool, tokens: list[str]
) -> None:
    config = tokenizer_json(wordlevel(tokens), SPECIAL, decoder=chain("decoders", steps))
    given = assert_streams(own(config), ids, [(), *continuations], skip)
    expected = outcome(lambda: official(config).decode(ids, skip_special_tokens=skip))
    assert expected == "panicked" or "".join(given) == expected


@settings(max_examples=100)
@given(pipelines(), st.data())
def test_a_stream_gives_what_any_file_gives(config: Json, draw: st.DataObject) -> None:
    try:
        loaded = own(config)
    except ReftokError:
        return
    vocab = config["model"]["vocab"]
    known = list(vocab.values()) if isinstance(vocab, dict) else list(range(len(vocab)))
    lists = st.lists(st.sampled_from([0, *known]) | st.integers(0, 45), max_size=8)
    assert_streams(loaded, draw.draw(lists), [(), draw.draw(lists), draw.draw(lists)], draw.draw(st.booleans()))


@pytest.mark.parametrize(
    ("tokens", "steps"),
    [
        (["a", " ", "  ", "a "], [FUSE, strip(" ", 1, 2)]),
        (["a", "b", "ab", "ba"], [FUSE, literal("ab", "-")]),
        (["a", "aa", "b"], [FUSE, literal("aa", "-")]),
        (["a", "b"], [FUSE, literal("", "-")]),
        (["a</w>", "a", "</w>", "a</w>b</w>"], [{"type": "BPEDecoder", "suffix": "</w>"}]),
        (["ab", "b"], [{"type": "BPEDecoder", "suffix": ""}]),
        (["▁a", "▁", "a▁"], [{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}]),
        (["##a", "a", "##", " ."], [{"type": "WordPiece", "prefix": "##", "cleanup": True}]),
        (["a", "|", "<pad>"], [{"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True}]),
        (["<0xC3>", "<0xA9>", "<0x80>", "<0x41>", "a"], [BYTE_FALLBACK]),
        (["<0xC3>", "<0xA9>", "<0x80>", "a", " "], [BYTE_FALLBACK, FUSE, strip(" ", 1, 0)]),
        (["<0x", "41", ">", "4", "g"], [FUSE, BYTE_FALLBACK]),
        (["a", "Ġ", "Ã", "©", "漢"], [FUSE, BYTE_LEVEL]),
        (["a", "Ġ", "Ã", "©", "漢"], [BYTE_LEVEL]),
    ],
)
def test_all_that_is_certain_is_given_out(tokens: list[str], steps: list[Json]) -> None:
    """Certain is what the texts of all continuations by up to two ids begin with."""
    loaded = tokenizer(tokens, *steps)
    ids = range(len(tokens))
    continuations = [continuation for size in range(3) for continuation in product(ids, repeat=size)]
    for listed in (listed for size in range(4) for listed in product(ids, repeat=size)):
        decoder = loaded.stream_decoder()
        assert decoder.feed_all(listed) == certain_text(loaded, listed, continuations), listed


def test_without_decoders_a_space_stands_between_tokens_and_comes_with_the_next_one() -> None:
    assert assert_streams(own(tokenizer_json(wordlevel(["a", "", "b"]))), [0, 2, 1, 0]) == ["a", " b", " ", " a", ""]


def test_byte_level_behind_fuse_holds_all_until_a_character_outside_the_map_comes() -> None:
    loaded = tokenizer(["a", "Ġ", "漢"], FUSE, BYTE_LEVEL)
    decoder = loaded.stream_decoder()
    assert [decoder.feed(token_id) for token_id in (0, 1, 0, 1)] == ["a", "", "", ""]
    assert decoder.held == 3
    assert decoder.held_until_end[0].startswith("ByteLevel: a character outside the byte map")
    assert decoder.feed(2) == "ĠaĠ漢"
    assert decoder.held == 0


def test_a_byte_fallback_run_is_held_until_it_is_broken_or_ends() -> None:
    loaded = tokenizer(["a", "<0xC3>", "<0xA9>"], BYTE_FALLBACK)
    decoder = loaded.stream_decoder()
    assert [decoder.feed(token_id) for token_id in (1, 2, 1, 2)] == [""] * 4
    assert decoder.pending_bytes == "éé".encode()
    assert decoder.feed(0) == "ééa"
    assert [decoder.feed(token_id) for token_id in (1, 2, 2, 2, 0)] == ["", "", "���", "�", "a"]


def test_a_long_run_of_bytes_costs_no_more_a_byte_and_is_not_remembered_as_states() -> None:
    loaded = tokenizer(["<0xC3>", "<0xA9>"], BYTE_FALLBACK)
    assert assert_streams(loaded, [0, 1] * 100)[-1] == "é" * 100
    assert len(loaded.engine._decoding[True]) < 20


def test_what_decode_refuses_as_too_long_a_stream_refuses_too() -> None:
    loaded = tokenizer(["a"], *[{"type": "BPEDecoder", "suffix": ""}] * 40)
    decoder = loaded.stream_decoder()
    with pytest.raises(ModelFormatError, match="decoder: makes"):
        decoder.feed_all([0] * 100)


@pytest.mark.parametrize("before", [[], [FUSE]])
def test_a_long_content_is_refused_as_soon_as_decode_refuses_the_ids_so_far(before: list[Json]) -> None:
    loaded = tokenizer(["a", "b" * 1600], *before, literal("a", "x" * 150_000))
    assert assert_streams(loaded, [1, 0])[1] == "x" * 150_000
    for ids, refused in (([0], 0), ([1, 0, 0, 0, 0], 4)):
        assert [decoded(loaded, ids[: size + 1]) is None for size in range(len(ids))].index(True) == refused
        assert given_texts(loaded, ids) is None
        assert given_texts(loaded, ids[:refused]) is not None


def test_many_short_tokens_that_each_grow_at_both_ends_are_refused_as_decode_refuses_them() -> None:
    loaded = tokenizer(["a"], literal("", "x" * 600))
    for count, is_refused in ((110, False), (112, True)):
        assert (decoded(loaded, [0] * count) is None) is is_refused
        assert (given_texts(loaded, [0] * count) is None) is is_refused


def test_empty_tokens_that_a_decoder_fills_are_counted() -> None:
    loaded = own(tokenizer_json(wordlevel(["", "a"]), decoder={"type": "WordPiece", "prefix": "##", "cleanup": False}))
    decoder = loaded.stream_decoder()
    with pytest.raises(ModelFormatError, match="decoder: makes 100001 characters of 0"):
        decoder.feed_all([0] * 100_010)


class Unknown:
    """A decoder that is not reftok's: it needs all tokens, and makes each longer."""

    def decode_chain(self, tokens: list[str]) -> list[str]:
        return [token + token[:1] for token in reversed(tokens)]


@settings(max_examples=150)
@given(
    st.lists(st.one_of(decoders, decoders, decoders, strips), max_size=4),
    st.lists(st.integers(0, 4), min_size=1, max_size=2),
    id_lists,
    st.lists(id_lists, max_size=3),
    st.booleans(),
)
def test_a_decoder_that_is_not_reftoks_is_buffered_until_the_end(
    steps: list[Json], places: list[int], ids: list[int], continuations: list[list[int]], skip: bool
) -> None:
    loaded = own(tokenizer_json(wordlevel(TOKENS), SPECIAL, decoder=chain("decoders", steps)))
    every = [*(loaded.rules.decoders or ())]
    for place in places:
        every.insert(place, Unknown())
    unknown = Tokenizer(replace(loaded.rules, decoders=tuple(every)))
    given = assert_streams(unknown, ids, [(), *continuations], skip)
    assert not any(given[:-1])
    assert "Unknown: its rule is asked at the end" in unknown.stream_decoder().held_until_end


class Doubling:
    def decode_chain(self, tokens: list[str]) -> list[str]:
        return [2 * token for token in tokens]


@pytest.mark.parametrize("before", [(), (FUSE,)])
def test_what_a_decoder_that_is_not_reftoks_blows_up_is_refused_at_the_end(before: tuple[Json, ...]) -> None:
    loaded = tokenizer(["a", "bb"], *before)
    made = Tokenizer(replace(loaded.rules, decoders=(*(loaded.rules.decoders or ()), *[Doubling()] * 16)))
    decoder = made.stream_decoder()
    assert [decoder.feed(token_id) for token_id in (0, 1, 0)] == ["", "", ""]
    assert decoder.held == 4
    assert len(assert_streams(made, [0])[-1]) == 1 << 16
    refused = Tokenizer(replace(made.rules, decoders=(*(made.rules.decoders or ()), Doubling())))
    assert assert_streams(refused, [0]) == []
    stream = refused.stream_decoder()
    assert stream.feed(0) == ""
    with pytest.raises(ModelFormatError, match="decoder: makes"):
        stream.finish()


@settings(max_examples=100)
@given(st.lists(st.sampled_from([*BYTE_CHARACTERS, "é", "�", "Ġa"]), max_size=8))
def test_byte_level_holds_no_more_than_an_open_character(tokens: list[str]) -> None:
    vocab = list(dict.fromkeys(["a", *tokens]))
    loaded = own(tokenizer_json(bpe(vocab), decoder=BYTE_LEVEL))
    decoder = loaded.stream_decoder()
    for token in tokens:
        decoder.feed(vocab.index(token))
        assert decoder.held == len(decoder.pending_bytes) <= 3
