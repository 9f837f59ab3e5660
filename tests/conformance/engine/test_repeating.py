"""What a subject says otherwise when it is asked again: seen once, it is told, whatever a fresh process says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.engine.bench import Bench
from conformance.engine.plan import ModelPlan, Plan
from conformance.engine.repeating import CHANGES, DEPENDS
from conformance.engine.result import ShardResult
from conformance.inputs.shards import Inputs, Shard
from conformance.runs.shard_work import work
from reftok import embedded_models

SUBJECT = """
import sys
sys.path.insert(0, {folder!r})
from official import Official

class Subject(Official):
    def __init__(self, path):
        super().__init__(path)
        self.calls, self.known = 0, set()

    def encode_with_offsets(self, text, add_special_tokens):
        self.calls += 1
        is_known = text in self.known
        self.known.add(text)
        ids = super().encode_with_offsets(text, add_special_tokens)[0]
        return ids[:-1] if {is_wrong} else ids, None, None
"""
TEXTS = [f"text {number}" for number in range(300)]
HALF = len(TEXTS) // 2


@pytest.fixture
def shown(
    tmp_path: Path, corpus: Callable[..., Path], planted: Callable[[str], str]
) -> Iterator[Callable[[str, int], list[ShardResult]]]:
    """The results of a subject that is wrong so, of so many shards one after another."""
    benches: list[Bench] = []

    def of(is_wrong: str, shards: int) -> list[ShardResult]:
        subject = tmp_path / "subject.py"
        subject.write_text(SUBJECT.format(folder=str(Path(planted("x")).parent), is_wrong=is_wrong), "utf-8")
        model = ModelPlan("bpe-qwen", embedded_models()["bpe-qwen"], "tokenizer.json", "tokenizers")
        inputs = Inputs((corpus(*TEXTS),), ("corpora",), 0, 0)
        plan = Plan((model,), (f"{subject}:Subject",), ("ids",), inputs, 60)
        benches.append(bench := Bench(plan, model))
        size = len(TEXTS) // shards
        return [work(plan, Shard("bpe-qwen", "corpora", at, at + size), bench) for at in range(0, len(TEXTS), size)]

    yield of
    for bench in benches:
        bench.close()


def rules(results: list[ShardResult]) -> set[str]:
    return {rule for result in results for *_, rule in result.groups}


def test_what_a_process_gets_wrong_after_several_shards_is_told_though_a_fresh_one_is_right(
    shown: Callable[[str, int], list[ShardResult]],
) -> None:
    """Fault: the shard was asked again in a fresh process, which was right, and what had been seen was forgotten."""
    results = shown(f"self.calls > {HALF + 20}", 2)
    assert rules(results) == {DEPENDS}
    (group,) = results[1].groups.values()
    assert "; asked alone: as expected" in group.examples[0].observed
    counts = results[1].counts["subject.py:Subject", "ids"]
    assert 0 < group.count == counts.mismatched <= counts.compared
    assert sum(mismatched for _, mismatched in results[1].languages.values()) == group.count


def test_a_text_that_is_answered_otherwise_the_second_time_is_told(
    shown: Callable[[str, int], list[ShardResult]],
) -> None:
    """Fault: the subject was started for each shard from then on, and nobody heard why."""
    assert rules(shown("is_known", 1)) == {CHANGES}


def test_a_subject_that_turns_wrong_at_the_end_of_a_shard_depends_on_what_else_it_was_asked(
    shown: Callable[[str, int], list[ShardResult]],
) -> None:
    """Fault: a few texts were not asked twice when the shard was asked again, so that its calls had other numbers."""
    assert rules(shown(f"self.calls > {len(TEXTS)}", 1)) == {DEPENDS}
