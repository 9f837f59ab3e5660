"""Sessions in this process, on small models."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from conformance.checks import CHECKS
from conformance.core.run import ModelInfo
from conformance.engine.plan import ModelPlan, Plan
from conformance.engine.workers import IN_THIS_PROCESS
from conformance.fuzzing.drive import SessionEnd, SessionJob, run_session
from conformance.fuzzing.known_causes import Replayed
from conformance.fuzzing.progress import SessionProgress
from conformance.fuzzing.session import SessionPlan
from conformance.generators import NAMES
from conformance.inputs.shards import Inputs
from conformance.runs.job import Job, model_infos
from conformance.runs.models import plan_models
from conformance.runs.progress import Finishing

ROOT = Path(__file__).resolve().parents[3]
FEW_CHECKS = ("ids", "decode")


def planted(name: str) -> str:
    return f"{ROOT / 'tests' / 'planted_defects' / name}.py:Subject"


@cache
def infos(models: tuple[ModelPlan, ...]) -> tuple[ModelInfo, ...]:
    return model_infos(Plan(models, (), (), Inputs((), (), 0, 0), 0.0))


def session_job(
    folder: Path,
    cases: int,
    *,
    model: str = "bpe-gpt2",
    subjects: tuple[str, ...] = ("reftok",),
    checks: tuple[str, ...] = FEW_CHECKS,
    generators: tuple[str, ...] = NAMES,
    seed: int = 0,
    jobs: int = IN_THIS_PROCESS,
) -> SessionJob:
    """A session of so many cases in a folder."""
    folder.mkdir(exist_ok=True)
    corpus = folder.parent / "lines.txt"
    corpus.write_text("hello world\nit's naïve ☠\n", "utf-8")
    known = tuple(name for name in CHECKS if name in checks)
    plan = Plan(plan_models((model,)), subjects, known, Inputs((corpus,), ("fuzz",), 0, seed), 60.0)
    job = Job(plan, infos(plan.models), folder, "conformance fuzz", jobs, full=False)
    return SessionJob(job, SessionPlan(plan, generators), cases)


class Told:
    """What a session told on its way."""

    def __init__(self) -> None:
        self.progress: list[SessionProgress] = []
        self.finishing: list[Finishing] = []
        self.replayed: list[Replayed] = []

    def hear(self, progress: SessionProgress | Finishing) -> None:
        if isinstance(progress, Finishing):
            self.finishing.append(progress)
        else:
            self.progress.append(progress)


def run(job: SessionJob, told: Told | None = None) -> SessionEnd:
    told = told or Told()
    return run_session(job, told.hear, told.replayed.append)


def left_behind(folder: Path) -> tuple[Any, ...]:
    """Findings, counts, coverage and kept inputs, without what two sessions of the same plan do not share."""
    value = json.loads((folder / "run.json").read_text("ascii"))
    for name in ("started", "times", "command", "corpora"):
        del value[name]
    findings = [json.loads(line) for line in (folder / "findings.jsonl").read_text("ascii").splitlines()]
    for finding in findings:
        del finding["replay"]
    return findings, value, (folder / "coverage.json").read_text("ascii"), (folder / "corpus.jsonl").read_text("ascii")
