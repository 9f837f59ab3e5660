"""What a tokenizer keeps for the streams that encode with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reftok.engine.encode.chain import EncodingChain
    from reftok.engine.encode.post_processors import Surroundings
    from reftok.engine.offsets.metaspace import Words
    from reftok.tokenizer import Tokenizer


class EncodingStates:
    """Shared by all threads; not part of what the tokenizer is, so that a copy of it begins with nothing.

    surroundings: the ids that go around a text, without special tokens and with them, as far as they were asked for.
    idle: chains of stages that no stream is using: making one takes longer than encoding a word. Taking one out of the
        list and putting it back are one step each.
    words: those that were encoded with their offsets, where that is done word by word.
    """

    __slots__ = ("idle", "surroundings", "words")

    def __init__(self) -> None:
        self.surroundings: dict[bool, Surroundings] = {}
        self.idle: list[EncodingChain] = []
        self.words: Words | None = None

    def __reduce__(self) -> tuple[type[EncodingStates], tuple[()]]:
        return EncodingStates, ()

    def chain(self, tokenizer: Tokenizer) -> EncodingChain:
        """A chain of the tokenizer that is as new."""
        try:
            return self.idle.pop()
        except IndexError:
            from reftok.engine.encode.chain import EncodingChain

            return EncodingChain(tokenizer)
