"""Values of JSON as records: dataclasses, with the types and bounds that their fields say.

The text is left to `json`, which writes and reads lone surrogates as escapes; msgspec refuses them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]
Record = TypeVar("Record")


def to_json(record: Any) -> Any:
    """A record as JSON; a path as its text.

    >>> from conformance.core.evidence import SeenToken
    >>> to_json(SeenToken(3, "a"))
    {'id': 3, 'token': 'a', 'span': None}
    """
    return msgspec.to_builtins(record, enc_hook=str, builtin_types=(bytes,))


def from_json(value: Any, kind: type[Record]) -> Record:
    """The record of `to_json`; what has a default may be missing, and no key may be there that is no field.

    Raises ValueError for anything else, with the place.

    >>> from conformance.core.evidence import SeenToken
    >>> from_json({"id": 3, "span": [0, 1]}, SeenToken)
    SeenToken(id=3, token='', span=(0, 1))
    >>> from_json({"id": "3"}, SeenToken)
    Traceback (most recent call last):
    msgspec.ValidationError: Expected `int`, got `str` - at `$.id`
    """
    record = msgspec.convert(value, kind, dec_hook=lambda other, item: other(item))
    _check_known(value, to_json(record))
    return record


def _check_known(value: Any, known: Any) -> None:
    """Raise ValueError for a key that the record does not have: msgspec passes over those of dataclasses."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key not in known:
                raise ValueError(f"{key!r} is not known")
            _check_known(item, known[key])
    elif isinstance(value, list | tuple):
        for pair in zip(value, known, strict=False):
            _check_known(*pair)
