"""The summary of a run: a screenful, what is unexpected first."""

from __future__ import annotations

from dataclasses import replace

from conformance.core.case import text_case
from conformance.report.markdown import prose
from conformance.report.run.blocks import MOST, summary_markdown
from tests.conformance.report.sample_run import finding, passing_run, sample_run


def test_verdict_then_problems_then_what_is_new_then_the_matrix_then_what_is_known_and_not_done() -> None:
    text = summary_markdown(sample_run())
    assert text.startswith("### ✗ Tokenizer conformance: 8 unexpected findings, 2 problems\n")
    order = [
        "problem: The subject sentencepiece",
        "**other text**",
        "| model |",
        "≈ 1 known",
        prose("– reftok: not asked: it has no stream_encoder.reset, no decode_with_callback"),
    ]
    assert text.index("| ✗ ") < text.index("| ! ") < text.index("| ≈ ") < text.index("| – ") < text.index("| ✓ ")
    assert [*map(text.index, order)] == sorted(map(text.index, order))
    differing = "ids ✗ 1,207, tokens ✗ 17, offsets ✗ 17, decode ✗ 17, stream decode ✗ 17"
    assert f"| ✗ gpt2-mini | planted-nfc | {differing} | 111,105 | 1,275 |" in text


def test_a_good_run_is_short() -> None:
    text = summary_markdown(passing_run())
    assert text.startswith("### ✓ Tokenizer conformance: As expected\n")
    assert "**" not in text


def test_at_most_a_screenful() -> None:
    run = sample_run()
    many = tuple(finding(text_case("x\n" * 500, ""), f"rule {number}") for number in range(300))
    cells = tuple(replace(cell, model=f"{cell.model} {number}") for number in range(20) for cell in run.cells)
    text = summary_markdown(replace(run, findings=many, problems=("p",) * 50, cells=cells))
    assert text.count("\n") <= 60
    assert text.count("- **other ids**") == MOST.cards
    for more in ("and 292 more", "and 45 more", "and 233 more"):
        assert more in text
