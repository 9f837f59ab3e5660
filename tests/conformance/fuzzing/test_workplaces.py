"""The memory of a worker: of many models, the last few."""

from __future__ import annotations

import weakref
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.fuzzing import workplaces
from conformance.fuzzing.session import SessionShard
from conformance.fuzzing.workplaces import close_workplaces, work_in_worker
from conformance.runs.models import plan_models
from tests.conformance.fuzzing.sessions import session_job


def test_a_model_that_makes_room_for_another_is_freed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: its attributor is part of cycles: frozen with them, it kept the model until the process ended."""
    monkeypatch.setattr(workplaces, "MOST_PLACES", 1)
    session = session_job(tmp_path / "session", 8).session
    session = replace(session, plan=replace(session.plan, models=plan_models(("bpe-gpt2", "spm-char"))))
    attributors: list[weakref.ref[object]] = []
    for model in ("bpe-gpt2", "spm-char"):
        work_in_worker(session, tmp_path, SessionShard(model, 0, 0, 0, 8))
        attributors.append(weakref.ref(workplaces._memory.places[model].bench.attributor))
    are_there = [attributor() is not None for attributor in attributors]
    close_workplaces()
    assert are_there == [False, True]
