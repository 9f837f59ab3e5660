"""The assignment of shards to workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

WORTH_LOADING = 3
"""So many shards of a model must be left before a worker loads what another one has loaded already."""


class ModelShard(Protocol):
    """A part of the work on one model, of a run or of a session; `key` names it in messages."""

    @property
    def model(self) -> str: ...

    @property
    def key(self) -> str: ...


ShardT = TypeVar("ShardT", bound=ModelShard)


class ShardQueue(Generic[ShardT]):
    """The shards that nobody has been given yet.

    A worker is given shards of the model that it has loaded as long as there are any, then those of the first model
    that nobody has loaded. So every model is loaded once, by one worker, until at last those without work help where
    most is left.

    worth_loading: 1 where workers keep several models, so that each has loaded all of them before long.

    >>> from conformance.inputs.shards import Shard
    >>> shards = [Shard(model, "vocab", start, start + 1) for model in "ab" for start in range(4)]
    >>> queue = ShardQueue(shards)
    >>> [(worker, shard.model) for worker in (0, 1, 0, 0, 0, 0, 1) if (shard := queue.take(worker))]
    [(0, 'a'), (1, 'b'), (0, 'a'), (0, 'a'), (0, 'a'), (0, 'b'), (1, 'b')]
    """

    def __init__(self, shards: Sequence[ShardT], worth_loading: int = WORTH_LOADING) -> None:
        self._worth_loading = worth_loading
        self._left: dict[str, deque[ShardT]] = {}
        for shard in shards:
            self._left.setdefault(shard.model, deque()).append(shard)
        self._loaded: dict[int, str] = {}

    def __len__(self) -> int:
        return sum(map(len, self._left.values()))

    def take(self, worker: int) -> ShardT | None:
        """The next shard of a worker; None where there is nothing for it to do any more."""
        model = self._loaded.get(worker, "")
        if not self._left.get(model):
            model = self._next_model()
        if not model:
            return None
        self._loaded[worker] = model
        return self._left[model].popleft()

    def give_back(self, worker: int, shards: Sequence[ShardT]) -> None:
        """Take back what a worker that is lost was given, to be given out first; with its number, another begins."""
        for shard in reversed(shards):
            self._left[shard.model].appendleft(shard)
        del self._loaded[worker]

    def _next_model(self) -> str:
        loaded = set(self._loaded.values())
        fresh = next((model for model, shards in self._left.items() if shards and model not in loaded), "")
        most = max(self._left, key=lambda model: len(self._left[model]), default="")
        return fresh or (most if most and len(self._left[most]) >= self._worth_loading else "")
