"""JSON as the Rust crate serde_json reads it: what Python's parser would let pass is refused.

A decimal number is not always the nearest double: Unigram scores that differ in the last bit decide near-ties.
Source: serde_json 1.0 de.rs (`parse_decimal`, `parse_decimal_overflow`, `parse_exponent`, `f64_from_parts`), without
its feature `float_roundtrip`, as tokenizers 0.23 is built.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain
from math import isinf
from typing import Any, TypeAlias

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.files import decoded

VOCAB_AT = ("model", "vocab")
"""Where the vocab stands in a tokenizer.json."""

Pairs: TypeAlias = list[tuple[str, Any]]
"""The keys and values of an object as they are written."""

_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_DIGITS_AS_ZEROS = bytes(0x30 if 0x30 <= byte <= 0x39 else 0x20 for byte in range(256))
_MANY_DIGITS = b"0" * 19
_MINUS_ZERO = re.compile(rb"-0")
_BEFORE_NUMBERS = b" \t\r\n:,["
_DEEPEST = 127
"""How many lists and objects may be in each other. Source: serde_json 1.0 de.rs, `remaining_depth: 128`."""

_MOST_SIGNIFICAND = (1 << 64) - 1
_DIGITS_THAT_FIT = 19
_MOST_EXPONENT = 308
_POWERS_OF_TEN = [float(f"1e{exponent}") for exponent in range(_MOST_EXPONENT + 1)]
_BEYOND_ALL_EXPONENTS = 10_000_000


def parse_json(data: bytes, source: str, vocab_at: Sequence[str] | None = None) -> Any:
    """The value that the bytes stand for.

    vocab_at: the keys that lead to a vocab, none where the whole file is one. Of a token that is there twice the last
        id counts, as in the library, which reads it into a map.
    Raises ModelFormatError for anything that is not JSON in UTF-8: NaN, numbers beyond float64, lone surrogates, lists
    and objects more than 127 levels deep too; UnsupportedFeature for any other key that is there twice.
    """
    repeating: list[tuple[dict[str, Any], Pairs]] = []

    def as_object(pairs: Pairs) -> dict[str, Any]:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            repeating.append((fields, pairs))
        return fields

    root = _parsed(data, source, as_object)
    _check_repeated(repeating, _vocab(root, vocab_at), source)
    return root


def _parsed(data: bytes, source: str, as_object: Callable[[Pairs], dict[str, Any]]) -> Any:
    try:
        root = json.loads(
            decoded(data, source),
            parse_float=serde_float,
            parse_int=serde_integer if _may_have_unusual_integers(data) else int,
            parse_constant=refuse_constant,
            object_pairs_hook=as_object,
        )
        if _is_too_deep(root):
            raise ModelFormatError(source, "", "is nested too deeply")
        if _SURROGATE_ESCAPE.search(data):
            json.dumps(root, ensure_ascii=False).encode("utf-8")
        return root
    except UnicodeEncodeError:
        raise ModelFormatError(source, "", "is not JSON (an escape stands for half a surrogate pair)") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise ModelFormatError(source, place, f"is not JSON ({error.msg}); is the file complete?") from None
    except RecursionError:
        raise ModelFormatError(source, "", "is nested too deeply") from None
    except ModelFormatError:
        raise
    except (OverflowError, ValueError) as error:
        raise ModelFormatError(source, "", f"is not JSON ({error})") from None


def _may_have_unusual_integers(data: bytes) -> bool:
    """Whether there may be an integer that is not the same to Python: of more than 18 digits, or -0."""
    before_minus_zeros = {data[found.start() - 1] if found.start() else 0x20 for found in _MINUS_ZERO.finditer(data)}
    return _MANY_DIGITS in data.translate(_DIGITS_AS_ZEROS) or not before_minus_zeros.isdisjoint(_BEFORE_NUMBERS)


def refuse_constant(name: str) -> None:
    """For `json.loads`: raise ValueError for NaN and the infinities, which Python reads and JSON does not have."""
    raise ValueError(f"{name} is not a number in JSON")


def _vocab(root: Any, vocab_at: Sequence[str] | None) -> Any:
    """The vocab in a file, None where there is none."""
    for key in vocab_at or ():
        root = root.get(key) if isinstance(root, dict) else None
    return None if vocab_at is None else root


def _check_repeated(repeating: Sequence[tuple[dict[str, Any], Pairs]], vocab: Any, source: str) -> None:
    """Refuse a key that is there twice: the library takes the last of the two in some objects, and refuses others."""
    for fields, pairs in repeating:
        if fields is not vocab:
            key = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise UnsupportedFeature(source, "", f"the key {key!r:.60} is there twice")


def _is_too_deep(root: Any) -> bool:
    level: list[list[Collection[Any]]] = [[[root]]]
    for _ in range(_DEEPEST + 1):
        level = [deeper for containers in level for deeper in _within(containers)]
    return bool(level)


def _within(containers: list[Collection[Any]]) -> Iterator[list[Collection[Any]]]:
    """The containers one level deeper: lists, and the values of objects, as two groups at most."""
    kinds = {*map(type, chain.from_iterable(containers))}
    if list in kinds:
        yield [value for value in chain.from_iterable(containers) if type(value) is list]
    if dict in kinds:
        yield [value.values() for value in chain.from_iterable(containers) if type(value) is dict]


def serde_integer(number: str) -> int | float:
    """A JSON number without fraction and exponent: a float where it does not fit in 64 bits, and for -0.

    >>> serde_integer("18446744073709551615"), serde_integer("18446744073709551616")
    (18446744073709551615, 1.8446744073709552e+19)
    """
    if len(number) <= 20 and number != "-0":
        value = int(number)
        if -(1 << 63) <= value < 1 << 64:
            return value
    return serde_float(number)


def serde_float(number: str) -> float:
    """The double that serde_json makes of a JSON number with a fraction or an exponent.

    Digits are gathered in 64 bits; those that do not fit are dropped. Then one multiplication or division by a power
    of ten rounds once more.

    >>> serde_float("-1.5"), serde_float("1e-400")
    (-1.5, 0.0)
    >>> serde_float("50848319.595509221123784881341282") == 50848319.595509221123784881341282
    False
    """
    mantissa, _, power = number.lower().partition("e")
    whole, _, fraction = mantissa.removeprefix("-").partition(".")
    exponent = _exponent(power) if power else 0
    if len(whole) + len(fraction) <= _DIGITS_THAT_FIT:
        significand = int(whole + fraction)
        exponent -= len(fraction)
    else:
        significand, dropped = _gathered(0, whole)
        exponent += dropped
        if not dropped:
            significand, dropped = _gathered(significand, fraction)
            exponent -= len(fraction) - dropped
    value = _scaled(float(significand), exponent)
    return -value if number.startswith("-") else value


def _exponent(power: str) -> int:
    digits = power.lstrip("+-").lstrip("0")
    exponent = int(digits or 0) if len(digits) < 8 else _BEYOND_ALL_EXPONENTS
    return -exponent if power.startswith("-") else exponent


def _gathered(significand: int, digits: str) -> tuple[int, int]:
    """The digits appended as far as they fit in 64 bits, and how many did not."""
    for count, digit in enumerate(digits):
        longer = significand * 10 + int(digit)
        if longer > _MOST_SIGNIFICAND:
            return significand, len(digits) - count
        significand = longer
    return significand, 0


def _scaled(value: float, exponent: int) -> float:
    while exponent < -_MOST_EXPONENT and value:
        value /= 1e308
        exponent += _MOST_EXPONENT
    if not value:
        return value
    if exponent < 0:
        return value / _POWERS_OF_TEN[-exponent]
    if exponent > _MOST_EXPONENT or isinf(value * _POWERS_OF_TEN[exponent]):
        raise OverflowError("number out of range")
    return value * _POWERS_OF_TEN[exponent]
