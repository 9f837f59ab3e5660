"""Findings are weighed by natural texts: what is changed is counted, by language, for the finding that causes it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.causes import weight as weighing
from conformance.causes.weight import weighed
from conformance.checks import CHECKS
from conformance.core.case import Case, ids_case, text_case
from conformance.core.finding import Finding, Mismatch, Status
from conformance.core.weight import ALL, Share, Weight
from conformance.engine.bench import Bench
from conformance.engine.benches import bench_of, close_benches
from conformance.engine.collecting import collect_answers
from conformance.engine.plan import Plan
from conformance.inputs.corpora import natural_lines
from conformance.inputs.shards import Inputs
from conformance.runs.models import plan_models
from conformance.subjects.adapters import subject_label

pytestmark = pytest.mark.usefixtures("subjects_here")

SUBJECT = """
import tokenizers


class Subject:
    def __init__(self, path):
        self.tokenizer = tokenizers.Tokenizer.from_file(path)

    def encode(self, text, add_special_tokens):
        return self.tokenizer.encode({text}).ids

    def decode(self, ids, skip_special_tokens):
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
"""
GREEK = "text.replace('\\u03ac', 'a')"
"""Its alpha with tonos is no letter of any other language."""


@pytest.fixture(autouse=True)
def no_bench() -> Iterator[None]:
    yield
    close_benches()


Benched = Callable[[str], tuple[Bench, str]]


@pytest.fixture
def benched(tmp_path: Path) -> Benched:
    """The bench with a subject whose text is changed, and the label of that."""

    def of(text: str) -> tuple[Bench, str]:
        path = tmp_path / "subject.py"
        path.write_text(SUBJECT.format(text=text), "utf-8")
        subject = f"{path}:Subject"
        plan = Plan(plan_models(("bpe-qwen",)), (subject,), tuple(CHECKS), Inputs((), ("fuzz",), 0, 0), 60.0)
        return bench_of(plan, "bpe-qwen"), subject_label(subject)

    return of


def found(
    subject: str, case: Case, *, stage: str = "", rule: str = "other ids", check: str = "ids", status: Status = "new"
) -> Finding:
    kind = "other ids" if check == "ids" else "other text"
    example = Mismatch("bpe-qwen", subject, check, kind, "other ids", case, "", "")
    return Finding(example, 1, (), stage, rule, "tokenizers", status)


def parts(findings: Sequence[Finding]) -> list[dict[tuple[str, str], tuple[int, int]]]:
    return [{(one.of, one.what): (one.changed, one.asked) for one in item.weight.parts} for item in findings]


def test_a_finding_has_the_share_of_texts_and_words_that_it_changes_by_language(benched: Benched) -> None:
    bench, subject = benched(GREEK)
    (finding,) = weighed(bench, [found(subject, text_case("\u03ac", "o"))], {})
    words = {word for line in natural_lines()["el-Grek"] for word in line.split()}
    (shares,) = parts([finding])
    changed, asked = shares["Greek", "words"]
    assert finding.weight.kind == "natural text"
    natural = finding.example.evidence.natural
    assert natural is not None
    assert (natural.language, "\u03ac" in natural.text, " " in natural.text) == ("el-Grek", True, False)
    assert 0 < changed < asked <= len(words)
    assert finding.weight.whole is not None
    assert finding.weight.whole.asked > len(natural_lines())
    assert {name for name, what in shares if what == "words"} == {"Greek"}


def test_what_changes_no_natural_text_has_been_asked_all_of_them(benched: Benched) -> None:
    bench, subject = benched("text.replace('\\x01', '')")
    (finding,) = weighed(bench, [found(subject, text_case("\x01", "o"))], {})
    assert finding.weight.kind == "edge of Unicode"
    assert finding.weight.shares == (finding.weight.whole,)
    assert finding.weight.whole is not None
    assert finding.weight.whole.changed == 0


def test_a_text_is_put_down_to_the_finding_whose_cause_explains_it(benched: Benched) -> None:
    """The one whose fault does not foretell it has nothing of it, though its check fails alike."""
    bench, subject = benched(GREEK)
    named = found(subject, text_case("a\u0301", "o"), stage="Normalizer", rule="NFC is missing")
    other = found(subject, text_case("\u03ac", "o"))
    first, second = parts(weighed(bench, [named, other], {}))
    assert not first
    assert ("Greek", "texts") in second


def test_a_subject_that_often_gives_no_answer_is_not_asked_all_texts(benched: Benched) -> None:
    """Fault: of one that took a second to fail, the weight of a finding took ten minutes."""
    bench, subject = benched("text if text.isascii() else 1 / 0")
    refused = found(subject, text_case("\xe9", "o"), rule="refused")
    refused = replace(refused, example=replace(refused.example, rule="refused", severity="no answer"))
    (finding,) = weighed(bench, [refused], {})
    assert finding.weight.kind == "natural text"
    assert finding.weight.whole is not None
    assert weighing.MOST_UNANSWERED <= finding.weight.whole.changed < finding.weight.whole.asked
    assert finding.weight.whole.asked <= weighing.MOST_UNANSWERED + 2 * weighing.MOST_AT_ONCE < 6 * len(natural_lines())
    assert {part.what for part in finding.weight.parts} == {"texts"}


def test_where_texts_end_with_the_last_that_has_no_answer_no_words_are_asked(benched: Benched) -> None:
    """Fault: the bound was looked at before the next texts only, and there were none."""
    bench, subject = benched("1 / 0")
    refused = found(subject, text_case("\xe9", "o"), rule="refused")
    refused = replace(refused, example=replace(refused.example, severity="no answer"))
    number = -(-weighing.MOST_UNANSWERED // weighing.LINES)
    counted = dict.fromkeys([*natural_lines()][number:], 0)
    (finding,) = weighed(bench, [refused], counted)
    assert finding.weight.whole is not None
    assert finding.weight.whole.changed >= weighing.MOST_UNANSWERED
    assert {part.what for part in finding.weight.parts} == {"texts"}


def test_a_subject_that_often_gives_no_answer_is_still_asked_in_streams(benched: Benched) -> None:
    """Fault: its findings in streams were not weighed."""
    bench, subject = benched("1 / 0")
    refused = found(subject, text_case("\xe9", "o"), rule="refused")
    refused = replace(refused, example=replace(refused.example, severity="no answer"))
    of_streams = found(subject, text_case("\xe9", "o"), check="stream encode")
    _, streamed = weighed(bench, [refused, of_streams], {})
    assert streamed.weight.kind == "streams"
    assert streamed.weight.whole is not None


def test_what_another_check_finds_is_not_counted(benched: Benched) -> None:
    bench, subject = benched(GREEK)
    (finding,) = weighed(bench, [found(subject, ids_case((10**6,), "o"), check="decode", rule="other text")], {})
    assert finding.weight.kind == "ids and options at the edge"
    assert not finding.weight.parts


def test_what_a_run_has_counted_is_not_asked_again(benched: Benched, monkeypatch: pytest.MonkeyPatch) -> None:
    bench, subject = benched(GREEK)
    asked: list[str] = []

    def told(bench: Bench, cases: Sequence[Case], *rest: object) -> object:
        asked.extend(case.language for case in cases)
        return collect_answers(bench, cases, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(weighing, "collect_answers", told)
    monkeypatch.setattr(weighing, "MOST_WORDS", 0)
    counted = {name: len(lines) for name, lines in natural_lines().items() if name != "de-Latn"}
    before = found(subject, text_case("\u03ac", "o"))
    shares = (Share(name, "texts", 7 * (name == "el-Grek"), number) for name, number in counted.items())
    before = replace(before, weight=Weight(shares=tuple(shares)))
    (finding,) = weighed(bench, [before], counted)
    assert {*asked} == {"de-Latn"}
    assert finding.weight.parts == (Share("Greek", "texts", 7, counted["el-Grek"]),)
    assert finding.weight.whole == Share(ALL, "texts", 7, sum(counted.values()) + weighing.LINES)


@pytest.mark.parametrize(("status", "deadline"), [("known", math.inf), ("new", -math.inf)])
def test_nothing_is_asked_where_nothing_is_new_or_no_time_is_left(
    benched: Benched, status: Status, deadline: float
) -> None:
    bench, subject = benched(GREEK)
    (finding,) = weighed(bench, [found(subject, text_case("\u03ac", "o"), status=status)], {}, deadline)
    assert finding.weight == Weight("not weighed")


def test_no_question_is_begun_after_the_deadline(benched: Benched, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each answer takes an hour: of a first batch, which is one question, and no other."""
    bench, subject = benched(GREEK)
    clock, sizes = [0.0], list[int]()

    def slow(bench: Bench, cases: Sequence[Case], checks: Sequence[str], subject: str) -> object:
        clock[0] += 3600
        sizes.append(len(cases))
        return collect_answers(bench, cases, checks, subject)

    monkeypatch.setattr(weighing, "collect_answers", slow)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    (finding,) = weighed(bench, [found(subject, text_case("\u03ac", "o"))], {}, 1800.0)
    assert (clock, sizes) == ([3600.0], [1])
    assert finding.weight == Weight("not weighed")
