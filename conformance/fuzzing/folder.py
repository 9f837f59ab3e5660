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
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from conformance.core.errors import FORM_ERRORS, InputError
from conformance.core.run import case_from_json, case_to_json
from conformance.engine.plan import Plan
from conformance.engine.result import ShardResult
from conformance.files.atomic import write_atomically
from conformance.files.lines import LineFile, read_lines
from conformance.fuzzing.coverage import coverage_from_json
from conformance.fuzzing.session import SessionShard
from conformance.fuzzing.state import Kept, ModelState, SessionState, ShardOutcome, new_state
from conformance.generators import NAMES
from conformance.runs.journal import check_planned, result_from_json, result_to_json

SESSION, SHARDS, CORPUS, STATE = "session.json", "shards.jsonl", "corpus.jsonl", "state.json"


class ShardJournal:
    """The outcomes of the shards of one generation.

    finished: those that an earlier start has left, by number and model; of another generation they do not count.
    Raises InputError for what is no such file, or not of the plan.
    """

    def __init__(self, folder: Path, generation: int, plan: Plan) -> None:
        self.finished = read_finished(folder, generation, plan)
        self._file = LineFile(folder / SHARDS)

    def add(self, outcome: ShardOutcome) -> None:
        """Write an outcome, and wait until it is on disk."""
        self._file.add([_outcome_to_json(outcome)])

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
    path = folder / SHARDS
    try:
        outcomes = [_outcome(value, plan) for value in _values(path)]
    except FORM_ERRORS as error:
        raise InputError(f"{path}: is not the journal of a session ({_said(error)}); begin another folder") from None
    return {outcome.shard: outcome for outcome in outcomes if outcome.shard.generation == generation}


def write_generators(folder: Path, generators: Sequence[str]) -> None:
    """Write what a session adds to its plan."""
    write_atomically(folder / SESSION, json.dumps({"generators": generators}) + "\n")


def read_generators(folder: Path) -> tuple[str, ...]:
    """The generators of a session; raises InputError where the folder holds none."""
    path = folder / SESSION
    try:
        names = json.loads(path.read_bytes())["generators"]
        if not names or not all(name in NAMES for name in names):
            raise ValueError(f"no such generators: {names!r:.60}")
    except FileNotFoundError:
        raise InputError(f"{folder}: holds no fuzzing session (there is no {SESSION})") from None
    except (OSError, *FORM_ERRORS) as error:
        raise InputError(f"{path}: names no generators ({error}); begin another folder") from None
    return tuple(names)


def read_state(folder: Path) -> SessionState:
    """The state at the end of the last generation.

    Raises InputError for what is none.
    """
    path = folder / STATE
    try:
        value = json.loads(path.read_bytes())
        models = {name: _model_state(entry) for name, entry in value["models"].items()}
        numbers = {name: _count(value[name], name) for name in ("generation", "cases", "kept")}
        return SessionState(models, **numbers, seconds=_seconds(value["seconds"]))
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
    return InputError(f"{path}: is not the state of a session ({_said(error)}); begin another folder")


def _said(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else " ".join(str(error).split())[:200]


def _check_planned_for(model: str, result: ShardResult, plan: Plan) -> None:
    check_planned(result, plan)
    if result.shard.model != model:
        raise ValueError(f"a result of {result.shard.model} stands under {model}")


def write_state(folder: Path, state: SessionState) -> None:
    """Replaces the state as a whole."""
    models = {
        name: {
            "result": result_to_json(model.result),
            "coverage": model.coverage.to_json(),
            "drawn": dict(model.drawn),
            "idle": model.idle,
        }
        for name, model in state.models.items()
    }
    numbers = {name: getattr(state, name) for name in ("generation", "cases", "kept", "seconds")}
    write_atomically(folder / STATE, json.dumps({**numbers, "models": models}))


def read_corpus(folder: Path, count: int | None = None, start: int = 0) -> list[Kept]:
    """The kept inputs from `start` on, of the first `count` or of all."""
    path = folder / CORPUS
    try:
        return [Kept(value["model"], case_from_json(value["case"])) for value in _values(path, start, count)]
    except FORM_ERRORS as error:
        raise InputError(f"{path}: is not the corpus of a session ({error})") from None


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


def _values(path: Path, start: int = 0, stop: int | None = None) -> list[Any]:
    """The values of whole lines, from `start` to `stop`."""
    try:
        return [json.loads(line) for line in read_lines(path, start, stop)]
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: has a line that is not JSON ({error})") from None


def _model_state(value: Any) -> ModelState:
    return ModelState(
        result_from_json(value["result"]),
        coverage_from_json(value["coverage"]),
        _drawn(value["drawn"]),
        _idle(value["idle"]),
    )


def _drawn(value: Any) -> Counter[str]:
    return Counter({name: _count(number, name) for name, number in value.items()})


def _idle(value: Any) -> dict[str, str]:
    if not all(isinstance(reason, str) for reason in value.values()):
        raise ValueError("a reason is no text")
    return dict(value)


def _count(value: Any, what: str) -> int:
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise ValueError(f"{what} is {value!r:.60}")
    return value


def _seconds(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value < 1e12:
        raise ValueError(f"seconds is {value!r:.60}")
    return float(value)


def _outcome_to_json(outcome: ShardOutcome) -> dict[str, Any]:
    kept = [
        {"model": kept.model, "case": case_to_json(kept.case), "reached": kept.reached.to_json()}
        for kept in outcome.kept
    ]
    return {
        "shard": asdict(outcome.shard),
        "result": result_to_json(outcome.result),
        "kept": kept,
        "drawn": dict(outcome.drawn),
        "idle": outcome.idle,
    }


def _outcome(value: Any, plan: Plan) -> ShardOutcome:
    """Raises one of `FORM_ERRORS` for what is none, or not of the plan."""
    shard, result = _shard(value["shard"]), result_from_json(value["result"])
    _check_planned_for(shard.model, result, plan)
    kept = tuple(
        Kept(entry["model"], case_from_json(entry["case"]), coverage_from_json(entry["reached"]))
        for entry in value["kept"]
    )
    if any(entry.model != shard.model for entry in kept):
        raise ValueError("an input is kept for another model than its shard's")
    return ShardOutcome(shard, result, kept, _drawn(value["drawn"]), _idle(value["idle"]))


def _shard(value: Any) -> SessionShard:
    shard = SessionShard(**value)
    for name in ("generation", "number", "start", "stop"):
        _count(getattr(shard, name), name)
    return shard
