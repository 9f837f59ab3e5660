"""Changes of texts are learnt from wrong answers."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.causes.edits import of_changed_decodings, of_changed_texts
from conformance.causes.edits.text_changes import SEVERAL
from conformance.core.observation import Decoded
from conformance.core.rule_table import usual_cause
from tests.models import load

MODELS = ("bpe-qwen", "spm-bpe", "spm-unigram-hf")
Change = Callable[[str], str]


def learnt(model: str, change: Change, *texts: str) -> list[str]:
    tokenizer = load(model)
    answers = [(text, tokenizer.encode_ids(text), tokenizer.encode_ids(change(text))) for text in texts]
    return [fault.rule for fault in of_changed_texts(tokenizer, answers)]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [("+", " ", "“+” becomes U+0020"), ("-", "_", "“-” becomes “_”"), ("ß", "ss", "U+00DF becomes “ss”")],
)
def test_a_character_that_becomes_another_is_named(model: str, one: str, other: str, rule: str) -> None:
    """Fault: a + that becomes a space was "▁▁ in place of ▁+"."""
    texts = (one, f"a{one}b", f"{one}a{one}")
    assert learnt(model, lambda text: text.replace(one, other), *texts) == [rule]
    assert usual_cause("Input", rule) != ""
    assert usual_cause("Decoder", rule) != ""


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (
            lambda text: re.sub(r"[\0-\x08\x0b-\x1f\x7f]", "", text),
            "ASCII control characters other than TAB and LF are removed",
        ),
        (lambda text: re.sub(r"[\0-\x1f\x7f]", " ", text), "ASCII control characters become U+0020"),
    ],
)
def test_a_class_of_characters_is_learnt_from_a_few_of_them(change: Change, rule: str) -> None:
    """Fault: a decode that removed control characters was three findings, one for each way in which some were met."""
    learnt_first = learnt("bpe-qwen", change, "a\x01b", "c\x0bd", "e\x1ff", "g\tn")
    assert rule in learnt_first
    assert usual_cause("Decoder", rule) != ""


@given(st.dictionaries(st.sampled_from("+-_/*#"), st.sampled_from("abc é"), min_size=2))
@settings(max_examples=30)
def test_several_are_learnt_together_each_from_another_answer(table: dict[str, str]) -> None:
    tokenizer = load("bpe-qwen")
    change = lambda text: text.translate(str.maketrans(table))
    answers = [(one, tokenizer.encode_ids(one), tokenizer.encode_ids(change(one))) for one in table]
    found = [*of_changed_texts(tokenizer, answers)]
    (fault,) = (one for one in found if one.rule == SEVERAL)
    assert sum(one.learnt == "character" for one in found) == len(table)
    text = "x".join("+-_/*#")
    assert list(fault.ids(text)) == tokenizer.encode_ids(change(text))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text[::-1], id="turned round"),
        pytest.param(lambda text: text, id="as it should be"),
        pytest.param(lambda text: text.replace("b", "b", 1).replace("a", "xxxx"), id="too long"),
    ],
)
def test_nothing_is_learnt_of_what_is_no_replacement(change: Change) -> None:
    assert learnt("bpe-qwen", change, "aab", "abb") == []


def test_an_answer_that_the_replacement_does_not_give_teaches_nothing() -> None:
    tokenizer = load("bpe-qwen")
    merged, apart = tokenizer.encode_ids("the"), [tokenizer.encode_ids(one)[0] for one in "tha"]
    assert [*of_changed_texts(tokenizer, [("the", merged, apart)])] == []


def test_one_that_is_learnt_by_mistake_leaves_the_others_theirs() -> None:
    """Fault: one answer with two letters that had changed places took the name of all that becomes another."""
    found = learnt("bpe-qwen", lambda text: text.replace("+", " ").replace("ed", "de"), "+", "ed")
    assert found[0] == SEVERAL
    assert "“+” becomes U+0020" in found


def test_a_subject_that_keeps_no_special_tokens_shows_what_it_replaces() -> None:
    tokenizer = load("bpe-llama3")
    ids = tuple(tokenizer.encode_ids("a+b"))
    right = Decoded("a+b", "<|begin_of_text|>a+b")
    assert [one.rule for one in of_changed_decodings(tokenizer, [(ids, right, Decoded("a b"))])] == [
        "“+” becomes U+0020"
    ]


def test_characters_of_decoded_text_that_become_others_are_named() -> None:
    tokenizer = load("bpe-qwen")
    text, other = "it's", "it\u2019s"
    ids = tuple(tokenizer.encode_ids(text))
    (fault,) = of_changed_decodings(tokenizer, [(ids, Decoded(text, text), Decoded(other, other))])
    assert (fault.stage, fault.rule) == ("Decoder", "“'” becomes U+2019")
    assert fault.text(ids, True) == other
    assert [
        *of_changed_decodings(tokenizer, [(ids, Decoded(text, text), Decoded("it really is", "it really is"))])
    ] == []


def test_a_string_that_becomes_another_is_learnt_with_what_may_stand_beside_it() -> None:
    rule = "“the” becomes “teh”"
    assert rule in learnt("bpe-qwen", lambda text: text.replace("the", "teh"), "other", "the", "bathe")
    assert usual_cause("Input", rule)
    assert "“...” becomes U+2026" in learnt("bpe-qwen", lambda text: text.replace("...", "\u2026"), "a...b", "...")


def test_a_mistake_of_whole_words_is_none_of_strings() -> None:
    """Fault: words that were turned round were "“one” becomes “eno”"."""
    turned = lambda text: " ".join(word[::-1] for word in text.split(" "))
    assert "“one” becomes “eno”" not in learnt("bpe-qwen", turned, "one", "is there", "one by one")


TIDIED: dict[str, tuple[Change, tuple[str, ...]]] = {
    "U+200D is removed": (lambda text: text.replace("\u200d", ""), ("a\u200db", "a\u200bb\u200d")),
    "zero-width characters are removed": (
        lambda text: text.replace("\u200d", "").replace("\u200b", ""),
        ("a\u200db", "a\u200bb\u200d"),
    ),
    "some characters are removed": (lambda text: text.replace("#", "").replace("-", ""), ("a#b", "a-b")),
    "spaces at the start are stripped": (lambda text: text.lstrip(" "), ("  a ", " b")),
    "U+000A at the end is stripped": (lambda text: text.rstrip("\n"), ("\na\n",)),
    "some characters at the ends are stripped": (lambda text: text.strip("._"), (".a_", "_._")),
    "spaces at the ends of lines are stripped": (
        lambda text: "\n".join(line.rstrip(" ") for line in text.split("\n")),
        ("a \nb\t",),
    ),
    "U+FFFD at the end is stripped": (lambda text: text.rstrip("\ufffd"), ("ab\ufffd", "a\ufffd")),
    "one U+000A at the end is stripped": (lambda text: text.removesuffix("\n"), ("a\n\n", "b\n")),
    "one space at the start is stripped": (lambda text: text.removeprefix(" "), ("  a", " b")),
    "the first character is lost": (lambda text: text[1:], ("abc", "xyz")),
    "the last 2 characters are lost": (lambda text: text[:-2], ("abc", "xyz")),
    "“>>” is added at the start": (lambda text: ">>" + text, ("abc",)),
    "U+000A is added at the end": (lambda text: text + "\n", ("abc",)),
    "more than 2 repeated U+000A become 2": (lambda text: text.replace("\n\n\n", "\n\n"), ("a\n\n\nb\n\n",)),
    "repeated “-” become one": (lambda text: text.replace("--", "-"), ("a--b",)),
}


@pytest.mark.parametrize("rule", TIDIED)
def test_what_tidies_a_text_is_learnt_on_its_way_in_and_out(rule: str) -> None:
    """Faults: `strip(" ")`, a first character that is lost, blank lines and a U+200D that go had no names."""
    change, texts = TIDIED[rule]
    tokenizer = load("bpe-qwen")
    given = [(one, tokenizer.encode_ids(one), tokenizer.encode_ids(change(one))) for one in texts]
    fault = next(one for one in of_changed_texts(tokenizer, given) if one.rule == rule)
    ids = [(tuple(tokenizer.encode_ids(one)), Decoded(one, one), Decoded(change(one), change(one))) for one in texts]
    decoding = next(one for one in of_changed_decodings(tokenizer, ids) if one.rule == rule)
    for text in (*texts, "-- \n\n\n x\n\n"):
        assert list(fault.ids(text)) == tokenizer.encode_ids(change(text))
        assert decoding.text(tuple(tokenizer.encode_ids(text)), True) == change(text)
    assert usual_cause("Input", rule)
    assert usual_cause("Decoder", rule)


def test_a_character_that_is_removed_everywhere_is_not_stripped_besides() -> None:
    """Fault: beside joiners that were removed, stripped spaces were "some characters at the ends are stripped"."""
    change = lambda text: text.replace("\u200d", "").strip(" ")
    rules = learnt("bpe-qwen", change, "a\u200db", "\u200da", "a ", " a\u200d", " b")
    assert "spaces at the ends are stripped" in rules
    assert "some characters at the ends are stripped" not in rules
