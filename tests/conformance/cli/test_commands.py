"""The command itself: planted defects are found and named, and every report is whole, also in real processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from conformance.report.run.folder import read_run_folder
from reftok import embedded_models

from ..commands import (
    LONG_TIMEOUT,
    SMALL,
    SMALLEST,
    TEXTS,
    Command,
    Corpus,
    Findings,
    Planted,
    small_run,
    subjects,
)


def of(found: list[dict[str, Any]], defect: str) -> set[tuple[str, str, str]]:
    """Check, stage and rule of the findings of one planted defect."""
    named = [finding for finding in found if finding["example"]["subject"] == f"{defect}.py:Subject"]
    assert all(finding["status"] == "new" for finding in named)
    return {(finding["example"]["check"], finding["stage"], finding["rule"]) for finding in named}


def reftok_is_complete_and_clean(folder: Path) -> None:
    rows = {cell.check: cell for cell in read_run_folder(folder).cells if cell.subject == "reftok"}
    assert rows["ids"].compared > 0
    assert rows["decode"].compared >= rows["ids"].compared
    assert not any(cell.mismatched or cell.failures for cell in rows.values())


DEFECTS = {
    "no_nfc": {("ids", "Normalizer", "NFC is missing")},
    "off_by_one_offsets": {("offsets", "Offsets", "offsets are one too high")},
    "lossy_decode": {("decode", "Decoder", "bytes that are not UTF-8 are dropped")},
    "stream_loses_tail": {
        ("stream decode", "Decoder", "a U+FFFD that nothing can change is held for ever"),
        ("stream decode", "Decoder", "a character that stays incomplete is never given out as U+FFFD"),
    },
    "nonsense_text": {("decode", "", "nonsense")},
    "nonsense_ids": {("ids", "", "nonsense")},
    "correct": set(),
}


def test_each_planted_defect_is_found_and_named_and_nothing_else(
    conformance_here: Command, planted: Planted, findings: Findings, corpus: Corpus, tmp_path: Path
) -> None:
    """All that are planted are those of tests/conformance/test_planted_defects.py."""
    out = tmp_path / "out"
    arguments = ("--model", "bpe-qwen", "--corpus", corpus(*TEXTS), "--out", out, *SMALL, *LONG_TIMEOUT)
    more = ("--fuzz", "80")  # enough ids that end within a character
    result = conformance_here("run", *arguments, *more, *subjects(planted, *DEFECTS))
    assert result.returncode == 1, result.stderr
    found = findings(out)
    assert {defect: of(found, defect) for defect in DEFECTS} == DEFECTS
    reftok_is_complete_and_clean(out)


def test_hangs_deaths_and_errors_are_findings_and_the_rest_is_answered(
    conformance: Command, planted: Planted, findings: Findings, corpus: Corpus, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    defects = {"hangs": "timed out", "exits": "crashed", "raises": "refused"}
    right = ("prints_noise",)
    texts = ("a", "☠", "b", "c")
    arguments = ("--model", "bpe-qwen", "--corpus", corpus(*texts), "--out", out, *SMALLEST, "--timeout", "3")
    result = conformance("run", *arguments, *subjects(planted, *defects, *right))
    assert result.returncode == 1, result.stderr
    found = findings(out)
    assert {defect: of(found, defect) for defect in defects} == {
        defect: {("ids", "", kind)} for defect, kind in defects.items()
    }
    assert not any(of(found, subject) for subject in right)
    counts = {c.subject: (c.compared, c.mismatched, c.failures) for c in read_run_folder(out).cells if c.check == "ids"}
    assert [counts[f"{defect}.py:Subject"] for defect in defects] == [(len(texts), 1, 1)] * len(defects)
    assert [counts[f"{subject}.py:Subject"] for subject in right] == [(len(texts), 0, 0)] * len(right)
    reftok_is_complete_and_clean(out)


def test_a_run_as_expected_ends_with_0_and_writes_its_folder_to_a_pipe_as_well(
    conformance: Command, corpus: Corpus, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    result = conformance("run", "--model", "bpe-qwen", "--corpus", corpus(*TEXTS), "--out", out, *SMALL)
    assert (result.returncode, result.stderr) == (0, "")
    assert "As expected" in result.stdout
    assert "\x1b" not in result.stdout
    reports = {"badge.json", "badge.svg", "findings.sarif", "junit.xml", "report.html", "summary.md"}
    data = {"findings.jsonl", "journal.jsonl", "plan.json", "run.json"}
    assert {path.name for path in out.iterdir()} == reports | data | {".lock"}
    assert read_run_folder(out).exit_code == 0


def test_a_model_in_a_folder_with_spaces_and_other_scripts(
    conformance_here: Command, planted: Planted, corpus: Corpus, tmp_path: Path
) -> None:
    folder = tmp_path / "mein Modell ☠ é"
    folder.mkdir()
    shutil.copy(embedded_models()["spm-bpe"], folder / "tokenizer.model")
    arguments = ("--corpus", corpus("a"), "--out", tmp_path / "öut put", *SMALLEST, *subjects(planted, "correct"))
    result = conformance_here("run", "--model", folder, *arguments)
    assert result.returncode == 0, result.stderr + result.stdout


def test_models_with_the_same_folder_and_file_name_are_both_run(
    conformance_here: Command, corpus: Corpus, tmp_path: Path
) -> None:
    models = [tmp_path / parent / "model" for parent in ("a", "b")]
    for model in models:
        model.mkdir(parents=True)
        shutil.copy(embedded_models()["spm-char"], model / "tokenizer.model")
    out = tmp_path / "out"
    result = conformance_here(
        "run", "--model", models[0], "--model", models[1], "--corpus", corpus("a"), "--out", out, *SMALLEST
    )
    assert result.returncode == 0, result.stderr
    assert len({model.name for model in read_run_folder(out).models}) == 2


def test_a_broken_pipe_does_not_lose_the_outcome(
    planted: Planted, corpus: Corpus, command_environment: dict[str, str], tmp_path: Path
) -> None:
    subject = subjects(planted, "strips_white_space")
    arguments = [*map(str, small_run(corpus, "\ta")), "--out", str(tmp_path / "out"), *subject]
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "conformance", *arguments, *LONG_TIMEOUT]
    command.remove("--quiet")
    result = subprocess.run(command, env=command_environment, stdout=writer, stderr=writer, timeout=300)
    os.close(writer)
    assert result.returncode == 1


def test_a_session_goes_on_and_tells_its_outcome_where_nobody_reads(
    planted: Planted, corpus: Corpus, command_environment: dict[str, str], tmp_path: Path
) -> None:
    """Begun, and gone on with: what was found is then asked again, and told, before anything else."""
    begin = ("--model", "spm-char", "--corpus", str(corpus(" a ")), "--check", "ids", *LONG_TIMEOUT, "--out", "s")
    codes = []
    for number, arguments in enumerate([(*begin, *subjects(planted, "strips_white_space")), ("--resume", "s")], 1):
        reader, writer = os.pipe()
        os.close(reader)
        command = [sys.executable, "-m", "conformance", "fuzz", *arguments, "--cases", str(number * 60), "--jobs", "1"]
        result = subprocess.run(
            command, cwd=tmp_path, env=command_environment, stdout=writer, stderr=subprocess.PIPE, timeout=300
        )
        os.close(writer)
        codes.append(result.returncode)
        assert b"Traceback" not in result.stderr
        assert read_run_folder(tmp_path / "s").cases == number * 60
    assert codes == [1, 1]
