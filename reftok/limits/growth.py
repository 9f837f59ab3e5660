"""The bounds of what a file may make of a text. Beyond them the text is refused, so that no file costs gigabytes.

None of them is a rule of a library; the numbers, and how far published models stay below, stand in reftok.limits.
"""

from __future__ import annotations

from reftok.errors import InvalidText, ModelFormatError
from reftok.limits import (
    LEAST_TOO_LONG,
    MOST_GROWTH,
    MOST_NORMALIZED,
    MOST_NORMALIZED_OF_ONE,
    MOST_STREAMED_STAGES,
    MOST_TOKENS,
    MOST_TOKENS_OF_ONE,
)


def refuse_expansion(size: int, old_size: int, place: str = "normalizer") -> None:
    """Raise ModelFormatError if a stage makes a text of `old_size` characters too long. size: what it makes of it."""
    if size > MOST_GROWTH * old_size + LEAST_TOO_LONG:
        raise ModelFormatError("", place, f"makes {size} characters of {old_size}, which is refused")


class Growth:
    """What the normalizers make of one text, step by step.

    size: of the text, in code points. steps: the number of normalizers.
    """

    def __init__(self, size: int, steps: int) -> None:
        self.size, self.steps, self.total = size, steps, 0

    def add(self, size: int) -> None:
        """Count what one normalizer has made of the text.

        Raises ModelFormatError if it is too long, or if very many normalizers have gone over too much text in all.
        """
        refuse_expansion(size, self.size)
        self.total += size
        if self.steps > MOST_STREAMED_STAGES and self.total > MOST_NORMALIZED + MOST_NORMALIZED_OF_ONE * self.size:
            problem = f"{self.steps:,} of them go over {self.total:,} characters for a text of {self.size:,}"
            raise ModelFormatError("", "normalizer", f"{problem}, which is refused")


def refuse_explosion(tokens: int, old_tokens: int) -> None:
    """Raise InvalidText if the stages after the model make too many tokens of the tokens of a text."""
    if tokens > MOST_TOKENS + MOST_TOKENS_OF_ONE * old_tokens:
        raise InvalidText(f"the stages after the model would make {tokens} tokens of this text, which is refused")
