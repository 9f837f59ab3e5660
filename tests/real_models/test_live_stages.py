"""Published models with every step doubled and a step that matches nothing: which stages a session asks for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.fuzzing.live_stages import live_stages
from conformance.generators.knowledge import model_knowledge
from reftok import load

from .test_reftok import FILES, pytestmark

__all__ = ["pytestmark"]

NOTHING = {"type": "Split", "pattern": {"Regex": "b(?<!b)"}, "behavior": "Isolated", "invert": False}


def steps_of(value: dict[str, Any], kind: str, steps: str) -> list[dict[str, Any]]:
    stage = value.get(kind)
    return [] if stage is None else stage[steps] if stage["type"] == "Sequence" else [stage]


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.name == "tokenizer.json"], ids=lambda path: path.parent.name
)
def test_of_doubled_steps_the_first_ones_count_and_one_that_matches_nothing_does_not(
    tmp_path: Path, path: Path
) -> None:
    value = json.loads(path.read_text("utf-8"))
    normalizers = steps_of(value, "normalizer", "normalizers")
    cuts = steps_of(value, "pre_tokenizer", "pretokenizers")
    value["normalizer"] = {"type": "Sequence", "normalizers": normalizers * 2}
    value["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [*cuts, *cuts, NOTHING]}
    (tmp_path / "tokenizer.json").write_text(json.dumps(value), "utf-8")
    tokenizer = load(tmp_path)
    live = live_stages(tokenizer, model_knowledge(tokenizer))
    stages = [f"{number} {one.stage} {one.component}" for number, one in enumerate(tokenizer.trace("a").stages, 1)]
    normalized = [stage for stage in stages if " Normalizer " in stage]
    cut = [stage for stage in stages if " PreTokenizer " in stage]
    assert {*normalized[: len(normalizers)], *cut[: len(cuts)]} <= {*live}
    assert cut[-1] not in live
