"""Names as the command line takes them, which need no quotes there."""

from __future__ import annotations

import re
from collections.abc import Iterable


def slug(name: str) -> str:
    """The letters of a name.

    >>> slug("batch = single")
    'batch-single'
    """
    return "-".join(re.findall(r"[a-z]+", name))


def named(given: str, names: Iterable[str]) -> str | None:
    """The one of some names that is given as it is, or by its slug; None where there is none.

    >>> [named(given, ("ids", "batch = single")) for given in ("batch-single", "batch = single", "batch")]
    ['batch = single', 'batch = single', None]
    """
    return next((name for name in names if given in (name, slug(name))), None)
