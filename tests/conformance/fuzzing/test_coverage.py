"""Coverage is a union: what is taken twice is new once, in any order, and what is written is read again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.core.errors import FORM_ERRORS
from conformance.fuzzing.coverage import Coverage, KindCoverage, coverage_from_json, summary

KEYS = st.one_of(st.integers(0, 60), st.sampled_from(["a", "1-2", "=x", ""]))
FOUND = st.dictionaries(st.sampled_from(["merges", "stages"]), st.sets(KEYS))


@given(st.lists(FOUND))
def test_what_is_new_is_new_once(founds: list[dict[str, set[int | str]]]) -> None:
    coverage = Coverage()
    news = [coverage.take(found) for found in founds]
    for kind, keys in coverage.reached.items():
        parts = [new.reached[kind] for new in news if kind in new.reached]
        assert sum(map(len, parts)) == len(keys)
    assert not any(coverage.take(found) for found in founds)


@given(st.lists(FOUND), st.randoms(use_true_random=False))
def test_the_order_plays_no_part(founds: list[dict[str, set[int | str]]], chance: object) -> None:
    forwards, backwards = Coverage(), Coverage()
    for found in founds:
        forwards.take(found)
    for found in reversed(founds):
        backwards.take(found)
    assert {k: v for k, v in forwards.reached.items() if v} == {k: v for k, v in backwards.reached.items() if v}


@given(FOUND)
def test_coverage_goes_through_json(found: dict[str, set[int | str]]) -> None:
    coverage = Coverage()
    coverage.take(found)
    assert coverage_from_json(json.loads(json.dumps(coverage.to_json()))).reached == coverage.reached


@pytest.mark.parametrize(
    "keys",
    [["0-99999999999"], ["5-3"], ["1-2-3"], ["-1-3"], ["1"], [""], [True], [-1], [1.5], [None], "12", {"1": 2}, None],
)
def test_what_is_no_key_or_span_of_coverage_is_refused(keys: object) -> None:
    """Fault: a span was taken as it came, of whatever length."""
    with pytest.raises(FORM_ERRORS):
        coverage_from_json({"merges": keys})


def test_spans_that_are_more_together_than_any_model_has_are_refused() -> None:
    """Fault: each was bounded alone, so that a stranger's state.json took gigabytes."""
    with pytest.raises(ValueError, match="it reached more than any model has"):
        coverage_from_json({f"kind {number}": [f"0-{(1 << 22) - 1}"] for number in range(2_000)})


def test_a_copy_is_another() -> None:
    coverage = Coverage({"stages": {"NFC"}})
    coverage.copy().take({"stages": ["NFD"]})
    assert coverage.reached == {"stages": {"NFC"}}


def test_a_summary_counts_what_can_be_reached_and_leaves_out_what_a_model_has_not() -> None:
    coverage = Coverage({"stages": {"NFC", "of another model"}})
    universe = {"stages": ["NFC", "NFD", "NFKC"], "merges": ()}
    assert summary(coverage, universe, most=1) == (KindCoverage("stages", 1, 3, ("NFD",)),)
