"""Findings as they are first seen: under names that they may not have at the end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.core.case import text_case
from conformance.core.finding import Confidence, Finding, Mismatch
from conformance.core.run import ModelInfo
from conformance.engine.plan import ModelPlan, Plan
from conformance.engine.result import Group, ShardResult
from conformance.inputs.shards import Inputs, Shard
from conformance.runs.expectations import Expectation
from conformance.runs.job import Job
from conformance.runs.seen import EnoughFoundError, Seen
from reftok import embedded_models

MODEL, SUBJECT = "bpe-qwen", "mine.py:Mine"
ACCEPTED = Expectation("e", SUBJECT, "decode", "no known rule: spaces are missing", ("*",))


def seen(folder: Path, accepted: Expectation = ACCEPTED) -> Seen:
    models = (ModelPlan(MODEL, embedded_models()[MODEL], "tokenizer.json", "tokenizers"),)
    plan = Plan(models, (SUBJECT,), ("ids", "decode"), Inputs((), ("vocab",), 0, 0), 60)
    info = ModelInfo(MODEL, MODEL, "tokenizer.json", "0" * 64, "tokenizers", 1)
    return Seen(Job(plan, (info,), folder, "conformance run", 1, False, accepted=(accepted,), most_findings=1))


def shard(check: str, stage: str, rule: str) -> ShardResult:
    result = ShardResult(Shard(MODEL, "vocab", 0, 1), cases=1)
    group = Group()
    group.add([Mismatch(MODEL, SUBJECT, check, "other text", "other text", text_case("a .", "o"), "a .", "a.")])
    result.groups[SUBJECT, check, stage, rule] = group
    return result


def test_what_a_baseline_may_list_under_another_name_is_no_reason_to_stop(tmp_path: Path) -> None:
    """Fault: `run -x` failed where `run` passed, by the name that an accepted finding had at first."""
    found = seen(tmp_path)
    assert found.fresh(shard("decode", "Decoder", "spaces before punctuation are removed")) == ()
    found.check_enough()
    (line,) = found.fresh(shard("ids", "Normalizer", "NFC is missing"))
    assert "Normalizer: NFC is missing" in line
    with pytest.raises(EnoughFoundError):
        found.check_enough()


def test_what_a_baseline_lists_by_a_rule_hides_no_other_rule(tmp_path: Path) -> None:
    named = replace(ACCEPTED, rule="a byte order mark is dropped")
    (line,) = seen(tmp_path, named).fresh(shard("decode", "Decoder", "bytes are decoded as Latin-1"))
    assert "bytes are decoded as Latin-1" in line


def test_a_difference_that_may_turn_out_to_be_listed_is_told_at_the_end_alone(tmp_path: Path) -> None:
    """Fault: `run -x` ended at what the baseline lists, whose cause was not sought as yet."""
    unnamed = shard("ids", "", "other text")
    assert seen(tmp_path, replace(ACCEPTED, rule="a byte order mark is dropped")).fresh(unnamed) == ()
    (line,) = seen(tmp_path, replace(ACCEPTED, subject="other.py:Other")).fresh(unnamed)
    assert "its cause is being sought" in line


def test_a_crash_is_told_though_something_else_is_listed(tmp_path: Path) -> None:
    crash = shard("ids", "", "crashed")
    (group,) = crash.groups.values()
    group.examples = [replace(one, rule="crashed", severity="no answer") for one in group.examples]
    (line,) = seen(tmp_path, replace(ACCEPTED, rule="a byte order mark is dropped")).fresh(crash)
    assert "crashed" in line


def test_causes_that_an_earlier_start_named_do_not_count(tmp_path: Path) -> None:
    """Fault: `fuzz -x --resume` ended at once, by the causes that were known."""
    found = seen(tmp_path)
    (group,) = shard("ids", "", "other text").groups.values()
    known = Finding(group.examples[0], 1, (), "Normalizer", "NFC is missing", "", confidence=Confidence(9, 9))
    found.knows_names([known])
    assert found.named([known]) == ()
    found.check_enough()
    (line,) = found.named([replace(known, rule="text is lower-cased")])
    assert "Normalizer: text is lower-cased" in line
    with pytest.raises(EnoughFoundError):
        found.check_enough()
