"""Runs that are killed, interrupted, resumed, repeated and replayed: nothing is lost, and nothing depends on chance."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.files.lock import locked
from conformance.report.run.folder import read_run_folder
from reftok import embedded_models

from ..commands import (
    LONG_TIMEOUT,
    SMALL,
    SMALLEST,
    TEXTS,
    Command,
    Corpus,
    Planted,
    hear_interrupts,
    outcome,
    said,
    subjects,
)


def test_the_number_of_workers_changes_nothing_but_the_times(
    conformance: Command, planted: Planted, corpus: Corpus, tmp_path: Path
) -> None:
    folders = []
    for jobs in ("1", "2"):
        work = tmp_path / jobs
        work.mkdir()
        shards = ("--model", "spm-char", "--check", "ids", *SMALL, "--jobs", jobs)  # corpora are one, fuzz is another
        arguments = (*shards, "--corpus", corpus(*TEXTS), "--out", "out", *LONG_TIMEOUT)
        result = conformance("run", *arguments, *subjects(planted, "strips_white_space"), cwd=work)
        assert result.returncode == 1, result.stderr
        folders.append(work / "out")
    assert outcome(folders[0]) == outcome(folders[1])


SIGNALLING = '''
"""Right answers; where there is a file "signal", the run that asks is sent that signal once, after its first shard."""

import os
import time
from pathlib import Path

from strips_white_space import Subject as Wrong

ORDER = Path(__file__).with_name("signal")
JOURNAL = Path(__file__).with_name("out") / "journal.jsonl"


class Subject(Wrong):
    def encode_with_offsets(self, text, add_special_tokens):
        if "now" in text and ORDER.exists() and "char" in self.path:
            while b"\\n" not in JOURNAL.read_bytes():
                time.sleep(0.01)
            number = int(ORDER.read_text())
            ORDER.unlink()
            os.killpg(os.getpgid(os.getppid()), number)
            time.sleep(600)
        return super().encode_with_offsets(text, add_special_tokens)

    def __init__(self, model_path):
        super().__init__(model_path)
        self.path = model_path
'''


@pytest.fixture
def workplace(tmp_path: Path, planted: Planted) -> Callable[[str], Path]:
    """A folder with a corpus and the subject that sends signals."""

    def make(name: str) -> Path:
        folder = tmp_path / name / "work"
        folder.mkdir(parents=True)
        for file in ("official.py", "strips_white_space.py"):
            shutil.copy(Path(planted("correct")).parent / file, folder)
        (folder / "signalling.py").write_text(SIGNALLING, "utf-8")
        (folder / "texts.txt").write_text("now \ncafe\u0301\n a\n", "utf-8")
        return folder

    return make


MODELS = ("--model", "bpe-gpt2", "--model", "spm-char", "--corpus", "texts.txt", "--check", "ids", "--check", "decode")
RUN = ("run", *MODELS, "--subject", "signalling.py:Subject", "--out", "out", *SMALL, "--timeout", "120")


def interrupted_by(number: int, folder: Path, environment: dict[str, str], code: int) -> str:
    """Runs the command in a process group of its own, whose subject sends it a signal; gives its standard error."""
    (folder / "signal").write_text(str(int(number)), "ascii")
    command = [sys.executable, "-m", "conformance", *RUN]
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
        preexec_fn=hear_interrupts,
    ) as process:
        _, errors = process.communicate(timeout=300)
    assert process.returncode == code, errors
    return errors


def test_an_interrupted_run_is_readable_says_how_to_go_on_and_resumes_to_the_same_outcome(
    conformance_here: Command, command_environment: dict[str, str], workplace: Callable[[str], Path]
) -> None:
    """By a signal that the command must handle; others, at other moments, are in tests/hostile/test_kills.py."""
    unbroken, interrupted = workplace("unbroken"), workplace("interrupted")
    assert conformance_here(*RUN, cwd=unbroken, isolated=True).returncode == 1
    errors = interrupted_by(signal.SIGTERM, interrupted, command_environment, 128 + signal.SIGTERM)
    assert "--resume" in errors
    assert "Traceback" not in errors
    assert read_run_folder(interrupted / "out").verdict == "incomplete"
    assert not [entry for entry in findings_of(interrupted) if entry["rule"] in ("crashed", "timed out")]
    assert conformance_here("run", "--resume", "out", "--jobs", "1", cwd=interrupted, isolated=True).returncode == 1
    assert outcome(interrupted / "out") == outcome(unbroken / "out")


def findings_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "out" / "findings.jsonl").read_text("ascii").splitlines()]


def test_resuming_with_a_changed_file_is_refused(conformance_here: Command, workplace: Callable[[str], Path]) -> None:
    folder = workplace("changed")
    (folder / "model").mkdir()
    model = json.loads(embedded_models()["bpe-gpt2"].read_text("utf-8"))["model"]
    (folder / "model" / "vocab.json").write_text(json.dumps(model["vocab"]), "utf-8")
    merges = "".join(f"{' '.join(pair)}\n" for pair in model["merges"])
    (folder / "model" / "merges.txt").write_text(f"#version: 0.2\n{merges}", "utf-8")
    arguments = ("--model", "model", "--subject", "signalling.py:Subject", "--corpus", "texts.txt", *SMALLEST)
    (folder / "signalling.py").write_text(
        "import reftok\nclass Subject:\n  def __init__(self, path): self.tokenizer = reftok.load(path)\n"
        "  def encode(self, text, special): return self.tokenizer.encode_ids(text)\n"
        "  def decode(self, ids, skip): return self.tokenizer.decode(ids, skip_special_tokens=skip)\n",
        "utf-8",
    )
    assert conformance_here("run", *arguments, "--out", "out", cwd=folder).returncode == 0
    for name in ("texts.txt", "signalling.py", "model/vocab.json", "model/merges.txt"):
        file, message = folder / name, f"{Path(name).name}: is gone or has changed"
        content = file.read_bytes()
        file.write_bytes(content + b"\n")
        said(conformance_here("run", "--resume", "out", cwd=folder), 2, message)
        file.unlink()
        said(conformance_here("run", "--resume", "out", cwd=folder), 2, message)
        file.symlink_to(file)
        said(conformance_here("run", "--resume", "out", cwd=folder), 2, message)
        file.unlink()
        file.write_bytes(content)
    assert conformance_here("run", "--resume", "out", cwd=folder).returncode == 0


@pytest.fixture(scope="session")
def finished(conformance_here: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of one shard; for tests to copy."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "texts.txt").write_text("a\n", "utf-8")
    arguments = ("--model", "spm-char", "--corpus", "texts.txt", "--out", "out", *SMALLEST)
    assert conformance_here("run", *arguments, cwd=folder).returncode == 0
    return folder / "out"


@pytest.fixture
def out(finished: Path, tmp_path: Path) -> Path:
    """The folder of a finished run."""
    return shutil.copytree(finished, tmp_path / "out")


def test_a_second_run_into_the_same_folder_is_refused(conformance_here: Command, corpus: Corpus, out: Path) -> None:
    arguments = ("run", "--model", "spm-char", "--corpus", corpus("a"), "--out", out, *SMALLEST)
    said(conformance_here(*arguments), 2, "holds a run already; go on with --resume")


def test_a_finished_run_resumes_to_itself(conformance_here: Command, corpus: Corpus, tmp_path: Path) -> None:
    arguments = ("--model", "spm-char", "--corpus", corpus(*TEXTS), "--out", "out", *SMALL)
    assert conformance_here("run", *arguments, cwd=tmp_path).returncode == 0
    before = outcome(tmp_path / "out")
    assert conformance_here("run", "--resume", "out", cwd=tmp_path).returncode == 0
    assert outcome(tmp_path / "out") == before


def test_a_folder_that_another_process_works_on_is_not_resumed(conformance_here: Command, out: Path) -> None:
    with locked(out):
        said(conformance_here("run", "--resume", out), 2, "is being worked on by another process")
    assert conformance_here("run", "--resume", out).returncode == 0


def test_resuming_with_another_version_of_a_library_is_refused(conformance_here: Command, out: Path) -> None:
    plan = json.loads((out / "plan.json").read_text("utf-8"))
    now = plan["versions"]["tokenizers"]
    plan["versions"]["tokenizers"] = "0.0.1"
    (out / "plan.json").write_text(json.dumps(plan), "utf-8")
    said(conformance_here("run", "--resume", out), 2, f"tokenizers was 0.0.1, is {now}: start the run anew")


def test_a_foreign_line_in_the_journal_ends_with_2(conformance_here: Command, out: Path) -> None:
    line = json.loads((out / "journal.jsonl").read_text("ascii"))
    line["shard"]["model"] = "another"
    (out / "journal.jsonl").write_text(json.dumps(line) + "\n", "ascii")
    said(conformance_here("run", "--resume", out), 2, "a model is 'another'")
