"""Few faults are taken, each of which is needed and borne out where it would show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.catalogue import Sample
from conformance.causes.fewest import BELIEVED, Weighed, fewest, is_borne_out, weighed

PLACES = st.frozensets(st.integers(0, 11), max_size=12)


def a_fault(name: str, fits: str, others: str = "", refuted: str = "") -> Weighed[str]:
    """Each place is a letter: where it fits, where the subject gave a third answer, where it was right."""
    scope = frozenset(map(ord, fits + others + refuted))
    return Weighed(name, scope, frozenset(map(ord, fits)), frozenset(map(ord, refuted)))


def names(candidates: list[Weighed[str]], differing: str) -> list[str]:
    return [one.fault for one in fewest(candidates, frozenset(map(ord, differing)))]


def test_a_fault_is_held_against_the_right_answer_and_that_of_the_subject() -> None:
    samples = [Sample("b", 1, 1), Sample("c", 1, 1), Sample("d", 1, 3), *(Sample(f"a{n}", 1, 2) for n in range(20))]
    answers = {"b": 2, "c": 1, "d": 2, "a0": 2}
    found = weighed("fault", samples, lambda fault, asked: answers.get(asked))
    assert (found.scope, found.fits, found.refuted, found.third) == ({0, 2, 3}, {3}, {0}, {2})


def test_of_a_fault_that_changes_too_many_right_answers_nothing_more_is_asked() -> None:
    asked = []

    def predict(fault: str, text: str) -> int:
        asked.append(text)
        return 2

    found = weighed("fault", [Sample("a", 1, 2), Sample("b", 1, 1), Sample("c", 1, 1)], predict)
    assert (asked, found.is_credible) == (["b"], False)


@pytest.mark.parametrize(
    ("part", "whole", "other"), [("e", "Een", "Bad"), ((5,), (1, 5, 2), (1, 2)), ((5, 2), (1, 5, 2), (2, 1, 5))]
)
def test_where_a_part_out_of_its_scope_differs_too_something_else_is_at_work(
    part: object, whole: object, other: object
) -> None:
    """Fault: a rule that explained all capitals had no name, since nothing explained what was done to each e."""
    samples = [Sample(part, 1, 9), Sample("A", 1, 2), Sample("B", 1, 2), Sample(whole, 1, 8), Sample(other, 1, 8)]
    found = weighed("fault", samples, lambda fault, asked: 1 if asked is part else 2)
    assert (found.fits, found.beside) == ({1, 2}, {3})
    assert not is_borne_out(found, ())
    assert is_borne_out(weighed("fault", samples[:4], lambda fault, asked: 1 if asked is part else 2), ())


def test_where_a_part_has_a_third_answer_that_alone_speaks_against_a_fault() -> None:
    """Fault: one id that was given out as something else took the name from what was wrong with a hundred others."""
    fits = [Sample((place,), 1, 2) for place in range(10, 40)]
    third = [Sample((5,), 1, 9), Sample((5, 11), 1, 8), Sample((12, 5), 1, 8), Sample((10, 5, 10), 1, 7)]
    found = weighed("fault", [*fits, *third], lambda fault, asked: 2)
    assert found.third - found.beside == {30}
    assert is_borne_out(found, ())
    assert not is_borne_out(weighed("fault", [*fits, *third, Sample((6,), 1, 9)], lambda fault, asked: 2), ())


def test_the_empty_text_is_no_part_of_others() -> None:
    """Fault: where the empty text was wrong, nothing spoke against a rule any more."""
    samples = [Sample("", 1, 9), Sample("A", 1, 2), Sample("B", 1, 2), Sample("C", 1, 8)]
    assert weighed("fault", samples, lambda fault, asked: 2 if asked else 1).beside == frozenset()


def test_where_more_answers_are_others_than_its_own_nothing_is_beside_it() -> None:
    samples = [Sample("e", 1, 9), Sample("A", 1, 2), Sample("Een", 1, 8), Sample("Eel", 1, 7)]
    assert weighed("fault", samples, lambda fault, asked: 1 if asked == "e" else 2).beside == frozenset()


def test_one_that_explains_all_is_taken_before_several() -> None:
    every = a_fault("every", "abcd")
    assert names([a_fault("ab", "ab"), a_fault("cd", "cd"), every], "abcd") == ["every"]


def test_one_that_the_subject_refutes_is_not_taken() -> None:
    assert names([a_fault("wide", "abcd", refuted="ef"), a_fault("ab", "ab")], "abcd") == ["ab"]


def test_of_two_that_explain_the_same_the_less_contradicted_is_taken_and_else_the_first() -> None:
    assert names([a_fault("wide", "ab", others="xy"), a_fault("narrow", "ab")], "ab") == ["narrow"]
    assert names([a_fault("first", "ab"), a_fault("second", "ab")], "ab") == ["first"]


def test_where_two_are_at_work_at_once_neither_is_contradicted() -> None:
    assert names([a_fault("one", "ab", others="x"), a_fault("other", "cd", others="x")], "abcdx") == ["one", "other"]


def test_one_that_foretells_too_few_of_the_answers_in_its_scope_is_not_taken() -> None:
    assert names([a_fault("one", "ab", others="xyz")], "abxyz") == []


WEIGHED = st.lists(
    st.tuples(PLACES, PLACES, PLACES).map(
        lambda sets: Weighed(str(sets), sets[0] | sets[1] | sets[2], sets[0] - sets[1], sets[1])
    ),
    max_size=5,
)


@given(WEIGHED, PLACES)
def test_each_that_is_taken_is_credible_and_needed(candidates: list[Weighed[str]], differing: frozenset[int]) -> None:
    taken = fewest(candidates, differing)
    for one in taken:
        others = [other for other in taken if other is not one]
        assert len(one.refuted) <= (1 - BELIEVED) * (len(one.fits) + len(one.refuted))
        assert not one.fits <= frozenset[int]().union(*(other.fits for other in others))
    assert len(taken) > 1 or all(is_borne_out(one, ()) for one in taken)
