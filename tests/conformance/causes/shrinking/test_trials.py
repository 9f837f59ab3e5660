"""A mismatch is tried with other models: what counts as the same one, and who may refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.causes.attribution import Attribution
from conformance.causes.shrinking.trials import Trials
from conformance.core.case import Case, text_case
from conformance.core.errors import InputError
from conformance.core.finding import Mismatch
from conformance.core.observation import Encoded, Encoding
from conformance.engine.plan import Plan
from conformance.inputs.shards import Inputs
from conformance.runs.models import plan_models
from conformance.subjects.adapters import subject_label
from conformance.subjects.base import UnavailableError
from conformance.subjects.special_tokens import SpecialTokens
from tests.conformance.subjects.isolated_subjects import WHOLE, Make

Planted = Callable[[str], str]
DECOMPOSED = text_case("cafe\u0301", "test")
UNKNOWN = Attribution()


def trials(
    subject: str,
    model: str = "bpe-qwen",
    rule: str = "other ids",
    case: Case = DECOMPOSED,
    cause: Attribution = UNKNOWN,
) -> Trials:
    (plan,) = plan_models((model,))
    mismatch = Mismatch(plan.name, subject_label(subject), "ids", rule, "other ids", case, "", "")
    return Trials(Plan((plan,), (subject,), ("ids",), Inputs((), ("fuzz",), 0, 0), 60.0), mismatch, cause)


def changed(**keys: Any) -> bytes:
    path = plan_models(("bpe-qwen",))[0].path
    return json.dumps({**json.loads(path.read_bytes()), **keys}).encode()


def model(path: Path) -> Path:
    path.touch()
    return path


def ids(answer: Encoding) -> tuple[int, ...]:
    assert isinstance(answer, Encoded)
    return answer.ids


def test_a_mismatch_shows_or_not(planted: Planted) -> None:
    with trials(planted("no_nfc")) as tried:
        assert tried.fails(changed(), DECOMPOSED)
        assert not tried.fails(changed(), text_case("cafe", "test"))
        assert not tried.fails(changed(normalizer=None), DECOMPOSED)


def test_another_rule_is_another_mismatch(planted: Planted) -> None:
    with trials(planted("no_nfc"), rule="refused") as tried:
        assert not tried.fails(changed(), DECOMPOSED)


def test_a_model_that_the_library_refuses_does_not_count(planted: Planted) -> None:
    with trials(planted("no_nfc")) as tried:
        assert not tried.fails(b"{}", DECOMPOSED)
        assert not tried.fails(changed(decoder={"type": "Nonsense"}), DECOMPOSED)
        assert tried.fails(changed(), DECOMPOSED)


def test_a_model_in_which_a_letter_is_missing_shows_another_mismatch(planted: Planted) -> None:
    with trials(planted("no_nfc")) as tried:
        letter = text_case("s\u0323", "test")
        assert tried.fails(changed(), letter)
        assert not tried.fails(changed(pre_tokenizer=None), letter)


def test_a_subject_that_cannot_take_part_is_named(planted: Planted) -> None:
    with pytest.raises(InputError, match=r"factory_raises\.py:Subject cannot take part now"):
        trials(planted("factory_raises"))


def test_a_subject_takes_one_model_after_another_in_one_process(make: Make, tmp_path: Path) -> None:
    subject = make(WHOLE.format(wrong="return [os.getpid(), len(self.path)]"))
    before = ids(subject.encode("wrong"))
    subject.load(model(tmp_path / "another model"), SpecialTokens())
    after = ids(subject.encode("wrong"))
    assert before[0] == after[0]
    assert before[1] < after[1] == len(str(tmp_path / "another model"))


def test_a_subject_that_refuses_a_model_keeps_the_one_before(make: Make, tmp_path: Path) -> None:
    subject = make(
        """
        class Subject:
            def __init__(self, path):
                if path.endswith("bad"):
                    raise ValueError("no such thing")
            def encode(self, text, add_special_tokens):
                return [1]
            def decode(self, ids, skip_special_tokens):
                return ""
        """
    )
    with pytest.raises(UnavailableError, match="no such thing"):
        subject.load(model(tmp_path / "bad"), SpecialTokens())
    assert ids(subject.encode("a")) == (1,)


def test_a_subject_that_dies_of_a_model_takes_the_next(make: Make, tmp_path: Path) -> None:
    subject = make(
        """
        import os
        class Subject:
            def __init__(self, path):
                if path.endswith("bad"):
                    os._exit(9)
            def encode(self, text, add_special_tokens):
                return [1]
            def decode(self, ids, skip_special_tokens):
                return ""
        """
    )
    with pytest.raises(UnavailableError, match="exit code 9"):
        subject.load(model(tmp_path / "bad"), SpecialTokens())
    assert ids(subject.encode("a")) == (1,), "with the model before"
    subject.load(model(tmp_path / "good"), SpecialTokens())
    assert ids(subject.encode("a")) == (1,)


TWO_MISTAKES = """
import json
import tokenizers


class Subject:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            model = json.load(file)
        self.start = 1 if model["normalizer"] is None else 0
        self.tokenizer = tokenizers.Tokenizer.from_str(json.dumps({**model, "normalizer": None}))

    def encode(self, text, add_special_tokens):
        return self.tokenizer.encode(text[self.start :]).ids

    def decode(self, ids, skip_special_tokens):
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
"""
"""NFC is missing, and of a model without a normalizer the first character is lost."""


def test_a_model_without_the_rule_that_is_blamed_shows_another_mismatch(tmp_path: Path) -> None:
    path = tmp_path / "subject.py"
    path.write_text(TWO_MISTAKES, "utf-8")
    subject = f"{path}:Subject"
    with trials(subject) as tried:
        assert tried.fails(changed(), DECOMPOSED)
        assert tried.fails(changed(normalizer=None), DECOMPOSED)
    with trials(subject, cause=Attribution("Normalizer", "NFC is missing")) as tried:
        assert tried.fails(changed(), DECOMPOSED)
        assert not tried.fails(changed(normalizer=None), DECOMPOSED)


def test_a_cause_that_does_not_explain_the_first_mismatch_is_asked_of_no_other(tmp_path: Path) -> None:
    path = tmp_path / "subject.py"
    path.write_text(TWO_MISTAKES, "utf-8")
    with trials(f"{path}:Subject", cause=Attribution("Normalizer", "text is lower-cased")) as tried:
        assert tried.fails(changed(), DECOMPOSED)
        assert tried.fails(changed(normalizer=None), DECOMPOSED)
