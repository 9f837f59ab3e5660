from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from reftok.engine.unigram.running_score import RunningScore, Scores, Sums
from reftok.engine.unigram.undecided_text import LONGEST
from reftok.spec.viterbi import to_float32

SCORES = (-1.0, -0.25, 0.5, 0.0)
SUMS = Sums("d", 300.0, 1e-9)


@given(st.lists(st.lists(st.integers(0, 3), max_size=9), max_size=12), st.integers(0, 200), st.floats(-300, 300))
def test_where_there_is_room_no_more_ids_lead_beyond_the_bound(
    added_ids: list[list[int]], count: int, start: float
) -> None:
    score = RunningScore(Scores(SUMS, SCORES.__getitem__, 1.0))
    score.start(start)
    for ids in added_ids:
        score.add(ids, len(ids))
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


@given(st.lists(st.integers(0, 3), max_size=40), st.floats(-30, 30), st.floats(0, 60))
def test_a_score_that_is_said_to_be_near_is(ids: list[int], start: float, limit: float) -> None:
    score = RunningScore(Scores(SUMS, SCORES.__getitem__, 1.0))
    score.start(start)
    score.add(ids, len(ids))
    assert not score.is_near(limit) or abs(score.value()) < limit


def test_the_sum_is_made_where_it_is_asked_for_only() -> None:
    asked: list[int] = []

    def recorded(token_id: int) -> float:
        asked.append(token_id)
        return SCORES[token_id]

    score = RunningScore(Scores(SUMS, recorded, 1.0))
    score.add([0] * 90, 90)
    assert (score.has_room(100), asked) == (True, [])
    assert (score.value(), asked) == (-90.0, [0] * 90)


def test_scores_of_nothing_are_always_within_bounds() -> None:
    score = RunningScore(Scores(SUMS, SCORES.__getitem__, 0.0))
    assert (score.has_room(1_000), score.would_have_room(0.0), score.would_have_room(300.0)) == (True, True, False)


@given(
    st.lists(st.integers(0, 7), max_size=300),
    st.floats(-131_100.0, 140_000.0, width=32)
    | st.sampled_from([-8191.99, -65535.9, -4096.0, -32768.0, 0.0, 65536.0, 8200.0]),
    st.integers(0, 2**30),
)
def test_scores_that_are_added_in_bulk_are_rounded_one_by_one(ids: list[int], start: float, seed: int) -> None:
    random = Random(seed)
    scores = [to_float32(-random.choice([0.001, 1, 20, 300]) * random.random()) for _ in range(5)]
    scores += [-random.randrange(1000) / 256, -0.1, random.choice([0.0, 0.5])]
    expected = start = to_float32(start)
    for token_id in ids:
        expected = to_float32(expected + scores[token_id])
    assert Scores(Sums("f", 98_000.0, 0.0), scores.__getitem__, 300.0).added(start, ids) == expected
