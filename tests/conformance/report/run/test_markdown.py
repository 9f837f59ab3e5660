"""The summary is a screenful, new things first, and inputs are never markup."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.core.case import text_case
from conformance.core.run import Absence
from conformance.report.run.markdown import MOST_FINDINGS, code, prose, summary_markdown
from conformance.report.run.view import MOST_KNOWN
from tests.conformance.report.sample_run import KNOWN, MARKDOWN, SCRIPT, finding, passing_run, sample_run


def test_verdict_then_what_is_new_then_the_matrix() -> None:
    text = summary_markdown(sample_run())
    assert text.startswith("### ✗ Tokenizer conformance: 8 unexpected findings, 2 problems\n")
    assert text.index("**problem**") < text.index("**other text**") < text.index("| model |") < text.index("≈ 1 known")
    assert "| ✗ gpt2-mini | planted-nfc | 111,105 | 1,275 | 0 | ✗ ids," in text


def test_a_good_run_is_short() -> None:
    text = summary_markdown(passing_run())
    assert text.startswith("### ✓ Tokenizer conformance: As expected\n")
    assert "**" not in text


def test_few_known_findings_are_named_with_what_replays_them() -> None:
    known = replace(KNOWN, example=replace(KNOWN.example, subject="planted-nfc"))
    text = summary_markdown(replace(sample_run(), findings=(known,)))
    assert f"\n- `{known.fingerprint}` {known.stage}: {known.rule} ({known.count}×)\n" in text
    many = tuple(replace(KNOWN, rule=f"rule {number}") for number in range(1 + MOST_KNOWN))
    assert "rule 0" not in summary_markdown(replace(sample_run(), findings=many))


def test_what_a_subject_has_not_and_was_not_asked_for_is_said() -> None:
    line = prose("reftok: not asked: it has no stream_encoder.reset, no decode_with_callback")
    assert f"\n- {line}\n" in summary_markdown(sample_run())


def test_a_model_that_a_subject_does_not_read_is_a_row_with_the_reason() -> None:
    run = replace(passing_run(), absences=(Absence("gpt2-mini", "t", "refused", "no|Unigram"),))
    assert "| – gpt2-mini | t | 0 | 0 | 0 | does not read this model: no\\|Unigram |" in summary_markdown(run)
    dead = replace(run, absences=(Absence("gpt2-mini", "t", "crashed", "exit code 3"),))
    assert "| ! gpt2-mini | t | 0 | 0 | 0 | took no part with this model: exit code 3 |" in summary_markdown(dead)


def test_at_most_a_screenful() -> None:
    run = sample_run()
    many = tuple(finding(text_case("x\n" * 500, ""), f"rule {number}") for number in range(300))
    cells = tuple(replace(cell, model=f"{cell.model} {number}") for number in range(20) for cell in run.cells)
    text = summary_markdown(replace(run, findings=many, problems=("p",) * 50, cells=cells))
    assert text.count("\n") <= 46
    assert text.count("- **other ids**") == MOST_FINDINGS
    assert "and 292 more unexpected findings" in text
    assert "and 47 more problems" in text
    assert "And 233 more rows:" in text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a|b", r"a\|b"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("`x` *y* _z_ ~s~ [l](u)", r"\`x\` \*y\* \_z\_ \~s\~ \[l\](u)"),
        ("@someone", "<code>@someone</code>"),
        ("see #12", "<code>see #12</code>"),
        ("a\nb\u202e", r"a␊b\\u{202e}"),
    ],
)
def test_prose_is_not_markup(text: str, safe: str) -> None:
    assert prose(text) == safe


@pytest.mark.parametrize(
    ("text", "span"), [("a", "`a`"), ("a`b", "``a`b``"), ("``", "``` `` ```"), ("`a", "`` `a ``"), ("<b>|", "`<b>|`")]
)
def test_nothing_ends_a_code_span(text: str, span: str) -> None:
    assert code(text) == span


def test_hostile_inputs_stay_in_their_place() -> None:
    nasty = f"{SCRIPT}\n# heading\n| {MARKDOWN}\ud800"
    run = sample_run()
    cells = tuple(replace(cell, model=nasty, subject=nasty) for cell in run.cells[:1])
    text = summary_markdown(
        replace(run, cells=cells, findings=(finding(text_case(nasty, ""), nasty),), problems=(nasty,))
    )
    text.encode("utf-8")
    lines = text.splitlines()
    assert sum(line.startswith("#") for line in lines) == 1
    (row,) = [line for line in lines if line.startswith("| ") and "model" not in line]
    assert row.replace(r"\|", "").count("|") == 7
    outside = [line for line in lines if "<script>" in line and "`" not in line]
    assert not outside
