"""A mismatch that is asked again is the same, another one, or gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from conformance.causes.asking_again import AskedAgain, ask_again
from conformance.causes.attribution import Attribution
from conformance.causes.edits.added_tokens import with_normalizers
from conformance.checks import CHECKS
from conformance.core.case import text_case
from conformance.core.finding import Mismatch
from conformance.core.observation import Encoding, Failure
from conformance.engine.bench import Bench
from conformance.engine.naming import named_difference
from conformance.engine.plan import ModelPlan, Plan
from conformance.inputs.shards import Inputs
from conformance.subjects.reftok_subject import ReftokSubject
from reftok import Tokenizer, embedded_models
from reftok.rules.huggingface.added_tokens import AddedVocabulary

MODEL = ModelPlan("bpe-qwen", embedded_models()["bpe-qwen"], "tokenizer.json", "tokenizers")
CASE = text_case("cafe\u0301 <|im_end|>", "o")
NO_NFC = Attribution("Normalizer", "NFC is missing")


class Refusing(ReftokSubject):
    """Raises ValueError at every text."""

    def encode_batch(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        return [Failure("refused", "ValueError: no") for _ in texts]


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench(Plan((MODEL,), (), tuple(CHECKS), Inputs((), ("fuzz",), 0, 0), 60.0), MODEL)


def asked(bench: Bench, subject: ReftokSubject, cause: Attribution = NO_NFC, rule: str = "other ids") -> AskedAgain:
    bench.subjects["mine"] = subject
    return ask_again(bench, Mismatch("bpe-qwen", "mine", "ids", rule, "other ids", CASE, "", ""), CASE, cause=cause)


def without_normalizer(tokenizer: Tokenizer) -> ReftokSubject:
    return ReftokSubject(Tokenizer(with_normalizers(tokenizer.rules, ())))


def without_added_tokens(tokenizer: Tokenizer) -> ReftokSubject:
    return ReftokSubject(Tokenizer(replace(tokenizer.rules, added_tokens=AddedVocabulary())))


def test_a_subject_that_has_not_changed_shows_the_same(bench: Bench) -> None:
    found = asked(bench, without_normalizer(bench.reference.tokenizer))
    assert found.verdict == "same"
    assert found.difference


def test_a_subject_that_was_mended_differs_no_more(bench: Bench) -> None:
    found = asked(bench, bench.reference)
    assert (found.verdict, found.difference) == ("gone", None)


def test_a_subject_that_refuses_now_fails_in_another_way(bench: Bench) -> None:
    """Fault: it was said that it "still differs (Normalizer: NFC is missing)"."""
    found = asked(bench, Refusing(bench.reference.tokenizer))
    assert found.verdict == "other"
    assert found.difference
    assert found.difference.rule == "refused"


def test_other_ids_for_another_cause_are_another_mismatch(bench: Bench) -> None:
    subject = without_added_tokens(bench.reference.tokenizer)
    assert asked(bench, subject).verdict == "other"
    assert asked(bench, subject, Attribution("AddedTokens", "added tokens are not matched")).verdict == "same"


def test_a_cause_that_only_describes_what_is_seen_asks_for_the_same_rule_alone(bench: Bench) -> None:
    subject = without_added_tokens(bench.reference.tokenizer)
    assert asked(bench, subject, Attribution("", "other ids")).verdict == "same"


def test_what_looks_as_it_did_is_the_same_though_its_cause_no_longer_explains_it(bench: Bench) -> None:
    bench.subjects["mine"] = without_added_tokens(bench.reference.tokenizer)
    seen = ask_again(bench, Mismatch("bpe-qwen", "mine", "ids", "other ids", "other ids", CASE, "", ""), CASE)
    assert seen.difference
    shown = named_difference(bench.reference.tokenizer, seen.difference, seen.expected, seen.observed)
    known = Mismatch("bpe-qwen", "mine", "ids", "other ids", "other ids", CASE, shown.expected, shown.observed)
    assert ask_again(bench, known, CASE, cause=NO_NFC).verdict == "same"
    assert ask_again(bench, replace(known, observed="68 'e'"), CASE, cause=NO_NFC).verdict == "other"
    other = text_case("a <|im_end|>", "o")
    assert ask_again(bench, known, other, cause=NO_NFC).verdict == "other"
