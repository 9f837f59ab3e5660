"""A library that breaks down is charged itself, once; what is known of that is listed, and does not fail a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from conformance.checks import CHECKS
from conformance.checks.base import Answers, Difference, Outcome, RoundTrip
from conformance.core.case import text_case
from conformance.core.observation import Decoded, Decoding, Encoded, Encoding, Failure
from conformance.core.resources import expectations_folder
from conformance.report.run.folder import read_run_folder
from conformance.runs.expectations import read_expectations
from conformance.subjects.base import refusal

from ...corpora.inline_cases import byte_level
from ...reftok.official import Json, added, bpe, official, tokenizer_json

LETTERS = bpe([*"abcx <>"])
CRASHED = Failure("crashed", "PanicException: slice index starts at 2 but ends at 1")
REFUSED = Failure("refused", "no")
ANSWER = Encoded((1, 2))
TEXT = Decoded("a")


def strip_decoder(token: str, start: int, stop: int) -> Json:
    return tokenizer_json(bpe(["a", token]), decoder={"type": "Strip", "content": " ", "start": start, "stop": stop})


MODELS: Mapping[str, Json] = {
    "added-token-read-as-bytes": byte_level(contents=("hiÖyou", "日é")),
    "decode-stream-holds-all-while-it-ends-in-a-replacement-character": byte_level(("¡", "Ù")),
    "added-token-in-stripped-white-space": tokenizer_json(
        LETTERS, [added("<a>", rstrip=True), added(" ", lstrip=True)]
    ),
    "strip-decoder-on-no-characters": strip_decoder("", 1, 1),
    "strip-decoder-where-both-ends-meet": strip_decoder("  ", 2, 1),
    "stride-as-long-as-what-stays": tokenizer_json(
        LETTERS, truncation={"max_length": 2, "strategy": "LongestFirst", "stride": 2}
    ),
}
"""For each expectation that a run of the embedded models does not show, a minimal model that does."""

SHRUNK = {
    "added-token-read-as-bytes": "hiÖyou",
    "decode-stream-holds-all-while-it-ends-in-a-replacement-character": "\N{ARABIC-INDIC DIGIT ONE}" * 66,
    "added-token-in-stripped-white-space": "<a>  ",
    "strip-decoder-on-no-characters": [1],
    "strip-decoder-where-both-ends-meet": [1],
    "stride-as-long-as-what-stays": "aaa",
}
TEXTS = ("x <a>   b", "say hiÖyou to 日é", "abcabc", "\N{ARABIC-INDIC DIGIT ONE}" * 70, "")


ALSO = {
    (model, entry)
    for model in ("added-token-read-as-bytes", "decode-stream-holds-all-while-it-ends-in-a-replacement-character")
    for entry in ("decode-stream-has-no-flush", "decode-stream-stalls-on-a-replacement-character")
}
"""What byte-level models, whose tokens are bytes, show as every embedded one does."""


def shrunk(example: dict[str, Any]) -> str | list[int]:
    case = example["case"]
    found: str | list[int] = case.get("text", case.get("ids"))
    return found


def test_a_run_shows_each_fault_of_the_library_as_known_and_shrunk_and_charges_nobody_else(
    conformance_here: Callable[..., Any],
    findings: Callable[[Path], list[dict[str, Any]]],
    corpus: Callable[..., Path],
    tmp_path: Path,
) -> None:
    for name, model in MODELS.items():
        folder = tmp_path / "models" / name
        folder.mkdir(parents=True)
        (folder / "tokenizer.json").write_text(json.dumps(model), "utf-8")
    out = tmp_path / "out"
    inputs = ("--inputs", "corpora", "--inputs", "vocab", "--corpus", corpus(*TEXTS))
    arguments = ("--model", tmp_path / "models", *inputs, "--jobs", "1", "--quiet", "--out", out)
    result = conformance_here("run", *arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    found = findings(out)
    assert {finding["example"]["subject"] for finding in found} == {"tokenizers"}
    listed = {entry.rule: entry for entry in read_expectations(expectations_folder())}
    entries = [(listed[finding["rule"]], finding["example"]) for finding in found]
    shown = [(Path(example["model"]).parts[0], entry, shrunk(example)) for entry, example in entries]
    assert sorted((model, case) for model, entry, case in shown if entry.id == model) == sorted(SHRUNK.items())
    assert {(model, entry.id) for model, entry, _ in shown if entry.id != model} == ALSO
    assert not any(cell.mismatched for cell in read_run_folder(out).cells if cell.subject == "reftok")


def test_each_of_these_models_has_its_expectation() -> None:
    entries = {entry.id: entry for entry in read_expectations(expectations_folder())}
    newest = [
        entry
        for entry in entries.values()
        if entry.releases is None or entry.releases.have({entry.releases.library: "1000"})
    ]
    assert {entry.id for entry in newest if not entry.seen_in} == set(MODELS) == set(SHRUNK)


def test_a_crash_of_another_cause_is_not_listed() -> None:
    found = difference(no_crash(Answers(encoding=Failure("crashed", "PanicException: out of luck"))))
    assert found.rule == "crashes while encoding: out of luck"
    assert found.rule not in {entry.rule for entry in read_expectations(expectations_folder())}


def no_crash(oracle: Answers, subject: Answers | None = None) -> Outcome:
    return CHECKS["no crash"](text_case("a", "test"), oracle, oracle if subject is None else subject)


def difference(outcome: Outcome) -> Difference:
    assert isinstance(outcome, Difference)
    return outcome


def test_a_panic_of_rust_is_a_crash_and_an_error_a_refusal() -> None:
    tokenizer = official(MODELS["strip-decoder-where-both-ends-meet"])
    with pytest.raises(BaseException, match="slice index") as panic:
        tokenizer.decode([1])
    assert refusal(panic.value) == CRASHED
    assert refusal(ValueError("no")).kind == "refused"
    assert refusal(type("PanicException", (ValueError,), {})("no")).kind == "refused"
    with pytest.raises(KeyboardInterrupt):
        refusal(KeyboardInterrupt())


def test_a_crash_of_the_oracle_is_named_by_its_message_without_particulars() -> None:
    found = difference(no_crash(Answers(encoding=ANSWER, decoding=CRASHED)))
    assert found.rule == "crashes while decoding: slice index starts at N but ends at N"
    assert (found.severity, found.expected) == ("no answer", "an answer")
    assert found.observed == f"crashed: {CRASHED.message}"
    assert difference(no_crash(Answers(encoding=CRASHED))).rule.startswith("crashes while encoding: ")


def test_an_oracle_that_answers_or_refuses_does_not_crash() -> None:
    assert no_crash(Answers(encoding=ANSWER, decoding=TEXT)) == no_crash(Answers(encoding=REFUSED)) == "same"


def test_only_the_oracle_is_held_to_it() -> None:
    crashing = Answers(encoding=CRASHED)
    assert no_crash(crashing, Answers(encoding=CRASHED)) == no_crash(Answers(), None) == "not applicable"


@pytest.mark.parametrize("observed", [ANSWER, REFUSED])
def test_nothing_is_compared_with_a_crash_of_the_oracle(observed: Encoding) -> None:
    for name in ("ids", "tokens", "offsets", "special-token mask"):
        outcome = CHECKS[name](text_case("a", "test"), Answers(encoding=CRASHED), Answers(encoding=observed))
        assert outcome == "not applicable"


@pytest.mark.parametrize("observed", [TEXT, REFUSED])
def test_nothing_is_compared_with_a_crash_of_the_decoding_oracle(observed: Decoding) -> None:
    outcome = CHECKS["decode"](text_case("a", "test"), Answers(decoding=CRASHED), Answers(decoding=observed))
    assert outcome == "not applicable"


@pytest.mark.parametrize("kind", ["crashed", "timed out", "nonsense"])
def test_a_subject_that_breaks_down_as_well_is_still_at_fault(kind: Any) -> None:
    failure = Failure(kind, "boom")
    encodings = Answers(encoding=CRASHED), Answers(encoding=failure)
    decodings = Answers(decoding=CRASHED), Answers(decoding=failure)
    assert difference(CHECKS["ids"](text_case("a", "test"), *encodings)).rule == kind
    assert difference(CHECKS["decode"](text_case("a", "test"), *decodings)).rule == kind


def test_a_crash_in_batch_and_alone_is_left_to_the_other_checks() -> None:
    answers = Answers(encoding=CRASHED, batch=CRASHED)
    assert CHECKS["batch = single"](text_case("a", "test"), answers, answers) == "not applicable"


def round_trip(oracle: Decoding | None, subject: Decoding | None = None) -> Outcome:
    """subject: None for the oracle itself."""
    wanted = RoundTrip("é", read_as_bytes="\ufffd")
    answers = Answers(own_decoding=oracle, round_trip=wanted)
    asked = answers if subject is None else Answers(own_decoding=subject, round_trip=wanted)
    return CHECKS["round trip"](text_case("é", "test"), answers, asked)


def test_a_text_that_the_oracle_loses_is_held_against_the_oracle_alone() -> None:
    assert difference(round_trip(Decoded("e"))).rule == "the text does not come back"
    assert round_trip(Decoded("e"), Decoded("e")) == "not applicable"
    assert difference(round_trip(Decoded("e"), Decoded("f"))).rule == "the text does not come back"
    assert round_trip(Decoded("e"), Decoded("é")) == "same"


def test_an_added_token_that_is_read_as_bytes_has_a_rule_of_its_own() -> None:
    assert difference(round_trip(Decoded("\ufffd"))).rule == "an added token is decoded as if its letters were bytes"


def test_a_crash_of_the_oracle_on_its_own_ids_is_not_charged_twice() -> None:
    assert round_trip(CRASHED) == "not applicable"
    assert difference(round_trip(CRASHED, CRASHED)).rule == "crashed"
    assert difference(round_trip(REFUSED)).rule == "refused"
