"""The example of a finding shows what the finding says: its rule explains it, and its severity is its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.causes import smallest
from conformance.causes.attribution import Attribution
from conformance.causes.smallest import shrunk_example
from conformance.checks import CHECKS
from conformance.core.case import Case, ids_case, text_case
from conformance.core.finding import Mismatch, Severity
from conformance.engine.benches import bench_of, close_benches
from conformance.engine.plan import Plan
from conformance.inputs.shards import Inputs
from conformance.runs.models import plan_models
from conformance.subjects.adapters import subject_label

pytestmark = pytest.mark.usefixtures("subjects_here")

UNKNOWN = Attribution()
Shrunk = Callable[..., tuple[Mismatch, Attribution]]
SUBJECT = """
import json
import tokenizers


class Subject:
    def __init__(self, path):
        self.tokenizer = tokenizers.Tokenizer.from_file(path)

    def encode(self, text, add_special_tokens):
        if {text_is_refused}:
            raise ValueError("no such text")
        text = {text}
        return self.tokenizer.encode(text).ids

    def decode(self, ids, skip_special_tokens):
        if {ids_are_refused}:
            raise ValueError("no such ids")
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
"""
"""The official library behind a text that is changed."""


@pytest.fixture(autouse=True)
def no_bench() -> Iterator[None]:
    yield
    close_benches()


@pytest.fixture
def shrunk(tmp_path: Path) -> Shrunk:
    def of(
        change: dict[str, str],
        case: Case,
        cause: Attribution = UNKNOWN,
        severity: Severity = "other ids",
        rule: str = "other ids",
        deadline: float = math.inf,
        until: float = math.inf,
        others: Sequence[Attribution] = (),
    ) -> tuple[Mismatch, Attribution]:
        """until: of `time.monotonic`, when the time to ask is up."""
        path = tmp_path / "subject.py"
        parts = {"text": "text", "text_is_refused": "False", "ids_are_refused": "False", **change}
        path.write_text(SUBJECT.format(**parts), "utf-8")
        subject = f"{path}:Subject"
        plan = Plan(plan_models(("bpe-qwen",)), (subject,), tuple(CHECKS), Inputs((), ("fuzz",), 0, 0), 60.0)
        check = "decode" if case.kind == "ids" else "ids"
        mismatch = Mismatch("bpe-qwen", subject_label(subject), check, rule, severity, case, "", "")
        bench = bench_of(plan, mismatch.model)
        bench.ask_until(until)
        return shrunk_example(plan, bench, mismatch, cause, others, deadline)

    return of


CUTS_DOTS = {"text": 'text.replace("\\x0c.", "\\x0c. ")'}
LOWER = {"text": "text.lower()"}
REFUSES = {
    "text_is_refused": r"not text or '\0' in text",
    "ids_are_refused": "not ids or 7 in ids or max(ids) >= 1 << 20",
}


def test_a_case_without_a_known_cause_is_shrunk_to_none_of_another(shrunk: Shrunk) -> None:
    """Fault: the smallest case showed the mistake that was known, and the other one was never shown."""
    case = text_case("\x0c.aX", "o")
    both = {"text": 'text.lower().replace("\x0c.", "\x0c. ")'}
    assert shrunk(both, case)[0].case.text == "A"
    example, _ = shrunk(both, case, others=[Attribution("Normalizer", "text is lower-cased")])
    assert example.case.text == "\x0c."


def test_a_rule_that_explains_the_shrunk_example_stands(shrunk: Shrunk) -> None:
    named = Attribution("Normalizer", "text is lower-cased")
    example, cause = shrunk(LOWER, text_case("x Ab", "o"), named)
    assert (example.case.text, cause) == ("A", named)


def test_what_is_not_answered_in_time_is_not_said_to_be_right_when_it_is_asked_alone(shrunk: Shrunk) -> None:
    """Fault: a mistake that repeats itself was "not seen again when the same was asked alone … as expected"."""
    named = Attribution("Normalizer", "text is lower-cased")
    example, cause = shrunk(LOWER, text_case("x Ab", "o"), named, until=-math.inf)
    assert (example.case.text, example.observed, cause) == ("x Ab", "", named)


def test_when_the_time_is_up_no_smaller_case_is_tried(shrunk: Shrunk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock counts how often it is asked: the first time, whether there is any left. Fault: 20 s took 114 s."""
    case = text_case("x Ab", "o")
    named = Attribution("Normalizer", "text is lower-cased")
    for deadline, text, is_looked_at in ((-1, "x Ab", False), (0, "x Ab", True), (math.inf, "A", True)):
        ticks = count()
        monkeypatch.setattr(smallest, "time", SimpleNamespace(monotonic=lambda ticks=ticks: next(ticks)))
        example, cause = shrunk(LOWER, case, named, deadline=deadline)
        assert (example.case.text, cause, bool(example.observed)) == (text, named, is_looked_at)


def test_an_injection_is_shown_by_an_injection(shrunk: Shrunk) -> None:
    named = Attribution("Normalizer", "text is lower-cased")
    case = text_case("ABC <|IM_END|> d", "o")
    example, cause = shrunk(LOWER, case, named, "special-token injection")
    assert (example.case.text.lower(), cause) == ("<|im_end|>", named)
    assert example.severity == "special-token injection"


def test_the_severity_is_that_of_the_shrunk_example(shrunk: Shrunk) -> None:
    named = Attribution("Normalizer", "text is lower-cased")
    example, _ = shrunk(LOWER, text_case("x Ab", "o"), named, "other text")
    assert (example.case.text, example.severity) == ("A", "other ids")


@pytest.mark.parametrize(
    ("case", "smallest", "rule", "due"),
    [
        (ids_case((5, 7, 6), "o"), ids_case((7,), "o"), "ids of the vocab are refused", "("),
        (ids_case((5, 1 << 21, 6), "o"), ids_case((1 << 20,), "o"), "ids outside the vocab are refused", "(empty)"),
        (ids_case((), "o"), ids_case((), "o"), "an empty list of ids is refused", "(empty)"),
        (text_case("a\0b", "o"), text_case("\0", "o"), "texts with NUL are refused", "188 '\\x00'"),
        (text_case("", "o"), text_case("", "o"), "an empty text is refused", "(end)"),
    ],
)
def test_refusals_are_told_apart_by_what_is_refused_and_say_what_was_due(
    shrunk: Shrunk, case: Case, smallest: Case, rule: str, due: str
) -> None:
    example, cause = shrunk(REFUSES, case, severity="no answer", rule="refused")
    assert (example.case, cause, example.expected) == (smallest, Attribution("", rule), due)
