"""A place in a pattern that is being read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from reftok.errors import UnsupportedFeature


@dataclass(slots=True)
class Cursor:
    """The pattern, and how many of its characters have been read."""

    pattern: str
    position: int = 0

    def at_end(self) -> bool:
        """Whether everything has been read."""
        return self.position >= len(self.pattern)

    def peek(self, length: int = 1) -> str:
        """The next characters, as many as there are."""
        return self.pattern[self.position : self.position + length]

    def take(self) -> str:
        """Read one character.

        >>> cursor = Cursor("ab")
        >>> cursor.take(), cursor.peek()
        ('a', 'b')
        """
        if self.at_end():
            self.refuse("the pattern ends too early", self.position)
        self.position += 1
        return self.pattern[self.position - 1]

    def accept(self, text: str) -> bool:
        """Read the text, if it is the next."""
        if not self.pattern.startswith(text, self.position):
            return False
        self.position += len(text)
        return True

    def take_while(self, allowed: str, most: int | None = None) -> str:
        """Read characters that are allowed, up to so many."""
        start = self.position
        while self.peek() and self.peek() in allowed and (most is None or self.position - start < most):
            self.position += 1
        return self.pattern[start : self.position]

    def refuse(self, problem: str, start: int) -> NoReturn:
        """Raise UnsupportedFeature for what was read since `start`."""
        text = self.pattern[start : max(self.position, start + 1)]
        raise UnsupportedFeature("", f"pattern {self.pattern!r}", f"at character {start}, {text!r}: {problem}")
