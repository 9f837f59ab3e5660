"""A normalizer makes the same text of a stream as of the whole, wherever it is cut."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.encode.normalizers import stream_normalizer
from reftok.engine.encode.precompiled import StreamedPrecompiled
from reftok.engine.encode.rewriting import rewriter
from reftok.regex_dialects.pattern import compile_oniguruma
from reftok.rules.huggingface.normalizers import (
    NFC,
    NFD,
    NFKC,
    NFKD,
    BertNormalizer,
    ByteLevel,
    Lowercase,
    Nmt,
    Precompiled,
    Prepend,
    Replace,
    Strip,
    StripAccents,
    UnicodeForm,
)
from reftok.rules.llama_cpp.stages import ReadCodePoints
from reftok.rules.llama_cpp.ugm_normalizer import UGMNormalizer
from reftok.rules.llama_cpp.wpm import BertText
from reftok.rules.stages import Normalizer
from reftok.rules.text import NormalizedString
from reftok.unicode.charsmap import Charsmap

from ...official import precompiled_charsmap
from ...protobuf_writer import compile_charsmap
from ...tokenizers_strategies import texts
from ..stage_comparison import PartRecorder, check_chunks, check_stage, normalizer_stage

FORMS = [NFC(), NFD(), NFKC(), NFKD()]
BERTS = [
    BertNormalizer(*options) for options in product((True, False), (True, False), (None, True, False), (True, False))
]
REPLACES = [
    Replace(" ", "▁"),
    Replace("a", ""),
    Replace("ab", "e\u0301b"),
    Replace("aab", "x"),
    Replace("abab", ""),
    Replace("e\u0301", "é"),
    Replace("  ", " "),
    Replace("", "-"),
    Replace("a", "b" * 1001),
    Replace(compile_oniguruma(r"\s+|▁+"), " "),
    Replace(compile_oniguruma(r"\p{N}+$"), "0\u0301"),
    Replace(compile_oniguruma(r"(?<=a)b"), ""),
    Replace(compile_oniguruma(r"a+b"), "ab"),
]
STRIPS = [Strip(left, right) for left, right in product((True, False), repeat=2)]
PRECOMPILED = Precompiled(Charsmap(precompiled_charsmap()))
JOINING = st.text("a- \u0301\u0302\u094d\u200dक中☺🇩\r\n", max_size=6)
OTHERS = [
    Nmt(),
    StripAccents(),
    Lowercase(),
    ByteLevel(),
    Prepend("▁"),
    Prepend(" "),
    Replace(" ", "▁"),
    Prepend("é\u0301x"),
]
OF_LLAMA = [
    *(BertText(lowercase, strips) for lowercase, strips in product((True, False), repeat=2)),
    UGMNormalizer(True, True, None, ["ab"]),
]
NORMALIZERS = [*FORMS, *BERTS[::5], *REPLACES, *STRIPS, PRECOMPILED, *OTHERS, *OF_LLAMA]

MARKED = st.text(
    st.sampled_from([*"aeAq=<1 中か\u3099\u1100\u1161\u11a8가각ﬁ\u0344é\u0301\u0327\u0323\u0345\u0958\u093c"])
    | st.sampled_from(
        [*"\u09c7\u09be\u0bc6\u0bd7\u1025\u102e\u0dd9\u0dcf\u0f71\u0f72\U0001d15e\u0897\U0001d165\u0903"]
    ),
    max_size=9,
)
CLUSTERS = (
    "👩 \u200d 🚀 🇩 🇪 🇫 👍 🏽 क \u094d ष \u0903 \u1100 \u1161 \u11a8 \u0600 "
    "\r \n a e A \u0301 \u200b … b\u0323 각 ｶ ﾞ \u1ada \u0e33"
)
CLUSTERED = st.lists(st.sampled_from(CLUSTERS.split(" ")), max_size=12).map("".join)
BLANK = st.text(st.sampled_from([*"ab  \t\n\u3000\u2009\x85\x1c▁12"]), max_size=12)
ANY_TEXT = st.one_of(texts, MARKED, CLUSTERED, BLANK)


def batched(characters: Iterable[str], size: int) -> Iterator[list[str]]:
    iterator = iter(characters)
    while batch := list(islice(iterator, size)):
        yield batch


def check(normalizer: Normalizer, text: str, seed: int = 0) -> None:
    check_stage(lambda sink: stream_normalizer(normalizer, sink), normalizer_stage(normalizer), text, seed)


@settings(max_examples=150)
@given(st.sampled_from(NORMALIZERS), ANY_TEXT, st.integers(0, 999))
def test_any_chunks_give_what_the_whole_gives(normalizer: Normalizer, text: str, seed: int) -> None:
    check(normalizer, text, seed)


@settings(max_examples=100)
@given(st.sampled_from(FORMS), MARKED, st.integers(0, 999))
def test_a_form_is_the_same_wherever_the_text_is_cut(form: UnicodeForm, text: str, seed: int) -> None:
    check(form, text, seed)


@settings(max_examples=100)
@given(st.sampled_from(BERTS), MARKED, st.integers(0, 999))
def test_accents_are_stripped_wherever_the_text_is_cut(normalizer: BertNormalizer, text: str, seed: int) -> None:
    check(normalizer, text, seed)


@settings(max_examples=100)
@given(CLUSTERED, st.integers(0, 999))
def test_clusters_are_the_same_wherever_the_text_is_cut(text: str, seed: int) -> None:
    check(PRECOMPILED, text, seed)


@given(st.sampled_from("\u1100\u0301क🇩\u0600🚀"), st.integers(30, 40), CLUSTERED, CLUSTERED)
def test_long_clusters_are_remembered_as_far_as_they_count(repeated: str, count: int, before: str, after: str) -> None:
    text = f"{before}{repeated * count}{after}"
    expected = normalizer_stage(PRECOMPILED)(text)
    check_chunks(lambda sink: stream_normalizer(PRECOMPILED, sink), expected, text, range(1, len(text)))


@given(st.lists(st.sampled_from(["क\u094d", "👩\u200d", "\u1100", "🇩", "\u0903", "\u0600"]), min_size=30, max_size=70))
def test_long_chains_are_cut_where_the_whole_is(links: list[str]) -> None:
    text = "".join(links)
    expected = normalizer_stage(PRECOMPILED)(text)
    check_chunks(lambda sink: stream_normalizer(PRECOMPILED, sink), expected, text, range(1, len(text)))


@given(st.text("ab", max_size=12), st.integers(0, 999))
def test_literal_matches_that_overlap_are_taken_from_the_left(text: str, seed: int) -> None:
    for pattern in ("aa", "aba", "abab", "aab"):
        check(Replace(pattern, "xyz"), text, seed)


@given(
    st.lists(st.sampled_from("a é\udcc3\udca9\udcf0\udc9f\udc98\udc80\udcff\udce2\udc96\udcc0"), max_size=8),
    st.integers(0, 9),
)
def test_bytes_are_read_as_llama_cpp_reads_them_wherever_they_are_cut(characters: list[str], seed: int) -> None:
    check(ReadCodePoints(), "".join(characters), seed)


def scalars_of_the_forms() -> list[str]:
    """What has a decomposition or a combining class or is part of one, jamo, and every 41st of the others."""
    characters = [chr(code) for code in range(0x30000) if not 0xD800 <= code < 0xE000]
    decomposed = {character: unicodedata.normalize("NFKD", character) for character in characters}
    parts = {part for character, parts in decomposed.items() if parts != character for part in parts}
    return [
        character
        for index, character in enumerate(characters)
        if decomposed[character] != character
        or character in parts
        or unicodedata.combining(character)
        or not index % 41
    ]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.form)
def test_a_scalar_value_can_be_cut_from_what_it_may_compose_with(form: UnicodeForm) -> None:
    recorder = PartRecorder()
    stage = stream_normalizer(form, recorder)
    for characters in batched(scalars_of_the_forms(), 64):
        text = "".join(f"e{c} \u1100{c} {c}\u0301 {c}\u0327 {c}\u1161 {c}\u11a8 " for c in characters)
        for character in text:
            stage.text(character)
        stage.end_pre_token()
        [part] = recorder.items
        assert part == rewriter(form)(text)
        recorder.items.clear()


def fed(normalizer: Normalizer, *fragments: str) -> tuple[str, int]:
    recorder = PartRecorder()
    stage = stream_normalizer(normalizer, recorder)
    for fragment in fragments:
        stage.text(fragment)
    return recorder.open, stage.held


def test_a_letter_waits_for_a_mark_and_no_longer() -> None:
    assert fed(NFC(), "a") == ("", 1)
    assert fed(NFC(), "a", "\u0327") == ("", 2)
    assert fed(NFC(), "a", "\u0327", "b") == ("a\u0327", 1)


def test_what_composes_with_nothing_waits_for_nothing() -> None:
    assert fed(NFC(), "1 中") == ("1 中", 0)
    assert fed(NFD(), "abc") == ("abc", 0)


def test_a_mark_waits_for_those_that_are_sorted_before_it() -> None:
    assert fed(NFD(), "e\u0301") == ("e", 1)
    assert fed(NFD(), "é") == ("", 1)


def test_white_space_at_the_end_waits_and_at_the_start_goes() -> None:
    assert fed(Strip(True, True), " ", " a", " ", "\n") == ("a", 2)
    assert fed(Strip(True, False), " ", " a ") == ("a ", 0)


@pytest.mark.parametrize("normalizer", [Strip(False, True), Precompiled(Charsmap(compile_charsmap({"§": "S"})))])
@settings(max_examples=200)
@given(st.lists(st.lists(BLANK | CLUSTERED.filter(len) | st.just("e" + "\u0301" * 40), max_size=6), max_size=3))
def test_what_is_held_is_what_has_come_and_was_not_handed_on(normalizer: Normalizer, parts: list[list[str]]) -> None:
    recorder = PartRecorder()
    stage = stream_normalizer(normalizer, recorder)
    for part in parts:
        come = ""
        for fragment in filter(None, part):
            come += fragment
            stage.text(fragment)
            assert stage.held == len(come) - len(recorder.open)
        stage.end_pre_token()
        assert stage.held == 0


def test_the_beginning_of_a_literal_waits() -> None:
    assert fed(Replace("abc", "x"), "aab") == ("a", 2)
    assert fed(Replace("abc", "x"), "aabc") == ("ax", 0)


def test_the_last_cluster_waits() -> None:
    assert fed(PRECOMPILED, "aA") == ("a", 1)


def test_a_character_that_no_rule_begins_with_waits_for_nothing_and_marks_behind_it_are_looked_up_alone() -> None:
    normalizer = Precompiled(Charsmap(compile_charsmap({"\u0301": "'", "\u0301\u0302": "^", "a": "A"})))
    assert fed(normalizer, "- ") == ("- ", 0)
    assert fed(normalizer, "-", "\u0301\u0302") == ("-'\u0302", 0)
    assert fed(normalizer, "-a") == ("-", 1)


@settings(max_examples=300)
@given(
    st.dictionaries(JOINING.filter(bool), JOINING, min_size=1, max_size=5),
    JOINING,
    st.integers(0, 9),
)
def test_clusters_that_begin_no_rule_are_the_same_wherever_the_text_is_cut(
    rules: dict[str, str], text: str, seed: int
) -> None:
    rules = {key: value for key, value in rules.items() if key != value} or {"a": "b"}
    check(Precompiled(Charsmap(compile_charsmap(rules))), text, seed)


def test_regional_indicators_behind_a_long_cluster_are_counted() -> None:
    assert fed(PRECOMPILED, "\u0600" * 33 + "🇩🇪", "🇫") == ("\u0600" * 33 + "🇩🇪", 1)


def test_an_unknown_normalizer_holds_each_part_and_is_named() -> None:
    class Reverse:
        def normalize(self, normalized: NormalizedString) -> NormalizedString:
            return NormalizedString(normalized.text[::-1], 0, [*normalized.spans()][::-1])

    recorder = PartRecorder()
    stage = stream_normalizer(Reverse(), recorder)
    assert stage.held_until_end == "Reverse is not streamed"
    stage.text("ab")
    stage.text("c")
    assert stage.held == 3
    stage.end_pre_token()
    assert recorder.items == ["cba"]


def test_only_what_cannot_be_streamed_held_until_end() -> None:
    reasons = {stream_normalizer(each, PartRecorder()).held_until_end.split(" ")[0] for each in [*NORMALIZERS, *BERTS]}
    assert reasons <= {"", "UGMNormalizer", "Replace"}


def test_an_inserted_character_waits_only_where_the_alignment_counts() -> None:
    precompiled = Precompiled(Charsmap(compile_charsmap({"½": "1/2"})))
    recorder = PartRecorder()
    stage = StreamedPrecompiled(precompiled, recorder)
    stage.text("½")
    stage.text("½")
    assert (recorder.open, stage.held) == ("1/2", 1)
    stage.end_pre_token()
    stage.keeps_alignment = True
    stage.text("½")
    stage.text("½")
    assert (recorder.open, stage.held) == ("", 2)
