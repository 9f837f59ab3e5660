"""Between two causes that fit one mismatch, what the subject did elsewhere decides; and how grave a difference is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from conformance.checks.base import Answers, Difference
from conformance.core.case import text_case
from conformance.core.observation import Encoded
from conformance.diagnosis.attribution import MOST_COMPARED, Attributor
from conformance.diagnosis.causes import Attribution
from conformance.faults import faults, of_classes
from conformance.subjects.reftok_subject import REFERENCE
from tests.models import load

MERGES = "merges are applied in the reverse order"
CLASS = "other characters count as numbers"
AMBIGUOUS = " é"
"""Both rules give the same ids of it."""
BY_CLASS = ("éé ", "ééx", "éé1", "éé.", "aéé", "xéé", "1éé", ".éé", "ééa")
"""Of these the merges, in any order, give the right ids."""


def of_class(text: str) -> tuple[int, ...]:
    """What a subject gives that takes é for a number."""
    (wrong,) = (one for one in of_classes(load("bpe-qwen"), text) if one.rule == CLASS)
    return tuple(wrong.ids(text))


def right(text: str) -> tuple[int, ...]:
    return tuple(load("bpe-qwen").encode_ids(text))


def named(by_class: Sequence[str], otherwise: Sequence[str]) -> str:
    """The rule of the ambiguous text, where the subject took é for a number in some, and gave nonsense for others."""
    attributor = Attributor(load("bpe-qwen"), REFERENCE)
    given = {
        AMBIGUOUS: of_class(AMBIGUOUS),
        **{text: of_class(text) for text in by_class},
        **dict.fromkeys(otherwise, (7,)),
    }
    cases = [text_case(text, "o") for text in given]
    oracle = [Answers(encoding=Encoded(right(text))) for text in given]
    subject = [Answers(encoding=Encoded(ids)) for ids in given.values()]
    attributor.observe("s", cases, oracle, subject)
    return attributor.of("s", "ids", cases[0], oracle[0], subject[0]).rule


def test_the_ambiguous_text_is_ambiguous_and_the_others_are_not() -> None:
    (merges,) = (one for one in faults(load("bpe-qwen")) if one.rule == MERGES)
    assert tuple(merges.ids(AMBIGUOUS)) == of_class(AMBIGUOUS) != right(AMBIGUOUS)
    for text in BY_CLASS:
        assert tuple(merges.ids(text)) == right(text) != of_class(text)


@pytest.mark.parametrize(
    ("explained", "others", "rule"), [(0, 0, MERGES), (1, 0, CLASS), (2, 1, CLASS), (1, 1, MERGES), (1, 2, MERGES)]
)
def test_a_class_is_named_that_explains_more_than_half_of_what_the_fault_does_not(
    explained: int, others: int, rule: str
) -> None:
    assert named(BY_CLASS[:explained], [f"b{number}c" for number in range(others)]) == rule


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


def test_of_many_answers_that_differ_the_shortest_few_are_compared() -> None:
    longer = [f"longer {number}" for number in range(2 * MOST_COMPARED)]
    assert named(BY_CLASS, longer) == CLASS
    assert named(BY_CLASS, "bcdfghjk"[:MOST_COMPARED]) == MERGES


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
    text = BY_CLASS[0]
    answers = Answers(encoding=Encoded(right(text))), Answers(encoding=Encoded(of_class(text)))
    cause = Attribution("Model" if rule == MERGES else "PreTokenizer", rule)
    assert (
        Attributor(load("bpe-qwen"), REFERENCE).explains(cause, "s", "ids", text_case(text, "o"), *answers) == explains
    )


@pytest.mark.parametrize("name", ["s", REFERENCE])
def test_where_the_reference_differs_the_fault_is_what_the_oracle_does_otherwise(name: str) -> None:
    (merges,) = (one for one in faults(load("bpe-qwen")) if one.rule == MERGES)
    text = "international"
    wrong = tuple(merges.ids(text))
    assert wrong != right(text)
    answers = Answers(encoding=Encoded(wrong)), Answers(encoding=Encoded(right(text)))
    found = Attributor(load("bpe-qwen"), REFERENCE).of(name, "ids", text_case(text, "o"), *answers)
    assert (found == Attribution("Model", MERGES)) == (name == REFERENCE)
