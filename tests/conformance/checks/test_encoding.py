"""A run over rank files names their encoding, and over a published folder it finds the files beside the vocab."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.causes.attribution import Attribution
from conformance.causes.one_answer import Attributor
from conformance.checks.base import Answers
from conformance.core.case import text_case
from conformance.core.errors import InputError, UsageError
from conformance.core.observation import Encoded
from conformance.engine.plan import Plan
from conformance.inputs.shards import Inputs
from conformance.report.run.folder import read_run_folder
from conformance.runs.models import plan_models
from conformance.runs.plan_file import read_plan, write_plan
from conformance.subjects.reftok_subject import REFERENCE
from reftok import load

Command = Callable[..., "subprocess.CompletedProcess[str]"]
Corpus = Callable[..., Path]

TOKENS = [*(bytes([byte]) for byte in range(256)), "汉".encode()[:2], "汉".encode(), b" a", "a汉".encode()]
RANKS = b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(TOKENS))
TEXTS = ("a汉 a汉", "it's 1234", "<|im_end|>a", "")
SMALL = ("--inputs", "corpora", "--inputs", "vocab", "--jobs", "1", "--quiet")


@pytest.fixture
def ranks(tmp_path: Path) -> Path:
    path = tmp_path / "x.tiktoken"
    path.write_bytes(RANKS)
    return path


def test_a_run_names_the_encoding_of_a_rank_file_and_resumes_with_it(
    conformance_here: Command, corpus: Corpus, ranks: Path, tmp_path: Path
) -> None:
    arguments = ("--model", ranks, "--encoding", "kimi_k2", "--corpus", corpus(*TEXTS), "--out", "out", *SMALL)
    result = conformance_here("run", *arguments, cwd=tmp_path)
    assert result.returncode == 0, result.stderr + result.stdout
    folder = tmp_path / "out"
    assert [model.encoding for model in read_plan(folder)[0].models] == ["kimi_k2"]
    compared = {cell.check: cell.compared for cell in read_run_folder(folder).cells if cell.subject == "reftok"}
    assert compared["ids"] > len(TOKENS)
    journal = folder / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:1]))
    assert conformance_here("run", "--resume", "out", cwd=tmp_path).returncode == 0
    resumed = {cell.check: cell.compared for cell in read_run_folder(folder).cells if cell.subject == "reftok"}
    assert resumed == compared


def test_a_rank_file_without_an_encoding_is_told_which_there_are(
    conformance_here: Command, ranks: Path, tmp_path: Path
) -> None:
    result = conformance_here("run", "--model", ranks, *SMALL, cwd=tmp_path)
    assert result.returncode == 2
    assert "not a published rank file" in result.stderr


def test_an_encoding_goes_to_the_rank_files_alone(ranks: Path) -> None:
    plans = plan_models((str(ranks), "bpe-gpt2"), "llama3")
    assert [(plan.format, plan.encoding) for plan in plans] == [("tiktoken", "llama3"), ("tokenizer.json", "")]
    with pytest.raises(UsageError, match="--encoding llama3: none of the models is a rank file"):
        plan_models(("bpe-gpt2",), "llama3")


@pytest.mark.parametrize("encoding", ["nobody", 3, None])
def test_a_plan_with_an_encoding_that_is_none_is_refused(ranks: Path, tmp_path: Path, encoding: object) -> None:
    models = plan_models((str(ranks),), "qwen")
    plan = Plan(models, ("reftok",), ("ids",), Inputs((), ("vocab",), 0, 0), 5.0)
    write_plan(tmp_path, plan, "conformance run", True, {str(ranks): "hash"}, {})
    assert read_plan(tmp_path)[0] == plan
    path = tmp_path / "plan.json"
    value = json.loads(path.read_text("utf-8"))
    value["models"][0]["encoding"] = encoding
    path.write_text(json.dumps(value), "utf-8")
    with pytest.raises(InputError, match="encoding"):
        read_plan(tmp_path)


def test_a_published_folder_is_compared_as_the_class_in_its_configuration(
    conformance_here: Command, corpus: Corpus, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "vocab.txt").write_text("[UNK]\n[CLS]\n[SEP]\nhello\nwor\n##ld\n##s\n", "utf-8")
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}', "utf-8")
    arguments = ("--model", folder, "--corpus", corpus("Hello worlds", "", "[CLS]x"), "--out", "out", *SMALL)
    result = conformance_here("run", *arguments, cwd=tmp_path)
    assert result.returncode == 0, result.stderr + result.stdout
    hashes = read_plan(tmp_path / "out")[3]
    assert str(folder / "tokenizer_config.json") in hashes


def test_a_character_without_a_token_of_its_own_ends_no_run_over_a_rank_file(ranks: Path) -> None:
    tokenizer = load(ranks, "kimi_k2")
    for text in ("\ufffd", " a", "汉"):
        right = Answers(Encoded(tuple(tokenizer.encode(text).ids)))
        other = Answers(Encoded((0, 1, 2), ("x", "y", "z")))
        for check in ("ids", "tokens", "offsets"):
            attributor = Attributor(tokenizer, REFERENCE)
            assert isinstance(attributor.of("s", check, text_case(text, "o"), right, other), Attribution)
