"""Shards are given out once each, and so that a model is loaded no more often than it pays."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from conformance.engine.queue import WORTH_LOADING, ShardQueue
from conformance.inputs.shards import Shard

sizes = st.lists(st.integers(0, 9), max_size=4)
turns = st.lists(st.integers(0, 2), max_size=60)


def shards_of(sizes: Sequence[int]) -> list[Shard]:
    return [Shard(f"m{m}", "vocab", n, n + 1) for m, size in enumerate(sizes) for n in range(size)]


def given_out(queue: ShardQueue, turns: Sequence[int]) -> list[tuple[int, Shard]]:
    """Worker and shard, in these turns and then by the first worker and the others until nothing is left."""
    taken = [(worker, queue.take(worker)) for worker in (*turns, *range(3), *[0, 1, 2] * len(queue))]
    return [(worker, shard) for worker, shard in taken if shard is not None]


@given(sizes, turns)
def test_every_shard_is_given_out_once_whoever_asks_when(sizes: list[int], turns: list[int]) -> None:
    shards = shards_of(sizes)
    queue = ShardQueue(shards)
    assert len(queue) == len(shards)
    assert sorted((shard for _, shard in given_out(queue, turns)), key=shards.index) == shards
    assert len(queue) == 0


@given(sizes, turns)
def test_a_worker_leaves_a_model_only_when_nothing_is_left_of_it(sizes: list[int], turns: list[int]) -> None:
    taken = given_out(ShardQueue(shards_of(sizes)), turns)
    for place, (worker, shard) in enumerate(taken):
        before = [earlier.model for other, earlier in taken[:place] if other == worker]
        if before and before[-1] != shard.model:
            assert before[-1] not in {later.model for _, later in taken[place:]}


@given(sizes, turns)
def test_a_second_worker_loads_a_model_only_where_enough_is_left_and_nothing_else(
    sizes: list[int], turns: list[int]
) -> None:
    taken = given_out(ShardQueue(shards_of(sizes)), turns)
    for place, (worker, shard) in enumerate(taken):
        loaded = [(other, earlier.model) for other, earlier in taken[:place]]
        if (worker, shard.model) not in loaded and shard.model in {model for _, model in loaded}:
            left = [later.model for _, later in taken[place:]]
            assert left.count(shard.model) >= WORTH_LOADING
            assert set(left) <= {model for _, model in loaded}


def test_no_shard_is_left_to_a_worker_that_has_gone() -> None:
    queue = ShardQueue(shards_of([1, 2]))
    assert [shard and shard.model for shard in map(queue.take, (0, 1, 0, 1, 0))] == ["m0", "m1", None, "m1", None]


def test_where_models_stay_loaded_no_worker_waits_while_a_shard_is_left() -> None:
    queue = ShardQueue(shards_of([4]), worth_loading=1)
    assert all(queue.take(worker) for worker in range(4))
