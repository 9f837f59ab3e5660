"""The terminal report fits its width, says what matters first, and lets no input command the terminal."""

from __future__ import annotations

import io
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.cells import cell_len
from rich.console import Console

import conformance
from conformance.cli.commands import cli
from conformance.core.case import text_case
from conformance.core.run import GONE, MENDED, Run
from conformance.report.console import OutputConsole
from conformance.report.run.blocks import summary_markdown
from conformance.report.run.forms import FORMS, in_form
from conformance.report.run.html import html_report
from conformance.report.run.issue import issue_markdown
from conformance.report.run.junit import junit_xml
from conformance.report.run.sarif import sarif_json
from conformance.report.run.terminal import MOST, print_report
from tests.conformance.report.sample_run import HOSTILE, KNOWN, PLAIN, finding, passing_run, sample_run

GONE_PROBLEM = f"expectation e {GONE} m: is it fixed (r)? then take it off the list"
MENDED_RUN = replace(passing_run(), verdict="unexpected findings", subjects=(), problems=(GONE_PROBLEM,))
RUNS = {
    "right": passing_run(),
    "everything": sample_run(),
    "wrong": replace(sample_run(), problems=()),
    "known": replace(passing_run(), findings=(KNOWN,)),
    "mended": MENDED_RUN,
    "incomplete": replace(passing_run(), verdict="incomplete", cells=()),
    "of a stranger": replace(passing_run(), command="a stranger's"),
    "session": replace(passing_run(), sources=("session",)),
    "many": replace(
        sample_run(), problems=(), findings=tuple(finding(text_case("é", ""), f"rule {number}") for number in range(25))
    ),
}
LAST = re.compile(r"Next: (conformance .*)")


def printed(
    run: Run,
    width: int = 120,
    *,
    encoding: str = "utf-8",
    terminal: bool = False,
    verbose: bool = False,
    folder: str = "a run",
) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="strict", newline="")
    console = Console(file=stream, width=width, force_terminal=terminal, legacy_windows=False)
    print_report(run, Path(folder), console, verbose)
    stream.flush()
    return raw.getvalue().decode(encoding)


@pytest.mark.parametrize("width", [40, 80, 120, 10_000])
@pytest.mark.parametrize("name", RUNS)
def test_a_report_is_a_screen_of_findings_then_a_table_then_what_to_do_next(name: str, width: int) -> None:
    """Fault: a bare run printed 149 lines in 80 columns, its table in pieces, the finding below it."""
    run = RUNS[name]
    lines = [line.rstrip() for line in printed(run, width).splitlines()]
    sentences = [line for line in lines if not line.startswith(("Report: ", "Next: "))]
    if width >= 80 and run.problems == run.mended:
        assert len(lines) <= (15 if not run.unexpected else 10 + 2 * run.unexpected)
    assert all(cell_len(line) <= width for line in sentences)
    numbers = [number for number, line in enumerate(lines) if re.match(r"✗ #\d+ [A-Z]{3}\d{3}  ", line)]
    assert len(numbers) == min(run.unexpected, MOST.cards)
    tables = [number for number, line in enumerate(lines) if line.startswith("model ")]
    assert numbers == [2 * number for number in range(len(numbers))]
    assert all(table > max(numbers) for table in tables)
    (command,) = LAST.findall(lines[-1])
    assert CliRunner().invoke(cli, [shlex.split(command)[1], "--help"]).exit_code == 0
    everything = printed(run, 200, verbose=True)
    assert all(one.fingerprint in everything for one in run.findings if one.status == "known")
    assert all(cell.subject in everything for cell in run.cells)


def test_the_report_says_what_came_out() -> None:
    lines = [line.rstrip() for line in printed(sample_run(), 200).splitlines()]
    assert "✗ gpt2-mini     planted-nfc    ids ✗ 1,207, tokens ✗ 17" in "\n".join(lines)
    assert "≈ 1 known finding (41 mismatches), of reftok itself" in lines
    assert lines[-3:] == [
        "✗ 8 unexpected findings, 2 problems: 1,234,567 answers compared in 12.2 s",
        "Report: a run/report.html",
        "Next: conformance show 'a run' 1",
    ]
    assert "! problem: The subject sentencepiece refused 98 % of the cases of gpt2-mini." in lines
    assert "15 more unexpected findings" in printed(RUNS["many"])
    text = printed(sample_run(), 200, verbose=True)
    assert "– reftok: not asked: it has no stream_encoder.reset, no decode_with_callback" in text
    assert "– morpheme.py:Tokenizer: does not read gpt2-mini, gemma-unigram-mini: ValueError: no Precompiled" in text


def test_what_was_known_and_is_mended_has_a_word_of_its_own() -> None:
    """Fault: "unexpected findings" stood beside "0 unexpected"."""
    lines = printed(MENDED_RUN, 200).splitlines()
    assert lines[0] == f"! {MENDED}: {GONE_PROBLEM}"
    assert lines[1].startswith("✗ 1 mended: prune it: ")
    assert lines[-1] == "Next: conformance known prune 'a run'"
    assert [run.outcome for run in (MENDED_RUN, sample_run())] == [MENDED, "unexpected findings"]


def test_the_functions_for_tests_say_the_same_of_a_finding() -> None:
    """Fault: they named the kind of difference where the reports name its severity."""
    item = replace(PLAIN[0], count=7)
    run = replace(sample_run(), findings=(item,))
    shown = [line.rstrip().replace("#1  ", "") for line in printed(run, 200, verbose=True).splitlines()]
    described = conformance.describe([item]).splitlines()
    start = shown.index(described[0])
    assert [re.sub(" +", " ", line) for line in shown[start : start + len(described)]] == [
        re.sub(" +", " ", line) for line in described
    ]


def test_nothing_is_folded_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    console = OutputConsole(file=io.StringIO())
    command = "conformance replay " + "--option value " * 20 + "end"
    run = replace(sample_run(), findings=(replace(PLAIN[0], replay=command, rule="x" * 150),))
    print_report(run, Path("r"), console)
    assert "x" * 150 in console.file.getvalue()  # type: ignore[attr-defined]
    assert command in printed(run, 80, verbose=True)


def test_no_document_of_a_run_commands_the_terminal_or_turns_the_direction() -> None:
    """Fault: JUnit gave problems, versions and names of models as they are but for what XML forbids."""
    nasty = "\x1b]0;title\x07[bold red]:smile:\u202e\x9b\t"
    items = (*HOSTILE, replace(HOSTILE[0], replay=nasty, rule=nasty, stage=nasty))
    cells = tuple(replace(cell, model=nasty, subject=nasty) for cell in sample_run().cells)
    run = replace(sample_run(), findings=items, problems=(nasty,), cells=cells, command=nasty, versions={nasty: nasty})
    screens = [printed(run, folder=nasty), printed(run, verbose=True), printed(replace(run, findings=(), problems=()))]
    documents = [junit_xml(run), sarif_json(run), summary_markdown(run), html_report(run)]
    documents += [in_form(run, form) for form in FORMS] + [issue_markdown(run, item) for item in items]
    for text in (*screens, *documents):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]", text)
    assert "[bold red]:smile:" in screens[0]
    assert r"␛]0;title␇[bold red]:smile:\u{202e}\u{9b}␉/report.html" in screens[0]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_other_encodings_get_their_own_signs(encoding: str) -> None:
    text = printed(sample_run(), encoding=encoding)
    assert "ids X 1,207" in text
    assert "X 8 unexpected findings" in text


def test_colour_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[" not in printed(sample_run())
    assert "\x1b[1;31m" in printed(sample_run(), terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[1;31m" not in printed(sample_run(), terminal=True)
