"""The checks, one property a module."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from conformance.checks.bare import BARE
from conformance.checks.base import Check
from conformance.checks.batch import BATCH
from conformance.checks.chat import CHAT
from conformance.checks.decode import DECODE
from conformance.checks.encoding import IDS, OFFSETS, SPECIAL_TOKENS_MASK, TOKENS
from conformance.checks.library_crash import LIBRARY_CRASH
from conformance.checks.round_trip import ROUND_TRIP
from conformance.checks.settings import SETTINGS
from conformance.checks.stream_decode import STREAM_DECODE
from conformance.checks.stream_encode import STREAM_ENCODE
from conformance.core.finding import SEVERITIES, Finding
from conformance.core.weight import WEIGHT_CLASSES

_ALL: tuple[Check, ...] = (
    IDS,
    TOKENS,
    OFFSETS,
    SPECIAL_TOKENS_MASK,
    BARE,
    SETTINGS,
    CHAT,
    DECODE,
    ROUND_TRIP,
    BATCH,
    STREAM_ENCODE,
    STREAM_DECODE,
    LIBRARY_CRASH,
)

_CHECKS = {check.name: check for check in _ALL}
CHECKS: Mapping[str, Check] = MappingProxyType(_CHECKS)
"""Every check by name, in the order of the reports."""


def by_weight(finding: Finding) -> tuple[bool, bool, int, float, bool, bool, int, int, str, str, str, str]:
    """The order of findings: new before known, what was not even asked last among them.

    By their class, then by the share of natural texts that they change. Of equals, injections stand first, then causes
    seen in the ids before what follows from them; then severity and frequency.
    """
    example = finding.example
    is_cause = example.check == IDS.name and finding.rule != example.rule
    names = (*example.place, finding.fingerprint)
    severity = SEVERITIES.index(example.severity)
    was_asked = example.rule != "not asked"
    weight = WEIGHT_CLASSES.index(finding.weight.kind), -finding.weight.rate
    rank = severity > 0, not is_cause, severity, -finding.count
    return finding.status != "new", not was_asked, *weight, *rank, *names
