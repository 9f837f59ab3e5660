"""`conformance vectors run`, `lint` and `diff`, and a finding written as a vector: what they say, and end with."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.inputs.vector_file import packed, read_vectors, written
from tests.conformance.checks.test_settings import templated

Command = Callable[..., "subprocess.CompletedProcess[str]"]
Planted = Callable[[str], str]
SMOKE = Path(__file__).parents[3] / "corpora" / "vectors" / "bpe-qwen" / "smoke.json.gz"

pytestmark = pytest.mark.usefixtures("subjects_here")


def changed(tmp_path: Path, **changes: Any) -> Path:
    """The smoke vectors of bpe-qwen with other values at the top."""
    value = {**json.loads(gzip.decompress(SMOKE.read_bytes())), **changes}
    path = tmp_path / "changed.json.gz"
    path.write_bytes(packed(json.dumps(value)))
    return path


def test_run_counts_the_flags_of_what_fails(conformance_here: Command, planted: Planted) -> None:
    ended = conformance_here("vectors", "run", SMOKE, "--subject", planted("no_nfc"), "--quiet")
    assert ended.returncode == 1
    assert "Normalizer: NFC is missing" in ended.stdout


def test_run_of_what_is_right_ends_with_0(conformance_here: Command) -> None:
    ended = conformance_here("vectors", "run", SMOKE, "--subject", "reftok", "--quiet")
    assert (ended.returncode, " 0 fail" in ended.stdout) == (0, True)


def test_run_refuses_another_model(conformance_here: Command) -> None:
    ended = conformance_here("vectors", "run", SMOKE, "--subject", "reftok", "--model", "bpe-gpt2")
    assert (ended.returncode, "is not the model of the vectors" in ended.stderr) == (2, True)


@pytest.mark.parametrize("out", ["", "no-such-folder/smoke.json.gz"])
def test_make_says_where_it_cannot_write_before_it_works(out: str, conformance_here: Command, tmp_path: Path) -> None:
    """Fault: half a minute of work was lost."""
    place = tmp_path / out
    ended = conformance_here("vectors", "make", "--model", "bpe-qwen", "--out", place)
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"conformance: {place}: cannot be written: ")
    assert "candidates" not in ended.stderr


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_json_does_not_have_is_no_vector(
    constant: str, conformance_here: Command, tmp_path: Path
) -> None:
    """Fault: training vectors had six of them, which JavaScript does not read, and lint found nothing wrong."""
    path = tmp_path / "made.json"
    path.write_text(gzip.decompress(SMOKE.read_bytes()).decode().replace('"tcId":1,', f'"tcId":{constant},', 1))
    ended = conformance_here("vectors", "lint", path)
    assert (ended.returncode, f"{constant} is not a number in JSON" in ended.stderr) == (2, True)


def test_what_is_no_text_is_told_so(conformance_here: Command, tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    path.write_bytes(b'{"a\xff')
    ended = conformance_here("vectors", "lint", path)
    assert "byte 3 is not of UTF-8" in ended.stdout + ended.stderr


def test_lint_names_what_is_wrong(conformance_here: Command, tmp_path: Path) -> None:
    assert conformance_here("vectors", "lint", SMOKE).returncode == 0
    ended = conformance_here("vectors", "lint", changed(tmp_path, numberOfTests=3, notes={}))
    assert (ended.returncode, "numberOfTests: is 3" in ended.stdout, "has no note" in ended.stdout) == (1, True, True)


def test_diff_tells_changed_answers_by_flag(conformance_here: Command, tmp_path: Path) -> None:
    assert conformance_here("vectors", "diff", SMOKE, SMOKE).returncode == 0
    found = read_vectors(SMOKE)
    groups = json.loads(written(found))["testGroups"]
    test = next(one for group in groups if group["type"] == "encode" for one in group["tests"] if one.get("ids"))
    test["ids"] = [7]
    ended = conformance_here("vectors", "diff", SMOKE, changed(tmp_path, testGroups=groups))
    assert ended.returncode == 1
    assert "1 answer changed" in ended.stdout
    assert test["flags"][0][:20] in ended.stdout


def test_a_finding_is_written_as_a_vector_that_its_subject_fails(
    conformance_here: Command, planted: Planted, tmp_path: Path
) -> None:
    corpus, run, vector = tmp_path / "c.txt", tmp_path / "run", tmp_path / "mine.json"
    corpus.write_text("cafe\u0301 x\n", "utf-8")
    subject = planted("no_nfc")
    arguments = ("--model", "bpe-qwen", "--corpus", corpus, "--inputs", "corpora", "--check", "ids", "--out", run)
    conformance_here("run", *arguments, "--subject", subject, "--quiet")
    (finding,) = map(json.loads, (run / "findings.jsonl").read_text("utf-8").splitlines())
    told = conformance_here("reproduce", run, finding["fingerprint"], "--as", "vector", "--out", vector)
    assert told.returncode == 0, told.stderr
    assert conformance_here("vectors", "lint", vector).returncode == 0
    ended = conformance_here("vectors", "run", vector, "--subject", subject, "--quiet")
    assert (ended.returncode, "NFC is missing" in ended.stdout) == (1, True)
    assert conformance_here("vectors", "run", vector, "--subject", "tokenizers", "--quiet").returncode == 0


PAIRS = """
import tokenizers

class Subject:
    def __init__(self, path):
        self.tokenizer = tokenizers.Tokenizer.from_file(path)

    def encode(self, text, add_special_tokens):
        return self.tokenizer.encode(text, add_special_tokens=add_special_tokens).ids

    def decode(self, ids, skip_special_tokens):
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)

    def encode_pair(self, text, pair, add_special_tokens):
        ids = self.tokenizer.encode(text, pair, add_special_tokens=add_special_tokens).ids
        return {"ids": ids, "type_ids": [0] * len(ids)}
"""


def test_a_finding_of_settings_is_written_as_the_questions_that_show_it(
    conformance_here: Command, tmp_path: Path
) -> None:
    """Fault: it was written as a text without settings, which its subject passed."""
    model, subject, corpus = tmp_path / "tokenizer.json", tmp_path / "pairs.py", tmp_path / "c.txt"
    model.write_text(json.dumps(templated()), "utf-8")
    subject.write_text(PAIRS)
    corpus.write_text("abc aab bca\n")
    run, vector = tmp_path / "run", tmp_path / "mine.json"
    arguments = ("--model", model, "--corpus", corpus, "--inputs", "corpora", "--out", run)
    conformance_here("run", *arguments, "--subject", f"{subject}:Subject", "--quiet")
    (finding,) = map(json.loads, (run / "findings.jsonl").read_text("utf-8").splitlines())
    told = conformance_here("reproduce", run, finding["fingerprint"], "--as", "vector", "--out", vector)
    assert told.returncode == 0, told.stderr
    assert conformance_here("vectors", "lint", vector).returncode == 0
    asked = (vector, "--model", model, "--quiet")
    ended = conformance_here("vectors", "run", *asked, "--subject", f"{subject}:Subject")
    assert (ended.returncode, "0 of 8 vectors pass" in ended.stdout) == (1, True)
    assert "encode('a', 'a'): type_ids" in ended.stdout
    assert conformance_here("vectors", "run", *asked, "--subject", "tokenizers").returncode == 0
