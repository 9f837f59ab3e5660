"""Notes: what the flags of vectors mean, from the table of rules that docs/rules.md is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from conformance.core.resources import rules_file
from conformance.inputs.vector_file import Note

MOST_LINKS = 5
_EFFECTS = {"Offsets": "other offsets", "Decoder": "other text", "Streams": "a stream that differs from the whole"}


def flag_of(stage: str, rule: str) -> str:
    """The flag of a rule.

    >>> flag_of("Normalizer", "NFC is missing"), flag_of("", "the end is never given out")
    ('Normalizer: NFC is missing', 'Streams: the end is never given out')
    """
    return f"{stage or 'Streams'}: {rule}"


def notes_of(flags: Iterable[str], links: Mapping[str, Iterable[str]]) -> dict[str, Note]:
    """The notes of flags, sorted. links: the issues by flag."""
    return {flag: _note(flag, sorted(links.get(flag, ()))[:MOST_LINKS]) for flag in sorted({*flags})}


def _note(flag: str, links: Iterable[str]) -> Note:
    stage, _, rule = flag.partition(": ")
    effect = _EFFECTS.get(stage, "other ids")
    return Note(stage=stage, rule=rule, effect=effect, description=description(rule), links=tuple(links))


def description(rule: str) -> str:
    """How a rule comes about; "" for one that docs/rules.md does not have.

    >>> description("text ends at the first NUL")
    'a C string'
    """
    cells = _cells()
    exact = next((told for name, told in cells if rule in (name, *name.split(", "))), None)
    return exact if exact is not None else next((told for name, told in cells if rule in name), "")


@cache
def _cells() -> list[tuple[str, str]]:
    """The rules of each line of the tables, and what is said of them."""
    lines = (line for line in rules_file().read_text("utf-8").splitlines() if line.startswith("| "))
    rows = (line.replace("\\|", "\0").strip("| ").split(" | ") for line in lines)
    return [(row[-2].replace("\0", "|"), row[-1].replace("\0", "|")) for row in rows if len(row) > 1]
