"""Code units and bytes that are taken for characters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.edits.code_units import SplitByUnits, of_code_units
from reftok.regex_dialects.pattern import compile_oniguruma
from reftok.rules.byte_level import from_byte_characters
from reftok.rules.huggingface.pre_tokenizers import Split
from reftok.rules.text import NormalizedString, Part
from tests.models import load


def tokens(model: str, rule: str, text: str) -> list[list[str | None]]:
    found = [one for one in of_code_units(load(model)) if one.rule.startswith(rule)]
    return [[load(model).id_to_token(token_id) for token_id in one.ids(text)] for one in found]


@pytest.mark.parametrize(
    ("model", "rule", "text", "same_as"),
    [
        ("bpe-qwen", "bytes of UTF-8 are taken for Latin-1", "né", "nÃ©"),
        ("bpe-qwen", "bytes of UTF-8 are taken for Windows-1252", "–", "â€“"),
        ("bpe-qwen", "what Latin-1 does not have", "é–", "é?"),
        ("spm-unigram", "what ASCII does not have becomes ?", "é–", "??"),
        ("bpe-qwen", "what ASCII does not have is removed", "né–", "n"),
        ("spm-unigram", "characters above U+FFFF are removed", "a🤷b", "ab"),
        ("spm-unigram", "characters above U+FFFF become", "a🤷b", "a\ufffdb"),
        ("spm-unigram", "code points are cut to 16 bits", "a\U0001f937b", "a\uf937b"),
    ],
)
def test_a_text_is_changed_on_its_way_in(model: str, rule: str, text: str, same_as: str) -> None:
    assert tokens(model, rule, text) == [[load(model).id_to_token(one) for one in load(model).encode_ids(same_as)]]


def test_a_pattern_that_sees_utf_16_units_takes_no_emoji_with_a_word() -> None:
    fault = next(one for one in of_code_units(load("bpe-qwen")) if one.rule.startswith("patterns see"))
    assert fault.trace is not None
    (stage,) = (stage for stage in fault.trace("🤷a 𝒻.").stages if stage.component == "SplitByUnits")
    assert [piece.text for piece in stage.pieces] == ["🤷", "a", " 𝒻."]


@pytest.mark.parametrize("half", ["\ufffd", "?"])
def test_a_character_that_is_cut_in_two_becomes_two_others(half: str) -> None:
    each_unit = Split(compile_oniguruma("(?m:.)"), "Isolated", False)
    parts = SplitByUnits(each_unit, half).pre_tokenize([Part(NormalizedString("a🤷"))])
    assert [part.normalized.text for part in parts] == ["a", half, half]
    assert [[*part.normalized.spans()] for part in parts] == [[(0, 1)], [(1, 2)], [(1, 2)]]


@pytest.mark.parametrize("model", ["bpe-qwen", "spm-bpe-hf", "spm-bpe"])
def test_surrogates_are_encoded_one_by_one(model: str) -> None:
    (found,) = tokens(model, "surrogates are encoded", "🤷")
    data = b"\xed\xa0\xbe\xed\xb4\xb7"
    if model == "bpe-qwen":
        assert from_byte_characters("".join(map(str, found))) == data
    else:
        assert found[-6:] == [f"<0x{byte:02X}>" for byte in data]


def test_what_is_above_utf_16_when_it_is_normalized_counts() -> None:
    """Fault: U+FAD1, which NFC makes U+233D5, was left as it is, and told as a second cause."""
    rule = "bytes are those of Java's modified UTF-8"
    (found,) = tokens("bpe-qwen", rule, "\ufad1")
    assert found == tokens("bpe-qwen", rule, "\U000233d5")[0] != [*load("bpe-qwen").encode("\ufad1").tokens]


@pytest.mark.parametrize(
    ("rule", "data"),
    [
        ("bytes are signed: those from 0x80 on are lost", b"n"),
        ("bytes are signed: those from 0x80 on lose their sign", b"n\x3d\x57"),
        ("bytes lose their highest bit", b"n\x43\x29"),
    ],
)
def test_bytes_that_have_a_sign_are_others(rule: str, data: bytes) -> None:
    (found,) = tokens("bpe-qwen", rule, "né")
    assert from_byte_characters("".join(map(str, found))) == data


@pytest.mark.parametrize(("name", "half"), [("U+FFFD", b"\xef\xbf\xbd"), ("?", b"?")])
@pytest.mark.parametrize("model", ["bpe-qwen", "spm-bpe-hf", "spm-bpe"])
def test_each_half_of_a_surrogate_pair_becomes_another_character(model: str, name: str, half: bytes) -> None:
    (found,) = tokens(model, f"halves of surrogate pairs are encoded one by one: each becomes {name}", "🤷")
    if model == "bpe-qwen":
        assert from_byte_characters("".join(map(str, found))) == 2 * half
    else:
        assert found[-2 * len(half) :] == [f"<0x{byte:02X}>" for byte in 2 * half]


def test_halves_of_surrogate_pairs_become_others_after_the_split() -> None:
    """A letter above U+FFFF stays with its word, where a text that is changed on its way in is cut otherwise."""
    rule = "halves of surrogate pairs are encoded one by one: each becomes U+FFFD"
    trace = next(one for one in of_code_units(load("bpe-qwen")) if one.rule == rule).trace
    assert trace is not None
    assert ["a𝒻b"] in [[piece.text for piece in stage.pieces] for stage in trace("a𝒻b").stages[1:]]


@pytest.mark.parametrize(
    ("rule", "same_as"),
    [
        ("what ASCII does not have becomes ? after", [b"n?", b"n?"]),
        ("bytes are those of Latin-1", [b"n\xe9", b"n\xe9"]),
    ],
)
def test_the_bytes_of_a_pre_token_are_those_of_another_encoding(rule: str, same_as: list[bytes]) -> None:
    found = tokens("bpe-qwen", rule, "né")
    assert [from_byte_characters("".join(map(str, one))) for one in found] == same_as
    halves = [from_byte_characters("".join(map(str, one))) for one in tokens("bpe-qwen", rule, "🤷")]
    assert halves == [b"?", b"??"]


def test_what_becomes_a_question_mark_after_the_split_stays_with_its_word() -> None:
    rule = "what ASCII does not have becomes ? after the text is split"
    trace = next(one for one in of_code_units(load("bpe-qwen")) if one.rule == rule).trace
    assert trace is not None
    pieces = [[piece.text for piece in stage.pieces] for stage in trace("né a").stages]
    assert ["né", " a"] in pieces


@given(st.text("abc 12\n'.", max_size=10))
def test_ascii_is_the_same_in_all_encodings(text: str) -> None:
    for model in ("bpe-qwen", "spm-bpe-hf"):
        for fault in of_code_units(load(model)):
            assert list(fault.ids(text)) == load(model).encode_ids(text)
