"""The checks, one property a module."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from conformance.checks.base import Check
from conformance.checks.batch import BATCH
from conformance.checks.decode import DECODE
from conformance.checks.encoding import IDS, OFFSETS, SPECIAL_TOKENS_MASK, TOKENS
from conformance.checks.library_crash import LIBRARY_CRASH
from conformance.checks.round_trip import ROUND_TRIP
from conformance.checks.stream_decode import STREAM_DECODE
from conformance.checks.stream_encode import STREAM_ENCODE

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

_CHECKS = {check.name: check for check in _ALL}
CHECKS: Mapping[str, Check] = MappingProxyType(_CHECKS)
"""Every check by name, in the order of the reports."""
