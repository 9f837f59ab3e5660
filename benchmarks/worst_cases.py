"""Inputs made to be slow: 100,000 characters that a cache, a pattern or a merge loop does not like."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import reftok
from benchmarks.candidates import Encode, load_official, load_reference
from benchmarks.measuring import prepared_medians

LENGTH = 100_000
"""Code points."""


def _random(characters: str) -> Callable[[int], str]:
    return lambda length: "".join(Random(0).choices(characters, k=length))


def _repeated(unit: str) -> Callable[[int], str]:
    return lambda length: (unit * (length // len(unit) + 1))[:length]


def _range(first: int, last: int) -> str:
    return "".join(map(chr, range(first, last + 1)))


WORST_CASES: dict[str, Callable[[int], str]] = {
    "equal letters": _repeated("a"),
    "two letters in turn": _repeated("ab"),
    "random letters": _random("abcdefghijklmnopqrstuvwxyz"),
    "random letters of both cases": _random("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "spaces": _repeated(" "),
    "tabs": _repeated("\t"),
    "line ends": _repeated("\n"),
    "mixed white space": _random(" \t\n\r\u00a0\u3000"),
    "digits": _random("0123456789"),
    "digits and letters": _random("0123456789abcdefghijklmnopqrstuvwxyz"),
    "apostrophes": _repeated("'"),
    "contractions cut short": _repeated("'l"),
    "punctuation": _random("!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~"),
    "CJK without spaces": _random(_range(0x4E00, 0x9FFF)),
    "kana without spaces": _random(_range(0x3041, 0x3096)),
    "hangul": _random(_range(0xAC00, 0xD7A3)),
    "combining marks": _random(_range(0x300, 0x36F)),
    "a letter under many marks": lambda length: "a" + _random(_range(0x300, 0x36F))(length - 1),
    "a letter under two marks in turn": lambda length: "a" + _repeated("\u0301\u0323")(length - 1),
    "emoji": _random(_range(0x1F600, 0x1F64F)),
    "joined emoji": _repeated("\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d"),
    "latin-1 noise": _random(_range(0xA1, 0xFF)),
    "private use": _random(_range(0xE000, 0xF8FF)),
    "letters, then digits, without end": _repeated("a1"),
    "a word again and again": _repeated("guidance "),
    "white space before a line end that never comes": lambda length: " \t" * (length // 2 - 1) + "a",
}
"""Name to what makes a text of so many code points.

The last of them is for patterns such as ``\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+``, which look for the end of a run of white
space from each of its characters. A word again and again is for what is remembered: with a Unigram `.model` it cannot
be looked up where the score of the whole text comes near to the threshold beyond which the library takes it off.
"""


def worst_case_rows(model: str, rounds: int) -> Iterator[tuple[str, str]]:
    """The time as a multiple of the official library's, and of that of a tenth of the length.

    All caches are empty at each measurement.
    """
    tokenizer = reftok.load(model)
    for name, make in WORST_CASES.items():
        whole, tenth = make(LENGTH), make(LENGTH // 10)
        if load_official(tokenizer.library, model)(whole) != tokenizer.encode_ids(whole):
            raise AssertionError(f"{name}: other ids than {tokenizer.library}'s")
        seconds = prepared_medians(
            {
                "official": _once(lambda: load_official(tokenizer.library, model), whole),
                "reftok": _once(lambda: load_reference(model), whole),
                "tenth": _once(lambda: load_reference(model), tenth),
            },
            rounds,
        )
        ratio, growth = seconds["reftok"] / seconds["official"], seconds["reftok"] / seconds["tenth"]
        milliseconds = 1000 * seconds["reftok"]
        yield name, f"{ratio:.2f}x {tokenizer.library}'s time, {growth:.1f}x a tenth's, {milliseconds:.0f} ms"


def _once(load: Callable[[], Encode], text: str) -> Callable[[], Callable[[], object]]:
    def prepare() -> Callable[[], object]:
        encode = load()
        return lambda: encode(text)

    return prepare
