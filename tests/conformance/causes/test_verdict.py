"""The verdict of a finding says who is wrong by the answers of others to its example, and no more than was asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from conformance.causes import verdict as verdicts
from conformance.causes.edits.older_releases import CHANGES, CONTENT, PATTERNS, release_faults
from conformance.causes.verdict import with_verdicts
from conformance.checks import CHECKS
from conformance.core.case import Case, ids_case, text_case
from conformance.core.finding import Finding, Mismatch, Severity
from conformance.core.observation import Decoded, Encoded, Failure
from conformance.engine.bench import Bench
from conformance.engine.plan import Plan
from conformance.engine.repeating import CHANGES as ANSWERS_CHANGE
from conformance.inputs.shards import Inputs
from conformance.runs.models import plan_models
from conformance.subjects.base import Subject
from conformance.subjects.versions import installed_version
from reftok import Tokenizer

MODEL = "bpe-qwen"
NEW_IN_16 = "\u1c89\\u"
"""Its first character is a letter since Unicode 16."""
OFFICIAL = f"tokenizers {installed_version('tokenizers')}"
ALL_AGREE = f"{OFFICIAL}, reftok and its plain rules agree"


class Saying(Subject):
    """Encodes by a function, and decodes as the reference does."""

    def __init__(self, tokenizer: Tokenizer, ids: Callable[[str], Sequence[int]], name: str = "mine") -> None:
        self.name = name
        self._tokenizer = tokenizer
        self._ids = ids
        self.asked = 0

    def encode(self, text: str | bytes) -> Encoded:
        assert isinstance(text, str)
        self.asked += 1
        return Encoded(tuple(self._ids(text)))

    def decode(self, ids: Sequence[int]) -> Decoded:
        return Decoded(*(self._tokenizer.decode([*ids], skip_special_tokens=skips) for skips in (True, False)))


@pytest.fixture
def bench() -> Iterator[Bench]:
    plan = Plan(plan_models((MODEL,)), ("reftok", "reftok-spec"), tuple(CHECKS), Inputs((), ("fuzz",), 0, 0), 60.0)
    made = Bench(plan, plan.models[0])
    yield made
    made.close()


def found(
    subject: str, case: Case, check: str = "ids", stage: str = "", rule: str = "r", severity: Severity = "other ids"
) -> Finding:
    return Finding(Mismatch(MODEL, subject, check, rule, severity, case, "", ""), 1, (), stage, rule, "tokenizers")


def verdict(bench: Bench, finding: Finding, subject: Subject | None = None) -> str:
    if subject is not None:
        bench.subjects[subject.name] = subject
    (judged,) = with_verdicts(bench, [finding])
    assert replace(judged, verdict="") == finding
    return judged.verdict


def mine(bench: Bench, ids: Callable[[str], Sequence[int]]) -> Saying:
    return Saying(bench.reference.tokenizer, ids)


def right(bench: Bench) -> Callable[[str], Sequence[int]]:
    return bench.reference.tokenizer.encode_ids


def older(bench: Bench) -> Callable[[str], Sequence[int]]:
    """What tokenizers 0.21.1 gives."""
    (fault,) = (one for one in release_faults(bench.reference.tokenizer) if (one.stage, one.rule) == PATTERNS)
    return fault.ids


# --- a subject of somebody else's


def test_where_library_reference_and_plain_rules_agree_it_is_the_subject(bench: Bench) -> None:
    subject = mine(bench, lambda text: [0])
    assert verdict(bench, found("mine", text_case("a", "o")), subject) == f"the subject: {ALL_AGREE}"


def test_a_subject_that_answers_as_an_older_release_is_told_so(bench: Bench) -> None:
    said = verdict(bench, found("mine", text_case(NEW_IN_16, "o")), mine(bench, older(bench)))
    foretold = "the subject's answer is foretold by the rule of tokenizers until 0.21.1"
    since = "patterns know Unicode 14, not 16; since 0.21.2 patterns know Unicode 16"
    assert said == f"the subject: {ALL_AGREE}; {foretold}: {since}"


def test_a_subject_that_is_right_when_it_is_asked_again_is_told_so_and_no_older_release(bench: Bench) -> None:
    """Fault: an answer from a wrong cache, gone by then, was "foretold by the rule of tokenizers until 0.21.1"."""
    said = verdict(bench, found("mine", text_case("a--b", "o")), mine(bench, right(bench)))
    assert said == f"the subject: {ALL_AGREE}; asked again, the subject is right"


def test_what_gave_no_answer_is_not_asked_again(bench: Bench) -> None:
    subject = mine(bench, lambda text: [0])
    finding = found("mine", text_case("a", "o"), severity="no answer")
    assert verdict(bench, finding, subject) == f"the subject: {ALL_AGREE}"
    assert subject.asked == 0


def test_what_does_not_repeat_itself_is_wrong_by_itself(bench: Bench) -> None:
    finding = found("mine", text_case("a", "o"), rule=ANSWERS_CHANGE)
    assert verdict(bench, finding, mine(bench, right(bench))) == f"the subject: {ANSWERS_CHANGE}"


def test_between_the_library_and_the_reference_nothing_is_decided(bench: Bench) -> None:
    bench.subjects["tokenizers"] = Saying(bench.reference.tokenizer, lambda text: [1], "tokenizers")
    otherwise = f"undecided: {OFFICIAL} answers otherwise than reftok and its plain rules, and the subject"
    finding = found("mine", text_case("a", "o"))
    assert verdict(bench, finding, mine(bench, right(bench))) == f"{otherwise} as these"
    assert verdict(bench, finding, mine(bench, lambda text: [0])) == f"{otherwise} otherwise than both"


def test_a_fast_path_that_stands_alone_is_a_fault_of_reftok(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.reference, "encoding", lambda text: Encoded((0,)))
    agree = f"{OFFICIAL} and reftok's plain rules agree"
    said = verdict(bench, found("mine", text_case("a", "o")), mine(bench, lambda text: [1]))
    assert said == f"the subject: {agree}; reftok answers by its fast path alone otherwise, which is a fault of its own"
    alone = "the reference: its fast path alone answers so"
    assert verdict(bench, found("reftok", text_case("a", "o"))) == f"{alone}; {agree}"


# --- the reference, and the library itself


def test_the_reference_against_the_library_is_undecided_without_a_known_change(bench: Bench) -> None:
    bench.subjects["tokenizers"] = Saying(bench.reference.tokenizer, lambda text: [1], "tokenizers")
    said = verdict(bench, found("reftok", text_case("a", "o")))
    assert said == f"undecided: reftok and its plain rules agree, {OFFICIAL} answers otherwise"


def test_an_older_library_is_wrong_by_the_change_that_it_does_not_have(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdicts, "installed_version", {"tokenizers": "0.21.1"}.get)
    bench.subjects["tokenizers"] = Saying(bench.reference.tokenizer, older(bench), "tokenizers")
    library = "the official library, tokenizers 0.21.1, as it was until 0.21.1: patterns know Unicode 14, not 16"
    since = f"{library}; since 0.21.2 patterns know Unicode 16, as reftok has it"
    case = text_case(NEW_IN_16, "o")
    stage, rule = PATTERNS
    assert verdict(bench, found("reftok", case, stage=stage, rule=rule)) == since
    said = verdict(bench, found("mine", case, stage=stage, rule=rule), mine(bench, right(bench)))
    assert said == since


def test_a_library_that_fails_its_own_property_is_wrong_where_the_reference_holds_it(bench: Bench) -> None:
    finding = found("tokenizers", ids_case((161,), "o"), "stream decode", "Decoder")
    assert verdict(bench, finding) == f"the official library, {OFFICIAL}: the check holds for reftok"


def test_a_property_that_the_reference_fails_alike_is_told_so(bench: Bench) -> None:
    finding = found("tokenizers", text_case("[café]", "o"), "round trip")
    assert verdict(bench, finding) == (
        f"the official library, {OFFICIAL}: the check fails for reftok and its plain rules too"
    )


def test_a_property_of_a_subject_is_asked_of_each_by_itself(bench: Bench) -> None:
    finding = found("mine", text_case("a", "o"), "round trip", severity="no answer")
    said = verdict(bench, finding, mine(bench, lambda text: [0]))
    assert said == f"the subject: the check holds for {OFFICIAL}, reftok and its plain rules"


# --- what is not asked


def test_nothing_is_asked_after_the_deadline_nor_of_what_is_too_long_or_gone(bench: Bench) -> None:
    subject = mine(bench, lambda text: [0])
    bench.subjects["mine"] = subject
    finding = found("mine", text_case("a", "o"))
    assert with_verdicts(bench, [finding], time.monotonic() - 1) == [finding]
    long = found("mine", text_case("a" * (verdicts.LONGEST_TEXT + 1), "o"))
    gone = found("another", text_case("a", "o"))
    assert with_verdicts(bench, [long, gone]) == [long, gone]
    assert subject.asked == 0


def test_a_model_without_its_library_is_judged_by_the_reference_alone(bench: Bench) -> None:
    del bench.subjects["tokenizers"]
    bench.oracle = "reftok"
    bench.unavailable["tokenizers"] = Failure("not asked", "not installed")
    said = verdict(bench, found("mine", text_case("a", "o")), mine(bench, lambda text: [0]))
    assert said == "the subject: reftok and its plain rules agree"


def test_the_table_of_changes_has_every_rule_of_older_releases(bench: Bench) -> None:
    every = {(one.stage, one.rule) for one in release_faults(bench.reference.tokenizer)}
    assert every <= CHANGES.keys()
    assert CONTENT in CHANGES
