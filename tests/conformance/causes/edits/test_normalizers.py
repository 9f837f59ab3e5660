"""Ways to get spaces and lower case wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.edits.fault import Fault
from conformance.causes.edits.normalizers import of_normalizers
from reftok import Tokenizer
from reftok.rules.huggingface.normalizers import Lowercase
from reftok.rules.huggingface.pre_tokenizers import Metaspace
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.text import NormalizedString
from tests.models import load


def of_rule(tokenizer: Tokenizer, rule: str) -> list[Fault]:
    return [one for one in of_normalizers(tokenizer) if one.rule == rule]


def tokens(tokenizer: Tokenizer, fault: Fault, text: str) -> list[str | None]:
    return [tokenizer.id_to_token(one) for one in fault.ids(text)][1:]


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("only the first space is replaced", "a b c", ["▁a", "▁b", "<0x20>", "c"]),
        ("Metaspace in place of Prepend and Replace", " a", ["▁a"]),
        ("Prepend only at the start of the text", "<a>b", ["<a>", "b"]),
        ("Prepend only where there is none yet", " a", ["▁a"]),
    ],
)
def test_spaces_go_by_another_rule(rule: str, text: str, expected: list[str]) -> None:
    hf = load("spm-bpe-hf")
    assert expected in [tokens(hf, one, text) for one in of_rule(hf, rule)]


def test_all_white_space_is_replaced_as_a_space() -> None:
    hf = load("spm-bpe-hf")
    (fault,) = of_rule(hf, "all white space is replaced as a space")
    assert list(fault.ids("a\tb")) == hf.encode_ids("a b")


def test_prepend_and_replace_put_a_space_before_a_space() -> None:
    unigram = load("spm-unigram-hf")
    (fault,) = (one for one in of_normalizers(unigram) if one.rule == "Prepend and Replace in place of Metaspace")
    assert fault.stage == "PreTokenizer"
    assert list(fault.ids(" a")) != unigram.encode_ids(" a")
    assert list(fault.ids("a")) == unigram.encode_ids("a")


@pytest.mark.parametrize(
    ("rule", "text", "same_as"),
    [
        ("lower case is Turkish", "TITLE", "t\u0131tle"),
        ("lower case by context: a sigma at the end of a word is another", "ΟΔΟΣ", "οδος"),
        ("lower case by folding", "Straße", "strasse"),
        ("characters above U+FFFF are not lower-cased", "A\U00010400", "a\U00010400"),
        ("only ASCII is lower-cased", "AÉ", "aÉ"),
    ],
)
def test_lower_case_is_that_of_another_language(rule: str, text: str, same_as: str) -> None:
    bare = load("bpe-gpt2")
    (fault,) = of_rule(Tokenizer(replace(bare.rules, normalizers=(Lowercase(),))), rule)
    assert list(fault.ids(text)) == bare.encode_ids(same_as)


def test_a_charsmap_that_lowers_the_case_may_come_behind_a_turkish_lower_case() -> None:
    folding, bare = load("spm-unigram-symbols"), load("spm-unigram")
    (fault,) = of_rule(folding, "lower case is Turkish")
    assert list(fault.ids("TITLE")) == folding.encode_ids("t\u0131tle") != folding.encode_ids("TITLE")
    assert of_rule(bare, "lower case is Turkish") == []


def test_a_text_may_be_lower_cased_by_its_words_or_character_by_character() -> None:
    faults = of_rule(load("bpe-qwen"), "text is lower-cased")
    by_words, alone = load("bpe-qwen").encode_ids("οδος"), load("bpe-qwen").encode_ids("οδοσ")
    assert [list(fault.ids("ΟΔΟΣ")) for fault in faults] == [by_words, alone, alone]


def test_what_is_lower_cased_by_a_step_leaves_tokens_that_are_not_normalized() -> None:
    """Fault: a step more in the file of the model was no known rule where it has added tokens."""
    qwen = load("bpe-qwen")
    rs = qwen.rules.added_tokens.token_to_id("[rs]")
    assert {rs in fault.ids("[RS]") for fault in of_rule(qwen, "text is lower-cased")} == {False, True}


def test_a_form_that_comes_after_the_split_composes_nothing_across_it() -> None:
    qwen = load("bpe-qwen")
    (fault,) = of_rule(qwen, "NFC comes after the text is split")
    assert list(fault.ids("1\u0338")) == qwen.encode_ids("1\u0338")
    assert list(fault.ids("e\u0301a")) != qwen.encode_ids("e\u0301a")


@given(st.text("abc12.", min_size=1, max_size=8))
def test_a_word_without_spaces_is_as_ever(text: str) -> None:
    hf = load("spm-bpe-hf")
    for fault in of_rule(hf, "only the first space is replaced"):
        assert list(fault.ids(text)) == hf.encode_ids(text)
    for fault in of_rule(hf, "Metaspace in place of Prepend and Replace"):
        assert list(fault.ids(text)) == hf.encode_ids(text)


FORMS_BY_HAND = [
    ("NFC without Hangul", "\u1112\u1161\u11ab e\u0301", "\u1112\u1161\u11ab \u00e9"),
    ("NFC composes without decomposing first", "\u212b a\u030a", "\u212b \u00e5"),
    ("NFC composes what Unicode excludes", "\u0915\u093c e\u0301", "\u0958 \u00e9"),
]


@pytest.mark.parametrize(("rule", "text", "same_as"), FORMS_BY_HAND)
def test_a_form_is_written_by_hand(rule: str, text: str, same_as: str) -> None:
    qwen = load("bpe-qwen")
    bare = Tokenizer(replace(qwen.rules, normalizers=()))
    (fault,) = of_rule(qwen, rule)
    assert list(fault.ids(text)) == bare.encode_ids(same_as)
    assert list(fault.ids(text)) != qwen.encode_ids(text)
    assert list(fault.ids("caf\u00e9 \ud55c")) == qwen.encode_ids("caf\u00e9 \ud55c")


@pytest.mark.parametrize("model", ["spm-unigram", "spm-unigram-hf"])
def test_a_short_cut_for_ascii_passes_the_charsmap_by(model: str) -> None:
    tokenizer = load(model)
    (fault,) = of_rule(tokenizer, "the charsmap is not applied to texts of ASCII")
    for text in ("a b", "a\tb\u00e9", "\u2460"):
        assert list(fault.ids(text)) == tokenizer.encode_ids(text)
    assert list(fault.ids("a\tb")) != tokenizer.encode_ids("a\tb")


def test_rules_of_several_characters_are_lost_where_a_charsmap_is_read_by_single_ones() -> None:
    """Fault: this had no known rule."""
    for model in ("spm-unigram", "spm-unigram-hf"):
        tokenizer = load(model)
        (fault,) = of_rule(tokenizer, "the charsmap by single characters")
        assert list(fault.ids("e\u0301")) != tokenizer.encode_ids("e\u0301") == tokenizer.encode_ids("\xe9")
        assert list(fault.ids("\ufb01\u2460")) == tokenizer.encode_ids("fi1")


@pytest.mark.parametrize(
    ("model", "rule", "text", "expected"),
    [
        ("spm-unigram-hf", "characters that the charsmap removes are kept", "a\x01b", ["▁a", "<unk>", "b", "</s>"]),
        ("spm-unigram", "characters that the charsmap removes are kept", "a\x01b", ["▁a", "<unk>", "b"]),
        ("spm-bpe", "no dummy prefix before a space", " ", ["▁"]),
        ("spm-bpe", "no dummy prefix before digits", "1", ["1"]),
        ("spm-bpe", "no dummy prefix before punctuation", "a", ["▁a"]),
        ("spm-unigram", "extra spaces at the start are kept", "  a  b  ", ["▁", "▁", "▁a", "▁b"]),
        ("spm-unigram", "extra spaces at the end are kept", "  a  b  ", ["▁a", "▁b", "▁", "▁"]),
        ("spm-unigram", "extra spaces between words are kept", "  a  b  ", ["▁a", "▁", "▁b"]),
        ("spm-unigram", "extra spaces at the ends are kept", "  a  b  ", ["▁", "▁", "▁a", "▁b", "▁", "▁"]),
        (
            *("spm-unigram-hf", "a dummy prefix is added between adjacent added tokens", "<s></s>a"),
            ["<s>", "▁", "</s>", "▁a", "</s>"],
        ),
    ],
)
def test_characters_and_prefixes_are_kept_or_not(model: str, rule: str, text: str, expected: list[str]) -> None:
    tokenizer = load(model)
    found = [[tokenizer.id_to_token(one) for one in fault.ids(text)] for fault in of_rule(tokenizer, rule)]
    assert expected in found


@pytest.mark.parametrize(
    ("rule", "skipped"),
    [("no character has a combining class", "\u212b"), ("no character is in U+0300..U+036F", "\u0487\u093c")],
)
def test_a_form_is_skipped_only_in_texts_without_marks(rule: str, skipped: str) -> None:
    """Fault: a quick check of one block of marks was called "without canonical order"."""
    qwen = load("bpe-qwen")
    (fault,) = of_rule(qwen, f"NFC is skipped if {rule}")
    assert list(fault.ids(skipped)) != qwen.encode_ids(skipped)
    assert list(fault.ids(f"e\u0301{skipped}")) == qwen.encode_ids(f"e\u0301{skipped}")


def test_of_the_rules_of_a_charsmap_the_shortest_replaces() -> None:
    unigram = load("spm-unigram")
    (normalizer,) = unigram.rules.normalizers
    assert isinstance(normalizer, SentencePieceNormalizer)
    assert normalizer.charsmap is not None
    shortest, *others = normalizer.charsmap.prefixes("e\u0323\u0302".encode())
    assert others
    (fault,) = of_rule(unigram, "the charsmap by the shortest rule at each place")
    assert fault.rules is not None
    (changed,) = fault.rules().normalizers
    assert changed.normalize(NormalizedString("e\u0323\u0302")).text == "▁" + shortest[1] + "\u0302"


def test_the_first_text_gets_the_prefix_behind_an_added_token() -> None:
    hf = load("spm-bpe-hf")
    first = Metaspace("▁", "first", split=False)
    tokenizer = Tokenizer(replace(hf.rules, normalizers=(), pre_tokenizers=(first,)), hf)
    rule = "the prefix goes to the first text even behind an added token"
    (fault,) = (one for one in of_normalizers(tokenizer) if one.rule == rule)
    assert tokens(tokenizer, fault, "<a>b<a>b") == ["<a>", "▁b", "<a>", "b"]


def test_a_text_that_begins_with_a_space_gets_the_prefix_as_well() -> None:
    """Fault: in a port with other mistakes it was "characters are lost or changed", 532 times."""
    hf = load("spm-bpe-hf")
    first = Metaspace("▁", "first", split=False)
    tokenizer = Tokenizer(replace(hf.rules, normalizers=(), pre_tokenizers=(first,)), hf)
    rule = "the prefix is added even to a text that begins with a space"
    (fault,) = (one for one in of_normalizers(tokenizer) if one.rule == rule)
    assert "".join(tokens(tokenizer, fault, " b<a>b")) == "▁▁b<a>b"
    assert list(fault.ids("b")) == tokenizer.encode_ids("b")
