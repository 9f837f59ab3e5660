"""A session from start to end: replay what is known, generation after generation, the run folder at the end."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from conformance.causes.findings import Known, explained_as_they_came, is_to_be_sought
from conformance.checks import by_weight
from conformance.core.case import Case
from conformance.core.finding import Finding
from conformance.core.run import Run
from conformance.engine.bench import load_reference
from conformance.engine.plan import ModelPlan
from conformance.engine.queue import ShardQueue
from conformance.engine.result import by_model
from conformance.engine.workers import Workers
from conformance.files.atomic import write_atomically
from conformance.fuzzing.coverage import Universe
from conformance.fuzzing.folder import ShardJournal, append_to_corpus, state_to_go_on_from, write_state
from conformance.fuzzing.known_causes import Replayed, changed_subjects, replay_known, with_names
from conformance.fuzzing.live_stages import live_stages
from conformance.fuzzing.outcome import (
    bench_until,
    coverage_to_json,
    model_coverages,
    session_run,
    unread_models,
)
from conformance.fuzzing.progress import ModelCoverage, SessionProgress
from conformance.fuzzing.session import SECONDS_OVER_TIME, SessionPlan, SessionShard, generation_shards
from conformance.fuzzing.state import SessionState, ShardOutcome
from conformance.fuzzing.watching import STAGES, Watcher, changed
from conformance.fuzzing.worker import forget_session, work_in_worker
from conformance.generators.knowledge import model_knowledge
from conformance.report.run.folder import RUN, read_run_folder, seconds_before, write_run_folder
from conformance.runs.assemble import with_problems
from conformance.runs.execute import stopped
from conformance.runs.gather import Place, by_place, explained, unshrunk, witnesses_of
from conformance.runs.job import Job, file_hashes
from conformance.runs.plan_file import write_plan
from conformance.runs.progress import Finishing, NoiseTeller
from conformance.runs.seen import EnoughFoundError, Seen
from conformance.subjects.adapters import BUILT_IN
from conformance.subjects.versions import installed_versions

COVERAGE, REPLAYED = "coverage.json", "replayed.jsonl"
NOTHING_ASKED = (
    "this start asked nothing new: its time was up when all was loaded and what is known was asked; give it more"
)
SECONDS_BETWEEN_REPORTS = 20.0
SHARE_OF_REPLAY = 0.5
SHARE_OF_CAUSES, SECONDS_OF_CAUSES = 0.25, 5.0
"""Of the time so far, this share at most goes into causes before the end, each time so many seconds at least."""
SHARE_OF_SHRINKING, SECONDS_OF_SHRINKING, SECONDS_OF_TRIALS, SECONDS_OF_KNOWN_TRIALS = 0.5, 2.0, 15.0, 6.0
"""Of the time that the replay leaves: at most this share is kept for the end, so many seconds for each cause that is
shrunk and for weighing those of a subject on a model, and so many to hold the causes against answers that they were not
chosen by, fewer where they were found before: a cause that there is no time to try is told as a guess, and the guess is
often the wrong one."""


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """The end of a session."""

    run: Run
    coverages: tuple[ModelCoverage, ...]


@dataclass(frozen=True, slots=True)
class SessionJob:
    """A session with what surrounds it.

    job: plan, folder and workers, as of a run. cases: how many each model is to be given in all, None for no bound.
    seconds: how long this start may still last, infinite for no bound.
    """

    job: Job
    session: SessionPlan
    cases: int | None
    seconds: float = math.inf


def run_session(
    session_job: SessionJob,
    told: Callable[[SessionProgress | Finishing], None],
    told_replayed: Callable[[Replayed], None],
) -> SessionEnd:
    """Work until the cases or the time are up, write the folder, and give what it holds.

    told: how far it is, after each shard, and what is done with the findings at the end.
    told_replayed: each known cause that was asked again.
    Interrupted, everything that was told is on disk, and run.json says "incomplete".
    """
    driver = _Driver(session_job, told)
    try:
        return driver.run(told_replayed)
    finally:
        forget_session()


class _Driver:
    """The state of one start of a session."""

    def __init__(self, session_job: SessionJob, told: Callable[[SessionProgress | Finishing], None]) -> None:
        self.job, self.session = session_job.job, session_job.session
        self.cases, self.seconds = session_job.cases, session_job.seconds
        self.told = told
        self.started, self.clock = datetime.now(UTC), time.monotonic()
        self.seconds_before = seconds_before(self.job.folder)
        self.deadline = self.clock + self.seconds
        self.left = self.seconds
        self.hashes = file_hashes(self.session.plan)
        self.state = state_to_go_on_from(self.job.folder, self.session.plan)
        self.causes = 0
        self.tell_noise = NoiseTeller()
        self.journal = ShardJournal(self.job.folder, self.state.generation, self.session.plan)
        self.new_cases = 0
        self.was_cut_short = False
        self.last_report = self.clock
        self.universes: Mapping[str, Universe] = {model.name: _universe(model) for model in self.session.plan.models}
        self.coverages = model_coverages(self.state, self.universes)
        self.seen = Seen(self.job)
        self.named = [one for one in _named_before(self.job.folder) if not self.seen.is_known(one)]
        self.known: dict[Place, Known] = {}
        self.looked_at: object = None
        self.is_unnamed = False
        self.seconds_of_causes = 0.0

    def run(self, told_replayed: Callable[[Replayed], None]) -> SessionEnd:
        finished: dict[SessionShard, ShardOutcome] = dict(self.journal.finished)
        try:
            self._replay(told_replayed)
            is_enough = False
            try:
                with Workers(self.job.jobs) as workers:
                    while self._generation(workers, finished):
                        finished.clear()
            except EnoughFoundError:
                is_enough = True
            state = self._with_finished(finished)
            run = session_run(self.job, self.session, state, self.universes, self.told, self.deadline, self.known)
            if self.was_cut_short and not self.new_cases:
                run = with_problems(run, [NOTHING_ASKED])
            run = self._write(stopped(run, self.job, "the session goes on with --resume") if is_enough else run, state)
            return SessionEnd(run, model_coverages(state, self.universes))
        except KeyboardInterrupt:
            state = self._with_finished(finished)
            self._write(session_run(self.job, self.session, state, self.universes), state)
            raise
        finally:
            self.journal.close()

    def _with_finished(self, finished: Mapping[SessionShard, ShardOutcome]) -> SessionState:
        """The state, and what is finished of the generation under way.

        An interrupt may come between the end of a generation and its outcomes' leaving `finished`: the state has them.
        """
        state = deepcopy(self.state)
        ordered = sorted(finished, key=lambda shard: (shard.model, shard.number))
        state.add(finished[shard] for shard in ordered if shard.generation == state.generation)
        return state

    def _replay(self, told_replayed: Callable[[Replayed], None]) -> None:
        """Ask again what is known; what fails no more as it did leaves the state and the outcomes of the journal.

        Only when that is on disk, and all was asked, later changes are told from the files and libraries of now: else
        what was not asked would never be known to be fixed.
        """
        plan, folder = self.session.plan, self.job.folder
        results = [model.result for model in self.state.models.values()]
        results += [outcome.result for outcome in self.journal.finished.values()]
        changed = changed_subjects(plan, folder)
        for result in results:
            for subject in {*result.unavailable} & changed - BUILT_IN:
                del result.unavailable[subject]
        end = self.clock + self.seconds * SHARE_OF_REPLAY
        replayed = with_names(plan, replay_known(plan, results, changed, end), self.named, changed, end)
        gone = {(one.model, one.subject, one.check, one.stage, one.rule) for one in replayed if one.verdict == "gone"}
        self.named = [one for one in self.named if (*one.example.place, one.stage, one.rule) not in gone]
        self.seen.knows_names(self.named)
        write_atomically(folder / REPLAYED, "".join(json.dumps(entry.to_json()) + "\n" for entry in replayed))
        if replayed:
            write_state(folder, self.state)
            self.journal.rewrite()
        if not any(entry.verdict == "unasked" for entry in replayed):
            write_plan(folder, plan, self.job.command, False, self.hashes, installed_versions())
        self.causes = self._to_explain(unshrunk(by_model(results, self.state.models).values()))
        self.left = self.deadline - time.monotonic()
        for result in results:
            self.seen.knows(result)
        for entry in replayed:
            told_replayed(entry)

    def _end_of_work(self) -> float:
        """The time from which on no shard is begun, so that there is some left to shrink what is found."""
        return self.deadline - self._kept_for(self.causes) if self.causes else self.deadline

    def _to_explain(self, found: Sequence[Finding]) -> int:
        """The units of work at the end: each new cause is shrunk, and each subject with a model is weighed.

        Known findings are not counted, so that a right subject is asked until the deadline; but what a user's baseline
        may list is counted until its cause is found, since it may turn out to be new.
        """
        new = [one for one in found if not self.seen.is_known(one)]
        sought = [one for one in found if self.job.accepted and is_to_be_sought(one)]
        return len(new) + len({(one.example.model, one.example.subject) for one in (*new, *sought)})

    def _kept_for(self, causes: int) -> float:
        """The seconds at the end that are for so many causes."""
        trials = SECONDS_OF_KNOWN_TRIALS if self.named and not self.is_unnamed else SECONDS_OF_TRIALS
        return min(self.left * SHARE_OF_SHRINKING, trials + causes * SECONDS_OF_SHRINKING)

    def _generation(self, workers: Workers, finished: dict[SessionShard, ShardOutcome]) -> bool:
        """Work on the shards of a generation that are not finished; tells whether to go on with the next one.

        finished: by shard, takes every outcome. A shard whose subjects had no time to load its model stays to be done.
        """
        plan, state = self.session.plan, self.state
        shards = generation_shards(plan, state.generation, state.cases, self.cases, unread_models(plan, state))
        if not shards:
            return False
        for foreign in finished.keys() - set(shards):  # of a session that was to end within this generation
            del finished[foreign]
        remaining = [shard for shard in shards if shard not in finished]

        def done(outcome: ShardOutcome | None) -> None:
            if outcome is None:
                return
            self.journal.add(outcome)
            finished[outcome.shard] = outcome
            self.new_cases += outcome.result.cases
            self.tell_noise(outcome.result)
            self._tell(finished, self.seen.fresh(outcome.result))
            self.seen.check_enough()

        end = self.deadline - self._kept_for(max(1, self.causes))  # what is under way may find one yet
        work = partial(work_in_worker, self.session, self.job.folder, end, self.deadline + SECONDS_OVER_TIME)
        workers.run(
            work, ShardQueue(remaining, worth_loading=1), done, self._end_of_work if self.seconds < math.inf else None
        )
        if len(finished) < len(shards):
            self.was_cut_short = True
            return False
        state = deepcopy(state)  # changed in place, an interrupt could find it half changed
        kept = state.add(map(finished.__getitem__, shards))
        append_to_corpus(self.job.folder, kept, self.state.kept)
        state.generation += 1
        state.cases = max(shard.stop for shard in shards)
        write_state(self.job.folder, state)
        self.state = state
        self.journal.empty()
        self.coverages = model_coverages(self.state, self.universes)
        self._seek_causes()
        if time.monotonic() - self.last_report > SECONDS_BETWEEN_REPORTS:
            self._write(session_run(self.job, self.session, self.state, self.universes), self.state)
            self.last_report = time.monotonic()
        return True

    def _seek_causes(self) -> None:
        """Seek the causes of what came so far, if there are new examples since the last time; the end seeks them again.

        Workers wait meanwhile, so it may take no more than a part of the time.
        """
        started = time.monotonic()
        results = [model.result for model in self.state.models.values()]
        looked_at = [(key, len(group.examples)) for result in results for key, group in result.groups.items()]
        left = SHARE_OF_CAUSES * (started - self.clock) - self.seconds_of_causes
        end = min(self._end_of_work(), started + max(left, SECONDS_OF_CAUSES))
        if left < 0 or not looked_at or looked_at == self.looked_at or started > end:
            return

        oracles = {info.name: info.oracle for info in self.job.models}
        witnesses = witnesses_of(results)
        found: list[Finding] = []
        for place, came in by_place(results, oracles).items():
            explainer = partial(self._explained, place, end)
            found += explained(came, witnesses[place], self.seen.expectations, explainer)
        named = [one for one in found if one.confidence is not None]
        places = {one.example.place for one in named}
        self.named = [*named, *(one for one in self.named if one.example.place not in places)]
        self.looked_at = looked_at
        self.seconds_of_causes += time.monotonic() - started
        self._tell({}, self.seen.named(self.named))
        self.seen.check_enough()

    def _explained(
        self, place: Place, end: float, found: Sequence[Finding], witnesses: Sequence[Case]
    ) -> Sequence[Finding]:
        model, _ = place
        for other in [one for one in self.known if one[0] != model]:  # each keeps its model in memory
            del self.known[other]
        known = self.known.setdefault(place, Known())
        bench = bench_until(end, self.session.plan, model)
        return explained_as_they_came(self.session.plan, bench, found, witnesses, end, known)

    def _tell(self, finished: Mapping[SessionShard, ShardOutcome], fresh: tuple[str, ...]) -> None:
        results = [model.result for model in self.state.models.values()]
        results += [outcome.result for outcome in finished.values()]
        places = {one.example.place for one in self.named}
        came = unshrunk(by_model(results, self.state.models).values())
        found = [*self.named, *(one for one in came if one.stage or one.example.place not in places)]
        self.causes = self._to_explain(found)
        self.is_unnamed = any(map(is_to_be_sought, found))
        cases = sum(result.cases for result in results)
        seconds = time.monotonic() - self.clock
        unexpected = tuple(entry for entry in found if not self.seen.is_known(entry))
        listed = len(found) - len(unexpected)
        self.told(SessionProgress(cases, self.new_cases, seconds, self.coverages, unexpected, listed, fresh))

    def _write(self, run: Run, state: SessionState) -> Run:
        """The folder of the run that a state amounts to, and the coverage."""
        seconds = time.monotonic() - self.clock + self.seconds_before
        times = {"total": round(seconds, 1), "work": round(state.seconds, 1)}
        run = replace(run, findings=_with_names(run.findings, self.named))
        run = replace(run, started=self.started.isoformat(timespec="seconds"), times=times)
        coverage = coverage_to_json(model_coverages(state, self.universes))
        write_atomically(self.job.folder / COVERAGE, json.dumps(coverage, indent=1, ensure_ascii=True) + "\n")
        write_run_folder(run, self.job.folder, coverage)
        return run


def _named_before(folder: Path) -> list[Finding]:
    """The findings of an earlier start whose causes were found."""
    before = read_run_folder(folder).findings if (folder / RUN).exists() else ()
    return [one for one in before if one.status == "new" and one.confidence is not None]


def _with_names(found: Sequence[Finding], named: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings; where a cause is still to be sought, those that were named before stand in its place."""
    unnamed = [one for one in found if is_to_be_sought(one)]
    places = {one.example.place for one in unnamed} & {one.example.place for one in named}
    kept = [one for one in found if one not in unnamed or one.example.place not in places]
    known = {one.fingerprint for one in kept}
    again = [one for one in named if one.example.place in places and one.fingerprint not in known]
    return tuple(sorted((*kept, *again), key=by_weight))


def _universe(model: ModelPlan) -> Universe:
    """What inputs can exercise in a model, and which of its stages they can make change a text."""
    tokenizer = load_reference(model)
    knowledge = model_knowledge(tokenizer)
    changes = [*map(changed, live_stages(tokenizer, knowledge))]
    return {**Watcher(tokenizer, knowledge).universe, STAGES: changes}
