"""What a tokenizer keeps for the streams that encode with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reftok.streaming.encoder import StreamEncoder
    from reftok.streaming.encoding.post_processors import Surroundings


class EncodingStates:
    """Shared by all threads; not part of what the tokenizer is, so that a copy of it begins with nothing.

    surroundings: the ids that go around a text, None until they are asked for.
    idle: encoders that no thread is using: making one takes longer than encoding a word. Taking one out of the list
        and putting it back are one step each.
    """

    __slots__ = ("idle", "surroundings")

    def __init__(self) -> None:
        self.surroundings: Surroundings | None = None
        self.idle: list[StreamEncoder] = []

    def __reduce__(self) -> tuple[type[EncodingStates], tuple[()]]:
        return EncodingStates, ()
