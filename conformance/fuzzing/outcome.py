"""The end of a session: a run like any other, its coverage, and what makes it worth less than it looks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.causes.findings import Known
from conformance.core.run import Run
from conformance.engine.bench import Bench
from conformance.engine.benches import bench_of
from conformance.engine.plan import Plan
from conformance.fuzzing.coverage import KindCoverage, Universe, summary
from conformance.fuzzing.live_stages import MUST_CHANGE
from conformance.fuzzing.progress import ModelCoverage
from conformance.fuzzing.session import SECONDS_OVER_TIME, SessionPlan
from conformance.fuzzing.state import ModelState, SessionState
from conformance.fuzzing.watching import STAGES, TRANSITIONS, changed, transition_name
from conformance.runs.assemble import NOTHING_KNOWN, finished_run, unfinished_run, with_problems
from conformance.runs.gather import Place
from conformance.runs.job import Job
from conformance.runs.progress import Finishing

ENOUGH_CASES = 2_000
"""Of a model, from which on every stage must have changed something."""
MOST_NEVER_REACHED = 10
CANNOT_CHANGE = "it can change nothing after the stages before it"


def model_coverages(state: SessionState, universes: Mapping[str, Universe]) -> tuple[ModelCoverage, ...]:
    """The coverage of every model, with some of what was never reached, readable."""
    coverages = []
    for name, model in state.models.items():
        kinds = tuple(map(_readable, summary(model.coverage, universes[name], MOST_NEVER_REACHED)))
        idle = {generator: reason for generator, reason in model.idle.items() if not model.drawn[generator]}
        live = universes[name][STAGES]
        idle |= {f"stage {stage}": CANNOT_CHANGE for stage in _unchanging(model) if changed(stage) not in live}
        coverages.append(ModelCoverage(name, kinds, dict(sorted(model.drawn.items())), idle))
    return tuple(coverages)


def _readable(kind: KindCoverage) -> KindCoverage:
    return replace(kind, examples=tuple(map(transition_name, kind.examples))) if kind.kind == TRANSITIONS else kind


def coverage_to_json(coverages: Sequence[ModelCoverage]) -> dict[str, Any]:
    """coverage.json."""
    return {
        coverage.model: {
            "kinds": {
                kind.kind: {"reached": kind.reached, "total": kind.total, "never reached": list(kind.examples)}
                for kind in coverage.kinds
            },
            "generators": dict(coverage.drawn),
            "nothing to do": dict(coverage.idle),
        }
        for coverage in coverages
    }


def session_run(
    job: Job,
    session: SessionPlan,
    state: SessionState,
    universes: Mapping[str, Universe],
    told: Callable[[Finishing], None] | None = None,
    deadline: float = math.inf,
    known: Mapping[Place, Known] = NOTHING_KNOWN,
) -> Run:
    """The run that a session amounts to so far.

    universes: what each model can reach. told: where it is finished, what is done with the findings.
    deadline: until when. known: what is known already of the causes; without a deadline they are sought anew, so that
        the outcome hangs on nothing but what was found.
    """
    results = [model.result for model in state.models.values()]
    if told is None:
        run = unfinished_run(job, results)
    else:
        known = known if deadline < math.inf else NOTHING_KNOWN
        run = finished_run(job, results, partial(bench_until, deadline, job.plan), told, deadline, known)
    cases = max((result.cases for result in results), default=0)
    run = replace(run, sources=("session",), fuzz=cases)
    if told is None:
        return run
    return with_problems(run, [*_idle(session, state), *_unexercised(state, universes)])


def bench_until(deadline: float, plan: Plan, model: str) -> Bench:
    """The bench of a model, whose subjects are asked until a time of `time.monotonic` and a little more."""
    until = deadline + SECONDS_OVER_TIME
    bench = bench_of(plan, model, until=until)
    bench.ask_until(until)
    return bench


def unread_models(plan: Plan, state: SessionState) -> set[str]:
    """The models that no subject reads, as far as they were asked."""
    return {
        model.name
        for model in plan.models
        if not {*plan.labels} - {model.oracle} - state.models[model.name].result.unavailable.keys()
    }


def _idle(session: SessionPlan, state: SessionState) -> Iterator[str]:
    """The generators that never fired, though they had something to do, or that have nothing to do with any model."""
    read = {name: model for name, model in state.models.items() if name not in unread_models(session.plan, state)}
    asked = {name: model for name, model in read.items() if model.result.cases or model.idle}
    for name in read:
        if name not in asked:
            yield f"nothing was asked about {name}: the session ended before its turn came"
    for generator in session.generators:
        for name, model in asked.items():
            if not model.drawn[generator] and generator not in model.idle:
                yield f"the generator {generator!r} never fired on {name}: there were too few cases"
    if asked and not any(model.drawn for model in asked.values()):
        reasons = {reason for model in asked.values() for reason in model.idle.values()}
        yield f"no generator has anything to work on: {'; '.join(sorted(reasons)) or 'there were no cases'}"


def _unexercised(state: SessionState, universes: Mapping[str, Universe]) -> Iterator[str]:
    """The stages that can change something and never did, in a session that was long enough for it."""
    for name, model in state.models.items():
        if model.result.cases < ENOUGH_CASES:
            continue
        for stage in _unchanging(model):
            if changed(stage) in universes[name][STAGES]:
                yield f"{name}: stage {stage} was never exercised: it changed nothing in {model.result.cases:,} cases"


def _unchanging(model: ModelState) -> list[str]:
    """The stages that were traced and changed nothing, of those that should."""
    reached = model.coverage.of(STAGES)
    seen = {str(key).partition(": ")[0] for key in reached}
    return sorted(stage for stage in seen if {*stage.split()[1:2]} & {*MUST_CHANGE} and changed(stage) not in reached)
