"""Releases of a library, and ranges of them: what an expectation holds for, and how a matrix is ordered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_BOUND = re.compile(r"(>=|<)(\d+(?:\.\d+)*)", re.ASCII)
_RANGE = re.compile(rf"([A-Za-z][\w.-]*)((?:{_BOUND.pattern}(?:,(?!$)|$))*)", re.ASCII)
_LEADING_NUMBERS = re.compile(r"\d+(?:\.\d+)*", re.ASCII)


def release(version: str) -> tuple[int, ...]:
    """The numbers of a version, without zeros at the end; what follows them (rc1, .dev0) does not count.

    >>> release("0.21.4"), release("0.23.0"), release("0.22.0rc1"), release("")
    ((0, 21, 4), (0, 23), (0, 22), ())
    """
    match = _LEADING_NUMBERS.match(version)
    numbers = [int(number) for number in match[0].split(".")] if match else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


@dataclass(frozen=True, slots=True)
class Releases:
    """Releases of one library: from `first` on, and before `end`; "" where there is no such bound."""

    library: str
    first: str = ""
    end: str = ""

    def have(self, versions: Mapping[str, str]) -> bool:
        """Whether the installed release is among them; one that is not installed is not.

        versions: of each library, as `installed_versions` gives them.

        >>> Releases("tokenizers", first="0.21.4").have({"tokenizers": "0.23.3"})
        True
        """
        version = versions.get(self.library, "")
        if not version:
            return False
        return release(self.first) <= release(version) and (not self.end or release(version) < release(self.end))


def read_releases(text: str) -> Releases:
    """The releases of a range, written as a requirement of Python is: a name and at most one `>=` and one `<`.

    Raises ValueError for anything else.

    >>> read_releases("tokenizers>=0.21,<0.22"), read_releases("tokenizers")
    (Releases(library='tokenizers', first='0.21', end='0.22'), Releases(library='tokenizers', first='', end=''))
    """
    match = _RANGE.fullmatch(text)
    bounds = _BOUND.findall(match[2]) if match else []
    if match is None or len(dict(bounds)) < len(bounds):
        raise ValueError(f"{text!r} is not a library with at most one >= and one <")
    return Releases(match[1], dict(bounds).get(">=", ""), dict(bounds).get("<", ""))
