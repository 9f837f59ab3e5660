"""Findings of one subject on one model become the fewest causes, each borne out or said to be unknown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.causes import findings as merging
from conformance.causes import loop as trial
from conformance.causes.findings import Known, explained_as_they_came, with_fewest_causes
from conformance.causes.loop import Trial
from conformance.checks import CHECKS
from conformance.core.case import Case, ids_case, text_case
from conformance.core.finding import NO_RULE, Finding, Mismatch, Severity
from conformance.engine.benches import bench_of, close_benches
from conformance.engine.plan import Plan
from conformance.inputs.shards import Inputs
from conformance.report.run.view import fields
from conformance.runs.models import plan_models
from conformance.subjects.adapters import subject_label
from tests.models import load
from tests.planted_defects import pairs

pytestmark = pytest.mark.usefixtures("subjects_here")

Merged = Callable[..., list[Finding]]
MODEL = "bpe-qwen"
PLANTED = Path(__file__).parents[2] / "planted_defects"
SUBJECT = """
import json
import unicodedata
from pathlib import Path

import tokenizers


class Subject:
    def __init__(self, path):
        model = json.loads(Path(path).read_text("utf-8"))
        model["normalizer"] = {normalizer}
        self.tokenizer = tokenizers.Tokenizer.from_str(json.dumps(model))

    def encode(self, text, add_special_tokens):
        return self.encode_with_offsets(text, add_special_tokens)[0]

    def encode_with_offsets(self, text, add_special_tokens):
        given = {text}
        encoding = self.tokenizer.encode(given)
        return encoding.ids, encoding.tokens, [({width}, {width_of_end}) for start, end in encoding.offsets]

    def decode(self, ids, skip_special_tokens):
        text = self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
        return {decoded}
"""
RIGHT = {
    "normalizer": 'model["normalizer"]',
    "text": "text",
    "width": "start",
    "width_of_end": "end",
    "decoded": "text",
}
BYTE_OFFSETS = {"width": 'len(text[:start].encode("utf-8"))', "width_of_end": 'len(text[:end].encode("utf-8"))'}
LOWER = {"text": "text.lower()"}
DOUBLED = {"text": '"".join(one * (2 + place % 3 if one == "q" else 1) for place, one in enumerate(text))'}
"""What no rule knows."""
UNITS = "patterns see UTF-16 units: surrogates are no letters"
REMOVED = "special tokens are removed from the text"


@pytest.fixture(autouse=True)
def no_bench() -> Iterator[None]:
    yield
    close_benches()


@pytest.fixture
def merged(tmp_path: Path) -> Merged:
    def of(
        change: dict[str, str],
        told: Sequence[tuple[str, str, str, Case]],
        deadline: float = math.inf,
    ) -> list[Finding]:
        """told: of each finding the check, the stage, the rule and the case."""
        path = tmp_path / "subject.py"
        path.write_text(SUBJECT.format(**RIGHT | change), "utf-8")
        return of_subject(f"{path}:Subject", told, deadline)

    return of


def of_subject(
    subject: str, told: Sequence[tuple[str, str, str, Case]], deadline: float = math.inf, model: str = MODEL
) -> list[Finding]:
    """The findings of a subject, FILE:FACTORY, merged."""
    plan = Plan(plan_models((model,)), (subject,), tuple(CHECKS), Inputs((), ("fuzz",), 0, 0), 60.0)
    found = [finding(subject_label(subject), *one) for one in told]
    bench = bench_of(plan, model)
    assert not bench.unavailable
    return with_fewest_causes(plan, bench, found, (), deadline)


def planted(folder: Path, first: str, second: str) -> str:
    """A subject with two planted defects, each FILE:CLASS."""
    path = folder / "pair.py"
    path.write_text(pairs.SUBJECT.format(first=first, second=second, folder=str(PLANTED.parents[1])), "utf-8")
    return f"{path}:Subject"


def finding(subject: str, check: str, stage: str, rule: str, case: Case) -> Finding:
    severities: dict[str, Severity] = {"ids": "other ids", "offsets": "offsets only", "decode": "other text"}
    kinds = {"ids": "other ids", "offsets": "other offsets", "decode": "other text"}
    example = Mismatch(MODEL, subject, check, kinds[check], severities[check], case, "", "")
    return Finding(example, 3, (), stage, rule, "tokenizers")


def ids(text: str, stage: str = "", rule: str = "other ids") -> tuple[str, str, str, Case]:
    return "ids", stage, rule, text_case(text, "fuzz:1")


def test_findings_with_one_cause_are_one(merged: Merged) -> None:
    wrong = ids("It'S", "PreTokenizer", "contractions in capitals are not split")
    (only,) = merged(LOWER, [ids("A"), wrong, ids("\u0130")])
    assert (only.stage, only.rule, only.count) == ("Normalizer", "text is lower-cased", 9)
    assert only.confidence is not None
    assert only.confidence.foretold == only.confidence.tried >= 3


def test_the_stage_that_is_shown_to_differ_is_by_the_cause_that_is_named(merged: Merged) -> None:
    """Fault: beside "Unicode 17" stood "as it seems: reftok where characters are those of Unicode 11"."""
    (only,) = merged(LOWER, [ids("It'S", "PreTokenizer", "contractions in capitals are not split")])
    stage = only.example.evidence.stage
    assert stage is not None
    assert (stage.stage, "text is lower-cased" in stage.observed_by) == ("Normalizer", True)


def test_a_rule_that_does_not_foretell_other_answers_is_not_named(merged: Merged) -> None:
    """It explained its own example: a wrong name sends an engineer to the wrong file."""
    (only,) = merged(DOUBLED, [ids("q", "Model", "the first merge is missing")])
    assert (only.stage, only.rule.startswith(NO_RULE), only.confidence) == ("", True, None)


def test_what_no_rule_explains_is_one_finding_with_its_scope(merged: Merged) -> None:
    (only,) = merged(DOUBLED, [ids("q"), ids("aq", rule="characters are lost or changed"), ids("q.")])
    assert only.scope.startswith("only with “q”: ")
    assert only.count == 9


def test_two_causes_are_told_apart(merged: Merged) -> None:
    both = {"text": 'text.lower().removeprefix("\\ufeff")'}
    found = merged(both, [ids("A"), ids("\ufeffa"), ids("\ufeffA")])
    assert {one.rule for one in found} == {"text is lower-cased", "a byte order mark is dropped"}


def test_a_cause_has_its_name_where_something_is_at_work_beside_it_that_no_rule_knows(merged: Merged) -> None:
    """Fault: it foretold too few of the answers, since many texts had a word that was turned round as well."""
    turned = '" ".join(word[::-1] if "e" in word else word for word in text.split(" ")).lower()'
    found = merged({"text": turned}, [ids("A"), ids("ed")])
    assert sorted(one.rule.partition(":")[0] for one in found) == [NO_RULE, "text is lower-cased"]


def test_tokens_that_only_the_subject_knows_are_one_cause_beside_another(merged: Merged) -> None:
    """Fault: each was a cause of its own, and none had a name once there was something that no rule explains."""
    tokens = '["<|tool_call|>", "[CALL]"]'
    known = {"text": f'(self.tokenizer.add_special_tokens({tokens}), text.replace("q", "qq"))[1]'}
    found = merged(known, [ids("<|tool_call|>"), ids("[CALL]a"), ids("q")])
    rules = sorted(one.rule.partition(":")[0] for one in found)
    assert rules == ["added tokens are matched that the file does not have", NO_RULE]


def test_what_was_learnt_is_not_forgotten_when_what_is_left_is_looked_at(merged: Merged) -> None:
    """Fault: a fault that was learnt from one answer was out of the pool when others were learnt from the rest."""
    others = '[{**one, "content": one["content"].replace("[plain]", "\\x01" * 9)} for one in model["added_tokens"]]'
    lost = {"normalizer": f'(model.update(added_tokens={others}), model["normalizer"])[1]'}
    found = merged(DOUBLED | lost, [ids("[plain]"), ids("a[plain]b"), ids("q")])
    assert sorted(one.rule.partition(":")[0] for one in found) == ["[plain] is not matched", NO_RULE]


def test_a_text_that_is_too_long_to_be_asked_again_does_not_end_the_naming_of_offsets(merged: Merged) -> None:
    """Fault: naming ended with a KeyError, and the whole run with it."""
    every = ["\u00e9a b", "\u00e9a b " * trial.LONGEST_TEXT]
    given = [("offsets", "Offsets", "starts of offsets differ", text_case(text, "fuzz:1")) for text in every]
    assert "offsets count bytes instead of code points" in {one.rule for one in merged(BYTE_OFFSETS, given)}


def test_a_missing_step_and_other_offsets_are_two_causes(merged: Merged) -> None:
    """Where both are at work the offsets are those of neither alone."""
    offsets = "offsets", "Offsets", "starts of offsets differ", text_case("\u00e9a b", "fuzz:1")
    found = merged(BYTE_OFFSETS | {"normalizer": "None"}, [ids("e\u0301"), offsets])
    assert {one.rule for one in found} == {"NFC is missing", "offsets count bytes instead of code points"}


def test_languages_whose_white_space_differs_in_one_character_are_told_apart() -> None:
    """Fault: Kotlin was named, which does not take U+0085 for white space: no text was asked that shows it."""
    (only,) = of_subject(f"{PLANTED}/wrong_pre_tokenizers.py:PythonSpace", [ids("\x1f.a")])
    assert only.rule == "white space is that of Python"


def test_decoding_has_its_own_causes(merged: Merged) -> None:
    stripped = {"decoded": "text.strip()"}
    (only,) = merged(stripped, [("decode", "Decoder", "spaces are missing", ids_case((220,), "fuzz:1"))])
    assert (only.stage, only.rule) == ("Decoder", "white space at the ends is stripped")


OF_PIECES = """
import sentencepiece


class Subject:
    def __init__(self, path):
        self.model = sentencepiece.SentencePieceProcessor(model_file=str(path))

    def encode(self, text, add_special_tokens):
        return self.model.encode(text)

    def decode(self, ids, skip_special_tokens):
        pieces = [self.model.id_to_piece(one) for one in ids]
        return "".join(map(text_of, pieces))


def text_of(piece):
    if piece.startswith("<0x"):
        return bytes([int(piece[3:5], 16)]).decode(errors="replace")
    return piece.replace("\u2581", " ")
"""


def test_several_mistakes_of_a_decoder_of_pieces_are_each_told(tmp_path: Path) -> None:
    """Fault: where no text was decoded rightly, four mistakes were one without a rule, shown on [0]."""
    (tmp_path / "subject.py").write_text(OF_PIECES, "utf-8")
    spm, asked = load("spm-bpe"), ["a b", "\u07fd", "a\u07fd", "b b\u07fd\u07fd", "'", "the cat"]
    cases = [*(ids_case(tuple(spm.encode_ids(text)), "fuzz:1") for text in asked), ids_case((0,), "fuzz:1")]
    cases += [ids_case((1,), "fuzz:1"), ids_case((261, 0, 261), "fuzz:1"), ids_case((2, 261), "fuzz:1")]
    told = [("decode", "", "other text", case) for case in cases]
    found = of_subject(f"{tmp_path / 'subject.py'}:Subject", told, model="spm-bpe")
    assert {one.rule for one in found} == {
        "the space of the dummy prefix is kept",
        "each byte is decoded alone",
        "the unknown token is given out by name",
        "control pieces are given out by name",
    }


def test_two_mistakes_of_decoding_at_work_in_one_answer_explain_it(tmp_path: Path) -> None:
    """Fault: beside special tokens that are kept, what a missing NFC does to added tokens had no rule."""
    path, tokenizer = tmp_path / "subject.py", load(MODEL)
    kept = "self.tokenizer.decode(ids, skip_special_tokens=False)"
    path.write_text(SUBJECT.format(**RIGHT | {"normalizer": "None", "decoded": kept}), "utf-8")
    plan = Plan(plan_models((MODEL,)), (f"{path}:Subject",), tuple(CHECKS), Inputs((), ("fuzz",), 0, 0), 60.0)
    asked = [
        ids_case((tokenizer.token_to_id(token) or 0,), "vocab:1") for token in ("<|im_start|>", "<café>", "[café]")
    ]
    trial = Trial.judged(plan, bench_of(plan, MODEL), subject_label(f"{path}:Subject"), asked, math.inf)
    assert {one.rule for one in trial.causes} >= {"NFC is missing", "special tokens are kept"}
    assert trial.ids.unexplained == []


def test_the_nearest_input_that_is_right_is_shown(merged: Merged) -> None:
    (only,) = merged(DOUBLED, [ids("1q")])
    nearest = only.example.evidence.nearest
    assert nearest is not None
    assert (len(nearest.text), "q" in nearest.text) == (2, False)


def test_when_the_time_is_up_findings_stay_as_they_are(merged: Merged) -> None:
    told = [ids("A"), ids("It'S", "PreTokenizer", "contractions in capitals are not split")]
    found = merged(LOWER, told, -math.inf)
    assert [(one.stage, one.rule) for one in found] == [(one[1], one[2]) for one in told]


def test_a_rule_that_was_not_tested_before_the_time_ended_is_told_as_such(merged: Merged) -> None:
    (found,) = merged(LOWER, [ids("It'S", "PreTokenizer", "contractions in capitals are not split")], -math.inf)
    shown = dict(fields(found))
    assert shown["rule"] == "perhaps PreTokenizer: contractions in capitals are not split (PRE014)"
    assert shown["foretold"] == "not tested: the time ended before"


def test_whenever_the_time_ends_no_finding_loses_a_name_that_was_not_put_to_the_test(
    merged: Merged, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock counts how often it is asked."""
    rules: set[str] = set()
    told = [ids("A"), ids("It'S", "PreTokenizer", "contractions in capitals are not split")]
    for deadline in (0, 2, 4, 8, 30, 100, 10_000):
        ticks = count()
        for module in (merging, trial):
            monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda ticks=ticks: next(ticks)))
        rules |= {one.rule for one in merged(LOWER, told, deadline)}
    assert rules == {"other ids", "contractions in capitals are not split", "text is lower-cased"}


def test_a_cause_that_was_tested_stays_so_where_there_is_no_time_to_look_for_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: it was "not tested: the time ended before"."""
    path = tmp_path / "subject.py"
    path.write_text(SUBJECT.format(**RIGHT | {"text": 'text.lower().replace("q", "qq")'}), "utf-8")
    subject = f"{path}:Subject"
    plan = Plan(plan_models((MODEL,)), (subject,), tuple(CHECKS), Inputs((), ("fuzz",), 0, 0), 60.0)
    came = [finding(subject_label(subject), *ids(text)) for text in ("THE END", "a quick b")]
    known = Known()
    bench = bench_of(plan, MODEL)
    explained = explained_as_they_came(plan, bench, came, (), math.inf, known)
    tested = next(one.confidence for one in explained if one.rule == "text is lower-cased")
    assert tested is not None
    for deadline in (0, 3, 30):
        ticks = count()
        for module in (merging, trial):
            monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda ticks=ticks: next(ticks)))
        last = with_fewest_causes(plan, bench, explained, (), deadline, known)
        (found,) = (one for one in last if one.rule == "text is lower-cased")
        assert found.confidence is not None
        assert found.confidence.tried > 0


def test_what_was_explained_as_it_came_is_shown_so_where_a_smaller_input_has_another_cause(tmp_path: Path) -> None:
    """The finding would be lost in the other one."""
    path = tmp_path / "subject.py"
    path.write_text(SUBJECT.format(**RIGHT | {"text": 'text.lower().removeprefix("\\ufeff")'}), "utf-8")
    subject = f"{path}:Subject"
    plan = Plan(plan_models((MODEL,)), (subject,), tuple(CHECKS), Inputs((), ("fuzz",), 0, 0), 60.0)
    came = [finding(subject_label(subject), *ids(text)) for text in ("the Quick brown Fox", "THE END", "\ufeffa b")]
    known = Known()
    bench = bench_of(plan, MODEL)
    explained = explained_as_they_came(plan, bench, came, (), math.inf, known)
    rules = {one.rule: one for one in explained}
    assert sorted(rules) == ["a byte order mark is dropped", "text is lower-cased"]
    lowered = rules["text is lower-cased"]
    assert len(lowered.example.case.text) <= 3
    assert {one.example.case.origin for one in explained} == {"fuzz:1"}  # fault: runs that had asked the same had not
    astray = replace(lowered, example=replace(lowered.example, case=text_case("\ufeffc", "o")))
    others = [one for one in explained if one is not lowered]
    last = with_fewest_causes(plan, bench, [astray, *others], (), math.inf, known)
    assert {one.rule: one.example.case.text for one in last}["text is lower-cased"] == lowered.example.case.text
    assert sorted(one.rule for one in last) == sorted(rules)


def test_a_rule_that_changes_the_empty_text_alone_needs_no_other_input(tmp_path: Path) -> None:
    """Fault: an early return for an empty text had no known rule, since three inputs were to be foretold."""
    path = tmp_path / "subject.py"
    early = "        if not text:\n            return [], [], []\n        encoding ="
    body = SUBJECT.format(**RIGHT).replace("        encoding =", early)
    path.write_text(body, "utf-8")
    (only,) = of_subject(f"{path}:Subject", [ids("")], model="bpe-llama3")
    assert (only.stage, only.rule) == ("PostProcessor", "nothing is added to an empty text")
    assert ("foretold", "the one answer that it changes") in fields(only)


def test_a_character_that_becomes_another_is_the_cause(merged: Merged) -> None:
    """Fault: only the ids of a token that has it were said to be others."""
    (only,) = merged({"text": 'text.replace("+", " ")'}, [ids("+"), ids("a+")])
    assert (only.stage, only.rule) == ("Input", "“+” becomes U+0020")
    stage = only.example.evidence.stage
    assert stage is not None
    assert (stage.stage, stage.expected, stage.observed) == ("Input", ("+",), (" ",))


BEGUN = "PostProcessor", "added: <|endoftext|> at the start"


@pytest.mark.parametrize(
    ("defect", "text", "model", "cause"),
    [
        ("wrong_pre_tokenizers.py:PlaneZero", "", MODEL, ("PreTokenizer", UNITS)),
        ("wrong_pre_tokenizers.py:PlaneZero", "\U0002b738.a", MODEL, ("PreTokenizer", UNITS)),
        ("wrong_inputs.py:SpecialTokenStrings", "", "bpe-gpt2", ("Input", REMOVED)),
        ("wrong_inputs.py:SpecialTokenStrings", "<|im_end|>", MODEL, ("Input", REMOVED)),
    ],
)
def test_a_cause_is_found_upon_one_that_changes_every_text(
    tmp_path: Path, defect: str, text: str, model: str, cause: tuple[str, str]
) -> None:
    """Fault: no other explained anything where each text began with a token too many."""
    found = of_subject(planted(tmp_path, defect, "wrong_post_processors.py:BeginAlways"), [ids(text)], model=model)
    assert {(one.stage, one.rule) for one in found} == {BEGUN, cause}


def test_what_was_believed_stays_where_there_is_no_time_to_look_for_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_upon = Trial._found_upon

    def late(trial: Trial, family: Any, known: Any) -> Any:
        trial._deadline = -1.0
        return found_upon(trial, family, known)

    monkeypatch.setattr(Trial, "_found_upon", late)
    both = ("wrong_pre_tokenizers.py:PlaneZero", "wrong_post_processors.py:BeginAlways")
    (only,) = of_subject(planted(tmp_path, *both), [ids("")])
    assert (only.stage, only.rule) == BEGUN


def test_one_answer_of_several_says_too_little_of_offsets(tmp_path: Path) -> None:
    """Fault: what was true of the example alone was "the one answer that it changes"."""
    path = tmp_path / "subject.py"
    off = '        if text == "Wort 7":\n            encoding = self.tokenizer.encode(text)\n'
    off += "            return encoding.ids, encoding.tokens, [(a + 1, b + 1) for a, b in encoding.offsets]\n"
    off += "        given ="
    path.write_text(SUBJECT.format(**RIGHT | DOUBLED).replace("        given =", off), "utf-8")
    offsets = "offsets", "", "other offsets", text_case("Wort 7", "fuzz:1")
    found = of_subject(f"{path}:Subject", [offsets, ids("q")])
    assert [one.rule.partition(":")[0] for one in found] == [NO_RULE]


def test_a_rule_of_offsets_is_tested_where_all_ids_are_right(merged: Merged) -> None:
    """Fault: it was "not tested: the time ended before", and perhaps the rule."""
    (only,) = merged(BYTE_OFFSETS, [("offsets", "", "other offsets", text_case("\xe9a", "fuzz:1"))])
    assert (only.stage, only.rule) == ("Offsets", "offsets count bytes instead of code points")
    assert only.confidence is not None
    assert only.confidence.foretold == only.confidence.tried >= 3


def test_a_rule_of_offsets_is_counted_on_texts_with_the_right_ids(merged: Merged) -> None:
    """Fault: beside an NFC of another Unicode, which Python 3.11 has, offsets of the normalized text had no rule."""
    change = {"text": 'unicodedata.normalize("NFC", text)'}
    told = [("offsets", "", "other offsets", text_case(text, "fuzz:1")) for text in ("e\u0301x y", "a\u0301\u0301")]
    found = merged(change, [*told, ids("a\u07fd\u0301")])
    assert "offsets count the normalized text" in {one.rule for one in found}


def test_two_causes_of_which_one_differs_far_more_often_are_told_apart(tmp_path: Path) -> None:
    """Fault: a rule was not taken up, since it fitted none of the sixty shortest inputs that differ."""
    both = ("wrong_pre_tokenizers.py:NoLookahead", "wrong_inputs.py:ZeroWidth")
    found = of_subject(planted(tmp_path, *both), [ids("\t a"), ids("\u200d")])
    assert {one.rule for one in found} == {"white space lookahead is missing", "zero-width characters are removed"}


def test_characters_of_decoded_text_that_become_others_are_the_cause(merged: Merged) -> None:
    plain = """text.replace("+", "p").replace("-", "_").replace("*", "x")"""
    cases = [ids_case(tuple(load(MODEL).encode_ids(text)), "fuzz:1") for text in ("-", "a*", "*-")]
    (only,) = merged({"decoded": plain}, [("decode", "", "other text", case) for case in cases])
    assert (only.stage, only.rule) == ("Decoder", "some characters become others")
