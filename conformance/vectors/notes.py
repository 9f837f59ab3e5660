"""Notes: what the flags of vectors mean, from the table of rules that docs/rules.md is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from conformance.core.rule_table import STREAMS, usual_cause
from conformance.engine.settings_edits import STAGES as SETTINGS
from conformance.inputs.vector_file import Note

MOST_LINKS = 5
_EFFECTS = {"Offsets": "other offsets", "Decoder": "other text", "Streams": "a stream that differs from the whole"}


def flag_of(stage: str, rule: str) -> str:
    """The flag of a rule.

    >>> flag_of("Normalizer", "NFC is missing"), flag_of("", "the end is never given out")
    ('Normalizer: NFC is missing', 'Streams: the end is never given out')
    """
    return f"{stage or STREAMS}: {rule}"


def notes_of(flags: Iterable[str], links: Mapping[str, Iterable[str]]) -> dict[str, Note]:
    """The notes of flags, sorted. links: the issues by flag."""
    return {flag: _note(flag, sorted(links.get(flag, ()))[:MOST_LINKS]) for flag in sorted({*flags})}


def _note(flag: str, links: Iterable[str]) -> Note:
    stage, _, rule = flag.partition(": ")
    is_of_settings = rule in SETTINGS or rule.endswith(" with settings")
    effect = "another answer with settings" if is_of_settings else _EFFECTS.get(stage, "other ids")
    return Note(stage=stage, rule=rule, effect=effect, description=usual_cause(stage, rule), links=tuple(links))
