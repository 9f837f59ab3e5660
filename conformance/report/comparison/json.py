"""A comparison of two runs as JSON: everything that the other forms show, whole."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from conformance.comparing.comparison import KINDS, Comparison, FindingChange
from conformance.core.run import Run, finding_to_json
from conformance.report.comparison.view import counted_line, counts, headline, unlike

SCHEMA_VERSION = 1


def comparison_json(comparison: Comparison) -> str:
    """The document; in ASCII and sorted, so that the same runs give the same bytes."""
    return json.dumps(comparison_to_json(comparison), indent=1, ensure_ascii=True, sort_keys=True) + "\n"


def comparison_to_json(comparison: Comparison) -> dict[str, Any]:
    """A comparison as JSON values."""
    return {
        "schema": SCHEMA_VERSION,
        "verdict": comparison.verdict,
        "headline": headline(comparison),
        "unlike": unlike(comparison),
        "counts": {count.name: count.number for count in counts(comparison)},
        "exit_code": comparison.exit_code,
        "runs": {"before": _run(comparison.before), "after": _run(comparison.after)},
        "notes": list(comparison.notes),
        "findings": {kind: [_change(change) for change in comparison.of(kind)] for kind in KINDS},
        "versions": [asdict(change) for change in comparison.versions],
        "coverage": [asdict(part) for part in comparison.coverage],
        "cells": [asdict(place) for place in comparison.places],
        "problems": {"new": list(comparison.new_problems), "fixed": list(comparison.fixed_problems)},
        "tallies": {name: [asdict(tally) for tally in tallies] for name, tallies in comparison.tallies.items()},
        "counted": counted_line(comparison),
    }


def _run(run: Run) -> dict[str, Any]:
    names = ("verdict", "command", "seed", "cases", "answers", "started", "unexpected")
    return {**{name: getattr(run, name) for name in names}, "versions": dict(run.versions)}


def _change(change: FindingChange) -> dict[str, Any]:
    return {
        "fingerprint": change.finding.fingerprint,
        "worse": change.is_worse,
        "before": finding_to_json(change.before) if change.before else None,
        "after": finding_to_json(change.after) if change.after else None,
        "changes": [asdict(part) for part in change.changes],
    }
