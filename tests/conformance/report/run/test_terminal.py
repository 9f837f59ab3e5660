"""The terminal report fits its width, says what matters, and lets no input command the terminal."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

import conformance
from conformance.core.case import text_case
from conformance.core.run import Run
from conformance.report.run.terminal import MOST_FINDINGS, print_report
from conformance.report.run.view import MOST_KNOWN
from tests.conformance.report.sample_run import CHECKS, HOSTILE, KNOWN, PLAIN, finding, passing_run, sample_run


def printed(run: Run, width: int = 120, *, encoding: str = "utf-8", terminal: bool = False) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="strict", newline="")
    print_report(run, Console(file=stream, width=width, force_terminal=terminal, legacy_windows=False))
    stream.flush()
    return raw.getvalue().decode(encoding)


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_the_matrix_fits_and_is_whole(width: int) -> None:
    """Fault: in 40 columns there were the names of models and subjects alone, once for each check."""
    table = printed(passing_run(), width).split("✓ all equal")[0]
    assert all(cell_len(line.rstrip()) <= width for line in table.splitlines())
    words = table.split()
    assert all(word in words for check in CHECKS for word in check.split())
    assert words.count("✓") + words.count("–") == 3 * 4 * len(CHECKS)


def test_the_end_says_what_came_out() -> None:
    text = printed(sample_run())
    for part in ("✗ 1,207", "≈ 41", "! 12,345", "≈ 1 known finding (41 mismatches)"):
        assert part in text
    assert "problem: The subject sentencepiece refused" in text
    last = text.rstrip().splitlines()[-1]
    assert last == "✗ 8 unexpected findings, 2 problems: 1,234,567 answers compared in 12.2 s"
    assert "✓ As expected" in printed(passing_run())


def test_what_a_subject_was_not_asked_for_is_said() -> None:
    text = " ".join(printed(sample_run(), 200).split())
    assert "– reftok: not asked: it has no stream_encoder.reset, no decode_with_callback –" in text
    assert "– morpheme.py:Tokenizer: does not read gpt2-mini, gemma-unigram-mini: ValueError: no Precompiled" in text
    assert "not asked" not in printed(replace(sample_run(), subjects=()))


def test_few_known_findings_are_named_with_what_replays_them() -> None:
    known = replace(KNOWN, example=replace(KNOWN.example, subject="planted-nfc"))
    line = f"  {known.fingerprint}  {known.stage}: {known.rule}  ({known.count} x)\n"
    assert line in printed(replace(sample_run(), findings=(known,)))
    many = tuple(replace(known, rule=f"rule {number}") for number in range(1 + MOST_KNOWN))
    assert "rule 0" not in printed(replace(sample_run(), findings=many))


def test_known_faults_of_the_reference_are_only_counted_in_a_run_about_somebody_else() -> None:
    assert "≈ 1 known finding (41 mismatches), of reftok itself" in printed(sample_run())
    assert KNOWN.rule not in printed(sample_run())
    own = tuple(one for one in sample_run().subjects if one.role != "subject")
    assert KNOWN.rule in printed(replace(sample_run(), subjects=own))


def test_the_functions_for_tests_say_the_same_of_a_finding() -> None:
    """Fault: they named the kind of difference where the reports name its severity."""
    item = replace(PLAIN[0], count=7)
    shown = [line.rstrip() for line in printed(replace(sample_run(), findings=(item,)), 200).splitlines()]
    described = conformance.describe([item]).splitlines()
    start = shown.index(described[0])
    assert shown[start : start + len(described)] == described


def test_a_replay_command_stays_in_one_line() -> None:
    command = "conformance replay " + "--option value " * 20 + "end"
    item = replace(PLAIN[0], replay=command)
    assert command in printed(replace(sample_run(), findings=(item,)), 80)


def test_only_the_first_findings_are_told() -> None:
    many = tuple(finding(text_case("x", ""), f"rule {number}") for number in range(25))
    text = printed(replace(sample_run(), findings=many))
    assert text.count("replay ") - text.count("conformance replay") == MOST_FINDINGS
    assert "15 more unexpected findings" in text


def test_no_input_commands_the_terminal() -> None:
    nasty = "\x1b]0;title\x07[bold red]:smile:\u202e\x9b"
    items = (*HOSTILE, replace(HOSTILE[0], replay=nasty, rule=nasty, stage=nasty))
    cells = tuple(replace(cell, model=nasty, subject=nasty) for cell in sample_run().cells)
    text = printed(replace(sample_run(), findings=items, problems=(nasty,), cells=cells))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]", text)
    assert "[bold red]:smile:" in text


def test_colour_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[" not in printed(sample_run())
    assert "\x1b[1;31m" in printed(sample_run(), terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" not in printed(sample_run(), terminal=True)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_other_encodings_get_their_own_signs(encoding: str) -> None:
    text = printed(sample_run(), encoding=encoding)
    assert "X 1,207" in text
    assert "X 8 unexpected findings" in text


def test_an_empty_run_is_printed() -> None:
    assert "No cell was filled." in printed(replace(passing_run(), cells=(), checks=()))
