from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.unigram import running_score
from reftok.engine.unigram.running_score import RoundedScores, RunningScore, Scores, Sums
from reftok.engine.unigram.undecided_text import LONGEST
from reftok.rules.viterbi import to_float32

SCORES = (-1.0, -0.25, 0.5, 0.0)
SUMS = Sums("d", 300.0, 1e-9)


@given(st.lists(st.lists(st.integers(0, 3), max_size=9), max_size=12), st.integers(0, 200), st.floats(-300, 300))
def test_where_there_is_room_no_more_ids_lead_beyond_the_bound(
    added_ids: list[list[int]], count: int, start: float
) -> None:
    score = RunningScore(Scores(SUMS, SCORES.__getitem__, 1.0))
    score.start(start)
    for ids in added_ids:
        score.add(ids)
    has_room = score.has_room(count)
    value = SUMS.added(start, [SCORES[token_id] for ids in added_ids for token_id in ids])
    assert not has_room or abs(value) + count + LONGEST < 300.0
    assert score.value() == value
    assert score.has_room(count) == (count <= (300.0 - abs(value)) / 1.01 - LONGEST)


@given(st.lists(st.integers(0, 3), max_size=400), st.floats(-300, 300), st.floats(250, 350))
def test_so_many_ids_as_fit_lead_neither_beyond_the_bound_nor_near_the_threshold(
    ids: list[int], start: float, threshold: float
) -> None:
    score = RunningScore(Scores(Sums("d", 300.0, 1e-9, threshold), SCORES.__getitem__, 1.0))
    score.start(start)
    fit = score.fitting(ids)
    value = abs(start) + sum(abs(SCORES[token_id]) for token_id in ids[:fit])
    assert fit == 0 or (value < 300.0 and value + LONGEST < threshold)


@given(st.lists(st.lists(st.integers(0, 3), max_size=20), max_size=5), st.floats(-30, 30), st.floats(0, 60))
def test_a_score_that_is_said_to_be_near_is(added_ids: list[list[int]], start: float, limit: float) -> None:
    score = RunningScore(Scores(SUMS, SCORES.__getitem__, 1.0))
    score.start(start)
    value = start
    for ids in added_ids:
        score.add(ids)
        value += sum(SCORES[token_id] for token_id in ids)
        assert not score.is_near(limit) or abs(value) < limit
        assert score.is_near(1.02 * (abs(start) + 1.0 * sum(map(len, added_ids))) + 1.0)


def test_the_sum_is_made_where_it_is_asked_for_only() -> None:
    asked: list[int] = []

    def recorded(token_id: int) -> float:
        asked.append(token_id)
        return SCORES[token_id]

    score = RunningScore(Scores(SUMS, recorded, 1.0))
    score.add([0] * 90)
    assert (score.has_room(100), asked) == (True, [])
    assert (score.value(), asked) == (-90.0, [0] * 90)


def test_scores_of_nothing_are_always_within_bounds() -> None:
    score = RunningScore(Scores(SUMS, SCORES.__getitem__, 0.0))
    assert (score.has_room(1_000), score.would_have_room(0.0), score.would_have_room(300.0)) == (True, True, False)


@settings(max_examples=400)
@given(
    st.integers(9, 18),
    st.sampled_from([-1.0, -1.0000003, -1.00001, -1.3, -1.99999, 1.0, 1.00001, 1.5]),
    st.lists(st.integers(0, 6), max_size=300),
    st.integers(0, 2**30),
)
def test_scores_that_are_added_in_bulk_are_rounded_one_by_one(
    exponent: int, times: float, ids: list[int], seed: int
) -> None:
    """Sums of each magnitude and on both sides of a power of 2; scores above 0, and just between two last digits."""
    random = Random(seed)
    unit = 2.0 ** (exponent - 23)
    scores = [to_float32(-random.choice([0.001, 1, 20, 300]) * random.random()) for _ in range(3)]
    scores += [-unit * (random.randrange(1000) + 0.5), -unit / 2, random.choice([0.0, unit * 3, unit * 30])]
    scores += [-unit * (3 + 2.0**-20)]
    expected = start = to_float32(times * 2.0**exponent)
    for token_id in ids:
        expected = to_float32(expected + scores[token_id])
    assert Scores(Sums("f", 98_000.0, 0.0), scores.__getitem__, 300.0).added(start, ids) == expected


def test_more_rounded_scores_than_are_remembered_are_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_score, "_MOST_ROUNDED", 4)
    rounded = RoundedScores(lambda token_id: -float(token_id), 2.0)
    assert [rounded[token_id] for token_id in [*range(0, 20, 2), 4]] == [*range(0, -20, -2), -4.0]
    assert len(rounded) <= 4


def test_a_score_above_0_that_leads_below_a_power_of_2_is_not_added_in_bulk() -> None:
    unit = 2.0**-10
    scores = [2 * unit, to_float32(-0.3 * unit)]
    start = expected = -8192.0 - unit
    for score in scores:
        expected = to_float32(expected + score)
    assert expected != start + 2 * unit
    assert Scores(Sums("f", 98_000.0, 0.0), scores.__getitem__, 1.0).added(start, [0, 1]) == expected
