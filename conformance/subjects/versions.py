"""The installed versions of the libraries."""

from __future__ import annotations

import platform
from importlib.metadata import version

from conformance.subjects.adapters import BUILT_IN, subject_version
from conformance.subjects.base import UnavailableError


def installed_versions() -> dict[str, str]:
    """Every library that decides an answer, with its version, and the interpreter; what is not installed is left out.

    >>> sorted({"python", "regex", "reftok"} & installed_versions().keys())
    ['python', 'reftok', 'regex']
    """
    names = {name: installed_version(name) for name in BUILT_IN}
    return {
        **{name: number for name, number in names.items() if number},
        "regex": version("regex"),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }


def installed_version(name: str) -> str:
    """The version of a subject, "" for one from a file and for what is not installed."""
    try:
        return subject_version(name)
    except UnavailableError:
        return ""
