"""docs/rules.md lists every rule that a finding can name."""

from __future__ import annotations

from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from conformance.core.observation import Failure
from conformance.faults import decoding_faults, faults, of_classes
from conformance.faults.older_releases import release_decoding_faults, release_faults
from reftok import embedded_models
from tests.models import load

from ..diagnosis.test_stream_defects import DECODING_DEFECTS, ENCODING_DEFECTS

FAILURES = get_args(get_type_hints(Failure)["kind"])
TAXONOMY = Path(__file__).parents[3] / "docs" / "rules.md"


def documented() -> dict[str, set[str]]:
    """Stage to its rules."""
    rules: dict[str, set[str]] = {}
    for section in TAXONOMY.read_text("utf-8").split("\n## ")[1:]:
        stage = section.partition("\n")[0].partition(":")[0]
        cells = [line.split(" | ")[0].removeprefix("| ") for line in section.splitlines() if line.startswith("| ")]
        rules[stage] = {rule for cell in cells for rule in (cell, *cell.split(", "))}
    return rules


@pytest.mark.parametrize("model", sorted(embedded_models()))
def test_every_rule_of_a_fault_is_documented_under_its_stage(model: str) -> None:
    tokenizer = load(model)
    found = (
        *faults(tokenizer),
        *of_classes(tokenizer, "é"),
        *release_faults(tokenizer),
        *decoding_faults(tokenizer),
        *release_decoding_faults(tokenizer),
    )
    rules = documented()
    missing = sorted((one.stage, one.rule) for one in found if one.rule not in rules[one.stage])
    assert missing == []


@pytest.mark.parametrize(("stage", "rule"), sorted({defect[2:] for defect in (*ENCODING_DEFECTS, *DECODING_DEFECTS)}))
def test_every_rule_of_a_planted_defect_of_streams_is_documented_under_its_stage(stage: str, rule: str) -> None:
    assert rule in documented()[stage or "Streams"]


@pytest.mark.parametrize("kind", FAILURES)
def test_every_kind_of_missing_answer_is_documented(kind: str) -> None:
    assert kind in documented()["Any check"]
