"""What one answer tells of its cause, whether a cause explains it, and how grave a difference is."""

from __future__ import annotations

import pytest

from conformance.causes.attribution import Attribution
from conformance.causes.edits import of_classes
from conformance.causes.edits.older_releases import release_faults
from conformance.causes.one_answer import Attributor
from conformance.checks.base import Answers, Difference
from conformance.core.case import text_case
from conformance.core.observation import Decoded, Encoded
from conformance.subjects.reftok_subject import REFERENCE
from tests.models import load

MERGES = "merges are applied in the reverse order"
CLASS = "other characters count as numbers"
BY_CLASS = "éé "
"""Of this the merges, in any order, give the right ids."""


def of_class(text: str) -> tuple[int, ...]:
    """What a subject gives that takes é for a number."""
    (wrong,) = (one for one in of_classes(load("bpe-qwen"), text) if one.rule == CLASS)
    return tuple(wrong.ids(text))


def right(text: str) -> tuple[int, ...]:
    return tuple(load("bpe-qwen").encode_ids(text))


@pytest.mark.parametrize(
    ("bare", "cause"),
    [((1, 2), Attribution("PostProcessor", "special tokens are always added")), ((7,), Attribution())],
)
def test_special_tokens_that_nobody_wanted_are_the_fault_of_the_post_processor(
    bare: tuple[int, ...], cause: Attribution
) -> None:
    attributor = Attributor(load("bpe-llama3"), REFERENCE)
    oracle = Answers(encoding=Encoded((1, 2)), bare=Encoded((2,)))
    subject = Answers(encoding=Encoded((1, 2)), bare=Encoded(bare))
    assert attributor.of("s", "ids without special tokens", text_case("a", "o"), oracle, subject) == cause


SPECIAL = load("bpe-qwen").token_to_id("<|im_start|>")


@pytest.mark.parametrize(
    ("expected", "observed", "severity"),
    [
        ((1, SPECIAL), (2, SPECIAL), "other ids"),
        ((1, SPECIAL), (SPECIAL, SPECIAL), "special-token injection"),
        ((1, SPECIAL), (SPECIAL, 2), "other ids"),
        ((1,), (2,), "other ids"),
    ],
)
def test_a_special_token_that_is_expected_is_no_injection(
    expected: tuple[int, ...], observed: tuple[int, ...], severity: str
) -> None:
    """Fault: each difference in a text with a special token counted as one."""
    difference = Difference("other ids", "other ids", "", "")
    answers = Answers(encoding=Encoded(expected)), Answers(encoding=Encoded(observed))
    assert Attributor(load("bpe-qwen"), REFERENCE).severity(difference, *answers) == severity


def test_what_is_less_than_other_ids_is_no_injection() -> None:
    difference = Difference("other offsets", "offsets only", "", "")
    answers = Answers(encoding=Encoded((1,))), Answers(encoding=Encoded((SPECIAL or 0,)))
    assert Attributor(load("bpe-qwen"), REFERENCE).severity(difference, *answers) == "offsets only"


def test_a_control_piece_that_is_not_expected_is_an_injection_and_the_unknown_piece_is_none() -> None:
    tokenizer = load("spm-unigram")
    difference = Difference("other ids", "other ids", "", "")

    def severity(token: str) -> str:
        answers = Answers(encoding=Encoded((9,))), Answers(encoding=Encoded((tokenizer.token_to_id(token) or 0, 9)))
        return Attributor(tokenizer, REFERENCE).severity(difference, *answers)

    assert (severity("<s>"), severity("<unk>")) == ("special-token injection", "other ids")


@pytest.mark.parametrize(
    ("rule", "explains"),
    [(CLASS, True), ("\\p{L} is not all letters", False), (MERGES, False), ("no such rule", False)],
)
def test_a_class_explains_what_it_foretells_and_no_other_does(rule: str, explains: bool) -> None:
    text = BY_CLASS
    answers = Answers(encoding=Encoded(right(text))), Answers(encoding=Encoded(of_class(text)))
    cause = Attribution("Model" if rule == MERGES else "PreTokenizer", rule)
    assert (
        Attributor(load("bpe-qwen"), REFERENCE).explains(cause, "s", "ids", text_case(text, "o"), *answers) == explains
    )


@pytest.mark.parametrize("name", ["s", REFERENCE])
def test_where_the_reference_differs_an_older_official_library_is_the_cause(name: str) -> None:
    tokenizer = load("bpe-qwen")
    (older,) = release_faults(tokenizer)
    text = "\u1c89\\u"  # a letter since Unicode 16
    wrong = tuple(older.ids(text))
    assert wrong != right(text)
    answers = Answers(encoding=Encoded(wrong)), Answers(encoding=Encoded(right(text)))
    found = Attributor(tokenizer, REFERENCE).of(name, "ids", text_case(text, "o"), *answers)
    assert found == (Attribution(older.stage, older.rule) if name == REFERENCE else Attribution())


@pytest.mark.parametrize("check", ["ids", "tokens", "decode"])
def test_one_answer_with_other_ids_tokens_or_text_tells_no_cause(check: str) -> None:
    expected = Answers(Encoded((1, 2), ("a", "b")), decoding=Decoded("ab"))
    observed = Answers(Encoded((1, 3), ("a", "c")), decoding=Decoded("ac"))
    assert Attributor(load("bpe-qwen"), REFERENCE).of("s", check, text_case("ab", "o"), expected, observed) == (
        Attribution()
    )
