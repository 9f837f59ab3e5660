"""Truncation: a bound for the number of tokens; what is cut off goes into further encodings.

Source: `truncate_encodings`, tokenizers 0.23 utils/truncation.rs, and `Encoding::truncate`, tokenizer/encoding.rs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from reftok.errors import InvalidText
from reftok.limits.growth import refuse_explosion
from reftok.rules.encodings import numbered, part_of
from reftok.rules.types import Direction, Encoding, Span

Strategy: TypeAlias = Literal["LongestFirst", "OnlyFirst", "OnlySecond"]


@dataclass(frozen=True, slots=True)
class Truncation:
    """The `truncation` of tokenizer.json.

    max_length: the number of tokens that may stay, including those that the post-processors add.
    strategy: the text of a pair that is cut.
    stride: the number of tokens that two consecutive windows share.
    direction: the side that is cut off.

    Quirks: a max_length below the number of added tokens means no truncation at all (the library subtracts without a
    sign); if it equals that number, no token of any text is left, whatever the strategy and the stride.

    >>> encoding = Encoding([1, 2, 3], ["a", "b", "c"], [(0, 1), (1, 2), (2, 3)], [0] * 3, [0] * 3, [0] * 3)
    >>> (truncated,) = Truncation(2, stride=1).truncate([encoding], added_tokens=0)
    >>> truncated.ids, truncated.overflowing[0].ids
    ([1, 2], [2, 3])
    """

    max_length: int
    strategy: Strategy = "LongestFirst"
    stride: int = 0
    direction: Direction = "Right"

    def truncate(self, encodings: Sequence[Encoding], added_tokens: int) -> list[Encoding]:
        """The encodings of one text or of a pair, cut.

        added_tokens: the number of tokens that the post-processors will add.
        Raises InvalidText if the library raises or panics: OnlySecond without a second text, a text to cut that is too
        short, a stride that is not less than the length that stays.
        """
        room = self.max_length - added_tokens  # negative in the first quirk
        lengths = [len(encoding) for encoding in encodings]
        if room < 0 or sum(lengths) <= room:
            return list(encodings)
        kept = self._kept(lengths, room) if room else [0] * len(lengths)
        return [self._cut(encodings[i], kept[i], sequence_id=i) for i in range(len(encodings))]

    def _kept(self, lengths: Sequence[int], room: int) -> list[int]:
        """The number of tokens of each text that stay."""
        if self.strategy == "LongestFirst":
            return _longest_first(lengths, room)
        place = 0 if self.strategy == "OnlyFirst" else 1
        if place >= len(lengths):
            raise InvalidText("truncation: OnlySecond needs a second text; tokenizers refuses it too")
        kept = list(lengths)
        kept[place] -= sum(lengths) - room
        if kept[place] <= 0:
            problem = f"{self.strategy} cannot cut {sum(lengths)} tokens down to {room}: that text has {lengths[place]}"
            raise InvalidText(f"truncation: {problem}; tokenizers refuses it too")
        return kept

    def _cut(self, encoding: Encoding, length: int, sequence_id: int) -> Encoding:
        if length >= len(encoding):
            return encoding
        if length == 0:  # the whole encoding overflows, in one piece
            return replace(numbered(part_of(encoding, 0, 0), sequence_id), overflowing=(encoding,))
        if self.stride >= length:
            problem = f"the stride {self.stride} is not less than the {length} tokens that stay"
            raise InvalidText(f"truncation: {problem}; tokenizers breaks down there")
        windows = _windows(len(encoding), length, length - self.stride)
        # Windows that overlap by all but one token would repeat each token as often as a window has tokens.
        refuse_explosion(len(windows) * length, len(encoding))
        if self.direction == "Left":
            windows = [(len(encoding) - end, len(encoding) - start) for start, end in windows]
        first, *others = (numbered(part_of(encoding, start, end), sequence_id) for start, end in windows)
        return replace(first, overflowing=tuple(others))


def _longest_first(lengths: Sequence[int], room: int) -> list[int]:
    """The longer text is cut until both are equally long, then both are cut.

    If the room is odd, the longer text keeps one token more; if both are equally long, the second one does.

    >>> _longest_first([2, 9], 8), _longest_first([9, 6], 7), _longest_first([6, 6], 7)
    ([2, 6], [4, 3], [3, 4])
    """
    if len(lengths) == 1:
        return [room]
    first, second = lengths
    short = min(first, second, room // 2)
    return [room - short, short] if first > second else [short, room - short]


def _windows(count: int, length: int, step: int) -> list[Span]:
    """Spans of `length` that start every `step` tokens; the last one is the first that reaches the end.

    >>> _windows(5, 3, 1), _windows(5, 2, 2)
    ([(0, 3), (1, 4), (2, 5)], [(0, 2), (2, 4), (4, 5)])
    """
    last = max(0, -(-(count - length) // step))
    return [(start, min(start + length, count)) for start in range(0, last * step + 1, step)]
