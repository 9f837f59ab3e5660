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

from conformance.core.errors import InputError
from conformance.core.run import case_from_json, case_to_json
from conformance.files.atomic import write_atomically
from conformance.files.lines import LineFile, read_lines
from conformance.fuzzing.coverage import coverage_from_json
from conformance.fuzzing.session import SessionShard
from conformance.fuzzing.state import Kept, ModelState, SessionState, ShardOutcome
from conformance.generators import NAMES
from conformance.runs.journal import result_from_json, result_to_json

SESSION, SHARDS, CORPUS, STATE = "session.json", "shards.jsonl", "corpus.jsonl", "state.json"
_FOREIGN = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


class ShardJournal:
    """The outcomes of the shards of one generation.

    finished: those that an earlier start has left, by number and model; of another generation they do not count.
    """

    def __init__(self, folder: Path, generation: int) -> None:
        path = folder / SHARDS
        outcomes = [_outcome(value, path) for value in _values(path)]
        self.finished = {outcome.shard: outcome for outcome in outcomes if outcome.shard.generation == generation}
        self._file = LineFile(path)

    def add(self, outcome: ShardOutcome) -> None:
        """Write an outcome, and wait until it is on disk."""
        self._file.add([_outcome_to_json(outcome)])

    def empty(self) -> None:
        """Begin the next generation."""
        self._file.empty()

    def close(self) -> None:
        """Close the file; it stays."""
        self._file.close()


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
    except (OSError, *_FOREIGN) as error:
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
        return SessionState(models, **{name: value[name] for name in ("generation", "cases", "kept", "seconds")})
    except (OSError, *_FOREIGN) as error:
        raise InputError(f"{path}: is not the state of a session ({error}); begin another folder") from None


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
    except _FOREIGN as error:
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
        Counter(value["drawn"]),
        dict(value["idle"]),
    )


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


def _outcome(value: Any, path: Path) -> ShardOutcome:
    try:
        kept = tuple(
            Kept(entry["model"], case_from_json(entry["case"]), coverage_from_json(entry["reached"]))
            for entry in value["kept"]
        )
        shard, result = SessionShard(**value["shard"]), result_from_json(value["result"])
        return ShardOutcome(shard, result, kept, Counter(value["drawn"]), dict(value["idle"]))
    except _FOREIGN as error:
        raise InputError(f"{path}: is not the journal of a session ({error}); begin another folder") from None
