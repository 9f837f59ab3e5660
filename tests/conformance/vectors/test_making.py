"""Vectors are made of the official library's answers, the same bytes on any number of workers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.core.rule_table import usual_cause
from conformance.inputs.vector_file import DecodeGroup, EncodeGroup, EncodeVector, written
from conformance.runs.models import plan_models
from conformance.vectors import making
from conformance.vectors.making import Maker
from conformance.vectors.notes import flag_of
from conformance.vectors.questions import Question

NEW = "x\u0301\u07fd"
"""Marks in another order than the canonical one, of which one came with Unicode 11."""
QUESTIONS = [
    Question(NEW),
    Question("cafe\u0301"),
    Question("a\r\nb", frozenset({("known bugs", "x")}), "the comment", ("a/b#1",)),
    Question("It's 1234  ok <|im_end|> a"),
    Question((64, 198, 64)),
    Question((99_999,)),
    *(Question(f"{letter} x") for letter in "abcdefgh"),
]


ALONE = """
from conformance.inputs.vector_file import written
from conformance.runs.models import plan_models
from conformance.vectors import making
from tests.conformance.vectors.test_making import QUESTIONS
making.questions = lambda *_: QUESTIONS
(plan,) = plan_models(("bpe-qwen",))
print(written(making.Maker(plan, 1, lambda _: None).made("core")))
"""


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "questions", lambda *_: QUESTIONS)


@pytest.mark.usefixtures("few")
def test_the_bytes_are_the_same_on_any_number_of_workers() -> None:
    (plan,) = plan_models(("bpe-qwen",))
    alone, together = (written(Maker(plan, jobs, lambda _: None).made("core")) for jobs in (1, 2))
    assert alone == together


def test_the_bytes_are_the_same_for_any_order_of_hashes() -> None:
    made = set()
    for seed in ("0", "1"):
        variables = {**os.environ, "PYTHONHASHSEED": seed}
        ended = subprocess.run([sys.executable, "-c", ALONE], env=variables, capture_output=True, check=True)
        made.add(ended.stdout)
    assert len(made) == 1
    assert b'"testGroups"' in made.pop()


@pytest.mark.usefixtures("few")
def test_a_vector_has_the_rules_of_all_dated_tables_that_it_tells() -> None:
    """Fault: those of the first tables that it tells alone, so that a newer table was no flag of it."""
    (plan,) = plan_models(("bpe-qwen",))
    maker = Maker(plan, 1, lambda _: None)
    dated = [one for one in maker.table.numbers if one.is_dated and maker.table.kills(one, NEW)]
    (test,) = (one for _, one in maker.made("core").tests() if getattr(one, "text", "") == NEW)
    assert len(dated) > making.MOST_FLAGS
    assert {flag_of(*one.rule) for one in dated} <= {*test.flags}


@pytest.mark.usefixtures("few")
def test_a_vector_has_the_flag_of_the_fault_it_tells_and_the_note_its_links() -> None:
    (plan,) = plan_models(("bpe-qwen",))
    made = Maker(plan, 1, lambda _: None).made("core")
    by_text = {
        test.text: (group, test)
        for group, test in made.tests()
        if isinstance(test, EncodeVector) and isinstance(group, EncodeGroup) and group.add_special_tokens
    }
    flag = "Normalizer: NFC is missing"
    assert flag in by_text["cafe\u0301"][1].flags
    assert made.notes[flag].description == usual_cause("Normalizer", "NFC is missing") != ""
    line_ends = "Input: CR LF is converted to \\n"
    assert line_ends in by_text["a\r\nb"][1].flags
    assert made.notes[line_ends].links == ("a/b#1",)
    assert any(isinstance(group, DecodeGroup) for group in made.test_groups)


def test_a_model_without_its_official_library_has_no_vectors(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text('{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}, "added_tokens": []}')
    (plan,) = plan_models((str(path),))
    made = Maker(plan, 1, lambda _: None)
    assert made.bench.oracle == "tokenizers"
