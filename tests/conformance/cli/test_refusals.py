"""A model that a subject does not read is a result; a subject that is not there at all is a mistake or a problem."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ..commands import SMALLEST, Command, Corpus, said

MODELS = ("--model", "bpe-gpt2", "--model", "spm-char")
READS_GPT2 = """\
import reftok


class Subject:
    def __init__(self, path):
        if "gpt2" not in path:
            {otherwise}
        self.tokenizer = reftok.load(path)

    def encode(self, text, add_special_tokens):
        return self.tokenizer.encode_ids(text, add_special_tokens=add_special_tokens)

    def decode(self, ids, skip_special_tokens):
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
"""
REFUSES, DIES = "raise ValueError('no Unigram')", "import os; os._exit(3)"
IS_BROKEN = "import a_module_that_nobody_has"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def subject(folder: Path, otherwise: str, name: str = "mine.py") -> str:
    """The value of --subject for one that reads one of MODELS. otherwise: what it does with any other."""
    (folder / name).write_text(READS_GPT2.format(otherwise=otherwise), "utf-8")
    return f"{folder / name}:Subject"


def told(out: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((out / "run.json").read_text("ascii"))
    return value


def test_a_model_that_a_subject_does_not_read_is_told_and_the_run_is_as_expected(
    conformance_here: Command, corpus: Corpus, tmp_path: Path, out: Path
) -> None:
    arguments = (*MODELS, "--subject", subject(tmp_path, REFUSES), "--corpus", corpus("a b"), *SMALLEST, "--out", out)
    assert conformance_here("run", *arguments).returncode == 0
    run = told(out)
    refusal = {
        "model": "spm-char",
        "subject": "mine.py:Subject",
        "kind": "refused",
        "message": "ValueError: no Unigram",
    }
    assert run["absences"] == [refusal]
    assert run["problems"] == []
    compared = {(cell["model"], cell["subject"]) for cell in run["cells"] if cell["compared"]}
    assert {("bpe-gpt2", "mine.py:Subject"), ("bpe-gpt2", "reftok"), ("spm-char", "reftok")} <= compared
    assert [one["unavailable"] for one in run["subjects"] if one["name"] == "mine.py:Subject"] == [""]


def test_a_model_that_a_subject_does_not_read_fails_a_run_that_requires_it(
    conformance_here: Command, corpus: Corpus, tmp_path: Path, out: Path
) -> None:
    arguments = (*MODELS, "--subject", subject(tmp_path, REFUSES), "--corpus", corpus("a b"), *SMALLEST, "--out", out)
    assert conformance_here("run", *arguments, "--require").returncode == 1
    assert told(out)["problems"] == ["mine.py:Subject does not read spm-char: ValueError: no Unigram"]


@pytest.mark.parametrize(("model", "name"), [("spm-char", "mine.py"), ("bpe-gpt2", "sentencepiece")])
def test_a_run_of_which_no_subject_reads_any_model_has_compared_nothing_and_says_so(
    conformance_here: Command, corpus: Corpus, tmp_path: Path, out: Path, model: str, name: str
) -> None:
    asked = subject(tmp_path, REFUSES) if name == "mine.py" else name
    arguments = ("--model", model, "--subject", asked, "--corpus", corpus("a b"), *SMALLEST, "--out", out)
    result = conformance_here("run", *arguments)
    assert result.returncode == 1
    assert "nothing was compared: no subject reads any of the models" in " ".join(result.stdout.split())
    run = told(out)
    assert (run["cases"], run["answers"], run["cells"]) == (0, 0, [])
    assert [absence["kind"] for absence in run["absences"]] == ["refused"]


@pytest.mark.parametrize(
    ("otherwise", "message", "kind"),
    [
        (DIES, "its process ended with exit code 3", "crashed"),
        (IS_BROKEN, "ModuleNotFoundError: No module named 'a_module_that_nobody_has'", "adapter error"),
    ],
)
def test_a_subject_that_is_not_there_for_one_model_is_a_problem_and_for_all_a_mistake(
    conformance_here: Command, corpus: Corpus, tmp_path: Path, out: Path, otherwise: str, message: str, kind: str
) -> None:
    rest = ("--subject", subject(tmp_path, otherwise), "--corpus", corpus("a b"), *SMALLEST, "--out", out)
    said(conformance_here("run", "--model", "spm-char", *rest, isolated=True), 2, message)
    assert not out.exists()
    assert conformance_here("run", *MODELS, *rest, isolated=True).returncode == 1
    run = told(out)
    assert run["problems"] == [f"mine.py:Subject took no part with spm-char: {message}"]
    assert [absence["kind"] for absence in run["absences"]] == [kind]


def test_a_session_asks_nothing_about_a_model_that_no_subject_reads(
    conformance_here: Command, corpus: Corpus, tmp_path: Path, out: Path
) -> None:
    rest = ("--subject", subject(tmp_path, REFUSES), "--corpus", corpus("a b"), "--quiet", "--out", out)
    result = conformance_here("fuzz", *MODELS, *rest, "--cases", "300", "--check", "ids")
    assert result.returncode == 0, result.stdout
    run = told(out)
    assert (run["cases"], run["problems"]) == (300, [])
    assert [absence["model"] for absence in run["absences"]] == ["spm-char"]


def test_a_session_in_which_no_subject_reads_any_model_ends_at_once(
    conformance_here: Command, corpus: Corpus, tmp_path: Path, out: Path
) -> None:
    rest = ("--subject", subject(tmp_path, REFUSES), "--corpus", corpus("a b"), "--quiet", "--out", out)
    assert conformance_here("fuzz", "--model", "spm-char", *rest, "--time", "1d").returncode == 1
    run = told(out)
    assert run["cases"] == 0
    assert run["problems"] == [
        "nothing was compared: no subject reads any of the models (mine.py:Subject: ValueError: no Unigram)"
    ]


def test_a_session_that_goes_on_asks_again_what_a_changed_subject_did_not_read(
    conformance_here: Command, corpus: Corpus, tmp_path: Path, out: Path
) -> None:
    rest = ("--subject", subject(tmp_path, REFUSES), "--corpus", corpus("a b"), "--out", out)
    limits = ("--quiet", "--cases")
    assert conformance_here("fuzz", "--model", "spm-char", *rest, *limits, "300").returncode == 1
    subject(tmp_path, "pass")
    assert conformance_here("fuzz", "--resume", out, *limits, "400").returncode == 0
    assert told(out)["absences"] == []


def test_what_a_subject_has_not_is_told_and_fails_only_a_run_that_requires_it(
    conformance_here: Command, corpus: Corpus, tmp_path: Path, out: Path
) -> None:
    rest = ("--model", "bpe-gpt2", "--subject", subject(tmp_path, REFUSES), "--corpus", corpus("a b"), *SMALLEST)
    checks = ("--check", "ids", "--check", "offsets", "--check", "batch-single")
    assert conformance_here("run", *rest, *checks, "--out", out).returncode == 0
    missing = {one["name"]: one["untested"] for one in told(out)["subjects"] if one["role"] != "oracle"}
    assert missing == {"mine.py:Subject": ["offsets", "encode_batch"], "reftok": []}
    assert conformance_here("run", *rest, *checks, "--require", "--out", tmp_path / "strict").returncode == 1
    (problem,) = told(tmp_path / "strict")["problems"]
    lacks = "mine.py:Subject gives nothing to compare on bpe-gpt2: it has no offsets"
    assert problem == f"offsets was asked for, but {lacks}"
