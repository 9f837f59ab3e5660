"""A matrix of releases as JSON: everything that the other forms show, whole."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from conformance.comparing.matrix import Behaviour, LibraryMatrix, ReleaseCell
from conformance.core.run import finding_to_json
from conformance.report.matrix.view import history, summary_lines

SCHEMA_VERSION = 1


def matrix_json(libraries: Sequence[LibraryMatrix]) -> str:
    """The document; in ASCII and sorted, so that the same runs give the same bytes."""
    value = {"schema": SCHEMA_VERSION, "libraries": [_library(library) for library in libraries]}
    return json.dumps(value, indent=1, ensure_ascii=True, sort_keys=True) + "\n"


def _library(library: LibraryMatrix) -> dict[str, Any]:
    return {
        "library": library.library,
        "releases": list(library.releases),
        "summary": list(summary_lines(library)),
        "rows": [
            {"model": row.model, "check": row.check, "cells": [_cell(cell) for cell in row.cells]}
            for row in library.rows
        ],
        "behaviours": [_behaviour(behaviour) for behaviour in library.behaviours],
        "gaps": [asdict(gap) for gap in library.gaps],
    }


def _cell(cell: ReleaseCell) -> dict[str, Any]:
    return {**asdict(cell), "state": cell.state}


def _behaviour(behaviour: Behaviour) -> dict[str, Any]:
    names = ("subject", "check", "stage", "rule")
    return {
        **{name: getattr(behaviour, name) for name in names},
        **{name: list(getattr(behaviour, name)) for name in ("asked", "seen", "models")},
        "mismatches": dict(behaviour.mismatches),
        "changed": behaviour.has_changed,
        "history": history(behaviour),
        "example": finding_to_json(behaviour.example),
    }
