"""A mistake of the user ends in a line and exit code 2, a failure of the harness in one and exit code 3."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path

import pytest

from conformance.engine.plan import Plan
from conformance.inputs.shards import Inputs, Shard
from conformance.runs.models import plan_models
from conformance.runs.shard_work import run_shards
from reftok import embedded_models

from ..commands import (
    SMALLEST,
    Command,
    Corpus,
    said,
    small_run,
)

TOO_LONG = "a" * 300
# Python 3.14 takes it for the name of nothing.
NO_NAME = "annot be read" if sys.version_info < (3, 14) else "no such file or folder"
MISTAKES: dict[str, tuple[list[str], str]] = {
    "no such model": (["--model", "nowhere.json"], "no such file or folder, and no embedded model"),
    "truncated model": (["--model", "{truncated}"], "tokenizer.json"),
    "foreign model": (["--model", "{foreign}"], "foreign.json"),
    "folder without models": (["--model", "{empty}"], "the folder holds no model"),
    "no such corpus": (["--corpus", "nowhere.txt"], "no such file or folder, nor one of"),
    "corpus not UTF-8": (["--corpus", "{latin}"], "byte 1 is not UTF-8"),
    "subject without colon": (["--subject", "mine.py"], "nor FILE.py:FACTORY"),
    "exit at import": (["--subject", "{exits}:Subject"], "its process ended with exit code 7"),
    "no such check": (["--check", "nothing"], "nothing"),
    "fuzz below zero": (["--fuzz", "-1"], "--fuzz"),
    "out not empty": (["--out", "{full}"], "is not empty"),
    "out is a file": (["--out", "{latin}"], "cannot be written"),
    "model of a name that no file can have": (["--model", f"{TOO_LONG}.json"], NO_NAME),
    "subject of a name that no file can have": (["--subject", f"{TOO_LONG}.py:Subject"], "there is no file"),
    "out of a name that no file can have": (["--out", TOO_LONG], "cannot be written"),
    "resume a name that no file can have": (["--resume", TOO_LONG], "cannot be read"),
    "resume what is no run": (["--resume", "{empty}"], "is not the folder of a run"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_the_user_ends_with_2_and_a_line_and_leaves_no_folder(
    conformance_here: Command, corpus: Corpus, tmp_path: Path, mistake: str
) -> None:
    places = {name: tmp_path / name for name in ("truncated", "empty", "full")}
    for place in places.values():
        place.mkdir()
    whole = embedded_models()["bpe-qwen"].read_bytes()
    (places["truncated"] / "tokenizer.json").write_bytes(whole[: len(whole) // 2])
    (places["full"] / "file").touch()
    written = {"foreign": ("foreign.json", b'{"a": 1}'), "latin": ("latin.txt", b"a\xe9"), "exits": ("exits.py", b"")}
    for name, (file, content) in written.items():
        places[name] = tmp_path / file
        places[name].write_bytes(content)
    places["exits"].write_text("import sys\nsys.exit(7)\n", "utf-8")
    arguments, message = MISTAKES[mistake]
    given = [argument.format(**places) for argument in arguments]
    usual = {"--model": "bpe-qwen", "--corpus": str(corpus("a")), "--out": str(tmp_path / "out"), "--fuzz": "0"}
    rest = [argument for pair in usual.items() if pair[0] not in given for argument in pair]
    result = conformance_here("run", *given, *rest, cwd=tmp_path, isolated=True)
    if mistake in ("no such check", "fuzz below zero"):
        assert result.returncode == 2
        assert message in result.stderr
        assert "Traceback" not in result.stderr
    else:
        said(result, 2, message)
    assert not (tmp_path / "out").exists()


def test_a_mistake_is_told_by_the_process_as_well(conformance: Command, corpus: Corpus) -> None:
    said(conformance("run", "--model", "nowhere.json", "--corpus", corpus("a")), 2, MISTAKES["no such model"][1])


def test_a_library_that_crashes_a_worker_ends_with_3(conformance: Command, corpus: Corpus, tmp_path: Path) -> None:
    """A stand-in for the library, found before the real one, ends the process that imports it."""
    (tmp_path / "tokenizers").mkdir()
    (tmp_path / "tokenizers" / "__init__.py").write_text(
        "import multiprocessing, os\nif multiprocessing.parent_process():\n    os._exit(9)\n__version__ = '0'\n",
        "utf-8",
    )
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).resolve().parents[3])])
    result = conformance(
        "run", "--model", "bpe-qwen", "--corpus", corpus("a"), "--out", tmp_path / "out", *SMALLEST, PYTHONPATH=path
    )
    said(result, 3, "a worker died (exit code 9) on bpe-qwen|corpora|0|1")


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "0", "1e9"])
def test_a_timeout_that_is_no_time_ends_with_2(conformance_here: Command, corpus: Corpus, value: str) -> None:
    result = conformance_here(*small_run(corpus, "a"), "--timeout", value)
    assert result.returncode == 2
    assert "--timeout" in result.stderr


def test_a_session_with_a_timeout_that_is_not_a_number_ends_with_2(conformance_here: Command) -> None:
    result = conformance_here("fuzz", "--model", "bpe-qwen", "--cases", "1", "--timeout", "nan", "--out", "session")
    assert result.returncode == 2
    assert "'--timeout': is not a number of seconds" in result.stderr


@pytest.mark.parametrize("command", ["run", "fuzz"])
def test_an_official_library_alone_is_refused_before_it_is_asked_anything(
    conformance_here: Command, tmp_path: Path, command: str
) -> None:
    result = conformance_here(command, "--model", "bpe-qwen", "--subject", "tokenizers", cwd=tmp_path)
    said(result, 2, "tokenizers: is the official library of bpe-qwen, which would be compared with nothing")
    assert list(tmp_path.iterdir()) == []


def test_a_failure_of_the_harness_in_a_worker_is_told_with_the_place_in_the_worker(tmp_path: Path) -> None:
    plan = Plan(plan_models(("bpe-qwen",)), ("reftok",), ("ids",), Inputs((), ("fuzz",), 0, 0), 60.0)
    with pytest.raises(StopIteration) as failed:
        run_shards(plan, [Shard("a model that is not in the plan", "fuzz", 0, 1)], 1, lambda result: None)
    assert "in bench_of" in "".join(traceback.format_exception(failed.value))
