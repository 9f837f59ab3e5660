"""The natural logarithm in single precision, as the C library of Linux has it.

Word and character models score a piece by it, and it is not the double logarithm rounded to float32: of the first four
million whole numbers it gives another last bit for 570, the first of which is 1579.

Source: `logf` of the GNU C library since 2.27 (sysdeps/ieee754/flt-32/e_logf.c and its table), which sentencepiece's
Linux wheels call: the float32 is brought into [0.7, 1.4] by a power of two, 16 intervals of which have a number near
their middle whose inverse and logarithm are known, and a polynomial of degree three in double precision does the rest.
"""

from __future__ import annotations

import struct

_INTERVALS = tuple(
    (float.fromhex(inverse), float.fromhex(logarithm))
    for inverse, logarithm in (
        ("0x1.661ec79f8f3bep+0", "-0x1.57bf7808caadep-2"),
        ("0x1.571ed4aaf883dp+0", "-0x1.2bef0a7c06ddbp-2"),
        ("0x1.49539f0f010bp+0", "-0x1.01eae7f513a67p-2"),
        ("0x1.3c995b0b80385p+0", "-0x1.b31d8a68224e9p-3"),
        ("0x1.30d190c8864a5p+0", "-0x1.6574f0ac07758p-3"),
        ("0x1.25e227b0b8eap+0", "-0x1.1aa2bc79c81p-3"),
        ("0x1.1bb4a4a1a343fp+0", "-0x1.a4e76ce8c0e5ep-4"),
        ("0x1.12358f08ae5bap+0", "-0x1.1973c5a611cccp-4"),
        ("0x1.0953f419900a7p+0", "-0x1.252f438e10c1ep-5"),
        ("0x1p+0", "0x0p+0"),
        ("0x1.e608cfd9a47acp-1", "0x1.aa5aa5df25984p-5"),
        ("0x1.ca4b31f026aap-1", "0x1.c5e53aa362eb4p-4"),
        ("0x1.b2036576afce6p-1", "0x1.526e57720db08p-3"),
        ("0x1.9c2d163a1aa2dp-1", "0x1.bc2860d22477p-3"),
        ("0x1.886e6037841edp-1", "0x1.1058bc8a07ee1p-2"),
        ("0x1.767dcf5534862p-1", "0x1.4043057b6ee09p-2"),
    )
)
_CUBIC, _QUADRATIC, _LINEAR = map(
    float.fromhex, ("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2")
)
_LOG_OF_TWO = float.fromhex("0x1.62e42fefa39efp-1")
_SMALLEST_SIGNIFICAND = 0x3F330000


def log_float32(number: int) -> float:
    """The logarithm of a whole number, first rounded to float32, as a float32.

    number: 1 or more.

    >>> log_float32(1), log_float32(1579)
    (0.0, 7.364546775817871)
    """
    bits: int = struct.unpack("<I", struct.pack("<f", number))[0]
    offset = bits - _SMALLEST_SIGNIFICAND
    exponent = offset >> 23
    inverse, logarithm = _INTERVALS[offset >> 19 & 15]
    significand: float = struct.unpack("<f", struct.pack("<I", bits - (exponent << 23)))[0]
    rest = significand * inverse - 1.0
    square = rest * rest
    polynomial = _CUBIC * square + (_QUADRATIC * rest + _LINEAR)
    result: float = struct.unpack(
        "<f", struct.pack("<f", polynomial * square + (logarithm + exponent * _LOG_OF_TWO + rest))
    )[0]
    return result
