"""A shard ends the same whatever the worker did before: so any order, number of workers or resumption will do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.checks import CHECKS
from conformance.engine.bench import Bench
from conformance.engine.plan import ModelPlan, Plan
from conformance.engine.questions import shard_questions
from conformance.engine.result import Counts, ShardResult
from conformance.inputs.shards import Inputs, Shard
from conformance.runs.shard_work import work
from conformance.subjects.protocol_subject import MOST_DEATHS
from reftok import embedded_models

TEXTS = ("cafe\u0301", *["☠"] * MOST_DEATHS, "last")
SHARD = Shard("bpe-qwen", "corpora", 0, len(TEXTS))


@pytest.fixture
def plan(corpus: Callable[..., Path], planted: Callable[[str], str]) -> Plan:
    model = ModelPlan("bpe-qwen", embedded_models()["bpe-qwen"], "tokenizer.json", "tokenizers")
    subjects = ("reftok", planted("no_nfc"), planted("exits"))
    return Plan((model,), subjects, ("ids",), Inputs((corpus(*TEXTS),), ("corpora",), 0, 0), 60)


@pytest.fixture
def bench(plan: Plan) -> Iterator[Bench]:
    bench = Bench(plan, plan.models[0])
    yield bench
    bench.close()


def done(plan: Plan, bench: Bench) -> ShardResult:
    return replace(work(plan, SHARD, bench), seconds=0)


def test_a_shard_gathers_what_differs_and_names_no_cause(plan: Plan, bench: Bench) -> None:
    assert ("no_nfc.py:Subject", "ids", "", "other ids") in done(plan, bench).groups


def test_a_subject_that_was_given_up_is_asked_again_in_the_next_shard(plan: Plan, bench: Bench) -> None:
    fresh = done(plan, bench)
    kinds = {rule: group.count for (subject, _, _, rule), group in fresh.groups.items() if "exits" in subject}
    assert kinds == {"crashed": MOST_DEATHS, "not asked": 1}
    assert done(plan, bench) == fresh


def test_what_differs_only_as_other_ids_have_it_is_counted_as_explained(
    plan: Plan, corpus: Callable[..., Path], planted: Callable[[str], str]
) -> None:
    """Fault: "round trip ✓" for a subject that drops white space, since its ids had told that."""
    inputs = replace(plan.inputs, files=(corpus(" a ", "plain"),))
    plan = replace(plan, subjects=(planted("strips_white_space"),), checks=("ids", "round trip"), inputs=inputs)
    with closing(Bench(plan, plan.models[0])) as bench:
        counts = work(plan, Shard("bpe-qwen", "corpora", 0, 2), bench).counts
    assert counts["strips_white_space.py:Subject", "ids"] == Counts(compared=2, mismatched=1)
    assert counts["strips_white_space.py:Subject", "round trip"] == Counts(1, not_applicable=1, explained=1)


def test_the_text_that_bytes_are_read_as_belongs_to_their_corpus_file(tmp_path: Path, plan: Plan, bench: Bench) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text('{"bytes_hex": "ff41"}\n', "utf-8")
    plan = replace(plan, inputs=Inputs((path,), ("corpora",), 0, 0))
    questions = shard_questions(plan, Shard("bpe-qwen", "corpora", 0, 1), bench)
    assert {case.language for case in questions} == {"broken"}


@pytest.mark.parametrize(
    ("source", "checks"),
    [
        ("cuts", {"decode", "stream encode", "stream decode"}),
        ("corpora", {*CHECKS}),
    ],
)
def test_what_is_cut_is_judged_by_streams_and_decoding_alone(
    source: str, checks: set[str], corpus: Callable[..., Path], plan: Plan
) -> None:
    """The other checks ask of the whole, which the corpora do anyway: the sweep would take many times as long."""
    plan = replace(plan, subjects=("reftok",), checks=tuple(CHECKS), inputs=Inputs((corpus("a b"),), (source,), 0, 0))
    bench = Bench(plan, plan.models[0])
    result = work(plan, Shard("bpe-qwen", source, 0, 1), bench)
    assert {check for subject, check in result.counts if subject == "reftok"} == checks
