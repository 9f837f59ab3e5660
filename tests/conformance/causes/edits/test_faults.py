"""Faults answer like an implementation that has the one mistake, also where it shows itself less plainly."""

from __future__ import annotations

import ast
from itertools import chain
from pathlib import Path

import pytest

from conformance.causes.edits import Fault, decoding_faults, faults, of_classes
from conformance.causes.edits.translated import in_other_classes
from conformance.core.rule_table import usual_cause
from tests.models import load
from tests.planted_defects.catalogue import DEFECTS

PLANTED = Path(__file__).parents[3] / "planted_defects"


def of_rule(model: str, rule: str) -> list[Fault]:
    return [one for one in faults(load(model)) if one.rule == rule]


def test_without_a_normalizer_added_tokens_are_matched_by_their_content() -> None:
    (missing,) = of_rule("spm-bpe-hf", "Prepend is missing")
    assert missing.trace is not None
    token_id = load("spm-bpe-hf").token_to_id("[norm]")
    assert token_id is not None
    assert list(missing.trace("[norm]").encoding.tokens)[-1] == "[norm]"
    assert list(load("spm-bpe-hf").encode("[norm]").tokens)[-1] == "▁[norm]"


def test_without_a_normalizer_added_tokens_are_decoded_to_their_content() -> None:
    right = load("spm-bpe-hf")
    (missing,) = (one for one in decoding_faults(right) if one.rule == "Prepend is missing")
    token_id = right.token_to_id("<sw-ls-norm>")
    assert token_id is not None
    assert (right.decode([token_id]), missing.text([token_id], True)) == ("<sw-ls-norm>", "")


@pytest.mark.parametrize("text", ["", "a"])
def test_special_tokens_stand_twice_before_any_text(text: str) -> None:
    (twice,) = of_rule("bpe-llama3", "special tokens are added twice")
    first, *rest = load("bpe-llama3").encode(text).ids
    assert twice.ids(text) == [first, first, *rest]


def test_special_tokens_are_removed_all_or_those_between_bars() -> None:
    every, between_bars = of_rule("bpe-qwen", "special tokens are removed from the text")
    right = load("bpe-qwen").encode("a<plain>b").ids
    assert list(between_bars.ids("a<|im_end|><plain>b")) == list(right)
    assert list(every.ids("a<|im_end|><plain>b")) == list(load("bpe-qwen").encode("ab").ids)


def test_those_who_join_tokens_put_back_some_white_space_or_none() -> None:
    rule = "bytes are not mapped: glyphs are given out"
    ids = load("bpe-qwen").encode(" \n\té").ids
    found = [one.text(ids, True) for one in decoding_faults(load("bpe-qwen")) if one.rule == rule]
    assert found == ["ĠĊĉÃ©", " ĊĉÃ©", " \nĉÃ©", " \n\tÃ©"]


def test_a_character_is_taken_for_a_member_of_another_class() -> None:
    found = {one.rule: one for one in of_classes(load("bpe-qwen"), "xéy")}
    assert set(found) == {
        "\\p{L} is not all letters",
        "other characters count as numbers",
        "other characters count as white space",
    }
    trace = found["\\p{L} is not all letters"].trace
    assert trace is not None
    stages = {stage.component: stage for stage in trace("xéy").stages}
    assert [piece.text for piece in stages["TranslatedSplit"].pieces] == ["x", "éy"]


def test_a_letter_that_is_newer_than_the_tables_of_the_library_is_not_one_of_its_letters() -> None:
    newer = "\u088f"  # of Unicode 17
    assert list(dict(in_other_classes(r"\p{L}+", newer))) == ["other characters count as letters"]


@pytest.mark.parametrize(
    ("model", "rule", "text", "tokens"),
    [
        ("bpe-qwen", "NULs at the end are lost", "\0a\0\0", ["Ā", "a"]),
        ("bpe-qwen", "NFC without canonical order", "\u0301\u0619", ["Ìģ", "Ø", "Ļ"]),
        ("spm-unigram-hf", "the charsmap by the longest rule at each place", "\U0001d4daa", ["▁Ka", "</s>"]),
        ("spm-unigram-hf", "the charsmap by the longest rule at each place", "\u30ab\u3099", ["▁", "<unk>", "</s>"]),
        ("bpe-qwen", "contractions are not split at the start of the text", "'lle 'lle", ["'", "lle", "Ġ'", "lle"]),
        (
            "bpe-qwen",
            "contractions are not split at the start of the text",
            "'llea'lle",
            ["'", "lle", "a", "'", "ll", "e"],
        ),
        ("bpe-qwen", "any white space is taken with punctuation", "\t.a", ["ĉ", ".", "a"]),
    ],
)
def test_a_rule_answers_like_an_implementation_that_breaks_it(
    model: str, rule: str, text: str, tokens: list[str]
) -> None:
    (wrong,) = of_rule(model, rule)
    assert [load(model).id_to_token(token_id) for token_id in wrong.ids(text)] == tokens


@pytest.mark.parametrize(
    ("rule", "text", "parts"),
    [
        ("the last of the white space at the end is split off", " \u3000", [" ", "\u3000"]),
        ("the last of the white space at the end is split off", "\t\ta", ["\t", "\ta"]),
        ("white space with several line ends is cut after the first", "\n \n a", ["\n", " \n", " a"]),
    ],
)
def test_white_space_is_cut_by_another_rule(rule: str, text: str, parts: list[str]) -> None:
    (wrong,) = of_rule("bpe-qwen", rule)
    assert wrong.trace is not None
    stage = next(stage for stage in wrong.trace(text).stages if stage.component == "Split")
    assert [piece.text for piece in stage.pieces] == parts


@pytest.mark.parametrize(
    ("model", "rule", "tokens", "texts"),
    [
        ("bpe-qwen", "NULs at the end are lost", ["Ā", "a", "Ā"], ["\0a"]),
        ("bpe-qwen", "one U+FFFD for each byte", ["â", "ĺ", "a"], ["\ufffd\ufffda"]),
        ("bpe-qwen", "text ends at the first bytes that are not UTF-8", ["a", "Ã", "a"], ["a", "a\ufffd"]),
        ("spm-bpe", "one U+FFFD for each maximal subpart", ["a", "<0xE2>", "<0x98>", "▁a"], ["a\ufffd a"]),
        ("spm-bpe", "bytes join across control pieces", ["<0xE2>", "<0x98>", "<s>", "<0xA0>"], ["☠"]),
    ],
)
def test_a_rule_decodes_like_an_implementation_that_breaks_it(
    model: str, rule: str, tokens: list[str], texts: list[str]
) -> None:
    right = load(model)
    ids = [right.token_to_id(token) or 0 for token in tokens]
    assert [one.text(ids, True) for one in decoding_faults(right) if one.rule == rule] == texts


def test_white_space_of_ascii_that_tables_forget_is_in_doubt_as_well() -> None:
    found = {one.rule: one for one in of_classes(load("bpe-qwen"), "\f.a")}
    ids = found["\\s is not all white space"].ids("\f.a")
    assert [load("bpe-qwen").id_to_token(token_id) for token_id in ids] == ["Č", ".", "a"]


def test_every_planted_defect_names_a_rule_of_the_taxonomy() -> None:
    named = [defect for defect in DEFECTS if defect.stage and defect.rule]
    limits = ("7", "7 characters", "added: 7")
    assert [one for one in named if not any(usual_cause(one.stage, one.rule.replace("*", it)) for it in limits)] == []


def test_every_wrong_class_is_hunted() -> None:
    hunted = {defect.subject for defect in DEFECTS}
    classes = (
        f"{file.name}:{node.name}"
        for file in sorted(PLANTED.glob("wrong_*.py"))
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert sorted(set(classes) - hunted) == []


def test_the_subjects_of_the_catalogue_are_there() -> None:
    named = (defect.subject.split(":") for defect in DEFECTS)
    files = {file: ast.parse((PLANTED / file).read_text("utf-8")) for file, _ in map(tuple, named)}
    for defect in DEFECTS:
        file, factory = defect.subject.split(":")
        names = chain.from_iterable([node.name] if isinstance(node, ast.ClassDef) else [] for node in files[file].body)
        assert factory in set(names), defect.subject


@pytest.mark.parametrize(
    ("model", "rule", "text", "encoded"),
    [
        ("bpe-gpt2", "text is brought to NFD", "é", "e\u0301"),
        ("bpe-gpt2", "ASCII is lower-cased", "AÉ", "aÉ"),
        ("bpe-qwen", "NFC leaves final consonants of Hangul apart", "\u1112\u1161\u11ab", "하\u11ab"),
        ("bpe-qwen", "white space at the end is stripped byte by byte, within characters too", "a\xe0", "a\ufffd"),
        ("bpe-gpt2", "Java's modified UTF-8 is decoded as UTF-8", "a\0\U0001f937", "a" + 8 * "\ufffd"),
    ],
)
def test_the_text_that_is_encoded_is_another(model: str, rule: str, text: str, encoded: str) -> None:
    (fault,) = of_rule(model, rule)
    assert load(model).decode([*fault.ids(text)]) == encoded


@pytest.mark.parametrize(
    ("model", "rule", "text", "tokens"),
    [
        (
            "spm-bpe-hf",
            "a match of added tokens that fails is not begun again within it",
            "<<s>",
            ["<s>", "▁<<", "s", ">"],
        ),
        ("spm-bpe-symbols", "of user-defined symbols the shortest is taken", "<img>", ["<im", "g", ">"]),
        (
            "spm-unigram-symbols",
            "the longest piece at each place, not the best path",
            "without",
            ["▁wi", "th", "ou", "t"],
        ),
        ("spm-bpe", "text is split before each space", "a  b", ["▁a", "▁", "▁b"]),
        ("spm-bpe", "halves of surrogate pairs are encoded one by one: each is unknown", "🦙", ["▁", "<unk>", "<unk>"]),
        (
            "spm-bpe",
            "byte fallback replaces the whole word",
            "a ☠b",
            ["▁a", *(f"<0x{byte:02X}>" for byte in "▁☠b".encode())],
        ),
        ("spm-unigram", "charsmap rules that begin with ASCII are not applied", "e\u0301", ["▁", "e", "\u0301"]),
        ("bpe-qwen", "the shortest added token wins, not the longest", "token_10", ["token_1", "0"]),
    ],
)
def test_the_tokens_of_a_text_are_others(model: str, rule: str, text: str, tokens: list[str]) -> None:
    (fault,) = of_rule(model, rule)
    given = [load(model).id_to_token(one) for one in fault.ids(text)]
    assert given == tokens


@pytest.mark.parametrize(("rule", "text"), [("the first id is left out", "bc"), ("the last id is left out", "ab")])
def test_ids_are_left_out_where_they_are_decoded(rule: str, text: str) -> None:
    tokenizer = load("bpe-gpt2")
    (fault,) = (one for one in decoding_faults(tokenizer) if one.rule == rule)
    assert fault.text([tokenizer.encode_ids(one)[0] for one in "abc"], True) == text
