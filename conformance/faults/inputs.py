"""Ways to get it wrong before the first stage."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from conformance.faults.fault import Faults, of_text
from reftok import Tokenizer

_ABOVE_UTF_16 = re.compile("[\U00010000-\U0010ffff]")
_ZERO_WIDTH = dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))


def of_input(tokenizer: Tokenizer) -> Faults:
    """Texts that are changed on their way in, the smallest change first.

    Who guards against injection takes all special tokens out of a text, or those that look like it: `<|…|>`.
    """
    special = [token.content for token in tokenizer.added_tokens.tokens.values() if token.special]
    special.sort(key=len, reverse=True)
    between_bars = [content for content in special if content.startswith("<|") and content.endswith("|>")]
    changes: dict[str, Callable[[str], str]] = {
        "text ends at the first NUL": lambda text: text.partition("\0")[0],
        "NULs at the end are lost": lambda text: text.rstrip("\0"),
        "NUL is removed": lambda text: text.replace("\0", ""),
        "line ends are converted to \\n": lambda text: text.replace("\r\n", "\n").replace("\r", "\n"),
        "CR LF is converted to \\n": lambda text: text.replace("\r\n", "\n"),
        "a byte order mark is dropped": lambda text: text.removeprefix("\ufeff"),
        "white space at the end is stripped": str.rstrip,
        "white space at the start is stripped": str.lstrip,
        "white space at the ends is stripped": str.strip,
        "zero-width characters are removed": lambda text: text.translate(_ZERO_WIDTH),
    }
    for rule, change in changes.items():
        yield of_text("Input", rule, tokenizer, change)
    for half in ("?", "\ufffd"):
        yield of_text("Input", "UTF-16 units are encoded one by one", tokenizer, partial(_unit_by_unit, half))
    for removed in (special, between_bars):
        if removed:
            change = partial(_without, removed)
            yield of_text("Input", "special tokens are removed from the text", tokenizer, change)


def of_removed(tokenizer: Tokenizer, characters: str) -> Faults:
    """All of these characters taken out of the text."""
    table = dict.fromkeys(map(ord, characters))
    rule = "zero-width characters are removed" if table.keys() <= _ZERO_WIDTH.keys() else "some characters are removed"
    yield of_text("Input", rule, tokenizer, lambda text: text.translate(table))


def _unit_by_unit(half: str, text: str) -> str:
    """What UTF-8 makes of half a character above U+FFFF: "?" in Java, U+FFFD in JavaScript and C#."""
    return _ABOVE_UTF_16.sub(half * 2, text)


def _without(contents: Sequence[str], text: str) -> str:
    for content in contents:
        text = text.replace(content, "")
    return text
