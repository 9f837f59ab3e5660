"""Padding: encodings filled up to one length.

Source: `pad_encodings`, tokenizers 0.23 utils/padding.rs, and `Encoding::pad`, tokenizer/encoding.rs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from reftok.limits.growth import refuse_explosion
from reftok.rules.encodings import count, end_to_end, inserted
from reftok.rules.types import Direction, Encoding

BatchLongest: TypeAlias = Literal["BatchLongest"]


@dataclass(frozen=True, slots=True)
class Padding:
    """The `padding` of tokenizer.json.

    strategy: "BatchLongest" pads to the longest encoding, a number to so many tokens (`Fixed` in the file).
    direction: the side that is padded.
    pad_to_multiple_of: rounds the length up; None and 0 do not.
    pad_id, pad_type_id, pad_token: of the padding token.

    >>> encoding = Encoding([5], ["a"], [(0, 1)], [0], [0], [0])
    >>> (padded,) = Padding(pad_to_multiple_of=2, pad_id=9).pad([encoding])
    >>> padded.ids, padded.attention_mask
    ([5, 9], [1, 0])
    """

    strategy: BatchLongest | int = "BatchLongest"
    direction: Direction = "Right"
    pad_to_multiple_of: int | None = None
    pad_id: int = 0
    pad_type_id: int = 0
    pad_token: str = "[PAD]"

    def pad(self, encodings: Sequence[Encoding]) -> list[Encoding]:
        """The encodings and their overflowing ones, padded; longer ones stay as they are."""
        longest = max(map(len, encodings), default=0)
        length = longest if self.strategy == "BatchLongest" else self.strategy
        if self.pad_to_multiple_of:
            length += -length % self.pad_to_multiple_of
        for encoding in encodings:  # each of its overflowing encodings is filled up as well
            refuse_explosion((count(encoding) - 1) * length, len(encoding))
        return [self._padded(encoding, length) for encoding in encodings]

    def _padded(self, encoding: Encoding, length: int) -> Encoding:
        overflowing = tuple(self._padded(other, length) for other in encoding.overflowing)
        missing = max(0, length - len(encoding))
        padding = inserted([self.pad_id] * missing, [self.pad_token] * missing, self.pad_type_id)
        before, after = encoding.padding
        if self.direction == "Left":
            return replace(end_to_end((padding, encoding)), padding=(before + missing, after), overflowing=overflowing)
        return replace(end_to_end((encoding, padding)), padding=(before, after + missing), overflowing=overflowing)
