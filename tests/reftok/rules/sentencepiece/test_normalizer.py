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


RULES = Charsmap(charsmap())
Spans = list[tuple[int, int]]
NORMALIZED: dict[str, tuple[SentencePieceNormalizer, str, str, Spans | None]] = {
    "a longer rule wins": (SentencePieceNormalizer(charsmap=RULES), "中国a", "▁é", [(0, 0), (0, 3)]),
    "over a shorter one": (SentencePieceNormalizer(charsmap=RULES), "中国b", "▁bb", [(0, 0), (0, 2), (2, 3)]),
    "a user-defined symbol wins over a rule": (
        SentencePieceNormalizer(charsmap=RULES, symbols=PrefixMatcher(["A", "AA"])), "AAA", "▁AAA", None,
    ),
    "a symbol and a rule may reach across a space": (
        SentencePieceNormalizer(charsmap=RULES, symbols=PrefixMatcher(["b A"])), "b Aab x", "▁b▁Ab", None,
    ),
    "spaces inside a replacement stay": (SentencePieceNormalizer(charsmap=RULES), "a…b", "▁a▁▁.▁b", None),
    "one before it goes": (SentencePieceNormalizer(charsmap=RULES), "a …b", "▁a▁.▁b", None),
    "a literal space symbol at the end goes too": (SentencePieceNormalizer(), "a▁ ", "▁a", [(0, 0), (0, 1)]),
    "the dummy suffix comes behind the last character": (
        SentencePieceNormalizer(NormalizerOptions(treat_whitespace_as_suffix=True)), "a ", "a▁", [(0, 1), (1, 1)],
    ),
    "no rule sees the replacement of a byte that is no character": (
        SentencePieceNormalizer(charsmap=RULES), "a\udcffb", "▁a\ufffdb", None,
    ),
    "but a written one": (SentencePieceNormalizer(charsmap=RULES), "a\ufffdb", "▁a▁b", None),
}  # fmt: skip
"""By what they show: a normalizer, a text, what it makes of it, and the spans."""


@pytest.mark.parametrize("name", NORMALIZED)
def test_a_text_is_normalized_by_the_rules(name: str) -> None:
    normalizer, text, expected, spans = NORMALIZED[name]
    found = normalize(text, normalizer)
    assert found == (expected, found[1] if spans is None else spans)


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
