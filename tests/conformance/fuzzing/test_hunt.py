"""Short sessions in this process find planted defects of every stage; `tests.planted_defects.hunt` hunts them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.fuzzing.sessions import run, session_job
from tests.planted_defects.catalogue import DEFECTS, Defect
from tests.planted_defects.hunt import PLANTED

pytestmark = pytest.mark.usefixtures("subjects_here")

CASES = 512
"""Two shards of the first generation, within which the defects chosen here show."""
CHECKS = ("ids", "offsets", "decode")
HUNTED = {
    "no_nfc.py:Subject",
    "wrong_added_tokens.py:NoRightStrip",
    "wrong_pre_tokenizers.py:DigitsAlone",
    "wrong_models.py:NoByteFallback",
    "byte_offsets.py:Subject",
    "wrong_decoders.py:CleanedUp",
}
"""That those of the other stages are named, tests/conformance/test_planted_defects.py holds."""
CHOSEN = [defect for defect in DEFECTS if defect.subject in HUNTED]


@pytest.mark.parametrize("defect", CHOSEN, ids=lambda defect: defect.name)
def test_a_session_finds_a_planted_defect_and_names_its_stage(defect: Defect, tmp_path: Path) -> None:
    subject = str(PLANTED / defect.subject)
    job = session_job(tmp_path / "session", CASES, model=defect.model, subjects=(subject,), checks=CHECKS)
    found = [finding for finding in run(job).run.findings if finding.example.subject == defect.subject]
    assert {(finding.stage, finding.rule) for finding in found} == {(defect.stage, defect.rule)}
