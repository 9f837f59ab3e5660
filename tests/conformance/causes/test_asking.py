"""Faults that explain the same mismatch are told apart by what the subject does where they part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.causes.asking import ASKED_OF_EACH_PAIR, telling_cases
from conformance.causes.attribution import Attribution
from conformance.causes.findings import with_fewest_causes
from conformance.checks import CHECKS
from conformance.core.case import Case, ids_case, text_case
from conformance.core.finding import Finding, Mismatch
from conformance.engine.benches import bench_of, close_benches
from conformance.engine.plan import ModelPlan, Plan
from conformance.inputs.shards import Inputs
from reftok import embedded_models

pytestmark = pytest.mark.usefixtures("subjects_here")

DEFECTS = Path(__file__).parents[2] / "planted_defects"
TEXTS = tuple(text_case(text, "o") for text in ("a", "b", "ab", "ba", "aa", "bb", "aab"))

SEVERAL = '''
from __future__ import annotations

import sys

sys.path.insert(0, {folder!r})
from wrong_inputs import TrailingSpace


class Subject(TrailingSpace):
    """Two mistakes: white space at the end is stripped, and NFC is missing."""

    def changed(self, model):
        return {{**model, "normalizer": None}}
'''


@pytest.fixture(autouse=True)
def no_bench() -> Iterator[None]:
    yield
    close_benches()


def named(subject: Path | str, case: Case, check: str = "ids", rule: str = "other ids") -> Attribution:
    """The cause of a finding that shows on this case."""
    model = ModelPlan("bpe-qwen", embedded_models()["bpe-qwen"], "tokenizer.json", "tokenizers")
    plan = Plan((model,), (str(subject),), tuple(CHECKS), Inputs((), ("fuzz",), 0, 0), 60.0)
    label = Path(str(subject)).name
    mismatch = Mismatch("bpe-qwen", label, check, rule, "other ids", case, "", "")
    (found,) = with_fewest_causes(plan, bench_of(plan, "bpe-qwen"), [Finding(mismatch, 1, (), "", rule, "")], ())
    return Attribution(found.stage, found.rule)


def test_cases_on_which_rivals_agree_are_not_asked() -> None:
    rivals = (lambda case: len(case.text), lambda case: len(case.text) or 1)
    assert list(telling_cases(rivals, TEXTS)) == []


def test_each_pair_of_rivals_is_parted_by_a_few_cases() -> None:
    rivals = (lambda case: "a" in case.text, lambda case: "b" in case.text, lambda case: len(case.text) < 3)
    asked = list(telling_cases(rivals, TEXTS * 3))
    parted = [sum(one(case) != other(case) for case in asked) for one in rivals for other in rivals if one is not other]
    assert min(parted) >= ASKED_OF_EACH_PAIR
    assert len(asked) < len(TEXTS * 3)


@pytest.mark.parametrize(
    ("factory", "text", "rule"),
    [
        ("wrong_added_tokens.py:NoLeftStrip", "  <ls>", "lstrip is off"),
        ("wrong_added_tokens.py:NoNormalized", "  <ls>", "normalized is off"),
        ("wrong_added_tokens.py:AllNormalized", "  <ls>", "normalized is on"),
    ],
)
def test_a_text_that_several_rules_explain_is_named_by_what_the_subject_does_elsewhere(
    factory: str, text: str, rule: str
) -> None:
    assert named(DEFECTS / factory, text_case(text, "o")) == Attribution("AddedTokens", rule)


def test_contractions_that_were_seen_in_capitals_alone_are_named_by_what_others_show() -> None:
    found = named(DEFECTS / "wrong_pre_tokenizers.py:NoContractions", text_case("x'SE y", "o"))
    assert found == Attribution("PreTokenizer", "contractions are not split")


def test_a_character_in_the_wrong_class_is_named_by_what_it_does_beside_others() -> None:
    mongolian_after_a_space = text_case("\u202f\u1837", "o")
    found = named(DEFECTS / "wrong_pre_tokenizers.py:LetterTable", mongolian_after_a_space)
    assert found == Attribution("PreTokenizer", "\\p{L} is not all letters")


def test_ids_whose_text_several_rules_explain_go_by_the_rule_that_other_ids_speak_for() -> None:
    two_spaces = ids_case((5054,), "o")
    found = named(DEFECTS / "added_tokens_ignored.py:Subject", two_spaces, "decode", "other text")
    assert found == Attribution("AddedTokens", "added tokens are not matched")


def test_a_subject_with_two_mistakes_is_not_shrunk_from_one_to_the_other(tmp_path: Path) -> None:
    subject = tmp_path / "subject.py"
    subject.write_text(SEVERAL.format(folder=str(DEFECTS)), "utf-8")
    found = named(f"{subject}:Subject", text_case("e\u0301 xy z", "o"))
    assert found == Attribution("Normalizer", "NFC is missing")
