"""Durations as people write them: 90s, 10m, 1h30m, 2d."""

from __future__ import annotations

import re

_TIME = re.compile(
    r"(?:(?P<d>[0-9]+)d)?(?:(?P<h>[0-9]+)h)?(?:(?P<m>[0-9]+)m)?(?:(?P<s>[0-9]+(?:\.[0-9]+)?)s?)?", re.ASCII
)
_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}


def seconds_of(text: str) -> float | None:
    """The seconds of a duration; a number alone is of seconds. None for what is no duration, or none at all.

    >>> seconds_of("1h30m"), seconds_of("2.5"), seconds_of("0s"), seconds_of("soon")
    (5400.0, 2.5, None, None)
    """
    found = _TIME.fullmatch(text)
    named = found.groupdict().items() if found else ()
    return sum(float(number) * _SECONDS[unit] for unit, number in named if number) or None
