"""A record comes back from JSON as it was, and nothing else is taken for one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.core.evidence import Evidence, SeenToken, StageDifference
from conformance.core.records import from_json, to_json
from conformance.engine.plan import ModelPlan

MODEL = ModelPlan("m", Path("a") / "\udcff.json", "tokenizer.json", "tokenizers")


def test_a_record_with_a_path_and_lone_surrogates_comes_back() -> None:
    assert from_json(json.loads(json.dumps(to_json(MODEL))), ModelPlan) == MODEL
    stage = StageDifference("Model", ("\ud800",), (), "a", "b")
    evidence = Evidence((SeenToken(1, "\udfff", (0, 1)),), stage=stage)
    assert from_json(json.loads(json.dumps(to_json(evidence))), Evidence) == evidence


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"decoded": [{"id": 1, "colour": 2}]}, "'colour' is not known"),
        ({"stage": {"stage": "Model"}}, "missing required field `expected`"),
        ({"skipped": 1.5}, r"Expected `int`, got `float` - at `\$\.skipped`"),
        ({"is_cut": 1}, r"Expected `bool`, got `int` - at `\$\.is_cut`"),
        ([], "Expected `object`, got `array`"),
    ],
)
def test_what_is_no_record_is_refused_with_its_place(value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_json(value, Evidence)
