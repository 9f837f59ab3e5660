"""The keys `truncation` and `padding` of tokenizer.json.

Source: tokenizers 0.23 utils/truncation.rs and utils/padding.rs, the fields of `TruncationParams` and `PaddingParams`.
"""

from __future__ import annotations

from reftok.formats.fields import Fields
from reftok.spec.padding import BatchLongest, Padding
from reftok.spec.truncation import Truncation

_LONGEST_PADDING = 1_000_000
_SIZES = 1 << 64


def read_truncation(fields: Fields | None) -> Truncation | None:
    """How long an encoding may be, None for any length."""
    if fields is None:
        return None
    truncation = Truncation(
        max_length=fields.integer("max_length", _SIZES),
        strategy=fields.choice("strategy", ("LongestFirst", "OnlyFirst", "OnlySecond")),
        stride=fields.integer("stride", _SIZES),
        direction=fields.choice("direction", ("Left", "Right"), "Right"),
    )
    fields.done()
    return truncation


def read_padding(fields: Fields | None) -> Padding | None:
    """The length that encodings are padded to, None where they are not padded."""
    if fields is None:
        return None
    multiple = fields.any("pad_to_multiple_of", None)
    padding = Padding(
        strategy=_read_strategy(fields),
        direction=fields.choice("direction", ("Left", "Right")),
        pad_to_multiple_of=None if multiple is None else _length(fields, "pad_to_multiple_of"),
        pad_id=fields.integer("pad_id"),
        pad_type_id=fields.integer("pad_type_id"),
        pad_token=fields.text("pad_token"),
    )
    fields.done()
    return padding


def _read_strategy(fields: Fields) -> BatchLongest | int:
    if isinstance(fields.any("strategy"), str):
        strategy: BatchLongest = fields.choice("strategy", ("BatchLongest",))
        return strategy
    fixed = fields.object("strategy")
    length = _length(fixed, "Fixed")
    fixed.done()
    return length


def _length(fields: Fields, key: str) -> int:
    length = fields.integer(key, _SIZES)
    if length > _LONGEST_PADDING:
        raise fields.wrong(key, f"pads to more than {_LONGEST_PADDING} tokens")
    return length
