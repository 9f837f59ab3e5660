"""The benches of a process: as many are kept as are asked for, and what makes room is freed."""

from __future__ import annotations

import weakref
from collections.abc import Iterator

import pytest

from conformance.causes.one_answer import attributor_of
from conformance.engine.bench import Bench
from conformance.engine.benches import bench_of, close_benches
from conformance.engine.plan import Plan
from conformance.inputs.shards import Inputs
from conformance.runs.models import plan_models

MODELS = plan_models(("bpe-gpt2", "spm-char"))
PLAN = Plan(MODELS, ("reftok",), ("ids",), Inputs((), ("fuzz",), 0, 0), 60.0)


@pytest.fixture(autouse=True)
def no_bench() -> Iterator[None]:
    close_benches()
    yield
    close_benches()


def test_a_model_that_makes_room_for_another_is_freed() -> None:
    """Fault: its attributor is part of cycles: frozen with them, it kept the model until the process ended."""
    attributors = [weakref.ref(attributor_of(bench_of(PLAN, model.name))) for model in MODELS]
    assert [attributor() is not None for attributor in attributors] == [False, True]


def test_as_many_models_are_kept_as_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    monkeypatch.setattr(Bench, "close", lambda bench: closed.append(bench.model.name))
    first, second = (bench_of(PLAN, model.name, most=2) for model in MODELS)
    assert bench_of(PLAN, "bpe-gpt2", most=2) is first
    assert bench_of(PLAN, "spm-char", most=2) is second
    assert not closed
    assert bench_of(PLAN, "bpe-gpt2") is first
    close_benches()
    assert sorted(closed) == ["bpe-gpt2", "spm-char"]
    assert bench_of(PLAN, "bpe-gpt2") is not first
