"""The memory of a tokenizer for decoding: the text of an id; in a stream, state by state."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

from reftok.rules.pipeline import Pipeline

Stages: TypeAlias = tuple[Hashable, ...]

_MOST_STATES = 1 << 12
_MOST_TEXTS = 1 << 18


class State(dict[int, tuple[str, "State"]]):
    """A state of a stream with what each id has given there: a text, and the state after it.

    stages: the state of each stage; of none for a stream whose state cannot be remembered.
    held: how much the stages hold, in code points, or bytes where they are not text yet; None until it is asked for.
        Two threads may both work it out, to the same number.
    end: the text that was held where the stream ended here; None until one does.
    """

    __slots__ = ("end", "held", "stages")

    def __init__(self, stages: Stages) -> None:
        super().__init__()
        self.stages = stages
        self.held: int | None = None
        self.end: str | None = None


class DecodingStates:
    """Shared by all that one tokenizer decodes, in all threads; not part of what the tokenizer is.

    A stream is a machine: what comes out, and the state after it, is a matter of the state and the id. So what has
    happened once need not be worked out again. Entries are only added, and no more than about 260,000 in 4,096 states,
    and an end of each.

    tokens: what `decode` takes for ids of the vocab, None for those that it skips.
    start: the state of a stream to which nothing has been fed, which may be UNREMEMBERED; None until there is one.

    >>> states = DecodingStates()
    >>> first, second = states.at(("first",)), states.at(("second",))
    >>> states.keep(first, 7, " a", second)
    >>> states.at(("first",))[7] == (" a", second), states.at(None) is UNREMEMBERED
    (True, True)
    """

    __slots__ = ("_states", "_texts", "start", "tokens")

    def __init__(self) -> None:
        self.tokens: dict[int, str | None] = {}
        self.start: State | None = None
        self._states: dict[Stages, State] = {}
        self._texts = 0

    def __reduce__(self) -> tuple[type[DecodingStates], tuple[()]]:
        return DecodingStates, ()

    def __len__(self) -> int:
        return len(self._states)

    def at(self, stages: Stages | None) -> State:
        """The state of the stages; UNREMEMBERED where they have none, or there are too many already."""
        if stages is None:
            return UNREMEMBERED
        state = self._states.get(stages)
        if state is None and len(self._states) < _MOST_STATES:
            state = self._states.setdefault(stages, State(stages))
        return UNREMEMBERED if state is None else state

    def keep(self, state: State, token_id: int, text: str, following: State) -> None:
        """Remember what an id gives."""
        if state is not UNREMEMBERED and following is not UNREMEMBERED and self._texts < _MOST_TEXTS:
            self._texts += 1
            state[token_id] = text, following


UNREMEMBERED = State(())
"""Stands for every state that is not remembered."""

FINISHED = State(())
"""The state of every stream that is finished, in which no id is known."""
FINISHED.held = 0


def decodable_tokens(
    pipeline: Pipeline, states: DecodingStates, ids: Sequence[int], skip_special_tokens: bool
) -> list[str]:
    """The `decodable_token` of each id that is not skipped; remembered, but not for ids outside the vocab."""
    known = states.tokens
    try:
        found = [*map(known.__getitem__, ids)]
    except KeyError:
        found = [pipeline.decodable_token(token_id, skip_special_tokens) for token_id in ids]
        for token_id, token in zip(ids, found, strict=True):
            if token is not None or pipeline.id_to_token(token_id) is not None:
                known[token_id] = token
    return [token for token in found if token is not None]
