"""`--fail-on` says which findings end a command with 1, and the report begins with the worst in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.report.run.folder import read_run_folder
from tests.conformance.commands import SMALLEST, Command, Planted


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "hard.jsonl"
    path.write_text(json.dumps({"text": "caf\0e merges"}) + "\n", "ascii")
    return path


@pytest.mark.parametrize(("gate", "code"), [("natural", 0), ("edge", 1), ("any", 1)])
def test_what_changes_no_natural_text_passes_the_gate_for_that(
    conformance_here: Command, planted: Planted, corpus: Path, tmp_path: Path, gate: str, code: int
) -> None:
    asked = ("--model", "bpe-qwen", "--corpus", corpus, "--subject", planted("nul_truncates"), *SMALLEST)
    result = conformance_here("run", *asked, "--fail-on", gate, "--out", tmp_path / "run")
    assert result.returncode == code, result.stderr
    assert result.stdout.startswith("✗ #1 INP001  wrong at the edge of Unicode  Input: text ends at the first NUL\n")
    assert ("; none fails it: --fail-on natural\n" in result.stdout) == (code == 0)
    run = read_run_folder(tmp_path / "run")
    assert (run.verdict, run.exit_code, run.fail_on) == ("unexpected findings", code, gate)
    assert ("<failure" in (tmp_path / "run" / "junit.xml").read_text("utf-8")) == (code == 1)


def test_a_rule_that_is_ignored_is_told_and_fails_nothing(
    conformance_here: Command, planted: Planted, corpus: Path, tmp_path: Path
) -> None:
    asked = ("--model", "bpe-qwen", "--corpus", corpus, "--subject", planted("nul_truncates"), *SMALLEST)
    ignored = conformance_here("run", *asked, "--ignore", "INP", "--out", tmp_path / "ignored")
    assert ignored.returncode == 0, ignored.stderr
    assert [one.reason for one in read_run_folder(tmp_path / "ignored").findings if one.example.subject != "tokenizers"]
    taken = conformance_here("run", *asked, "--ignore", "INP", "--select", "INP001", "--out", tmp_path / "taken")
    assert taken.returncode == 1, taken.stderr
    unknown = conformance_here("run", *asked, "--select", "QQQ")
    assert unknown.returncode == 2
    assert "'QQQ' is not a prefix of any code" in unknown.stderr


def test_text_as_macos_writes_it_is_natural(conformance_here: Command, planted: Planted, tmp_path: Path) -> None:
    """Fault: a port without NFC passed `--fail-on natural`, since all natural texts were NFC."""
    asked = ("--model", "bpe-qwen", "--corpus", "forms", "--subject", planted("no_nfc"), *SMALLEST)
    result = conformance_here("run", *asked, "--fail-on", "natural", "--out", tmp_path / "run")
    assert result.returncode == 1, result.stderr
    assert result.stdout.startswith("✗ #1 NRM001  wrong on 100 % of decomposed texts  Normalizer: NFC is missing\n")
    resumed = conformance_here("run", "--resume", tmp_path / "run", "--fail-on", "any", "--quiet")
    assert resumed.returncode == 1, resumed.stderr
    assert read_run_folder(tmp_path / "run").fail_on == "any"


def test_a_session_has_the_gate_too(conformance_here: Command, planted: Planted, tmp_path: Path) -> None:
    asked = (
        "--model",
        "bpe-qwen",
        "--check",
        "ids",
        "--cases",
        "400",
        "--subject",
        planted("nul_truncates"),
        "--quiet",
    )
    result = conformance_here("fuzz", *asked, "--fail-on", "natural", "--out", tmp_path / "session")
    run = read_run_folder(tmp_path / "session")
    assert {finding.weight.kind for finding in run.findings if finding.status == "new"} == {"edge of Unicode"}
    assert run.fail_on == "natural"
    assert result.returncode == int(bool(run.problems)), result.stdout
