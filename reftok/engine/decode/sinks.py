"""The protocols between streamed decoders: ids, then whole tokens, then one text bit by bit.

    ids ─vocab─▶ tokens ─Decoder─▶ tokens ─Fuse─▶ text ─Decoder─▶ text

The decoders in front of the one that joins the tokens (Fuse, ByteLevel, or the end of the chain) take tokens; those
behind it take one token, bit by bit. So a decoder has two streamed forms. Each is a sink that was made with the sink
behind it, hands on what no further id can change, and holds the rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, Protocol

LONGEST_REMEMBERED = 16
"""How many held code points or bytes are still remembered as a state."""


class IdSink(Protocol):
    """Takes the ids of one stream."""

    def token_id(self, token_id: int) -> None:
        """The next id. Raises InvalidIds for one that the library refuses, and is as before then."""
        ...

    def end(self) -> None:
        """There are no more."""
        ...


class TokenSink(Protocol):
    """Takes the tokens of a chain of decoders."""

    def token(self, token: str) -> None:
        """The next token; '' is one too."""
        ...

    def end(self) -> None:
        """There are no more."""
        ...


class FusedSink(Protocol):
    """Takes the one token that a chain has become."""

    def text(self, fragment: str) -> None:
        """More of it; not ''."""
        ...

    def end(self, is_token: bool) -> None:
        """It is complete. is_token: False where there is none, which for some decoders is not the same as ''."""
        ...


class DecodingStage:
    """The questions that a stream asks each of its stages, and the usual answers."""

    def state(self) -> Hashable:
        """All that it knows of what has come; None where that is too much to remember."""
        return ()

    def restore(self, state: Any) -> None:
        """Go on from a state."""

    @property
    def held(self) -> int:
        """How many code points it holds; where it holds bytes, how many bytes."""
        return 0

    @property
    def pending_bytes(self) -> bytes:
        """The bytes it holds because they are no text yet."""
        return b""

    @property
    def holds_parts(self) -> str:
        """Why this stage holds everything until the end, '' if it does not."""
        return ""


class HoldsBytes(DecodingStage):
    """A stage that holds the bytes of a character that is not complete; what else it knows, it adds to its state."""

    _pending = b""

    def state(self) -> Hashable:
        """The bytes that are held."""
        return self._pending

    def restore(self, state: Any) -> None:
        self._pending = state

    @property
    def held(self) -> int:
        """How many bytes are held."""
        return len(self._pending)

    @property
    def pending_bytes(self) -> bytes:
        """The beginning of a character."""
        return self._pending


class Output(DecodingStage):
    """The end of a chain, which keeps the text until it is taken.

    >>> output = Output()
    >>> output.text("a"); output.text("b"); output.taken(), output.taken()
    ('ab', '')
    """

    def __init__(self) -> None:
        self._parts: list[str] = []

    def text(self, fragment: str) -> None:
        """More text."""
        self._parts.append(fragment)

    def end(self, is_token: bool) -> None:
        """Nothing: what there is can be taken."""

    def taken(self) -> str:
        """The text that has come since the last time."""
        parts, self._parts = self._parts, []
        return parts[0] if len(parts) == 1 else "".join(parts)


class TokenStage(DecodingStage, ABC):
    """A stage that takes tokens and gives tokens."""

    def __init__(self, sink: TokenSink) -> None:
        self.sink = sink

    @abstractmethod
    def token(self, token: str) -> None:
        """The next token."""

    def end(self) -> None:
        """There are no more tokens."""
        self.sink.end()


class JoiningStage(DecodingStage, ABC):
    """A stage that takes tokens and gives one text."""

    def __init__(self, sink: FusedSink) -> None:
        self.sink = sink

    @abstractmethod
    def token(self, token: str) -> None:
        """The next token."""

    def end(self) -> None:
        """There are no more tokens; what they have become is one."""
        self.sink.end(True)


class FusedStage(DecodingStage, ABC):
    """A stage that takes one text and gives one text."""

    def __init__(self, sink: FusedSink) -> None:
        self.sink = sink

    @abstractmethod
    def text(self, fragment: str) -> None:
        """More text; not ''."""

    def end(self, is_token: bool) -> None:
        """The text is complete."""
        self.sink.end(is_token)
