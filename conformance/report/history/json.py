"""A history as JSON: everything that the other forms show, whole."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from conformance.comparing.history import CauseTrend, History
from conformance.core.run import finding_to_json
from conformance.report.history import view

SCHEMA_VERSION = 1


def history_json(history: History) -> str:
    """The document; in ASCII and sorted, so that the same runs give the same bytes."""
    value = {
        "schema": SCHEMA_VERSION,
        "headline": view.headline(history),
        "runs": [{**asdict(point), "changed": list(map(list, point.changed))} for point in history.runs],
        "causes": [_cause(cause, history) for cause in history.causes],
    }
    return json.dumps(value, indent=1, ensure_ascii=True, sort_keys=True) + "\n"


def _cause(cause: CauseTrend, history: History) -> dict[str, Any]:
    names = ("subject", "stage", "rule", "is_there")
    return {
        **{name: getattr(cause, name) for name in names},
        **{name: list(getattr(cause, name)) for name in ("mismatches", "is_known", "models")},
        "turns": [{"run": history.runs[number].name, "came": came} for number, came in cause.turns],
        "example": finding_to_json(cause.example),
    }
