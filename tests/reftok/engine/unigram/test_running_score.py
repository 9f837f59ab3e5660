from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from reftok.engine.unigram.running_score import RunningScore
from reftok.engine.unigram.undecided_text import LONGEST

SCORES = (-1.0, -0.25, 0.5, 0.0)


def added(score: float, ids: Iterable[int]) -> float:
    return score + sum(map(SCORES.__getitem__, ids))


@given(st.lists(st.lists(st.integers(0, 3), max_size=9), max_size=12), st.integers(0, 200), st.floats(-300, 300))
def test_where_there_is_room_no_more_ids_lead_beyond_the_bound(
    added_ids: list[list[int]], count: int, start: float
) -> None:
    score = RunningScore(1.0, 300.0, added)
    score.start(start)
    for ids in added_ids:
        score.add(ids, len(ids))
    has_room = score.has_room(count)
    value = added(start, [token_id for ids in added_ids for token_id in ids])
    assert not has_room or abs(value) + count + LONGEST < 300.0
    assert score.value() == value
    assert score.has_room(count) == (count <= (300.0 - abs(value)) / 1.01 - LONGEST)


def test_the_sum_is_made_where_it_is_asked_for_only() -> None:
    sums: list[float] = []

    def recorded(score: float, ids: Iterable[int]) -> float:
        sums.append(added(score, ids))
        return sums[-1]

    score = RunningScore(1.0, 300.0, recorded)
    score.add([0] * 90, 90)
    assert (score.has_room(100), sums) == (True, [])
    assert (score.value(), sums) == (-90.0, [-90.0])


def test_scores_of_nothing_are_always_within_bounds() -> None:
    score = RunningScore(0.0, 300.0, added)
    assert (score.has_room(1_000), score.would_have_room(0.0), score.would_have_room(300.0)) == (True, True, False)
