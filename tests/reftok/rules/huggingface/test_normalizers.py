"""Normalizers: every scalar value, the corpora, random texts, and where each character of the result came from."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import UnsupportedFeature
from reftok.rules.huggingface.normalizers import (
    NFC,
    BertNormalizer,
    ByteLevel,
    Lowercase,
    Nmt,
    StripAccents,
    substitute_each,
)
from reftok.rules.text import NormalizedString
from reftok.unicode.forms import decompose

from ...official import (
    EVERY_CHARACTER,
    Json,
    added,
    assert_same_encoding,
    bpe,
    chain,
    normalized_alignment,
    official,
    outcome,
    own,
    own_normalized,
    tokenizer_json,
    wordlevel,
)
from ...tokenizers_strategies import (
    CHARACTER_NORMALIZERS,
    JAMO,
    MARKS,
    NEWER,
    NORMALIZERS,
    bert_normalizers,
    normalizers,
    texts,
)

CORPORA = Path(__file__).resolve().parents[4] / "corpora"
CHUNK = 1 << 10
NFC_FORM, NFD_FORM, LOWERCASE, STRIP_ACCENTS = ({"type": kind} for kind in ("NFC", "NFD", "Lowercase", "StripAccents"))
FORMS = [{"type": form} for form in ("NFC", "NFD", "NFKC", "NFKD")]
BOTH_ENDS: Json = {"type": "Strip", "strip_left": True, "strip_right": True}
CHARSMAP = NORMALIZERS[-1]


def bert(
    clean_text: bool = False,
    handle_chinese_chars: bool = False,
    strip_accents: bool | None = False,
    lowercase: bool = False,
) -> Json:
    return {
        "type": "BertNormalizer",
        "clean_text": clean_text,
        "handle_chinese_chars": handle_chinese_chars,
        "strip_accents": strip_accents,
        "lowercase": lowercase,
    }


def replace(content: str, **pattern: str) -> Json:
    return {"type": "Replace", "pattern": pattern, "content": content}


UNCASED = bert(True, True, None, True)
BERT_STEPS = [bert(clean_text=True), bert(handle_chinese_chars=True), bert(strip_accents=True)]
MODEL = bpe(["<unk>", "a", "e", " ", "Ġ", "i", "n", "in", " a"], [("i", "n"), (" ", "a")], unk_token="<unk>")
"""Every other character is a token of its own, so the offsets of all characters show."""

WHITE = "\t\n\r \x85\xa0\u200b\u2028\ufeff\ufffd▁"
OTHERS = "\0\x07\x7f\x8f\xad\u08e2\ue000\u0378\u0903\u20dd\u1dfb\u0344\ua7ce"
aimed = st.text([*MARKS[1:3], *WHITE, *OTHERS, *"aÉİŒΣςǅẞK中あ각豈\U0002b820\U0002a700"], max_size=8)
marked = st.lists(
    st.one_of(
        st.sampled_from([*MARKS, *JAMO, *NEWER, "a", "ﬁ", "Å", "が", "か\u3099", "ﾊﾟ", "\u0958", "\u2adc"]),
        st.characters(categories=["Mn", "Mc", "Lo", "Lm", "No", "So"]),
    ),
    max_size=9,
).map("".join)
QUESTIONS = {
    "forms": st.tuples(st.sampled_from(FORMS), marked),
    "each character": st.tuples(st.sampled_from(CHARACTER_NORMALIZERS) | bert_normalizers, texts | aimed),
    "chains": st.tuples(
        st.lists(normalizers, min_size=1, max_size=4).map(lambda steps: chain("normalizers", steps)), texts | aimed
    ),
    "charsmap": st.tuples(st.just(CHARSMAP), texts),
}


def assert_same(normalizer: Json, text: str) -> NormalizedString:
    expected = normalized_alignment(normalizer, text)
    normalized = own_normalized(normalizer, text)
    assert (normalized.text, [*normalized.spans()]) == expected
    return normalized


@pytest.mark.parametrize("kind", QUESTIONS)
@settings(max_examples=400)
@given(st.data())
def test_texts_and_their_alignment_are_those_of_the_library(kind: str, data: st.DataObject) -> None:
    normalizer, text = data.draw(QUESTIONS[kind])
    if outcome(lambda: normalized_alignment(normalizer, text)) != "panicked":
        assert_same(normalizer, text)


@pytest.mark.parametrize("normalizer", [*CHARACTER_NORMALIZERS, *BERT_STEPS], ids=str)
def test_every_scalar_value_is_rewritten_as_in_the_library(normalizer: Json) -> None:
    theirs = official(tokenizer_json(bpe("a"), normalizer=normalizer)).normalizer
    (ours,) = own(tokenizer_json(bpe("a"), normalizer=normalizer)).rules.normalizers
    for start in range(0, len(EVERY_CHARACTER), CHUNK):
        text = "".join(EVERY_CHARACTER[start : start + CHUNK])
        assert ours.normalize(NormalizedString(text)).text == theirs.normalize_str(text)


def texts_of_the_corpora() -> list[str]:
    """The edge cases that are text, and the first lines of every language."""
    files = [file.read_text(encoding="utf-8").splitlines() for file in sorted(CORPORA.glob("edge_cases/*.jsonl"))]
    cases = [json.loads(line).get("text", "") for line in itertools.chain(*files)]
    languages = [file.read_text(encoding="utf-8") for file in sorted(CORPORA.glob("languages/*.txt"))]
    beginnings = ["\n".join(text.splitlines()[:3]) for text in languages]
    return [text for text in cases + beginnings if not regex.search(r"\p{Cs}", text)]


@pytest.mark.parametrize("normalizer", [*CHARACTER_NORMALIZERS, UNCASED], ids=str)
def test_the_corpora_are_encoded_with_the_offsets_of_the_library(normalizer: Json) -> None:
    assert_same_encoding(tokenizer_json(MODEL, normalizer=normalizer), *texts_of_the_corpora())


@given(marked, st.sampled_from(FORMS))
def test_a_normalized_text_stays_as_it_is(text: str, form: Json) -> None:
    once = own_normalized(form, text).text
    assert own_normalized(form, once).text == once


NORMALIZED: dict[str, tuple[Json, str, str]] = {
    "a blocked mark is not composed": (NFC_FORM, "a\u0325\u0327\u0301", "ḁ\u0327\u0301"),
    "a mark without a starter stays alone": (NFC_FORM, "\u0301e\u0301", "\u0301é"),
    "excluded from composition": (NFC_FORM, "\u0958\u2adc\ufb1d", "क\u093c\u2add\u0338י\u05b4"),
    "jamo compose, trailing ones join open syllables only": (
        NFC_FORM, "\u1100\u1161\u11a8가\u11a8각\u11a8", "각각각\u11a8",
    ),
    "marks that came after Unicode 9 have no class": (NFD_FORM, "a\u0301\u1dfa", "a\u0301\u1dfa"),
    "a prefix goes before the text": (NORMALIZERS[4], " ", "▁ "),
    "no prefix goes before nothing": (NORMALIZERS[5], "", ""),
    "a literal is no pattern": (replace("-", String="."), "a.b", "a-b"),
    "matches do not overlap": (replace("-", String="aa"), "aaa", "-a"),
    "each match of a pattern is replaced": (replace("-", Regex="a+"), "baac", "b-c"),
    "look-arounds of a pattern": (replace("-", Regex="x(?=b)|(?<!x)b"), "xbb", "-b-"),
    "white space is not what Python calls space": (BOTH_ENDS, "\u3000\x85 \x1ca\x1c\u2029", "\x1ca\x1c"),
    "a cluster of under 6 bytes is looked up whole": (CHARSMAP, "e\u0301", "E"),
    "the shortest rule swallows the cluster": (CHARSMAP, "e\u0301\u0301", "E"),
    "a long cluster is looked up by character": (CHARSMAP, "e\u0301\u0301\u0301", "E\u0301\u0301\u0301"),
    "rules of one character": (CHARSMAP, "ﬁA", "fia"),
    "a rule that removes at the start": (CHARSMAP, "\u200ba", "a"),
    "a rule that removes within": (CHARSMAP, "a\u200bb", "ab"),
    "a rule of a part of a long cluster": (CHARSMAP, "👩\u200d🚀", "woman\u200d🚀"),
    "a rule that removes a cluster": (CHARSMAP, "b\u0323x", "x"),
    "a rule longer than a cluster": (CHARSMAP, "ｶﾞｶ", "ｶﾞｶ"),
    "a final sigma has no lower case of its own": (LOWERCASE, "ΟΔΟΣ", "οδοσ"),
    "nothing is left: control characters": (UNCASED, "\x01\x02", ""),
    "nothing is left: Nmt": (CHARACTER_NORMALIZERS[0], "\x01\x02", ""),
    "nothing is left: marks": (STRIP_ACCENTS, "\u0301\u0323", ""),
    "StripAccents leaves a precomposed character": (STRIP_ACCENTS, "é", "é"),
    "Bert takes the accent of a precomposed character": (bert(strip_accents=True), "é", "e"),
    "accents go with the capitals": (bert(strip_accents=None, lowercase=True), "É", "e"),
    "accents stay with the capitals": (bert(strip_accents=None, lowercase=False), "É", "É"),
    "accents go if the file says so": (bert(strip_accents=True, lowercase=False), "É", "E"),
    "accents stay if the file says so": (bert(strip_accents=False, lowercase=True), "É", "é"),
}  # fmt: skip


@pytest.mark.parametrize("name", NORMALIZED)
def test_a_text_becomes_what_the_library_makes_of_it(name: str) -> None:
    normalizer, text, expected = NORMALIZED[name]
    assert assert_same(normalizer, text).text == expected
    assert_same_encoding(tokenizer_json(MODEL, normalizer=normalizer), text)


Spans = list[tuple[int, int]]
ALIGNED: dict[str, tuple[Json, str, str, Spans]] = {
    "a composed character stands for its first part only": (NFC_FORM, "e\u0301x", "éx", [(0, 1), (2, 3)]),
    "a part of a decomposition stands for the whole": (
        NFD_FORM, "xḍ\u0307", "xd\u0323\u0307", [(0, 1), (1, 2), (1, 2), (2, 3)],
    ),
    "a replacement stands for the end of its match": (
        replace("xyz", String="ab"), "cab", "cxyz", [(0, 1), (2, 3), (2, 3), (2, 3)],
    ),
    "what is cleaned leaves the rest": (bert(clean_text=True), "\x07\x07a\0b\x07", "ab", [(2, 3), (4, 5)]),
    "accents that go leave the rest": (STRIP_ACCENTS, "\u0301e\u0301\u0301o", "eo", [(1, 2), (4, 5)]),
    "both characters of a lower case": (LOWERCASE, "xİX", "xi\u0307x", [(0, 1), (1, 2), (1, 2), (2, 3)]),
    "the bytes of a character": ({"type": "ByteLevel"}, "né ", "nÃ©Ġ", [(0, 1), (1, 2), (1, 2), (2, 3)]),
    "the spaces around an ideograph": (
        bert(handle_chinese_chars=True), "a中", "a 中 ", [(0, 1), (1, 2), (1, 2), (1, 2)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ALIGNED)
def test_a_character_stands_for_the_part_of_the_text_that_the_library_says(name: str) -> None:
    normalizer, text, expected, spans = ALIGNED[name]
    normalized = assert_same(normalizer, text)
    assert (normalized.text, normalized.spans()) == (expected, spans)


def test_sorted_marks_keep_their_change_and_not_their_place() -> None:
    assert list(decompose("a\u0301\u0323", compatible=False)) == [("a", 0), ("\u0323", 0), ("\u0301", 0)]
    assert NFC().normalize(NormalizedString("a\u1dfa\u0323")).text == "a\u1dfa\u0323"


def test_a_text_that_is_not_changed_is_given_back() -> None:
    normalized = NormalizedString("plain")
    for normalizer in (Nmt(), StripAccents(), Lowercase(), ByteLevel(), BertNormalizer(True, True, False, True)):
        assert normalizer.normalize(normalized) is normalized


def test_as_many_characters_as_before_need_not_be_the_same_ones() -> None:
    normalized = substitute_each(NormalizedString("-ab"), {"-": "", "a": "xy", "b": "b"}.__getitem__)
    assert (normalized.text, normalized.spans()) == ("xyb", [(1, 2), (1, 2), (2, 3)])


@pytest.mark.parametrize(
    "pattern",
    [
        {"String": ""},
        *({"Regex": regex} for regex in ["", "a*", "x?", "x{0,1}", "x|", "x|(?=b)", "^|b", "$", "(?<=a)b?", "(?!a)"]),
    ],
)
def test_a_replacement_of_nothing_is_refused_before_stages_with_which_the_library_loses_its_alignment(
    pattern: Json,
) -> None:
    for later in (NFD_FORM, BOTH_ENDS):
        with pytest.raises(UnsupportedFeature, match=r"normalizer.*: a match of nothing.*, .* is not supported"):
            own_normalized({"type": "Sequence", "normalizers": [replace("-", **pattern), later]}, "ab")


REPLACED = st.sampled_from([r"(?<!\n)^", "^", r"\A", "(?=b)", "(?<=a)", "$", "a*", r"\b", " ", "[ab]+"])
CUTTING: list[Json | None] = [
    None,
    {"type": "Split", "pattern": {"Regex": "(?m)."}, "behavior": "Isolated", "invert": False},
    {"type": "Split", "pattern": {"Regex": "[\u2581a]+"}, "behavior": "MergedWithNext", "invert": False},
    {"type": "Whitespace"},
    {"type": "Digits", "individual_digits": True},
    {"type": "UnicodeScripts"},
    {"type": "FixedLength", "length": 2},
]


@settings(max_examples=300)
@given(
    st.lists(st.tuples(REPLACED, st.sampled_from(["\u2581", "xy", "", "\u00e9"])), min_size=1, max_size=3),
    st.sampled_from(CUTTING),
    st.booleans(),
    st.text("ab\u00e9\u65e5\n A", max_size=8),
)
def test_a_match_of_nothing_is_replaced_where_later_stages_only_replace_and_cut(
    replaced: list[tuple[str, str]], pre_tokenizer: Json | None, is_normalized: bool, text: str
) -> None:
    config = tokenizer_json(
        wordlevel(["u"], "u"),
        [added("<x>", normalized=is_normalized)],
        normalizer=chain("normalizers", [replace(content, Regex=pattern) for pattern, content in replaced]),
        pre_tokenizer=pre_tokenizer,
    )
    for whole in (text, f"{text}<x>{text}", f"<x>{text}"):
        encoding = assert_same_encoding(config, whole)
        assert own(config).encode_ids(whole) == list(encoding.ids)
        assert [*own(config).encode_iterable([*whole])] == encoding.ids
