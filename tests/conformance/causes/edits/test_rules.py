"""docs/rules.md lists every rule that a finding can name."""

from __future__ import annotations

from typing import get_args, get_type_hints

import pytest

from conformance.causes.edits import decoding_faults, faults, of_classes
from conformance.causes.edits.older_releases import release_decoding_faults, release_faults
from conformance.core.observation import Failure
from conformance.core.resources import rules_file
from conformance.core.rule_table import rows, usual_cause
from conformance.engine.repeating import UNREPEATED
from conformance.engine.settings_edits import EDITS, Edit
from reftok import embedded_models
from tests.conformance.causes.test_stream_defects import DECODING_DEFECTS, ENCODING_DEFECTS
from tests.models import load

FAILURES = get_args(get_type_hints(Failure)["kind"])


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
    assert sorted((one.stage, one.rule) for one in found if not usual_cause(one.stage, one.rule)) == []


@pytest.mark.parametrize(("stage", "rule"), sorted({defect[2:] for defect in (*ENCODING_DEFECTS, *DECODING_DEFECTS)}))
def test_every_rule_of_a_planted_defect_of_streams_is_documented_under_its_stage(stage: str, rule: str) -> None:
    assert usual_cause(stage, rule)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.rule)
def test_every_rule_of_settings_is_documented_under_its_stage(edit: Edit) -> None:
    assert usual_cause(edit.stage, edit.rule)


@pytest.mark.parametrize("kind", FAILURES)
def test_every_kind_of_missing_answer_is_documented(kind: str) -> None:
    assert usual_cause("", kind)


@pytest.mark.parametrize("rule", UNREPEATED)
def test_what_a_subject_does_not_repeat_is_documented(rule: str) -> None:
    assert usual_cause("", rule)


def test_each_line_has_a_code_of_its_stage_that_no_other_line_has() -> None:
    begins = {row.section: row.code[:3] for row in rows()}
    assert [row.code for row in rows() if not row.code.startswith(begins[row.section])] == []
    assert len({row.code for row in rows()}) == len(rows()) > 300
    assert len({*begins.values()}) == len(begins)


def test_a_usual_cause_is_that_of_the_stage() -> None:
    """Fault: a note about decoding had the cause of the rule of that name about inputs."""
    assert usual_cause("Decoder", "a byte order mark is dropped").startswith("TextDecoder of JavaScript")
    assert usual_cause("Input", "a byte order mark is dropped") == 'the encoding "utf-8-sig"'


@pytest.mark.parametrize(
    ("stage", "rule"),
    [
        ("Input", "the text is cut at 4,096 bytes"),
        ("Model", "ids overflow at 2^16"),
        ("PreTokenizer", "characters are those of Unicode 15.1"),
        ("AddedTokens", "<|im_end|> is not matched"),
        ("PostProcessor", "added: <s> at the start, </s> at the end"),
    ],
)
def test_a_rule_with_a_number_or_a_token_in_it_has_a_usual_cause(stage: str, rule: str) -> None:
    """Fault: the notes of vectors had none."""
    assert usual_cause(stage, rule)


def test_no_cause_leans_on_the_line_above() -> None:
    """Fault: the note of a vector said "the same", and nothing else."""
    assert [line for line in rules_file().read_text("utf-8").splitlines() if "| the same" in line] == []
