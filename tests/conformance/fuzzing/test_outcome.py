"""What makes a session worth less than it looks is said, and fails it; generations leave no case out."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.core.case import text_case
from conformance.engine.plan import Plan
from conformance.engine.result import empty_result
from conformance.fuzzing import outcome
from conformance.fuzzing.corpus import merge, minimize
from conformance.fuzzing.coverage import Coverage
from conformance.fuzzing.folder import kept_inputs, read_corpus, read_state
from conformance.fuzzing.session import SHARDS_OF_A_GENERATION, SessionShard, generation_shards
from conformance.fuzzing.state import Kept, ShardOutcome, new_state
from conformance.fuzzing.watching import STAGES
from conformance.generators import NAMES
from tests.conformance.fuzzing.sessions import run, session_job

REFUSING = """
class Subject:
    def __init__(self, path): pass
    def encode(self, text, add_special_tokens): raise ValueError
    def decode(self, ids, skip_special_tokens): raise ValueError
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return session_job(tmp_path_factory.mktemp("plan") / "session", 1).session.plan


@given(st.integers(1, 5_000))
def test_generations_have_every_case_once(plan: Plan, cases: int) -> None:
    start = generation = 0
    while shards := generation_shards(plan, generation, start, cases):
        assert len(shards) <= SHARDS_OF_A_GENERATION
        for shard in shards:
            assert shard.start == start < shard.stop
            start = shard.stop
        generation += 1
    assert start == cases


def test_a_generation_that_a_smaller_session_has_whole_is_the_same_in_a_larger_one(plan: Plan) -> None:
    assert generation_shards(plan, 0, 0, 512) == generation_shards(plan, 0, 0, None)


def test_what_an_earlier_shard_has_reached_is_not_kept_again() -> None:
    state = new_state(["m"])
    shard = SessionShard("m", 0, 0, 0, 2)
    first = Kept("m", text_case("a", "o"), Coverage({"merges": {1}}))
    second = Kept("m", text_case("b", "o"), Coverage({"merges": {1, 2}}))
    third = Kept("m", text_case("c", "o"), Coverage({"merges": {2}}))
    outcomes = [
        ShardOutcome(shard, empty_result("m"), (first,), Counter(numbers=1), {}),
        ShardOutcome(shard, empty_result("m"), (second, third), Counter(numbers=2), {}),
    ]
    assert state.add(outcomes) == [first, second]
    assert state.kept == 2
    assert state.models["m"].drawn == {"numbers": 3}
    assert state.models["m"].coverage.reached == {"merges": {1, 2}}


def test_a_generator_that_never_fired_fails_the_session(tmp_path: Path) -> None:
    end = run(session_job(tmp_path / "session", 5, generators=("numbers", "white space")))
    assert end.run.problems == ()
    end = run(session_job(tmp_path / "other", 1, generators=("numbers", "white space")))
    assert end.run.problems == ("the generator 'numbers' never fired on bpe-gpt2: there were too few cases",)
    assert end.run.exit_code == 1


def test_a_filter_that_leaves_no_generator_with_something_to_do_fails_the_session(tmp_path: Path) -> None:
    end = run(session_job(tmp_path / "session", 50, generators=("charsmap",)))
    assert "no generator has anything to work on: the model has no charsmap" in end.run.problems
    assert end.run.exit_code == 1


def test_a_generator_with_nothing_to_do_is_told_and_is_no_problem(tmp_path: Path) -> None:
    end = run(session_job(tmp_path / "session", 60, generators=("charsmap", "numbers")))
    assert end.run.problems == ()
    value = json.loads((tmp_path / "session" / "coverage.json").read_text("ascii"))["bpe-gpt2"]
    assert value["nothing to do"] == {"charsmap": "the model has no charsmap"}
    assert value["generators"] == {"numbers": 60}


def test_a_subject_that_raises_on_everything_fails_the_session(tmp_path: Path) -> None:
    file = tmp_path / "refuses.py"
    file.write_text(REFUSING, "utf-8")
    end = run(session_job(tmp_path / "session", 40, subjects=(f"{file}:Subject",)))
    assert any("gave no answer to" in problem for problem in end.run.problems)


@pytest.mark.parametrize(
    ("key", "cases", "is_told"),
    [
        ("2 Normalizer NFC: left as it was", 2_000, True),
        ("2 Normalizer NFC: left as it was", 1_999, False),
        ("2 Normalizer NFC: changed", 2_000, False),
        ("7 PostProcessor ByteLevel: left as it was", 2_000, False),
    ],
)
def test_a_stage_that_never_changed_anything_fails_a_long_session(key: str, cases: int, is_told: bool) -> None:
    state = new_state(["m"])
    state.models["m"].result.cases = cases
    state.models["m"].coverage = Coverage({STAGES: {key}})
    told = list(outcome._unexercised(state, {"m": {STAGES: ["2 Normalizer NFC: changed", "6 Model BPE: changed"]}}))
    assert told == (["m: stage 2 Normalizer NFC was never exercised: it changed nothing in 2,000 cases"] * is_told)


def test_what_is_never_reached_is_told(tmp_path: Path) -> None:
    run(session_job(tmp_path / "session", 40))
    kinds = json.loads((tmp_path / "session" / "coverage.json").read_text("ascii"))["bpe-gpt2"]["kinds"]
    assert 0 < kinds["vocab entries"]["reached"] < kinds["vocab entries"]["total"] == 5051
    assert kinds["vocab entries"]["never reached"]
    assert "Lu" in " ".join(kinds["category transitions"]["never reached"])


def test_a_minimized_corpus_reaches_the_same_with_fewer_inputs(tmp_path: Path) -> None:
    job = session_job(tmp_path / "session", 400, generators=NAMES[1:])  # each seam is reached by its own input alone
    run(job)
    change = minimize(tmp_path / "session", job.session.plan.models)
    assert 0 < change.after < change.before
    kept = kept_inputs(tmp_path / "session")
    assert len(kept) == change.after == read_state(tmp_path / "session").kept
    assert minimize(tmp_path / "session", job.session.plan.models).after == change.after
    end = run(session_job(tmp_path / "session", 600))
    assert end.run.cases == 600
    assert read_corpus(tmp_path / "session")[: change.after] == kept


def test_merging_adds_the_inputs_of_others_once(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    job = session_job(first, 60)
    run(job)
    run(session_job(second, 60, seed=1))
    before, others = kept_inputs(first), kept_inputs(second)
    change = merge(first, [second, second], job.session.plan.models)
    merged = kept_inputs(first)
    assert merged[: len(before)] == before
    assert {entry.drawn for entry in merged} == {entry.drawn for entry in (*before, *others)}
    assert change.after == len(merged)
    assert merge(first, [second], job.session.plan.models).after == change.after


def test_no_generator_loses_its_turns_to_seams(tmp_path: Path) -> None:
    """Fault: with seams at every other number and an even number of turns, half of the generators never fired."""
    run(session_job(tmp_path / "session", 60, generators=("seams", "numbers", "white space", "edges")))
    drawn = json.loads((tmp_path / "session" / "coverage.json").read_text("ascii"))["bpe-gpt2"]["generators"]
    assert drawn == {"seams": 38, "numbers": 7, "white space": 8, "edges": 7}
