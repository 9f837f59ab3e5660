from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece import SentencePieceNormalizer as OfficialNormalizer

from reftok.errors import ModelFormatError
from reftok.fast.normalizers import fast_normalizer
from reftok.rules.sentencepiece.normalizer import NormalizerOptions, SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import PieceType, PrefixMatcher
from reftok.rules.text import NormalizedString
from reftok.unicode.charsmap import Charsmap

from ...protobuf_writer import UNKNOWN, compile_charsmap, message, model_bytes
from ...sentencepiece_strategies import charsmap, inputs, load_both, models, texts

ALL_OPTIONS = [NormalizerOptions(*flags) for flags in itertools.product([False, True], repeat=4)]
options = st.sampled_from(ALL_OPTIONS)


def normalize(text: str, normalizer: SentencePieceNormalizer) -> tuple[str, list[tuple[int, int]]]:
    normalized = normalizer.normalize(NormalizedString(text))
    return normalized.text, list(normalized.spans())


@given(models(), inputs)
def test_it_normalizes_as_the_official_library(data: bytes, text: str | bytes) -> None:
    tokenizer, official = load_both(data)
    decoded = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
    normalized = official.Normalize(text)
    expected = normalized if isinstance(normalized, str) else normalized.decode()
    for normalizer in (tokenizer.rules.normalizers[0], fast_normalizer(tokenizer.rules.normalizers[0])):
        assert normalizer.normalize(NormalizedString(decoded)).text == expected


@given(options, texts)
def test_the_origins_are_those_of_the_official_library(options: NormalizerOptions, text: str) -> None:
    options = NormalizerOptions(options.add_dummy_prefix, options.remove_extra_whitespaces, options.escape_whitespaces)
    spec = message(
        [
            (2, charsmap()),
            (3, options.add_dummy_prefix),
            (4, options.remove_extra_whitespaces),
            (5, options.escape_whitespaces),
        ]
    )
    expected, offsets = OfficialNormalizer(normalizer_spec=spec).Normalize(text, with_offsets=True)
    rewritten, origins = SentencePieceNormalizer(options, Charsmap(charsmap())).rewrite(text)
    assert rewritten == expected
    if rewritten:
        assert list(origins) == list(offsets)


@pytest.mark.parametrize("options", ALL_OPTIONS, ids=str)
def test_an_empty_text_gets_no_dummy_prefix(options: NormalizerOptions) -> None:
    plain = SentencePieceNormalizer(options)
    assert normalize("", plain) == normalize("", fast_normalizer(plain)) == ("", [])


def test_a_longer_rule_wins_over_a_shorter_one() -> None:
    normalizer = SentencePieceNormalizer(charsmap=Charsmap(charsmap()))
    assert normalize("中国a", normalizer) == ("▁é", [(0, 0), (0, 3)])
    assert normalize("中国b", normalizer) == ("▁bb", [(0, 0), (0, 2), (2, 3)])


def test_a_user_defined_symbol_wins_over_a_rule() -> None:
    normalizer = SentencePieceNormalizer(charsmap=Charsmap(charsmap()), symbols=PrefixMatcher(["A", "AA"]))
    assert normalize("AAA", normalizer)[0] == "▁AAA"


def test_a_symbol_and_a_rule_may_reach_across_a_space() -> None:
    normalizer = SentencePieceNormalizer(charsmap=Charsmap(charsmap()), symbols=PrefixMatcher(["b A"]))
    assert normalize("b Aab x", normalizer)[0] == "▁b▁Ab"


def test_spaces_inside_a_replacement_stay() -> None:
    normalizer = SentencePieceNormalizer(charsmap=Charsmap(charsmap()))
    assert normalize("a…b", normalizer)[0] == "▁a▁▁.▁b"
    assert normalize("a …b", normalizer)[0] == "▁a▁.▁b"


def test_a_literal_space_symbol_at_the_end_is_removed_as_well() -> None:
    assert normalize("a▁ ", SentencePieceNormalizer()) == ("▁a", [(0, 0), (0, 1)])


def test_the_dummy_suffix_comes_after_the_last_character() -> None:
    normalizer = SentencePieceNormalizer(NormalizerOptions(treat_whitespace_as_suffix=True))
    assert normalize("a ", normalizer) == ("a▁", [(0, 1), (1, 1)])


def test_a_byte_that_is_no_character_becomes_the_replacement_character_which_no_rule_sees() -> None:
    normalizer = SentencePieceNormalizer(charsmap=Charsmap(charsmap()))
    assert normalize("a\udcffb", normalizer)[0] == "▁a\ufffdb"
    assert normalize("a\ufffdb", normalizer)[0] == "▁a▁b"


def test_only_the_32_shortest_rules_and_the_64_shortest_symbols_are_seen() -> None:
    matcher = PrefixMatcher(["b" * length for length in range(1, 80)])
    assert matcher.length_at("b" * 100, 0) == 64
    blob = compile_charsmap({"b" * length: chr(0x100 + length) for length in range(1, 31)})
    tokenizer, official = load_both(model_bytes([UNKNOWN, ("a", 0.0, PieceType.NORMAL)], normalizer={2: blob}))
    text = "b" * 64
    for normalizer in (tokenizer.rules.normalizers[0], fast_normalizer(tokenizer.rules.normalizers[0])):
        assert normalizer.normalize(NormalizedString(text)).text == official.Normalize(text)


def test_the_spans_point_into_the_original_text_of_a_part() -> None:
    part = NormalizedString("xx ab").slice(3, 5)
    assert SentencePieceNormalizer().normalize(part).spans() == [(3, 3), (3, 4), (4, 5)]


def test_a_rule_that_ends_inside_a_character_is_refused() -> None:
    rules = Charsmap(charsmap())
    with pytest.raises(ModelFormatError, match="ends inside"):
        rules.step(rules.root(), b"Ab")


@pytest.mark.parametrize(
    ("unit", "normalized"), [(" ", ""), ("a", "a"), ("a ", "a▁"), ("<", "<"), ("中", "中")], ids=ascii
)
def test_a_long_run_ends_soon_and_as_a_short_one_does(unit: str, normalized: str) -> None:
    normalizer = SentencePieceNormalizer(charsmap=Charsmap(charsmap()), symbols=PrefixMatcher(["<" * 10 + ">"]))
    for length in (20, 200_000):
        found = normalizer.normalize(NormalizedString(unit * length)).text
        assert found == ("▁" + normalized * length).rstrip("▁")


def test_a_symbol_that_the_end_of_the_text_cuts_short_is_the_shorter_one() -> None:
    assert PrefixMatcher([" ", " a"]).length_at(" ", 0) == 1
