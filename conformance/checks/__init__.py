"""The checks, one property a module."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from conformance.checks.base import Answers, Check
from conformance.checks.batch import BATCH
from conformance.checks.decode import DECODE
from conformance.checks.encoding import IDS, OFFSETS, SPECIAL_TOKENS_MASK, TOKENS
from conformance.checks.library_crash import LIBRARY_CRASH
from conformance.checks.round_trip import ROUND_TRIP
from conformance.checks.stream_decode import STREAM_DECODE
from conformance.checks.stream_encode import STREAM_ENCODE
from conformance.checks.streams import StreamCheck

_ALL: tuple[Check, ...] = (
    IDS,
    TOKENS,
    OFFSETS,
    SPECIAL_TOKENS_MASK,
    DECODE,
    ROUND_TRIP,
    BATCH,
    STREAM_ENCODE,
    STREAM_DECODE,
    LIBRARY_CRASH,
)

CHECKS: Mapping[str, Check] = MappingProxyType({check.name: check for check in _ALL})
"""Every check by name, in the order of the reports."""


def by_rule(check: Check, subject: Answers) -> list[Answers]:
    """The answers of a subject that differ, apart by the rules that they break: streams may break several."""
    return check.by_rule(subject) if isinstance(check, StreamCheck) else [subject]


def of_rule(check: str, subject: Answers, rule: str) -> Answers:
    """The answers of a subject without those that break other rules than this one."""
    found = CHECKS[check]
    return found.of_rule(subject, rule) if isinstance(found, StreamCheck) else subject


CAUSES: Mapping[str, tuple[str, ...]] = MappingProxyType({ROUND_TRIP.name: (IDS.name, DECODE.name)})
"""A check, and those whose difference on the same case is the cause of its own: it is told once."""

SAMPLED = (IDS.name, TOKENS.name, OFFSETS.name, DECODE.name)
"""Checks whose differences are explained by faults, for and against which other answers of the subject speak."""
