"""Each check by rule: the same, different, not applicable, no answer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.checks import CHECKS
from conformance.checks.base import Answers, Difference, Outcome, RoundTrip, tails, text_tails
from conformance.core.case import text_case
from conformance.core.observation import Decoded, Encoded, Failure

CASE = text_case("text", "test")
RIGHT = Encoded((1, 2), ("a", "b"), ((0, 1), (1, 2)), (0, 0))
REFUSED, CRASHED = Failure("refused", "no"), Failure("crashed", "boom")


def check(name: str, oracle: Answers, subject: Answers) -> Outcome:
    return CHECKS[name](CASE, oracle, subject)


def difference(outcome: Outcome) -> Difference:
    assert isinstance(outcome, Difference)
    return outcome


def encodings(name: str, expected: Encoded | Failure | None, observed: Encoded | Failure | None) -> Outcome:
    return check(name, Answers(encoding=expected), Answers(encoding=observed))


WRONG = {
    "ids": (Encoded((1, 3), RIGHT.tokens, RIGHT.offsets, RIGHT.special_tokens_mask), "other ids"),
    "tokens": (Encoded((1, 2), ("a", "c"), RIGHT.offsets, RIGHT.special_tokens_mask), "offsets only"),
    "offsets": (Encoded((1, 2), RIGHT.tokens, ((0, 1), (1, 3)), RIGHT.special_tokens_mask), "offsets only"),
    "special-token mask": (Encoded((1, 2), RIGHT.tokens, RIGHT.offsets, (0, 1)), "offsets only"),
}
PARTS = [name for name in WRONG if name != "ids"]


@pytest.mark.parametrize("name", WRONG)
def test_a_part_of_the_encoding_that_differs_is_a_difference_of_its_own_check_alone(name: str) -> None:
    wrong, severity = WRONG[name]
    found = difference(encodings(name, RIGHT, wrong))
    assert (found.rule, found.severity) == (f"other {name}", severity)
    others = {other: encodings(other, RIGHT, wrong) for other in WRONG if other != name}
    assert set(others.values()) <= {"same", "not applicable"}


@pytest.mark.parametrize("name", WRONG)
def test_equal_encodings_are_the_same(name: str) -> None:
    assert encodings(name, RIGHT, RIGHT) == "same"


@pytest.mark.parametrize("name", WRONG)
def test_what_was_not_asked_is_not_applicable(name: str) -> None:
    assert encodings(name, None, RIGHT) == encodings(name, RIGHT, None) == "not applicable"


@pytest.mark.parametrize("name", PARTS)
def test_a_part_that_a_subject_does_not_offer_is_not_applicable(name: str) -> None:
    assert encodings(name, RIGHT, Encoded((1, 2))) == encodings(name, Encoded((1, 2)), RIGHT) == "not applicable"


@pytest.mark.parametrize("name", PARTS)
def test_a_failure_is_judged_by_the_ids_alone(name: str) -> None:
    assert encodings(name, RIGHT, CRASHED) == "not applicable"


@pytest.mark.parametrize("kind", ["refused", "crashed", "timed out", "nonsense", "not asked"])
def test_no_ids_where_the_oracle_has_some_is_a_difference_named_after_the_failure(kind: str) -> None:
    found = difference(encodings("ids", RIGHT, Failure(kind, "why")))  # type: ignore[arg-type]  # kind is a parameter of the test
    assert (found.rule, found.severity, found.observed) == (kind, "no answer", f"{kind}: why")


def test_both_refuse_is_the_same_but_a_crash_is_no_refusal() -> None:
    assert encodings("ids", REFUSED, REFUSED) == "both refuse"
    assert difference(encodings("ids", REFUSED, CRASHED)).rule == "crashed"


def test_ids_for_what_the_oracle_refuses_are_a_difference() -> None:
    assert difference(encodings("ids", REFUSED, RIGHT)).rule == "answers what the oracle refuses"


def bare(expected: Encoded | Failure | None, observed: Encoded | Failure | None, encoding: Encoded = RIGHT) -> Outcome:
    """Of a subject whose ids with special tokens are these."""
    oracle, subject = Answers(encoding=RIGHT, bare=expected), Answers(encoding=encoding, bare=observed)
    return check("ids without special tokens", oracle, subject)


def test_ids_without_special_tokens_are_compared_and_those_that_are_there_nevertheless_have_a_rule() -> None:
    without = Encoded((2,))
    assert bare(without, without) == "same"
    assert difference(bare(without, Encoded(RIGHT.ids))).rule == "special tokens are always added"
    assert difference(bare(without, Encoded((7,)))).rule == "other ids without special tokens"
    assert difference(bare(without, CRASHED)).rule == "crashed"
    assert bare(REFUSED, REFUSED) == "both refuse"


def test_ids_without_special_tokens_say_nothing_where_those_with_them_differ_or_nobody_was_asked() -> None:
    without = Encoded((2,))
    assert bare(without, Encoded((7,)), encoding=Encoded((1, 7))) == "not applicable"
    assert bare(None, without) == bare(without, None) == "not applicable"


def decodings(expected: Decoded | Failure | None, observed: Decoded | Failure | None) -> Outcome:
    return check("decode", Answers(decoding=expected), Answers(decoding=observed))


def test_decode_compares_the_text_with_special_tokens_skipped_and_kept() -> None:
    assert decodings(Decoded("a", "<a>"), Decoded("a", "<a>")) == "same"
    assert difference(decodings(Decoded("a"), Decoded("b"))).rule == "other text"
    kept = difference(decodings(Decoded("a", "<a>"), Decoded("a", "a")))
    assert kept.rule == "other text with special tokens kept"


def test_decode_compares_no_special_tokens_where_one_cannot_keep_them() -> None:
    assert decodings(Decoded("a"), Decoded("a", "<a>")) == decodings(Decoded("a", "<a>"), Decoded("a")) == "same"


def test_decode_is_not_applicable_without_ids() -> None:
    assert decodings(None, Decoded("a")) == decodings(Decoded("a"), None) == "not applicable"


def test_decode_judges_failures_as_ids_does() -> None:
    assert decodings(REFUSED, REFUSED) == "both refuse"
    assert difference(decodings(Decoded("a"), REFUSED)).severity == "no answer"
    assert difference(decodings(REFUSED, CRASHED)).rule == "crashed"
    assert difference(decodings(REFUSED, Decoded("a"))).rule == "answers what the oracle refuses"


def round_trip(wanted: str | None, decoding: Decoded | Failure | None) -> Outcome:
    return check("round trip", Answers(), Answers(own_decoding=decoding, round_trip=wanted and RoundTrip(wanted)))


def test_round_trip_wants_the_text_back_special_tokens_kept() -> None:
    assert round_trip("<a>", Decoded("a", "<a>")) == "same"
    assert round_trip("a", Decoded("a")) == "same"
    assert difference(round_trip("a", Decoded("b"))).rule == "the text does not come back"


def test_round_trip_is_not_applicable_where_the_rule_asks_for_nothing() -> None:
    assert round_trip(None, Decoded("a")) == round_trip("a", None) == "not applicable"


def test_round_trip_without_an_answer_is_a_difference() -> None:
    assert difference(round_trip("a", CRASHED)).severity == "no answer"


def test_batch_wants_every_part_of_the_single_answer() -> None:
    assert check("batch = single", Answers(), Answers(encoding=RIGHT, batch=RIGHT)) == "same"
    for wrong, _ in WRONG.values():
        assert isinstance(check("batch = single", Answers(), Answers(encoding=RIGHT, batch=wrong)), Difference)


def test_batch_wants_the_same_ids_from_questions_in_bulk_with_a_batch_call_and_without() -> None:
    for batch in (RIGHT, None):
        answers = Answers(encoding=RIGHT, batch=batch, bulk_ids=(1, 2))
        assert check("batch = single", Answers(), answers) == "same"
        found = difference(check("batch = single", Answers(), replace(answers, bulk_ids=(1, 3))))
        assert (found.expected, found.observed) == ("… 1 equal token … 2", "… 1 equal token … 3")
        assert CHECKS["batch = single"].constants(CASE, replace(answers, bulk_ids=(1, 3))) is None


def test_batch_does_not_compare_ids_in_bulk_where_the_text_alone_has_none() -> None:
    assert check("batch = single", Answers(), Answers(encoding=REFUSED, bulk_ids=(1,))) == "not applicable"


def test_batch_is_not_applicable_without_a_batch_call() -> None:
    assert check("batch = single", Answers(), Answers(encoding=RIGHT)) == "not applicable"


def test_batch_that_fails_where_the_single_call_does_not_is_a_difference_and_the_other_way_round() -> None:
    for batch, single in ((RIGHT, CRASHED), (CRASHED, RIGHT)):
        outcome = check("batch = single", Answers(), Answers(encoding=single, batch=batch))
        assert difference(outcome).severity == "no answer"


def test_the_official_library_is_held_to_the_properties_that_need_no_oracle() -> None:
    alone = {name for name, entry in CHECKS.items() if entry.of_oracle}
    assert alone == {"round trip", "batch = single", "stream encode", "stream decode", "no crash"}


@given(st.lists(st.integers(0, 3)), st.lists(st.integers(0, 3)))
def test_shown_tails_differ_when_the_answers_do(first: list[int], second: list[int]) -> None:
    shown = tails(first, second, length=100)
    assert (shown[0] == shown[1]) == (first == second)


@given(st.text("ab"), st.text("ab"))
def test_shown_texts_differ_when_the_answers_do(first: str, second: str) -> None:
    shown = text_tails(first, second, length=1000)
    assert (shown[0] == shown[1]) == (first == second)
