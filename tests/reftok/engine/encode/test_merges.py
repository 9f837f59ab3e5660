from __future__ import annotations

from string import ascii_lowercase

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.bpe.fast_bpe import FastBPE, FastLlamaBPE, FastRankBPE
from reftok.engine.encode import merges
from reftok.engine.encode.models import stream_model
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.huggingface.bpe import BPE, BPEOptions
from reftok.rules.llama_cpp.bpe import LlamaBPE, LlamaBPEOptions
from reftok.rules.tiktoken.rank_bpe import RankBPE

from ...official import Json, own, tokenizer_json
from ...tokenizers_strategies import bpe_models, words
from ..model_streams import assert_final, assert_streams, places, stream, whole_ids


@pytest.fixture(autouse=True)
def every_part_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that parts are cut from the start."""
    monkeypatch.setattr(merges, "LONG", 0)


def bpe_of(model: Json) -> FastBPE:
    loaded = own(tokenizer_json(model)).rules.model
    assert isinstance(loaded, BPE)
    return FastBPE(loaded)


@settings(max_examples=150)
@given(bpe_models(), words, places)
def test_every_cutting_of_a_word_gives_the_ids_of_the_word(model: Json, text: str, cuts: list[int]) -> None:
    assert_streams(bpe_of(model), text, cuts)


@settings(max_examples=100)
@given(bpe_models(), words, st.lists(words, min_size=1, max_size=6))
def test_no_continuation_changes_what_was_given(model: Json, text: str, continuations: list[str]) -> None:
    assert_final(bpe_of(model), text, continuations)


@settings(max_examples=150)
@given(bpe_models(), st.lists(words, max_size=5))
def test_the_ids_alone_are_those_of_the_tokens(model: Json, inputs: list[str]) -> None:
    loaded = bpe_of(model)
    for text in inputs:
        expected = [token.id for token in loaded.model.tokenize(text)]
        assert list(loaded.ids_of(text)) == expected == loaded.ids(text) == list(loaded.known_ids[text])


rank_vocabs = st.lists(st.text("abc", min_size=2, max_size=5), max_size=10).flatmap(
    lambda grown: st.permutations([*"abc", *dict.fromkeys(grown)])
)


@settings(max_examples=150)
@given(rank_vocabs, st.text("abc", max_size=14), places, st.lists(st.text("abc", max_size=6), max_size=5))
def test_ranks(vocab: list[str], text: str, cuts: list[int], continuations: list[str]) -> None:
    model = FastRankBPE(RankBPE({token: rank for rank, token in enumerate(vocab)}))
    assert model.ids(text) == whole_ids(model, text)
    assert_streams(model, text, cuts)
    assert_final(model, text, continuations)


@settings(max_examples=150)
@given(
    st.lists(st.tuples(*[st.text("ab\n", min_size=1, max_size=3)] * 2), max_size=10),
    st.lists(st.text("ab\n", min_size=1, max_size=5), max_size=10),
    st.builds(LlamaBPEOptions, st.booleans(), st.booleans(), st.booleans()),
    st.text("ab\né", max_size=14),
    places,
)
def test_llama_bpe(
    pairs: list[tuple[str, str]], tokens: list[str], options: LlamaBPEOptions, text: str, cuts: list[int]
) -> None:
    ranks = {pair: rank for rank, pair in enumerate(pairs)}
    vocab = {token: index for index, token in enumerate(dict.fromkeys(["a", "b", *tokens]))}
    model = FastLlamaBPE(LlamaBPE(vocab, ranks, options))
    assert model.ids(text) == whole_ids(model, text)
    assert_streams(model, text, cuts)
    assert_final(model, text, ["a", "ab", "\n", "ba\n"])


def test_one_more_letter_can_change_every_token_however_short_the_tokens_are() -> None:
    """No token is longer than two letters, and yet nothing is final: the merges are (o,p), (n,o) and so on to (a,b)."""
    letters = ascii_lowercase[:16]
    pairs = [letters[index : index + 2] for index in range(14, -1, -1)]
    vocab = {token: index for index, token in enumerate([*letters, *pairs])}
    model = BPE(vocab, [(pair[0], pair[1]) for pair in pairs])
    flipped = (
        [token.value for token in model.tokenize(letters[:-1])],
        [token.value for token in model.tokenize(letters)],
    )
    assert flipped[0][:2] == ["a", "bc"]
    assert flipped[1][:2] == ["ab", "cd"]
    assert_streams(FastBPE(model), letters * 2 + letters[:-1])
    assert_final(FastBPE(model), letters * 2, ["a", "b", letters])


def test_a_word_that_may_be_taken_whole_is_held_until_it_cannot() -> None:
    vocab = {token: index for index, token in enumerate(["a", "b", "c", "abab"])}
    model = FastBPE(BPE(vocab, [], BPEOptions(ignore_merges=True)))
    assert stream(model, ["a", "b", "a", "b"]) == [[], [], [], [], [3]]
    assert stream(model, [*"abac"])[3] == [0, 1, 0]


def test_where_spaces_begin_words_a_word_is_held() -> None:
    vocab = {token: index for index, token in enumerate(["▁", "a", "b", "ab", "▁ab", "▁▁"])}
    model = FastBPE(BPE(vocab, [("a", "b"), ("▁", "ab"), ("▁", "▁")]))
    assert model.split_points.words("▁ab▁▁ab") == ["▁ab", "▁▁ab"]
    assert stream(model, [*"▁ab▁▁ab"])[3] == [4]


def test_an_unknown_token_that_is_the_mark_of_a_word_merges_with_the_mark_behind_it() -> None:
    model = FastBPE(BPE({"▁": 0, "▁▁": 1, "a": 2}, [("▁", "▁")], BPEOptions(unk_token="▁")))
    assert model.ids("ax▁") == [2, 1]
    assert_streams(model, "aax▁aax▁▁aa")


def test_a_character_that_vanishes_lets_its_neighbours_merge() -> None:
    model = FastBPE(BPE({"▁": 0, "▁▁": 1, "a": 2}, [("▁", "▁")]))
    assert_streams(model, "a▁x▁a▁xx▁")


def test_bytes_come_before_an_unknown_token_that_waits() -> None:
    vocab = {token: index for index, token in enumerate(["<unk>", "a", "<0xC3>", "<0xA9>"])}
    model = FastBPE(BPE(vocab, [], BPEOptions(unk_token="<unk>", byte_fallback=True)))
    assert model.ids("xéa") == [2, 3, 0, 1]
    assert_streams(model, "axéxéaxééxxa")


def test_the_last_character_of_a_word_may_be_another_symbol_and_merge_with_the_one_before() -> None:
    vocab = {token: index for index, token in enumerate(["a", "b", "b</w>", "ab</w>"])}
    model = FastBPE(BPE(vocab, [("a", "b</w>")], BPEOptions(end_of_word_suffix="</w>")))
    assert model.ids("aaab") == [0, 0, 3]
    assert_streams(model, "aababaab")


def test_the_last_character_of_a_word_may_be_unknown_there_and_join_the_one_before() -> None:
    options = BPEOptions(unk_token="<unk>", end_of_word_suffix="</w>", fuse_unk=True)
    model = FastBPE(BPE({"<unk>": 0, "a": 1}, [], options))
    assert model.ids("aaxa") == [1, 1, 0]
    assert_streams(model, "aaxaaxa")


def test_a_short_part_is_looked_up_when_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merges, "LONG", 32)
    vocab = {token: index for index, token in enumerate(to_byte_characters(b"abc"))}
    model = FastBPE(BPE(vocab, []))
    assert stream(model, ["a"] * 33)[31:33] == [[], [0] * 32]
    ids: list[int] = []
    stage = stream_model(model, ids)
    stage.text("ab")
    assert (ids, stage.held) == ([], 2)
    stage.end_pre_token()
    stage.token(9)
    stage.pre_tokens(["c", "ab"])
    stage.end_pre_token()
    assert ids == [0, 1, 9, 2, 0, 1]


def test_a_word_with_prefixed_symbols_is_not_held_for_a_merge_of_its_first_symbol() -> None:
    options = BPEOptions(continuing_subword_prefix="##")
    vocab = {"a": 0, "b": 1, "##a": 2, "##b": 3, "ab": 4, "ba": 5}
    fast = FastBPE(BPE(vocab, [("a", "##b"), ("b", "##a")], options))
    ids: list[int] = []
    stage = stream_model(fast, ids)
    for character in "ab" * 50:
        stage.text(character)
        assert stage.held <= 3
    stage.end_pre_token()
    assert ids == [token.id for token in fast.model.tokenize("ab" * 50)]
