"""The checks of streams by rule: each way to fail has its name, and what is right is the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.case import text_case
from conformance.checks import CHECKS
from conformance.checks.base import Answers, Difference, Outcome
from conformance.observation import Failure
from conformance.streaming import FedStream, Feeding, Given, Streamed, Streaming

CASE = text_case("text", "test")
TEXT = Feeding("encoder", ("a", "b"))
IDS = Feeding("decoder", (1, 2))


def encoded(*fed: FedStream) -> Outcome:
    return CHECKS["stream encode"](CASE, Answers(), Answers(stream_encoded=fed))


def decoded(*fed: FedStream) -> Outcome:
    return CHECKS["stream decode"](CASE, Answers(), Answers(stream_decoded=fed))


def rule(outcome: Outcome) -> str:
    assert isinstance(outcome, Difference)
    return outcome.rule


def encoder(*given: tuple[int, ...], held: tuple[int, ...] | None = None, feeding: Feeding = TEXT) -> FedStream:
    return FedStream(feeding, Streamed(given, held=held), (7, 8))


def decoder(full: str, *given: str, feeding: Feeding = IDS) -> FedStream:
    return FedStream(feeding, Streamed(given), full)


def test_the_ids_of_the_whole_in_any_pieces_are_the_same() -> None:
    assert encoded(encoder((7,), (), (8,)), encoder((), (), (7, 8)), encoder((7, 8), (), ())) == "same"


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (((7,), (), ()), "the end is never given out"),
        (((), (), ()), "the end is never given out"),
        (((7,), (9,), ()), "other ids than those of the whole text"),
        (((7,), (8,), (8,)), "other ids than those of the whole text"),
    ],
)
def test_stream_encode_names_what_differs_from_the_whole(given: Given, named: str) -> None:
    assert rule(encoded(FedStream(TEXT, Streamed(given), (7, 8)))) == named


def test_stream_encode_names_what_only_a_reset_or_a_neighbour_changes() -> None:
    right, wrong = encoder((7,), (8,), ()), ((9,), (7,), (8,))
    forgotten = FedStream(replace(TEXT, forgotten=("a",)), Streamed(wrong), (7, 8))
    beside = FedStream(replace(TEXT, beside=("ab",)), Streamed(right.streaming.given, wrong), (7, 8))  # type: ignore[union-attr]  # it is Streamed
    assert rule(encoded(right, forgotten)) == "what was fed before a reset is not forgotten"
    assert rule(encoded(right, beside)) == "two streams share their state"
    plain = FedStream(TEXT, Streamed(wrong), (7, 8))
    assert rule(encoded(forgotten, beside, plain)) == "other ids than those of the whole text"


def test_text_that_is_held_after_finish_is_a_difference() -> None:
    assert encoded(encoder((7,), (8,), (), held=(1, 2, 0))) == "same"
    assert rule(encoded(encoder((7,), (8,), (), held=(0, 0, 1)))) == "text is held after finish"
    assert rule(decoded(FedStream(IDS, Streamed(("a", "b", ""), held=(0, 0, 1)), "ab"))) == "text is held after finish"


def test_more_text_held_than_the_bound_is_a_difference() -> None:
    held = encoder((7,), (8,), (), held=(1, 2, 0))
    assert encoded(replace(held, most_held=(1, 2))) == "same"
    assert rule(encoded(replace(held, most_held=(1, 1)))) == "more text is held back than the rule needs"


@pytest.mark.parametrize("check", [encoded, decoded])
def test_a_stream_without_an_answer_is_a_difference(check: Callable[..., Outcome]) -> None:
    for kind, named in (("refused", "refuses"), ("crashed", "crashed"), ("nonsense", "nonsense")):
        failed = FedStream(TEXT, Failure(kind, "no"), "")  # type: ignore[arg-type]  # kind is a parameter of the test
        assert rule(check(failed)).startswith(named)


@pytest.mark.parametrize("check", [encoded, decoded])
def test_streams_that_a_subject_does_not_have_are_not_applicable(check: Callable[..., Outcome]) -> None:
    assert check() == check(FedStream(TEXT, None, "")) == "not applicable"


def test_a_subject_is_judged_by_the_streams_that_it_has() -> None:
    assert encoded(FedStream(TEXT, None, (7, 8)), encoder((7,), (8,), ())) == "same"
    assert decoded(FedStream(IDS, None, "a"), decoder("a", "a", "", "")) == "same"


@pytest.mark.parametrize(
    ("full", "given", "named"),
    [
        ("ab\ufffd", ("a", "b"), "text from a U+FFFD on is never given out"),
        ("abc", ("a", "b"), "the end is never given out"),
        ("ab", (" a", "b"), "white space at the ends differs from the full decode"),
        ("a b", ("a", "b"), "spaces are lost between chunks"),
        ("ab", ("a", " b"), "spaces are added between chunks"),
        ("a\ufffdb", ("a", "b"), "bytes that are not UTF-8 are dropped"),
        ("é", ("\ufffd", ""), "a U+FFFD is given out for a character that is not complete"),
        ("a\ufffd", ("a", "é"), "text around a U+FFFD differs from the full decode"),
        ("abc", ("a", "ab", "c"), "text is given out twice"),
        ("ab", ("x", "b"), "text differs from the full decode"),
    ],
)
def test_stream_decode_names_what_differs_from_the_full_decode(full: str, given: tuple[str, ...], named: str) -> None:
    assert rule(decoded(decoder(full, *given))) == named


def test_stream_decode_names_what_only_a_reset_or_a_neighbour_changes() -> None:
    right = decoder("ab", "a", "b", "")
    assert rule(decoded(right, decoder("ab", "x", "ab", feeding=replace(IDS, forgotten=(1,))))) == (
        "what was fed before a reset is not forgotten"
    )
    beside = FedStream(replace(IDS, beside=(1, 2)), Streamed(("a", "b", ""), ("x", "", "")), "ab")
    assert rule(decoded(right, beside)) == "two streams share their state"


@pytest.mark.parametrize(
    ("calls", "named"),
    [
        (("a", "b", "c"), "an early stop is ignored"),
        (("a", "x"), "the callback hears another text than the full decode"),
        (("a",), "the callback hears another text than the full decode"),
    ],
)
def test_a_callback_that_says_stop_is_called_no_more(calls: tuple[str, ...], named: str) -> None:
    assert decoded(decoder("abc", "a", "b", feeding=replace(IDS, stop=2))) == "same"
    assert decoded(decoder("abc", "ab", "c", feeding=replace(IDS, stop=3))) == "same"
    assert rule(decoded(decoder("abc", *calls, feeding=replace(IDS, stop=2)))) == named


def test_of_streams_with_the_same_fault_the_one_with_fewest_cuts_is_shown() -> None:
    long = FedStream(Feeding("encoder", ("a", "b", "c")), Streamed(((), (), (), (9,))), (7,))
    short = FedStream(Feeding("encoder", ("ab", "c")), Streamed(((9,), (), ())), (7,))
    other = FedStream(Feeding("encoder", ("abc",)), Streamed(((), ())), (7,))
    outcome = encoded(long, short, other)
    assert isinstance(outcome, Difference)
    assert (outcome.expected, outcome.observed) == ("7", "'ab' → [9], 'c' → [], finish → []")


TEXTS = st.text("ab \ufffd", max_size=5)


@given(TEXTS, st.lists(TEXTS, max_size=4))
def test_stream_decode_says_the_same_exactly_where_the_joined_text_is_the_full_decode(
    full: str, given: list[str]
) -> None:
    outcome = decoded(decoder(full, *given, feeding=Feeding("decoder", tuple(range(max(0, len(given) - 1))))))
    assert (outcome == "same") == ("".join(given) == full)


@given(st.lists(st.lists(st.integers(0, 1), max_size=3), max_size=4), st.lists(st.integers(0, 1), max_size=5))
def test_stream_encode_says_the_same_exactly_where_the_joined_ids_are_those_of_the_whole(
    given: list[list[int]], whole: list[int]
) -> None:
    streaming: Streaming = Streamed(tuple(map(tuple, given)))
    outcome = encoded(FedStream(Feeding("encoder", ("a",) * (len(given) - 1)), streaming, tuple(whole)))
    assert (outcome == "same") == ([token_id for part in given for token_id in part] == whole)
