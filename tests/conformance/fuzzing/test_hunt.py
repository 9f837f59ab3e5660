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
    "wrong_inputs.py:TrailingSpace",
    "no_nfc.py:Subject",
    "wrong_normalizers.py:NoDummyPrefix",
    "wrong_added_tokens.py:NoRightStrip",
    "wrong_pre_tokenizers.py:DigitsAlone",
    "wrong_pre_tokenizers.py:NoLookahead",
    "reversed_merges.py:Subject",
    "wrong_models.py:NoByteFallback",
    "wrong_post_processors.py:EndAdded",
    "byte_offsets.py:Subject",
    "wrong_decoders.py:CleanedUp",
    "wrong_decoders.py:LatinBytes",
}
CHOSEN = [defect for defect in DEFECTS if defect.subject in HUNTED]


@pytest.mark.parametrize("defect", CHOSEN, ids=lambda defect: defect.name)
def test_a_session_finds_a_planted_defect_and_names_its_stage(defect: Defect, tmp_path: Path) -> None:
    subject = str(PLANTED / defect.subject)
    job = session_job(tmp_path / "session", CASES, model=defect.model, subjects=(subject,), checks=CHECKS)
    found = [finding for finding in run(job).run.findings if finding.example.subject == defect.subject]
    assert {(finding.stage, finding.rule) for finding in found} == {(defect.stage, defect.rule)}


def test_defects_of_every_stage_are_hunted() -> None:
    assert len(CHOSEN) == len(HUNTED)
    assert {defect.stage for defect in CHOSEN} == {defect.stage for defect in DEFECTS if defect.stage}
