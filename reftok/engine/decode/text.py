"""The streamed decoders behind the one that joins the tokens: they take one token, which comes bit by bit.

Each is the streamed form of the class of `reftok.spec.decoders` that its docstring names; the rules stand there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reftok.engine.decode.sinks import LONGEST_REMEMBERED, FusedSink, FusedStage
from reftok.engine.decode.tokens import Growth
from reftok.engine.patterns.literals import overlap
from reftok.engine.patterns.patterns import stream_matches
from reftok.spec.byte_level import from_byte_characters
from reftok.spec.decoders import SPACES_BEFORE, ByteFallback, ByteLevel, Strip, byte_of_token
from reftok.spec.patterns import Pattern

_SAME_IN_BOTH_READINGS = "".join(map(chr, range(0x21, 0x7F)))


class Present(FusedStage):
    """Streamed form of Fuse: there is a token, be it ''."""

    def text(self, fragment: str) -> None:
        self.sink.text(fragment)

    def end(self, is_token: bool) -> None:
        """There is one."""
        self.sink.end(True)


class NotEmpty(FusedStage):
    """The last step of CTC: an empty token is none."""

    def __init__(self, sink: FusedSink) -> None:
        super().__init__(sink)
        self._has_text = False

    def state(self) -> bool:
        """Whether text has come."""
        return self._has_text

    def restore(self, state: Any) -> None:
        self._has_text = state

    def text(self, fragment: str) -> None:
        self._has_text = True
        self.sink.text(fragment)

    def end(self, is_token: bool) -> None:
        """Only text makes a token."""
        self.sink.end(self._has_text)


class LiteralText(FusedStage):
    """Every occurrence of a literal replaced, leftmost first: holds the longest end of the text that could begin one.

    literal: not ''.
    growth: None where the content is no longer than the literal.

    >>> from reftok.engine.decode.sinks import Output
    >>> output = Output()
    >>> stage = LiteralText(" n't", "n't", output)
    >>> stage.text("does n"); output.taken(), stage.held
    ('does', 2)
    >>> stage.text("'t"); output.taken()
    "n't"
    """

    def __init__(self, literal: str, content: str, sink: FusedSink, growth: Growth | None = None) -> None:
        super().__init__(sink)
        self._literal = literal
        self._content = content
        self._growth = growth
        self._held = ""

    def state(self) -> str | None:
        """The text that is held."""
        return self._held if self.held <= LONGEST_REMEMBERED else None

    def restore(self, state: Any) -> None:
        self._held = state

    @property
    def held(self) -> int:
        """How many code points are held."""
        return len(self._held)

    def text(self, fragment: str) -> None:
        parts = (self._held + fragment).split(self._literal)
        if self._growth is not None:
            self._growth.add(len(fragment), len(parts) - 1)
        rest = parts[-1]
        end = len(rest) - overlap(rest, self._literal)
        self._held = rest[end:]
        parts[-1] = rest[:end]
        if text := self._content.join(parts):
            self.sink.text(text)

    def end(self, is_token: bool) -> None:
        """The held text begins none."""
        if self._held:
            self.sink.text(self._held)
            self._held = ""
        super().end(is_token)


class Interspersed(FusedStage):
    """A content before every character and at the end: what replacing '' does.

    fills_empty: whether '' becomes the content, as it does in CTC, and not in Replace.
    """

    def __init__(self, content: str, sink: FusedSink, fills_empty: bool, growth: Growth | None = None) -> None:
        super().__init__(sink)
        self._content = content
        self._fills_empty = fills_empty
        self._growth = growth
        self._has_text = False

    def state(self) -> bool:
        """Whether text has come."""
        return self._has_text

    def restore(self, state: Any) -> None:
        self._has_text = state

    def text(self, fragment: str) -> None:
        if self._growth is not None:
            self._growth.add(len(fragment), len(fragment) + (not self._has_text))
        first = "" if self._has_text else self._content
        self._has_text = True
        self.sink.text(first + "".join(character + self._content for character in fragment))

    def end(self, is_token: bool) -> None:
        """Only '' is still to be filled."""
        if self._content and is_token and self._fills_empty and not self._has_text:
            self.sink.text(self._content)
        super().end(is_token)


class PatternText(FusedStage):
    """Streamed form of Replace with a pattern: holds what the pattern may still find something else in."""

    def __init__(self, pattern: Pattern, content: str, sink: FusedSink, growth: Growth) -> None:
        super().__init__(sink)
        self._matcher = stream_matches(pattern)
        self._content = content
        self._growth = growth

    def state(self) -> None:
        """None: what the pattern has seen cannot be remembered."""
        return None

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self._matcher.held

    @property
    def holds_parts(self) -> str:
        """Why the pattern cannot be decided."""
        return self._matcher.holds_parts and f"Replace: {self._matcher.holds_parts}"

    def text(self, fragment: str) -> None:
        self._hand_on(self._matcher.feed(fragment), len(fragment))

    def end(self, is_token: bool) -> None:
        """The last matches."""
        self._hand_on(self._matcher.finish(), 0)
        super().end(is_token)

    def _hand_on(self, found: Iterable[tuple[str, bool]], size: int) -> None:
        pieces = [None if is_match else text for text, is_match in found]
        self._growth.add(size, pieces.count(None))
        if text := "".join(self._content if piece is None else piece for piece in pieces):
            self.sink.text(text)


class StrippedText(FusedStage):
    """Streamed form of Strip: holds the end as long as it may have to go."""

    def __init__(self, decoder: Strip, sink: FusedSink) -> None:
        super().__init__(sink)
        self._content = decoder.content
        self._most_at_start = decoder.start
        self._most_at_end = decoder.stop
        self._held = 0

    def state(self) -> tuple[int, int]:
        """How much may still go at the start, and how much at the end."""
        return (self._most_at_start, self._held)

    def restore(self, state: Any) -> None:
        self._most_at_start, self._held = state

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self._held

    def text(self, fragment: str) -> None:
        if self._most_at_start:
            kept = fragment.lstrip(self._content)
            size = min(len(fragment) - len(kept), self._most_at_start)
            self._most_at_start = 0 if size < len(fragment) else self._most_at_start - size
            fragment = fragment[size:]
        kept = fragment.rstrip(self._content)
        at_end = len(fragment) - len(kept) + (0 if kept else self._held)
        before = self._content * self._held + kept if kept else ""
        self._held = min(at_end, self._most_at_end)
        if text := before + self._content * (at_end - self._held):
            self.sink.text(text)

    def end(self, is_token: bool) -> None:
        """The held text goes."""
        self._held = 0
        super().end(is_token)


class ByteTokenText(FusedStage):
    """Streamed form of ByteFallback: holds what may be one byte token, and no more comes."""

    def __init__(self, decoder: ByteFallback, sink: FusedSink) -> None:
        super().__init__(sink)
        self._decoder = decoder
        self._held = ""
        self._is_text = False

    def state(self) -> tuple[str, bool]:
        """The held text, and whether it is known to be text."""
        return (self._held, self._is_text)

    def restore(self, state: Any) -> None:
        self._held, self._is_text = state

    @property
    def held(self) -> int:
        """How many code points are held."""
        return len(self._held)

    @property
    def pending_bytes(self) -> bytes:
        """The byte."""
        byte = byte_of_token(self._held)
        return b"" if byte is None else bytes([byte])

    def text(self, fragment: str) -> None:
        if not self._is_text:
            self._held += fragment
            if _may_be_byte_token(self._held):
                return
            fragment, self._held = self._held, ""
            self._is_text = True
        self.sink.text(fragment)

    def end(self, is_token: bool) -> None:
        """The held text is a byte token, or the beginning of one."""
        if self._held:
            self.sink.text(self._decoder.decode_chain([self._held])[0])
            self._held = ""
        super().end(is_token)


def _may_be_byte_token(text: str) -> bool:
    """Whether it is one or begins one.

    >>> [_may_be_byte_token(text) for text in ("<0", "<0x+", "<0x+4>", "<0x++", "<0x41>.")]
    [True, True, True, False, False]
    """
    return any(byte_of_token(text + rest) is not None for rest in ("", ">", "0>", "00>", "x00>", "0x00>"))


class ByteLevelText(FusedStage):
    """Streamed form of ByteLevel: a character outside the byte map, wherever it is, makes all stand for itself.

    Only the visible ASCII characters at the start are the same either way; the rest is held until such a character.
    """

    def __init__(self, decoder: ByteLevel, sink: FusedSink) -> None:
        super().__init__(sink)
        self._decoder = decoder
        self._fragments: list[str] = []
        self._held = 0
        self._is_text = False

    def state(self) -> bool | None:
        """Whether it is known to be text; before that there may be much to remember."""
        return self._is_text or None

    def restore(self, state: Any) -> None:
        self._is_text = state

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self._held

    @property
    def holds_parts(self) -> str:
        """Why it cannot know."""
        return "ByteLevel: a character outside the byte map makes the whole text stand for itself"

    def text(self, fragment: str) -> None:
        if self._is_text:
            self.sink.text(fragment)
        elif from_byte_characters(fragment) is None:
            self._is_text = True
            text = "".join([*self._fragments, fragment])
            self._fragments, self._held = [], 0
            self.sink.text(text)
        else:
            self._hold(fragment)

    def _hold(self, fragment: str) -> None:
        if not self._held:
            rest = fragment.lstrip(_SAME_IN_BOTH_READINGS)
            if len(rest) < len(fragment):
                self.sink.text(fragment[: len(fragment) - len(rest)])
            fragment = rest
        self._fragments.append(fragment)
        self._held += len(fragment)

    def end(self, is_token: bool) -> None:
        """They are bytes."""
        text = self._decoder.decode_chain(["".join(self._fragments)])[0]
        self._fragments, self._held = [], 0
        if text:
            self.sink.text(text)
        self.sink.end(True)


def replaced_text(literal: str, content: str, sink: FusedSink, fills_empty: bool = True) -> list[FusedStage]:
    """The stage that does what `str.replace` does, none where that is nothing."""
    if literal:
        return [LiteralText(literal, content, sink)]
    return [Interspersed(content, sink, fills_empty)] if content else []


def cleaned_text(sink: FusedSink) -> list[FusedStage]:
    """The stages that do what `reftok.spec.decoders.cleaned` does, the first first."""
    return literals_replaced(SPACES_BEFORE, sink)


def literals_replaced(replacements: Iterable[tuple[str, str]], sink: FusedSink) -> list[FusedStage]:
    """A stage for each literal and its content, the first first."""
    stages: list[FusedStage] = []
    for literal, content in reversed(list(replacements)):
        sink = LiteralText(literal, content, sink)
        stages.append(sink)
    return stages[::-1]
