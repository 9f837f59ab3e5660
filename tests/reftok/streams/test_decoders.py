"""Every decoder, in every order: right at every cut, and nothing held that is certain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from random import Random
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reftok
from reftok.errors import ModelFormatError
from reftok.formats.sentencepiece.model_file import read_sentencepiece_model
from reftok.rules.llama_cpp.stages import Detokenizer
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, PieceType
from reftok.streams.cuts.patterns import SettledMatches
from reftok.tokenizer import Tokenizer
from tests.models import load

from ..official import Json, added, chain, own, tokenizer_json, wordlevel
from ..protobuf_writer import UNKNOWN, byte_pieces, compile_charsmap, model_bytes
from ..rules.huggingface.test_decoders import ALL_TOKENS
from ..sentencepiece_strategies import models
from ..tokenizers_strategies import decoders
from ..tokenizers_strategies.decoders import strips
from .decoding import assert_streams, certain_text, decoded, given_texts

Maker: TypeAlias = Callable[[], tuple[Tokenizer, int]]

TOKENS = list(dict.fromkeys(["<unk>", *filter(None, ALL_TOKENS), "<0", "x41>", "<0x", "4", "1>", " n", "'t", "aa"]))
SPECIAL = [added("<pad>", special=True), added("é", special=True)]
BYTE_LEVEL: Json = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
FUSE: Json = {"type": "Fuse"}
BYTE_FALLBACK: Json = {"type": "ByteFallback"}
METASPACE: Json = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
WORDS: Json = {"type": "WordPiece", "prefix": "##", "cleanup": True}
CTC: Json = {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True}


def strip(content: str, start: int, stop: int) -> Json:
    return {"type": "Strip", "content": content, "start": start, "stop": stop}


def replaced(content: str, **pattern: str) -> Json:
    return {"type": "Replace", "pattern": pattern, "content": content}


def suffix(suffix: str) -> Json:
    return {"type": "BPEDecoder", "suffix": suffix}


def tokenizer(tokens: list[str], *steps: Json) -> Tokenizer:
    return own(tokenizer_json(wordlevel(tokens), decoder=chain("decoders", steps)))


class Reversing:
    """A decoder that is not reftok's: it needs all tokens, and makes each longer."""

    def decode_chain(self, tokens: list[str]) -> list[str]:
        return [token + token[:1] for token in reversed(tokens)]


PATTERNS = ["a|(?=b)", r"\s+(?!\S)|\s+", "(?<=a)b", "a+b", r"(a)\1", "", "b$", r"\bb\b", "(ab)+", r"[^a]\Z"]
contents = st.sampled_from(["", "-ab"])
patterns = st.builds(replaced, contents, Regex=st.sampled_from(PATTERNS))
literals = st.builds(replaced, contents, String=st.sampled_from(["", "ab", "aab", " n't"]))


@st.composite
def chains(draw: st.DrawFn) -> Maker:
    """Decoders in any order, now and then one that nobody knows among them."""
    steps = draw(st.lists(st.one_of(decoders, decoders, strips, patterns, literals, st.just(FUSE)), max_size=4))
    tokens = draw(st.sampled_from([TOKENS, [*TOKENS, ""]]))
    return partial(chained, steps, tokens, draw(st.integers(0, 9)) == 0)


def chained(steps: Sequence[Any], tokens: Sequence[str], reverses: bool) -> tuple[Tokenizer, int]:
    made = own(tokenizer_json(wordlevel(tokens), SPECIAL, decoder=chain("decoders", steps)))
    if reverses:
        made = Tokenizer(replace(made.rules, decoders=(*(made.rules.decoders or ()), Reversing())))
    return made, len(tokens) + 3


def of_pieces(data: bytes) -> tuple[Tokenizer, int]:
    made = Tokenizer(read_sentencepiece_model(data, "test.model"))
    return made, made.rules.model.size - 1


LLAMA_TOKENS = ["<unk>", "<s>", "</s>", "▁", "a", "▁a", "'", "s", "re", ".", "▁.", "▁'", "?▁", "é", "▁'▁", "�", "▁▁"]
LLAMA_TOKENS += [f"<0x{byte:02X}>" for byte in (0x20, 0x27, 0x41, 0x80, 0xA9, 0xC3, 0xE4, 0xBD, 0xED, 0xF0, 0x9F, 0xFF)]
PLAIN_LLAMA = reftok.llama_spm(LLAMA_TOKENS, [0.0] * len(LLAMA_TOKENS), unk_id=0, bos_id=1, eos_id=2).rules


def llama(removes: bool, cleans: bool, add_bos: bool, add_eos: bool, eos_id: int = 2, bos_id: int = 1) -> Tokenizer:
    assert PLAIN_LLAMA.detokenizer is not None
    vocab = replace(PLAIN_LLAMA.detokenizer.vocab, add_bos=add_bos, add_eos=add_eos, eos_id=eos_id, bos_id=bos_id)
    return Tokenizer(replace(PLAIN_LLAMA, detokenizer=Detokenizer(vocab, removes, cleans)))


booleans = st.booleans()
llamas = st.tuples(booleans, booleans, booleans, booleans, st.sampled_from([2, 5, 1]), st.sampled_from([1, 5]))
MAKERS: dict[str, st.SearchStrategy[Maker]] = {
    "chains": chains(),
    "sentencepiece": models().map(lambda data: partial(of_pieces, data)),
    "llama.cpp": llamas.map(lambda settings: lambda: (llama(*settings), len(LLAMA_TOKENS) - 1)),
}
"""Makers of a tokenizer and its highest id. They run outside of draws, during which hypothesis raises if any thread
uses the global random state."""


@pytest.mark.parametrize("kind", MAKERS)
@settings(max_examples=200)
@given(st.data())
def test_the_texts_are_together_what_decode_gives_and_nothing_is_taken_back(kind: str, draw: st.DataObject) -> None:
    made, last = draw.draw(MAKERS[kind])()
    # The last 256 ids are the bytes of a sentencepiece model that has them.
    lists = st.lists(st.integers(0, last) | st.integers(max(0, last - 255), last), max_size=9)
    ids, skips = draw.draw(lists), draw.draw(st.booleans())
    given = assert_streams(made, ids, [(), draw.draw(lists), draw.draw(lists)], skips)
    if Reversing in map(type, made.rules.decoders or ()):
        assert not any(given[:-1])
        assert "Reversing: its rule is asked at the end" in made.stream_decoder().held_until_end


@pytest.mark.parametrize(
    ("tokens", "steps"),
    [
        (["a", "", "b"], []),
        (["a", " ", "  ", "a "], [FUSE, strip(" ", 1, 2)]),
        (["a", "b", "ab", "ba"], [FUSE, replaced("-", String="ab")]),
        (["a", "aa", "b"], [FUSE, replaced("-", String="aa")]),
        (["a", "b"], [FUSE, replaced("-", String="")]),
        (["a", "b", "c"], [FUSE, replaced("-", Regex="a+b|c")]),
        (["a", "b", "c"], [FUSE, replaced("-", Regex="a(?!b)|c")]),
        (["a</w>", "a", "</w>", "a</w>b</w>"], [suffix("</w>")]),
        (["a</w>", "a", "</w>", ""], [suffix("</w>"), FUSE]),
        (["ab", "b"], [suffix("")]),
        (["▁a", "▁", "a▁"], [METASPACE]),
        (["▁a", "▁", "a▁"], [FUSE, METASPACE]),
        (["##a", "a", "##", " ."], [WORDS]),
        (["a", "|", "<pad>"], [CTC]),
        (["<0xC3>", "<0xA9>", "<0x80>", "<0x41>", "a"], [BYTE_FALLBACK]),
        (["<0xC3>", "<0xA9>", "<0x80>", "a", " "], [BYTE_FALLBACK, FUSE, strip(" ", 1, 0)]),
        (["<0x", "41", ">", "4", "g"], [FUSE, BYTE_FALLBACK]),
        (["a", "Ġ", "Ã", "©", "漢"], [FUSE, BYTE_LEVEL]),
        (["a", "Ġ", "Ã", "©", "漢"], [BYTE_LEVEL]),
    ],
)
def test_all_that_is_certain_is_given_out(tokens: list[str], steps: list[Json]) -> None:
    """Certain is what the texts of all continuations by up to two ids begin with."""
    made, ids = tokenizer(tokens, *steps), range(len(tokens))
    continuations = [continuation for size in range(3) for continuation in product(ids, repeat=size)]
    for listed in (listed for size in range(4) for listed in product(ids, repeat=size)):
        assert made.stream_decoder().feed_all(listed) == certain_text(made, listed, continuations), listed


@pytest.mark.parametrize("name", reftok.embedded_models())
def test_embedded_models_give_out_all_that_is_certain(name: str) -> None:
    made, random = load(name), Random(name)
    data = b"\x41\x20\x80\x90\xa0\xbf\xc3\xe4\xbd\xf0\x9f\xff"
    names = [BYTE_PIECES, [*reftok.bytes_to_unicode().values()]]["<0x41>" not in made.rules.model.vocab]
    few = [made.rules.model.vocab[names[byte]] for byte in data if names[byte] in made.rules.model.vocab]
    continuations = [(), *((one,) for one in few), *product(few, repeat=2), *product(few[2:6], repeat=3)]
    for _ in range(12):
        ids = [random.choice((random.choice(few or [0]), random.randrange(made.rules.model.size))) for _ in range(6)]
        for size in range(1, len(ids) + 1):
            given = made.stream_decoder().feed_all(ids[:size])
            assert given == certain_text(made, ids[:size], continuations), ids[:size]
    for text in ("Hello  world\n", " naïve 你好 🚀\u0301 �", "ab<|endoftext|><s> x", "한국어 हिन्दी"):
        for skips in (True, False):
            assert_streams(made, [*made.encode_ids(text), *range(3)], [(), (0,), few], skips)


# --- what has once been wrong


def test_byte_level_behind_fuse_holds_all_until_a_character_outside_the_map_comes() -> None:
    decoder = tokenizer(["a", "Ġ", "漢"], FUSE, BYTE_LEVEL).stream_decoder()
    assert [decoder.feed(token_id) for token_id in (0, 1, 0, 1)] == ["a", "", "", ""]
    assert decoder.held == 3
    assert decoder.held_until_end[0].startswith("ByteLevel: behind visible ASCII, a character")
    assert (decoder.feed(2), decoder.held) == ("ĠaĠ漢", 0)


def test_a_byte_fallback_run_is_held_until_it_is_broken_or_ends() -> None:
    decoder = tokenizer(["a", "<0xC3>", "<0xA9>"], BYTE_FALLBACK).stream_decoder()
    assert [decoder.feed(token_id) for token_id in (1, 2, 1, 2)] == [""] * 4
    assert (decoder.pending_bytes, decoder.held) == ("éé".encode(), 4)
    assert decoder.feed(0) == "ééa"
    assert [decoder.feed(token_id) for token_id in (1, 2, 2, 2, 0)] == ["", "", "���", "�", "a"]


def test_a_byte_token_in_fragments_is_a_pending_byte() -> None:
    decoder = tokenizer(["<0x", "41>", "a"], FUSE, BYTE_FALLBACK).stream_decoder()
    assert [decoder.feed(token_id) for token_id in (0, 1)] == ["", ""]
    assert (decoder.pending_bytes, decoder.held, decoder.feed(2)) == (b"A", 6, "<0x41>a")


def test_a_special_token_that_is_skipped_ends_no_group() -> None:
    made = own(tokenizer_json(wordlevel(["<s>", "a"]), [added("<s>", special=True)], decoder=CTC))
    assert assert_streams(made, [1, 0, 1, 1]) == ["a", "", "", "", ""]


def test_an_eos_that_has_text_is_held_until_it_is_known_not_to_be_the_last() -> None:
    made = llama(True, False, add_bos=True, add_eos=True, eos_id=5)
    assert assert_streams(made, [1, 5, 5, 4, 5]) == ["", "", " a", " aa", "", ""]
    assert assert_streams(made, [5, 5], skips=False) == ["a", " a", ""]
    decoder = made.stream_decoder()
    decoder.feed_all([1, 5])
    assert (decoder.held, decoder.pending_bytes) == (2, b" a")


def test_a_piece_behind_a_byte_is_not_at_the_start_and_keeps_its_space() -> None:
    listed = [UNKNOWN, ("<s>", 0.0, PieceType.CONTROL), ("▁a", -1.0, PieceType.NORMAL), *byte_pieces()]
    made = Tokenizer(read_sentencepiece_model(model_bytes(listed, trainer={35: True}), "test.model"))
    assert assert_streams(made, [3 + 0x41, 2, 2]) == ["A", " a", " a", ""]
    assert assert_streams(made, [1, 2, 3 + 0xC3, 2]) == ["", "a", "", "� a", ""]


def test_a_denormalizer_holds_what_its_rules_may_still_change() -> None:
    listed = [UNKNOWN, ("a", -1.0, PieceType.NORMAL), ("b", -1.0, PieceType.NORMAL)]
    denormalizer = {2: compile_charsmap({"a": "A", "ab": "[ab]"}), 3: False, 4: False, 5: False}
    made = Tokenizer(read_sentencepiece_model(model_bytes(listed, denormalizer=denormalizer), "test.model"))
    given = assert_streams(made, [1, 1, 2, 2, 1], [(), (1,), (2,)])
    assert (given[0], "".join(given[:4]), given[5]) == ("", "A[ab]b", "A")
    decoder = made.stream_decoder()
    assert (decoder.feed(1), decoder.held) == ("", 1)


# --- what is bounded


@pytest.mark.parametrize(
    ("tokens", "steps"),
    [(["<0xC3>", "<0xA9>"], [BYTE_FALLBACK]), (["Ġ", "Ã"], [FUSE, BYTE_LEVEL]), (["a", "b"], [CTC, FUSE, CTC])],
)
def test_a_long_run_is_held_in_few_parts(tokens: list[str], steps: list[Json]) -> None:
    """Fault: text that grows by a new string for each id costs its square."""
    decoder = tokenizer(tokens, *steps).stream_decoder()
    assert (decoder.feed_all([0, 1] * 4000), decoder.held) == ("", 8000)
    assert all(len(held.data) + len(held.state) < 20 for held in decoder._state.held)
    assert all(len(part) < 4 for held in decoder._state.held if held.data for part in held.state[:1])


def test_a_long_text_is_not_searched_for_each_id(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[int] = []
    search = SettledMatches.__call__

    def counted(self: SettledMatches, text: str) -> object:
        searched.append(len(text))
        return search(self, text)

    monkeypatch.setattr(SettledMatches, "__call__", counted)
    decoder = tokenizer(["a", "b"], FUSE, replaced("-", Regex="a+b")).stream_decoder()
    assert decoder.feed_all([0] * 8000) == ""
    assert sum(searched) < 1001 * 1000 / 2 + 2 * 8000
    assert (decoder.feed_all([1, *[0] * 9000]), decoder.held) == ("-", 9000)
    assert decoder.finish() == "a" * 9000


@pytest.mark.parametrize("before", [[], [FUSE]])
@pytest.mark.parametrize(
    ("steps", "ids", "size"),
    [
        ([replaced("x" * 150_000, String="a")], [1, 0], 151_600),
        ([replaced("x" * 150_000, String="a")], [0], None),
        ([replaced("x" * 150_000, String="a")], [1, 0, 0, 0, 0], None),
        ([replaced("x" * 148, String=""), replaced("yyy", String="x")], [0] * 50, 44_450),
        ([replaced("x" * 148, String=""), replaced("yyy", String="x")], [0] * 500, None),
        ([suffix("")] * 40, [0] * 100, None),
    ],
)
def test_a_long_content_is_refused_if_decode_refuses_it(
    before: list[Json], steps: list[Json], ids: list[int], size: int | None
) -> None:
    made = tokenizer(["a", "b" * 1600], *before, *steps)
    text, given = decoded(made, ids), given_texts(made, ids)
    assert text is None or before or len(text) == size
    assert (None if given is None else "".join(given)) == text


def test_empty_tokens_that_a_decoder_fills_are_counted() -> None:
    made = tokenizer(["", "a"], {**WORDS, "cleanup": False})
    with pytest.raises(ModelFormatError, match="decoder: makes 100001 characters of 0"):
        made.stream_decoder().feed_all([0] * 100_010)
