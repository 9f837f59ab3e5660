"""The results of shards as a run, and its problems: only a full run misses what is known to happen."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

import conformance
from conformance.core.finding import NO_RULE
from conformance.core.observation import Failure
from conformance.core.resources import expectations_folder
from conformance.core.run import ModelInfo, Run
from conformance.engine.bench import Bench
from conformance.engine.plan import ModelPlan, Plan
from conformance.engine.result import Counts, ShardResult
from conformance.inputs.shards import Inputs, Shard
from conformance.runs import at_the_end
from conformance.runs.assemble import finished_run, unfinished_run
from conformance.runs.expectations import read_expectations
from conformance.runs.job import Job
from conformance.subjects.versions import installed_versions
from reftok import embedded_models
from tests.models import load

(MODEL, *_) = sorted(
    model for entry in read_expectations(expectations_folder(), installed_versions()) for model in entry.seen_in
)
"""A model on which something is known to happen."""


def bench_of(name: str) -> Bench:
    raise AssertionError(f"there is nothing to shrink on {name}")


def finished(folder: Path, full: bool) -> Run:
    """The run of one shard in which everything agreed."""
    plan = Plan(
        (ModelPlan(MODEL, embedded_models()[MODEL], "tokenizer.json", "tokenizers"),),
        ("reftok",),
        ("ids",),
        Inputs((), ("vocab",), 0, 0),
        60,
    )
    result = ShardResult(Shard(MODEL, "vocab", 0, 1), cases=1, answers=1)
    result.counts["reftok", "ids"] = Counts(compared=1)
    info = ModelInfo(MODEL, MODEL, "tokenizer.json", "0" * 64, "tokenizers", 1)
    return finished_run(
        Job(plan, (info,), folder, "conformance run", 1, full), [result], bench_of, lambda shrinking: None
    )


def test_a_full_run_misses_what_is_known_to_happen(tmp_path: Path) -> None:
    run = finished(tmp_path, full=True)
    assert run.verdict == "unexpected findings"
    assert run.problems
    assert all(f"no longer happens on {MODEL}" in problem for problem in run.problems)


def test_a_full_run_misses_nothing_on_a_model_that_no_subject_reads(tmp_path: Path) -> None:
    models = (ModelPlan(MODEL, embedded_models()[MODEL], "tokenizer.json", "tokenizers"),)
    plan = Plan(models, ("mine.py:Mine",), ("ids",), Inputs((), ("vocab",), 0, 0), 60)
    refused = {"mine.py:Mine": Failure("refused", "no BPE")}
    result = ShardResult(Shard(MODEL, "vocab", 0, 1), unavailable=refused)
    info = ModelInfo(MODEL, MODEL, "tokenizer.json", "0" * 64, "tokenizers", 1)
    job = Job(plan, (info,), tmp_path, "conformance run", 1, full=True)
    run = finished_run(job, [result], bench_of, lambda shrinking: None)
    assert run.problems == ("nothing was compared: no subject reads any of the models (mine.py:Mine: no BPE)",)


def test_a_run_of_some_inputs_or_checks_misses_nothing(tmp_path: Path) -> None:
    run = finished(tmp_path, full=False)
    assert (run.verdict, run.problems) == ("as expected", ())


@pytest.mark.parametrize("full", [True, False])
def test_a_run_without_a_result_proves_nothing(tmp_path: Path, full: bool) -> None:
    plan = Plan((), ("reftok",), ("ids",), Inputs((), (), 0, 0), 60)
    info = ModelInfo("m", "m", "tokenizer.json", "0" * 64, "tokenizers", 1)
    run = finished_run(Job(plan, (info,), tmp_path, "conformance run", 1, full), [], bench_of, lambda shrinking: None)
    assert run.problems == (
        "reftok was compared on nothing with m: nothing is proved, since the inputs have no case for it",
    )


def test_that_the_inputs_have_no_text_for_a_check_asked_for_by_name_is_told_once(tmp_path: Path) -> None:
    """Fault: three problems for one fact, of each subject that it was compared on nothing, and of the check."""
    models = (ModelPlan(MODEL, embedded_models()[MODEL], "tokenizer.json", "tokenizers"),)
    plan = Plan(models, ("mine.py:Mine", "reftok"), ("batch = single",), Inputs((), (), 0, 0), 60)
    result = ShardResult(Shard(MODEL, "vocab", 0, 1), cases=1)
    for subject in plan.labels:
        result.counts[subject, "batch = single"] = Counts(not_applicable=1)
    info = ModelInfo(MODEL, MODEL, "tokenizer.json", "0" * 64, "tokenizers", 1)
    job = Job(plan, (info,), tmp_path, "conformance run", 1, False)
    run = finished_run(job, [result], bench_of, lambda shrinking: None)
    nothing = f"mine.py:Mine and reftok were compared on nothing with {MODEL}: nothing is proved"
    assert run.problems == (f"{nothing}, since the inputs have no case for it",)


@pytest.mark.parametrize(("official", "told"), [(True, ("offsets", "encode_batch")), (False, ("encode_batch",))])
def test_a_part_that_the_official_library_has_not_either_is_not_missed(
    tmp_path: Path, official: bool, told: tuple[str, ...]
) -> None:
    models = (ModelPlan(MODEL, embedded_models()[MODEL], "tokenizer.json", "tokenizers"),)
    plan = Plan(models, ("mine.py:Mine",), ("offsets",), Inputs((), (), 0, 0), 60)
    result = ShardResult(Shard(MODEL, "vocab", 0, 1), cases=1)
    result.methods["mine.py:Mine"] = {"offsets": False, "encode_batch": False}
    result.methods["tokenizers"] = {"offsets": official, "encode_batch": True}
    info = ModelInfo(MODEL, MODEL, "tokenizer.json", "0" * 64, "tokenizers", 1)
    run = unfinished_run(Job(plan, (info,), tmp_path, "conformance run", 1, False), [result])
    assert [subject.untested for subject in run.subjects] == [told, ()]


class Wrong:
    """Wrong about each text with a capital Q, in a way that no rule has."""

    def __init__(self) -> None:
        self.tokenizer = load("bpe-qwen")

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        ids = self.tokenizer.encode_ids(text)
        return [*sorted(ids), 0, 0] if "Q" in text else ids

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)


def test_findings_are_shrunk_for_so_long_alone_where_there_is_no_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: of a subject that took a second to fail, the findings were shrunk for ten minutes."""
    (tmp_path / "texts.txt").write_text("one Q two\nand\n", "utf-8")
    asked = partial(conformance.run, Wrong(), "bpe-qwen", corpora=[tmp_path / "texts.txt"], inputs=["corpora"])
    (shrunk,) = (one for one in asked().findings if one.status == "new")
    monkeypatch.setattr(at_the_end, "SECONDS_OF_A_FINDING", -1.0)
    (late,) = (one for one in asked().findings if one.status == "new")
    assert shrunk.rule.startswith(NO_RULE)
    assert len(shrunk.example.case.text) == 1 < len(late.example.case.text)


class LowerCase(Wrong):
    """Wrong about each text with a capital, by a rule that is known."""

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return self.tokenizer.encode_ids(text.lower())


def test_findings_of_one_cause_are_one_before_any_is_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: seven findings of one cause were shrunk, one by one, and there was no time left to find that out."""
    shrunk: list[str] = []
    example = at_the_end.shrunk_example

    def noted(*asked: Any) -> Any:
        shrunk.append(asked[2].subject)
        return example(*asked)

    monkeypatch.setattr(at_the_end, "shrunk_example", noted)
    run = conformance.run(LowerCase(), "bpe-qwen", corpora=["known_bugs"], inputs=["corpora"])
    (found,) = (one for one in run.findings if one.status == "new")
    assert (found.rule, found.example.case.text) == ("text is lower-cased", "A")
    assert len(found.example.case.text) == shrunk.count(found.example.subject) == 1
