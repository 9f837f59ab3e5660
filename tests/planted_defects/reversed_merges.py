"""The merge of the highest rank goes first: a priority queue with the wrong sign."""

from __future__ import annotations

from typing import Any

from official import Official


class Subject(Official):
    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        bpe = model["model"]
        return {**model, "model": {**bpe, "merges": bpe["merges"][::-1]}}
