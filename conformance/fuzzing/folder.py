"""The folder of a session.

    plan.json      what it is to do, as in the folder of a run; session.json: what a session adds
    shards.jsonl   the outcome of each shard of the generation under way, on disk before anybody hears of it
    corpus.jsonl   the inputs that were kept, a line each
    state.json     everything else at the end of the last generation

A generation ends when its kept inputs are written, then the state (which says how many of them count), then the shards
are emptied: killed at any point, the next start knows what was done.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from conformance.core.errors import FORM_ERRORS, InputError, form_problem
from conformance.core.records import Count, Seconds, from_json, to_json
from conformance.core.run import case_from_json, case_to_json
from conformance.engine.plan import Plan
from conformance.engine.result import ShardResult
from conformance.files.atomic import write_atomically
from conformance.files.lines import LineFile, read_records
from conformance.fuzzing.coverage import MOST_KEYS_OF_ALL, Key, coverage_from_json
from conformance.fuzzing.session import SessionShard
from conformance.fuzzing.state import Kept, ModelState, SessionState, ShardOutcome, new_state
from conformance.generators import NAMES
from conformance.runs.journal import check_planned, result_from_json, result_to_json
from conformance.runs.plan_file import choose
from reftok.formats.files import file_bytes

SESSION, SHARDS, CORPUS, STATE = "session.json", "shards.jsonl", "corpus.jsonl", "state.json"
MOST_STATE_BYTES = 128 << 20
"""So much no session writes: with fifty large models of which all is reached, it is a tenth."""
_WAY_OUT = "begin another folder"
_Reached: TypeAlias = Mapping[str, Sequence[Key]]


@dataclass(frozen=True, slots=True)
class _Model:
    """A model in state.json."""

    result: Any
    coverage: _Reached
    drawn: dict[str, Count]
    idle: dict[str, str]


@dataclass(frozen=True, slots=True)
class _State:
    """The value of state.json."""

    generation: Count
    cases: Count
    kept: Count
    seconds: Seconds
    models: dict[str, _Model]


@dataclass(frozen=True, slots=True)
class _Kept:
    """A line of corpus.jsonl; in shards.jsonl, with what it reached."""

    model: str
    case: Any
    reached: _Reached = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A line of shards.jsonl."""

    shard: SessionShard
    result: Any
    kept: tuple[Any, ...]
    drawn: dict[str, Count]
    idle: dict[str, str]


class ShardJournal:
    """The outcomes of the shards of one generation.

    finished: those that an earlier start has left, by number and model; of another generation they do not count.
    Raises InputError for what is no such file, or not of the plan.
    """

    def __init__(self, folder: Path, generation: int, plan: Plan) -> None:
        self.finished = read_finished(folder, generation, plan)
        self._path = folder / SHARDS
        self._file = LineFile(self._path)

    def add(self, outcome: ShardOutcome) -> None:
        """Write an outcome, and wait until it is on disk."""
        self._file.add([_outcome_to_json(outcome)])

    def rewrite(self) -> None:
        """Write what is finished as it is now: some of it may be known to be fixed."""
        self._file.close()
        lines = (json.dumps(_outcome_to_json(outcome)) + "\n" for outcome in self.finished.values())
        write_atomically(self._path, "".join(lines))
        self._file = LineFile(self._path)

    def empty(self) -> None:
        """Begin the next generation."""
        self._file.empty()

    def close(self) -> None:
        """Close the file; it stays."""
        self._file.close()


def read_finished(folder: Path, generation: int, plan: Plan) -> dict[SessionShard, ShardOutcome]:
    """The outcomes of a generation that are on disk.

    Raises InputError for what is no such file, or not of the plan.
    """
    outcomes = read_records(folder / SHARDS, partial(_outcome, plan), "is not the journal of a session", _WAY_OUT)
    return {outcome.shard: outcome for outcome in outcomes if outcome.shard.generation == generation}


def beside_the_plan(generators: Sequence[str]) -> dict[str, str]:
    """The text of the file, by its name, with which a session adds to its plan."""
    return {SESSION: json.dumps({"generators": generators}) + "\n"}


def read_generators(folder: Path) -> tuple[str, ...]:
    """The generators of a session; raises InputError where the folder holds none."""
    path = folder / SESSION
    try:
        names = from_json(json.loads(file_bytes(path))["generators"], tuple[str, ...])
        if not names:
            raise ValueError("there are none")
        for name in names:
            choose(name, NAMES, "a generator")
    except FileNotFoundError:
        raise InputError(f"{folder}: holds no fuzzing session (there is no {SESSION})") from None
    except (OSError, *FORM_ERRORS) as error:
        raise InputError(f"{path}: names no generators ({form_problem(error)}); {_WAY_OUT}") from None
    return names


def read_state(folder: Path) -> SessionState:
    """The state at the end of the last generation.

    Raises InputError for what is none.
    """
    state = _read_state(folder)
    models: dict[str, ModelState] = {}
    keys = 0
    try:
        for name, model in state.models.items():
            models[name] = _model_state(model)
            keys += sum(map(len, models[name].coverage.reached.values()))
            if keys > MOST_KEYS_OF_ALL:
                raise ValueError("it reached more than any models have")
    except FORM_ERRORS as error:
        raise _no_state(folder / STATE, error) from None
    return SessionState(models, state.generation, state.cases, state.kept, state.seconds)


def kept_inputs(folder: Path) -> list[Kept]:
    """The inputs that count: those that the state knows of, of which nothing else is looked at.

    Raises InputError for a folder that is not a session's.
    """
    return read_corpus(folder, _read_state(folder).kept)


def _read_state(folder: Path) -> _State:
    path = folder / STATE
    try:
        if (size := path.stat().st_size) > MOST_STATE_BYTES:
            raise ValueError(f"{size >> 20:,} MB, and none has more than {MOST_STATE_BYTES >> 20}")
        return from_json(json.loads(file_bytes(path)), _State)
    except FileNotFoundError:
        read_generators(folder)
        unfinished = f"{folder}: its first generation is not finished; conformance fuzz --resume {folder} goes on"
        raise InputError(unfinished) from None
    except (OSError, *FORM_ERRORS) as error:
        raise _no_state(path, error) from None


def state_to_go_on_from(folder: Path, plan: Plan) -> SessionState:
    """The state of the folder, or a new one where there is none yet.

    Raises InputError for what is none, or not of the plan.
    """
    names = [model.name for model in plan.models]
    path = folder / STATE
    if not path.exists():
        return new_state(names)
    state = read_state(folder)
    try:
        if state.models.keys() != set(names):
            raise ValueError(f"it has the models {', '.join(state.models) or '(none)'}, not {', '.join(names)}")
        for name, model in state.models.items():
            _check_planned_for(name, model.result, plan)
    except ValueError as error:
        raise _no_state(path, error) from None
    return state


def _no_state(path: Path, error: Exception) -> InputError:
    return InputError(f"{path}: is not the state of a session ({form_problem(error)}); {_WAY_OUT}")


def _check_planned_for(model: str, result: ShardResult, plan: Plan) -> None:
    check_planned(result, plan)
    if result.shard.model != model:
        raise ValueError(f"a result of {result.shard.model} stands under {model}")


def write_state(folder: Path, state: SessionState) -> None:
    """Replaces the state as a whole."""
    models = {
        name: _Model(result_to_json(model.result), model.coverage.to_json(), dict(model.drawn), model.idle)
        for name, model in state.models.items()
    }
    value = to_json(_State(state.generation, state.cases, state.kept, state.seconds, models))
    write_atomically(folder / STATE, json.dumps(value))


def read_corpus(folder: Path, count: int | None = None, start: int = 0) -> list[Kept]:
    """The kept inputs from `start` on, of the first `count` or of all."""
    return read_records(folder / CORPUS, _kept, "is not the corpus of a session", _WAY_OUT, start, count)


def append_to_corpus(folder: Path, kept: Iterable[Kept], count: int) -> None:
    """Add inputs behind the first `count`; what a killed start has left behind these goes."""
    path = folder / CORPUS
    if read_corpus(folder, start=count):
        write_corpus(folder, read_corpus(folder, count))
    with closing(LineFile(path)) as file:
        file.add(map(_kept_to_json, kept))


def write_corpus(folder: Path, kept: Iterable[Kept]) -> None:
    """Replaces the corpus as a whole."""
    write_atomically(folder / CORPUS, "".join(json.dumps(_kept_to_json(entry)) + "\n" for entry in kept))


def _kept_to_json(kept: Kept) -> dict[str, Any]:
    return {"model": kept.model, "case": case_to_json(kept.case)}


def _kept(value: Any) -> Kept:
    entry = from_json(value, _Kept)
    case = case_from_json(entry.case)
    case.text.encode("utf-8")  # no tokenizer takes lone surrogates
    return Kept(entry.model, case, coverage_from_json(entry.reached))


def _model_state(model: _Model) -> ModelState:
    coverage = coverage_from_json(model.coverage)
    return ModelState(result_from_json(model.result), coverage, Counter(model.drawn), model.idle)


def _outcome_to_json(outcome: ShardOutcome) -> Any:
    kept = [{**_kept_to_json(entry), "reached": entry.reached.to_json()} for entry in outcome.kept]
    result = result_to_json(outcome.result)
    return to_json(_Outcome(outcome.shard, result, tuple(kept), dict(outcome.drawn), outcome.idle))


def _outcome(plan: Plan, value: Any) -> ShardOutcome:
    """Raises one of `FORM_ERRORS` for what is none, or not of the plan."""
    outcome = from_json(value, _Outcome)
    shard, result, kept = outcome.shard, result_from_json(outcome.result), tuple(map(_kept, outcome.kept))
    _check_planned_for(shard.model, result, plan)
    if any(entry.model != shard.model for entry in kept):
        raise ValueError("an input is kept for another model than its shard's")
    return ShardOutcome(shard, result, kept, Counter(outcome.drawn), outcome.idle)
