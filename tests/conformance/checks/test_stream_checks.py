"""The checks of streams by rule: each way to fail has its name, and what is right is the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.checks import CHECKS
from conformance.checks.base import Answers, Difference, Outcome
from conformance.checks.stream_decode import STREAM_DECODE
from conformance.core.case import text_case
from conformance.core.observation import Failure
from conformance.core.streaming import FedStream, Feeding, Given, Late, Streamed, Streaming

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
    given, wrong = ((7,), (8,), ()), ((9,), (7,), (8,))
    right = encoder(*given)
    forgotten = FedStream(replace(TEXT, forgotten=("a",)), Streamed(wrong), (7, 8))
    beside = FedStream(replace(TEXT, beside=("ab",)), Streamed(given, wrong), (7, 8), (7, 8))
    assert rule(encoded(right, forgotten)) == "what was fed before a reset is not forgotten"
    assert rule(encoded(right, beside)) == "two streams share their state"
    plain = FedStream(TEXT, Streamed(wrong), (7, 8))
    assert rule(encoded(forgotten, beside, plain)) == "other ids than those of the whole text"


def test_text_that_is_held_after_finish_is_a_difference() -> None:
    assert encoded(encoder((7,), (8,), (), held=(1, 2, 0))) == "same"
    differs = encoded(encoder((7,), (8,), (), held=(0, 0, 1)))
    assert rule(differs) == "text is held after finish"
    assert isinstance(differs, Difference)
    assert (differs.expected, differs.observed) == ("0 code points", "1 code points")
    assert rule(decoded(FedStream(IDS, Streamed(("a", "b", ""), held=(0, 0, 1)), "ab"))) == "text is held after finish"


def test_a_known_cause_of_late_text_hides_nothing_that_is_held_after_finish() -> None:
    late = Late(chunk=1, held=2, most=1)
    known = FedStream(IDS, Streamed(("a", "b", ""), held=(0, 2, 1)), "ab", late=late, cause="known")
    assert rule(decoded(known)) == "text is held after finish"
    assert rule(decoded(replace(known, streaming=Streamed(("a", "b", ""), held=(0, 2, 0))))) == "known"


def test_more_text_held_than_the_bound_is_a_difference() -> None:
    late = Late(chunk=1, held=2, most=1)
    for differs in (
        encoded(replace(encoder((7,), (8,), ()), late=late)),
        decoded(replace(decoder("a", "a"), late=late)),
    ):
        assert rule(differs) == "more text is held back than the rule needs"
        assert isinstance(differs, Difference)
        assert (differs.expected, differs.observed) == ("at most 1", "2 code points after chunk 2 of 2")


@pytest.mark.parametrize("check", [encoded, decoded])
def test_a_stream_without_an_answer_is_a_difference(check: Callable[..., Outcome]) -> None:
    failures = (Failure("refused", "no"), Failure("crashed", "no"), Failure("nonsense", "no"))
    for failure, named in zip(failures, ("refuses", "crashed", "nonsense"), strict=True):
        assert rule(check(FedStream(TEXT, failure, ""))).startswith(named)


@pytest.mark.parametrize("check", [encoded, decoded])
def test_streams_that_a_subject_does_not_have_are_not_applicable(check: Callable[..., Outcome]) -> None:
    assert check() == check(FedStream(TEXT, None, "")) == "not applicable"


def test_a_subject_is_judged_by_the_streams_that_it_has() -> None:
    assert encoded(FedStream(TEXT, None, (7, 8)), encoder((7,), (8,), ())) == "same"
    assert decoded(FedStream(IDS, None, "a"), decoder("a", "a", "", "")) == "same"


@pytest.mark.parametrize(
    ("full", "given", "named"),
    [
        ("abc", ("a", "b"), "the end is never given out"),
        ("ab", (" a", "b"), "white space at the ends differs from the full decode"),
        ("a b", ("a", "b"), "spaces are lost between chunks"),
        ("ab", ("a", " b"), "spaces are added between chunks"),
        ("a\ufffdb", ("a", "b"), "bytes that are not UTF-8 are dropped"),
        ("é", ("\ufffd", ""), "a U+FFFD is given out for a character that is not complete"),
        ("a\ufffd", ("a", "é"), "text around a U+FFFD differs from the full decode"),
        ("abc", ("a", "ab", "c"), "text is given out twice"),
        ("abc", ("ab", "", "bc"), "text is given out twice"),
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
    beside = FedStream(replace(IDS, beside=(1, 2)), Streamed(("a", "b", ""), ("x", "", "")), "ab", "<s>ab")
    assert rule(decoded(right, beside)) == "two streams share their state"
    assert decoded(right, replace(beside, streaming=Streamed(("ab",), ("<s>ab",)))) == "same"


Calls = tuple[tuple[str, int, bool], ...]
FED = (1, 2, 1)


def called(calls: Calls, stop: int, ids: tuple[int, ...] = FED, full: str = "abc") -> Outcome:
    """What is said of calls for these ids, which have this text."""
    streamed = Streamed(tuple(text for text, *_ in calls), called=tuple((number, said) for _, number, said in calls))
    return decoded(FedStream(Feeding("decoder", ids, stop=stop), streamed, full))


def test_a_callback_that_is_not_to_stop_may_hear_all() -> None:
    """Where it is to stop, a property says which calls are right."""
    assert called((("a", 1, False), ("b", 2, False), ("c", 1, True)), 0) == "same"


def test_without_ids_the_callback_is_not_called() -> None:
    assert called((), 1, (), "") == "same"
    assert rule(called((("", 1, True),), 1, (), "")) == "the callback is called for other ids"


@pytest.mark.parametrize(
    ("calls", "stop", "named"),
    [
        ((("a", 1, False), ("b", 2, False), ("c", 1, True)), 2, "an early stop is ignored"),
        ((("a", 1, False), ("b", 12345, False), ("c", 1, True)), 4, "the callback is called for other ids"),
        ((("a", 1, False), ("b", 2, False), ("c", 1, True)) * 2, 4, "the callback is called for other ids"),
        ((("a", 1, False), ("b", 2, False), ("c", 1, False)), 4, "is_final is not set with the last id alone"),
        ((("a", 1, True), ("b", 2, False), ("c", 1, True)), 4, "is_final is not set with the last id alone"),
        ((), 4, "is_final is not set with the last id alone"),
        ((("a", 1, False),), 4, "a callback that returns None stops the calls"),
        ((("a", 1, False),), 0, "a callback that returns None stops the calls"),
        ((("a", 1, False), ("bc", 2, False)), 0, "is_final is not set with the last id alone"),
        ((("a", 1, False), ("b", 2, False), ("x", 1, True)), 0, "the callback hears another text than the full decode"),
        ((("a", 1, False), ("b", 2, False), ("", 1, True)), 4, "the callback never hears the end"),
        ((("a", 1, False), ("x", 2, False)), 2, "the callback hears another text than the full decode"),
    ],
)
def test_what_a_callback_hears_wrongly_is_named(calls: Calls, stop: int, named: str) -> None:
    assert rule(called(calls, stop)) == named


def test_the_calls_of_a_callback_are_shown() -> None:
    outcome = called((("a", 1, False), ("b", 2, False), ("", 1, True)), 4)
    assert isinstance(outcome, Difference)
    assert (outcome.expected, outcome.observed) == ("abc", "('a', 1, False), ('b', 2, False), ('', 1, True)")


def test_an_empty_chunk_that_changes_what_is_given_is_named_and_not_blamed_on_a_neighbour() -> None:
    right, wrong = encoder((7,), (8,), ()), ((), (7,), (9,), ())
    empty = FedStream(replace(TEXT, chunks=("", "a", "b")), Streamed(wrong), (7, 8))
    beside = FedStream(replace(TEXT, beside=("a", "b")), Streamed(wrong, wrong), (7, 8))
    named = "an empty chunk changes what is given"
    assert rule(encoded(right, beside, empty)) == named
    assert rule(encoded(right, replace(empty, feeding=Feeding("encoder", (b"a", b"", b"b"))))) == named
    plain = FedStream(TEXT, Streamed(wrong), (7, 8))
    assert rule(encoded(empty, plain)) == "other ids than those of the whole text"


def test_a_fault_hides_no_other_of_the_same_case_but_what_follows_from_it() -> None:
    lost, early = decoder("ab", "a", feeding=Feeding("decoder", (1,))), decoder("é", "\ufffd", feeding=IDS)
    reset = decoder("ab", "x", feeding=Feeding("decoder", (1, 3), forgotten=(1,)))
    follows = decoder("ab", "a", feeding=Feeding("decoder", (1,), forgotten=(1,)))
    other_way = decoder("ab", "a", feeding=Feeding("decoder", (1,), False, forgotten=(1,)))
    answers = Answers(stream_decoded=(lost, reset, follows, early, other_way))
    apart = [given.stream_decoded for given in STREAM_DECODE.by_rule(answers)]
    assert apart == [(lost,), (early,), (reset, other_way)]
    assert STREAM_DECODE.of_rule(answers, "the end is never given out").stream_decoded == (lost, follows)
    assert decoded(*apart[1] or ()) != decoded(lost)


def test_the_cause_of_other_text_goes_before_what_it_looks_like() -> None:
    assert rule(decoded(replace(decoder("ab", "a"), cause="why"))) == "why"
    failed = FedStream(IDS, Failure("refused", "no"), "ab", cause="why")
    assert rule(decoded(failed)) == "why"
    assert rule(decoded(replace(failed, streaming=Failure("crashed", "no")))) == "crashed"


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


def is_as_documented(calls: Calls, stop: int, ids: tuple[int, ...], full: str) -> bool:
    """The contract of `decode_with_callback`, tried with every way to say which of the ids the calls are for."""
    if len(calls) > stop:
        return False
    last = len(ids) - 1
    text = "".join(text for text, *_ in calls)
    for places in combinations(range(len(ids)), len(calls)):
        are_for = all(ids[place] == number for place, (_, number, _) in zip(places, calls, strict=True))
        are_final = all((place == last) == said for place, (*_, said) in zip(places, calls, strict=True))
        is_whole = not ids or last in places
        if are_for and are_final and (text == full if is_whole else len(calls) == stop and full.startswith(text)):
            return True
    return False


CALLS = st.lists(st.tuples(st.sampled_from(["", "a", "b"]), st.integers(0, 2), st.booleans()), max_size=4).map(tuple)


@given(CALLS, st.integers(1, 4), st.lists(st.integers(0, 2), max_size=4).map(tuple), st.booleans())
def test_calls_of_a_callback_are_the_same_exactly_where_the_contract_allows_them(
    calls: Calls, stop: int, ids: tuple[int, ...], is_told: bool
) -> None:
    if is_told:
        calls = tuple((text, number, place == len(calls) - 1) for place, (text, number, _) in enumerate(calls))
        ids = tuple(number for _, number, _ in calls)
    full = "ab" if ids else ""
    assert (called(calls, stop, ids, full) == "same") == is_as_documented(calls, stop, ids, full)
