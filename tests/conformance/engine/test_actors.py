"""Every shard is worked on once and told once, whichever actors are lost on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.core.errors import HarnessError, InputError
from conformance.engine import actors
from conformance.engine.actors import MOST_LOSSES, LostError, work_on_actors
from conformance.engine.queue import ShardQueue
from conformance.inputs.shards import Shard


def shards_of(sizes: list[int]) -> list[Shard]:
    return [Shard(f"m{n}", "vocab", start, start + 1) for n, size in enumerate(sizes) for start in range(size)]


class Recorded:
    """Actors in this process, which end a shard when they are told to, and are lost when `lost` says so."""

    def __init__(self, ends: Callable[[int], int], lost: Callable[[Shard, int], bool]) -> None:
        self._ends, self._lost = ends, lost
        self._tries: Counter[str] = Counter()
        self.given: dict[int, list[tuple[Future[Any], Shard]]] = {}
        self.worked: list[tuple[int, Shard]] = []
        self.started: Counter[int] = Counter()

    def submit(self, number: int, work: Callable[[Any], Any], shard: Any) -> Future[Any]:
        if number not in self.given:
            self.started[number] += 1
            self.given[number] = []
        future: Future[Any] = Future()
        self.given[number].append((future, shard))
        return future

    def forget(self, number: int) -> None:
        for future, _ in self.given.pop(number):
            future.set_exception(LostError("ended"))

    def end_one(self) -> None:
        """One of the actors ends the first of its shards."""
        busy = sorted(number for number, given in self.given.items() if given)
        number = busy[self._ends(len(busy)) % len(busy)]
        future, shard = self.given[number].pop(0)
        self._tries[shard.key] += 1
        if self._lost(shard, self._tries[shard.key]):
            future.set_exception(LostError("gone"))
        else:
            self.worked.append((number, shard))
            future.set_result(shard.key)


class _Finished:
    """The queue of what is finished: where it is empty, an actor ends a shard."""

    def __init__(self, of: Recorded) -> None:
        self._of = of
        self._ready: list[Future[Any]] = []

    def put(self, future: Future[Any]) -> None:
        self._ready.append(future)

    def get(self, timeout: float) -> Future[Any]:
        if not self._ready:
            self._of.end_one()
        future: Future[Any] = self._ready.pop(0)
        return future


def told(recorded: Recorded, count: int, shards: list[Shard], deadline: Callable[[], float] | None = None) -> list[str]:
    """What is told of shards, by actors that end them one by one."""
    done: list[str] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(actors, "SimpleQueue", lambda: _Finished(recorded))
        work_on_actors(recorded, count, str, ShardQueue(shards), done.append, deadline)
    return done


@given(
    sizes=st.lists(st.integers(0, 12), max_size=5),
    count=st.integers(1, 6),
    ends=st.lists(st.integers(0, 5), min_size=1),
    lost=st.sets(st.integers(0, 60)),
)
def test_each_shard_is_told_once_whichever_actors_are_lost(
    sizes: list[int], count: int, ends: list[int], lost: set[int]
) -> None:
    """A shard loses no more actors than it may; those of the shards beside it do not count."""
    shards = shards_of(sizes)
    numbers = {shard.key: number for number, shard in enumerate(shards)}
    turn = iter(range(10**6))
    recorded = Recorded(
        lambda busy: ends[next(turn) % len(ends)],
        lambda shard, tries: tries < MOST_LOSSES and numbers[shard.key] in lost,
    )
    assert sorted(told(recorded, count, shards)) == sorted(numbers)
    assert sorted(shard.key for _, shard in recorded.worked) == sorted(numbers)
    assert recorded.started.total() <= count + (MOST_LOSSES - 1) * len(lost & {*numbers.values()})


def test_a_shard_that_loses_every_actor_ends_the_run_and_is_named() -> None:
    recorded = Recorded(lambda busy: 0, lambda shard, tries: shard.start == 2)
    with pytest.raises(HarnessError, match=rf"^{MOST_LOSSES} actors were lost on m0\|vocab\|2\|3: gone$"):
        told(recorded, 2, shards_of([4]))


def test_an_error_of_the_work_is_no_loss() -> None:
    class Wrong(Recorded):
        def submit(self, number: int, work: Callable[[Any], Any], shard: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_exception(InputError("other files"))
            return future

    with pytest.raises(InputError, match="other files"):
        work_on_actors(Wrong(lambda busy: 0, lambda *_: False), 1, str, ShardQueue(shards_of([4])), print)


def test_actors_that_never_end_anything_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actors, "MOST_SECONDS", 0.0)
    with pytest.raises(HarnessError, match=r"no actor has ended a shard for 0 s: m0\|vocab\|0\|1"):
        work_on_actors(Recorded(lambda busy: 0, lambda *_: False), 1, str, ShardQueue(shards_of([1])), print)


def test_no_shard_is_begun_when_the_time_is_up() -> None:
    recorded = Recorded(lambda busy: 0, lambda *_: False)
    ends = iter([float("inf")] * 4 + [0.0] * 99)
    assert len(told(recorded, 2, shards_of([9]), lambda: next(ends))) == 4


def test_each_model_is_loaded_by_one_actor_until_the_end() -> None:
    recorded = Recorded(lambda busy: 0, lambda *_: False)
    told(recorded, 3, shards_of([9, 9, 9]))
    loaded = {(number, shard.model) for number, shard in recorded.worked}
    assert len(loaded) <= 5
