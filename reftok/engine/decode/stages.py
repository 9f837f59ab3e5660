"""The stages between the ids and the text of a stream.

    ids ─Vocab─▶ tokens ─Decoder─▶ tokens ─Decoder─▶ text

Each takes tokens, hands on to the next what no further id can change, and holds the rest. A token comes whole, but for
the one that a decoder makes of all tokens (Fuse, ByteLevel): that comes in fragments.
"""

from __future__ import annotations

from codecs import utf_8_decode
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from reftok.limits.growth import refuse_expansion
from reftok.regex_dialects.executor import Deadline
from reftok.rules.pipeline import Pipeline

LONGEST_REMEMBERED = 16
"""How many held code points or bytes are still remembered as a state."""


class Stage:
    """The base: hands on what it takes, as it is.

    sink: the next stage.
    growth: how many code points it adds at most, for each that it takes and for each token.
    joins: whether it makes one token of all, which it gives in fragments; it may take tokens in fragments as well.
    held_until_end: why it holds everything until the end, '' if it does not.
    state: all that it knows of what has come, as one value that never changes; None where that is too much to remember.
    """

    sink: Stage
    growth: float = 0
    joins = False
    held_until_end = ""
    state: Any = ()

    def feed(self, text: str, is_end: bool) -> None:
        """A token, or more of it; '' is one too. is_end: whether it is complete."""
        self.sink.feed(text, is_end and not self.joins)

    def finish(self) -> None:
        """There are no more tokens."""
        if self.joins:
            self.sink.feed("", True)
        self.sink.finish()

    @property
    def held(self) -> int:
        """How many code points it holds; where it holds bytes, how many bytes."""
        return len(self.pending_bytes)

    @property
    def pending_bytes(self) -> bytes:
        """The bytes it holds because they are no text yet."""
        return b""


def link(stages: Iterable[Stage]) -> None:
    """Make each stage the sink of the one before it."""
    for stage, sink in pairwise(stages):
        stage.sink = sink


class Vocab(Stage):
    """Ids to tokens, as `Pipeline.decode` does it."""

    def __init__(self, pipeline: Pipeline, skip_special_tokens: bool) -> None:
        self._pipeline = pipeline
        self._skip_special_tokens = skip_special_tokens

    def token_id(self, token_id: int) -> None:
        """The next id. Raises InvalidIds for one that the library refuses, and is as before then."""
        token = self._pipeline.decodable_token(token_id, self._skip_special_tokens)
        if token is not None:
            self.sink.feed(token, True)


class Utf8Text(Stage):
    """Makes one text of bytes: holds those of a character that is not complete, at most three.

    Each byte comes as the Latin-1 character of its number.
    """

    joins = True
    state = b""

    @property
    def pending_bytes(self) -> bytes:
        """The beginning of a character."""
        return self.state

    def feed(self, text: str, is_end: bool) -> None:
        if not self.state and text.isascii():
            self.sink.feed(text, False)
            return
        data = self.state + text.encode("latin-1")
        text, size = utf_8_decode(data, "replace", False)
        self.state = data[size:]
        if text:
            self.sink.feed(text, False)

    def finish(self) -> None:
        """The held bytes can no longer become a character."""
        self.sink.feed(self.state.decode("utf-8", "replace"), False)
        super().finish()


class Bounded(Stage):
    """Refuses what the decoder in front of it blows up, as `Pipeline.decode_tokens` does.

    tokens: the one in front of all decoders, which has counted the tokens; None for itself.
    """

    state = None

    def __init__(self, tokens: Bounded | None = None) -> None:
        self._tokens = tokens or self
        self._size = 0

    def feed(self, text: str, is_end: bool) -> None:
        self._size += len(text)
        refuse_expansion(self._size, self._tokens._size, "decoder")
        self.sink.feed(text, is_end)


class Timed(Stage):
    """Lets the patterns of all stages behind it share what time they may take on a text."""

    state = None

    def __init__(self) -> None:
        self._deadline = Deadline()

    def feed(self, text: str, is_end: bool) -> None:
        self._deadline.extend(len(text))
        with self._deadline:
            self.sink.feed(text, is_end)

    def finish(self) -> None:
        """There are no more tokens."""
        with self._deadline:
            super().finish()


class Buffered(Stage):
    """All decoders of a pipeline together: the plain rules are asked at the end. reason: why they are not streamed."""

    state = None
    held = 0

    def __init__(self, pipeline: Pipeline, reason: str) -> None:
        self._pipeline = pipeline
        self.held_until_end = reason
        self._tokens: list[str] = []

    def feed(self, text: str, is_end: bool) -> None:
        self._tokens.append(text)
        self.held += len(text)

    def finish(self) -> None:
        """There are no more tokens."""
        self.sink.feed(self._pipeline.decode_tokens(self._tokens), True)
        super().finish()


class Output(Stage):
    """The end of a chain, which keeps the text until it is taken.

    >>> output = Output()
    >>> output.feed("a", False); output.feed("b", True); output.taken(), output.taken()
    ('ab', '')
    """

    joins = True

    def __init__(self) -> None:
        self._parts: list[str] = []

    def feed(self, text: str, is_end: bool) -> None:
        self._parts.append(text)

    def finish(self) -> None:
        """Nothing: what there is can be taken."""

    def taken(self) -> str:
        """The text that has come since the last time."""
        parts, self._parts = self._parts, []
        return parts[0] if len(parts) == 1 else "".join(parts)
