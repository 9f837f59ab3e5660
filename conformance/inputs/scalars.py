"""Every Unicode scalar value, alone and in context: where a table of characters differs, this shows it."""

from __future__ import annotations

from conformance.core.case import Case, text_case

SURROGATES = range(0xD800, 0xE000)
SCALARS = 0x110000 - len(SURROGATES)
"""There are 1,112,064 scalar values."""


def scalar(number: int) -> int:
    """The scalar value with this number, counted from 0: every code point but the surrogates.

    >>> f"U+{scalar(0xD7FF):04X} U+{scalar(0xD800):04X} U+{scalar(SCALARS - 1):04X}"
    'U+D7FF U+E000 U+10FFFF'
    """
    return number if number < SURROGATES.start else number + len(SURROGATES)


def scalar_cases(value: int) -> tuple[Case, Case]:
    r"""The character with this scalar value alone, and in context.

    The context is a line each: doubled, between letters, digits and spaces, after an apostrophe and a base letter.

    >>> [case.text for case in scalar_cases(0xE9)]
    ['é', "éé\naéb\n1é2\n é \n'é\neé"]
    """
    character = chr(value)
    origin = f"scalars:U+{value:04X}"
    context = f"{character}{character}\na{character}b\n1{character}2\n {character} \n'{character}\ne{character}"
    return text_case(character, origin), text_case(context, f"{origin}:context")
