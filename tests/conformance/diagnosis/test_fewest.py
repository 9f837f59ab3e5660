"""Few faults are taken, each of which is needed and borne out where it would show."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conformance.diagnosis.fault_search import Sample
from conformance.diagnosis.fewest import BELIEVED, Weighed, fewest, is_borne_out, weighed

PLACES = st.frozensets(st.integers(0, 11), max_size=12)


def a_fault(name: str, fits: str, others: str = "", refuted: str = "") -> Weighed[str]:
    """Each place is a letter: where it fits, where the subject gave a third answer, where it was right."""
    scope = frozenset(map(ord, fits + others + refuted))
    return Weighed(name, scope, frozenset(map(ord, fits)), frozenset(map(ord, refuted)))


def names(candidates: list[Weighed[str]], differing: str) -> list[str]:
    return [one.fault for one in fewest(candidates, frozenset(map(ord, differing)))]


def test_a_fault_is_held_against_the_right_answer_and_that_of_the_subject() -> None:
    samples = [Sample("a", 1, 2), Sample("b", 1, 1), Sample("c", 1, 1), Sample("d", 1, 3), Sample("e", 1, 2)]
    answers = {"a": 2, "b": 2, "c": 1, "d": 2}
    found = weighed("fault", samples, lambda fault, asked: answers.get(asked))
    assert (found.scope, found.fits, found.refuted) == ({0, 1, 3}, {0}, {1})


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
