"""Words as they stand in a text give the ids that the plain rules give of the whole text."""

from __future__ import annotations

import gc
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok import Tokenizer
from reftok.engine.encode.sentencepiece_unigram import StreamedSentencePieceUnigram
from reftok.engine.unigram.fast_sentencepiece_unigram import NEAR, FastSentencePieceUnigram
from reftok.engine.unigram.raw_words import RawWords
from reftok.formats.sentencepiece.model_file import read_sentencepiece_model
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import PieceType
from tests.models import load

from ...protobuf_writer import UNKNOWN, PieceTuple, byte_pieces, compile_charsmap, model_bytes
from ...sentencepiece_strategies import RULES

LINE_END = {"\n": " ", "\t": " "}
WORDS = st.lists(
    st.sampled_from(["ab", "a", "b.", "é", "A", "\n", "a\nb", "\n\nb", "\u3000a", "…", "x", "▁", "\0", "😀", "中国a"]),
    max_size=3,
).map("".join)
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)


def tokenizer(
    is_behind: bool, rules: dict[str, str], pieces: Sequence[PieceTuple], falls_back: bool = False
) -> Tokenizer:
    data = model_bytes(
        [UNKNOWN, *pieces, *(byte_pieces() if falls_back else ())],
        trainer={24: is_behind, 35: falls_back},
        normalizer={2: compile_charsmap(rules) if rules else b"", 3: True, 4: not is_behind, 5: True},
    )
    return Tokenizer(read_sentencepiece_model(data, "test.model"))


def raw_words_of(one: Tokenizer) -> RawWords | None:
    normalizer, model = one.rules.normalizers[0], one.engine.encoder.model
    assert isinstance(normalizer, SentencePieceNormalizer)
    assert isinstance(model, FastSentencePieceUnigram)
    return RawWords.of(normalizer, model)


def check(one: Tokenizer, text: str) -> None:
    """Ask twice: the second time words are looked up."""
    expected = one.rules.encode_ids(text)
    assert [one.encode_ids(text) for _ in range(2)] == [expected, expected]


@settings(max_examples=300)
@given(
    is_behind=st.booleans(),
    falls_back=st.booleans(),
    rules=st.sampled_from(
        [{}, LINE_END, RULES | LINE_END, {"\n": " ", "a b": "b", "é ": "a"}, {" a": "b"}, {"  ": "a"}]
    ),
    scores=st.lists(st.sampled_from([-1.0, -2.0, -2.0 - 2**-13, -3.0, -40.0]), min_size=9, max_size=9),
    symbol=st.sampled_from(["", "", "a ", " b", "a b", "b\n", "x", "ab"]),
    texts=st.lists(TEXTS, min_size=1, max_size=3),
)
def test_a_text_gives_the_ids_that_the_plain_rules_give(
    is_behind: bool, falls_back: bool, rules: dict[str, str], scores: list[float], symbol: str, texts: list[str]
) -> None:
    words = ["ab▁", "a▁", "▁", "b"] if is_behind else ["▁ab", "▁a", "▁", "b"]
    pieces = [(piece, score, 1) for piece, score in zip([*words, "▁▁", "a", "é", "ab", "中"], scores, strict=True)]
    symbols = (
        [(symbol, -1.0, PieceType.USER_DEFINED)] if symbol and symbol not in [piece for piece, *_ in pieces] else []
    )
    one = tokenizer(is_behind, rules, [*pieces, *symbols], falls_back)
    for text in texts:
        check(one, text)


@pytest.mark.parametrize("is_behind", [False, True])
def test_most_words_go_by_without_a_normalizer(is_behind: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the property above would say nothing."""
    word = "a▁" if is_behind else "▁a"
    one = tokenizer(is_behind, LINE_END, [(piece, -1.0, 1) for piece in ("a", "b", "▁", word)])
    assert raw_words_of(one) is not None
    text = "a b ab\nba  a b."
    expected = one.encode_ids(text)
    given: list[str] = []
    monkeypatch.setattr(StreamedSentencePieceUnigram, "text", lambda _, fragment: given.append(fragment))
    assert one.encode_ids(text) == expected
    assert given == []


def test_where_a_symbol_ends_with_a_space_all_goes_through_the_normalizer() -> None:
    """Fault: the last word of a text was taken for the symbol, which has a space behind it."""
    pieces = [(piece, -1.0, PieceType.NORMAL) for piece in ("x", "b", "a", "▁")]
    one = tokenizer(False, {"a": "b"}, [*pieces, ("a ", 0.0, PieceType.USER_DEFINED)])
    assert raw_words_of(one) is None
    check(one, "x a")


def test_a_word_that_is_cut_behind_its_space_is_looked_up() -> None:
    """Fault: the path of `▁` alone was taken for that of the empty word, of which nothing is left."""
    raw = raw_words_of(load("spm-unigram"))
    assert raw is not None
    assert raw.paths["~"]
    assert raw.paths["~"] == raw._model.paths_of_keys["~"]


def test_what_is_known_of_another_normalizer_goes_with_it() -> None:
    """Fault: each tokenizer that was made of another with other normalizers left its words behind."""
    first = load("spm-unigram")
    model = first.engine.encoder.model
    assert isinstance(model, FastSentencePieceUnigram)
    before = len(model.raw_words)
    normalizer = first.rules.normalizers[0]
    assert isinstance(normalizer, SentencePieceNormalizer)
    for _ in range(40):  # more than a rewriter is kept for
        other = SentencePieceNormalizer(normalizer.options, normalizer.charsmap)
        Tokenizer(replace(first.rules, normalizers=(other,))).encode_ids("a b")
    gc.collect()
    assert len(model.raw_words) < before + 40


@pytest.mark.parametrize("rules", [{" ": "b"}, {" a": "b"}, {"  ": "a"}])
def test_where_rules_begin_with_a_space_all_goes_through_the_normalizer(rules: dict[str, str]) -> None:
    one = tokenizer(False, rules, [("a", -1.0, 1), ("▁", -1.0, 1)])
    assert raw_words_of(one) is None
    check(one, "a  a a")


@pytest.mark.parametrize(
    "flags",
    [{3: False, 4: True, 5: True}, {3: True, 4: False, 5: True}, {3: True, 4: True, 5: False}],
)
def test_where_no_word_has_a_space_of_its_own_all_goes_through_the_normalizer(flags: dict[int, bool]) -> None:
    data = model_bytes([UNKNOWN, ("▁a", -1.0, 1), ("▁", -1.0, 1)], normalizer={**flags})
    one = Tokenizer(read_sentencepiece_model(data, "test.model"))
    assert raw_words_of(one) is None
    check(one, " a  a a ")


@pytest.mark.parametrize("size", [100, 3_000, 40_000])
@pytest.mark.parametrize("model", ["spm-unigram", "spm-unigram-suffix", "spm-unigram-bytes"])
def test_long_texts_give_what_the_plain_rules_give(model: str, size: int) -> None:
    """Where the score gets so large that no word is sure any more, and on the way there."""
    generator = random.Random(size)
    words = ["the", "prided", "administer", ".......", "of", "and\nnot", "ﬁne", "Ｎｏ", "vérité", "中国", "x" * 300, ""]
    check(load(model), " ".join(generator.choices(words, k=size // 5)))


def test_what_is_nearly_as_good_counts_far_from_0() -> None:
    """Two paths through “ab” of which the better one is lost to rounding, where the score is large."""
    pieces = [("▁", -0.5, 1), ("a", -1.0, 1), ("b", -1.0, 1), ("ab", -2.0 - 2**-7, 1), ("c", -900.0, 1)]
    one = tokenizer(False, {}, [(piece, score, kind) for piece, score, kind in pieces])
    model = one.engine.encoder.model
    assert isinstance(model, FastSentencePieceUnigram)
    assert (model.sure_paths["▁ab"], len(model.near_paths["▁ab"])) == ((), 3)
    assert NEAR > 12_000
    for number in (0, 1, 5, 13, 14, 20, 80, 200):
        check(one, " ".join(["c"] * number + ["ab"] * 3))
