"""Releases of a library, their order, and the ranges that expectations hold for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

_OPERATORS = ("", "<", ">=", "<>=")


def release(version: str) -> Version:
    """The release that a version belongs to: rc1, .dev0 and the like do not count. 0 for what is no version.

    >>> release("0.21.4"), release("0.23.0") == release("0.23"), release("0.22.0rc1"), release("")
    (<Version('0.21.4')>, True, <Version('0.22.0')>, <Version('0')>)
    """
    try:
        return Version(Version(version).base_version)
    except ValueError:  # one of more digits than Python reads, too
        return Version("0")


@dataclass(frozen=True, slots=True)
class Releases:
    """The releases of one library that are within bounds."""

    library: str
    bounds: SpecifierSet

    def have(self, versions: Mapping[str, str]) -> bool:
        """Whether the installed release is among them; one that is not installed is not.

        versions: of each library, as `installed_versions` gives them.

        >>> read_releases("tokenizers>=0.21.4").have({"tokenizers": "0.23.3"})
        True
        """
        version = versions.get(self.library, "")
        return bool(version) and release(version) in self.bounds


def read_releases(text: str) -> Releases:
    """The releases of a range, written as a requirement of Python is: a name and at most one `>=` and one `<`.

    Raises ValueError for anything else.

    >>> read_releases("tokenizers>=0.21,<0.22")
    Releases(library='tokenizers', bounds=<SpecifierSet('<0.22,>=0.21')>)
    """
    refusal = ValueError(f"{text!r} is not a library with at most one >= and one <")
    try:
        read = Requirement(text)
    except InvalidRequirement:
        raise refusal from None
    operators = "".join(sorted(bound.operator for bound in read.specifier))
    if operators not in _OPERATORS or read.extras or read.url or read.marker:
        raise refusal
    return Releases(read.name, read.specifier)
