"""Added tokens are not cut out of the text: a port that reads vocab and merges and nothing else."""

from __future__ import annotations

from typing import Any

from official import Official


class Subject(Official):
    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        return {**model, "added_tokens": []}
