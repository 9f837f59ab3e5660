"""The journal of a run: each finished shard is a line on disk before anybody hears of it, so a killed run resumes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from conformance.engines.result import Counts, Group, ShardResult
from conformance.errors import InputError
from conformance.inputs.plan import Inputs, Shard
from conformance.plan import ModelPlan, Plan
from conformance.run import mismatch_from_json, mismatch_to_json

PLAN = "plan.json"
JOURNAL = "journal.jsonl"


class Journal:
    """The finished shards of one run folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / JOURNAL
        self.finished = {result.shard.key: result for result in _read_lines(self._path)}
        self._file = self._path.open("a", encoding="ascii")

    def add(self, result: ShardResult) -> None:
        """Write a finished shard, and wait until it is on disk."""
        self.finished[result.shard.key] = result
        self._file.write(json.dumps(result_to_json(result)) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file; it stays, so that a run can be looked into."""
        self._file.close()


def _read_lines(path: Path) -> Iterable[ShardResult]:
    """The whole lines; a last line that was cut off by a kill is cut off the file."""
    if not path.is_file():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) != len(data):
        path.write_bytes(whole)
    try:
        return [result_from_json(json.loads(line)) for line in whole.splitlines()]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{path}: is not the journal of a run ({error}); start the run anew") from None


def result_to_json(result: ShardResult) -> dict[str, Any]:
    """A finished shard as JSON."""
    return {
        "shard": asdict(result.shard),
        "cases": result.cases,
        "answers": result.answers,
        "seconds": round(result.seconds, 3),
        "counts": [[*key, asdict(counts)] for key, counts in result.counts.items()],
        "languages": [[*key, *pair] for key, pair in result.languages.items()],
        "groups": [
            {
                "key": list(key),
                "count": group.count,
                "languages": sorted(group.languages),
                "examples": [mismatch_to_json(example) for example in group.examples],
            }
            for key, group in result.groups.items()
        ],
        "unavailable": result.unavailable,
    }


def result_from_json(value: dict[str, Any]) -> ShardResult:
    """The finished shard of `result_to_json`."""
    result = ShardResult(
        Shard(**value["shard"]), value["cases"], value["answers"], value["seconds"], unavailable=value["unavailable"]
    )
    for subject, check, counts in value["counts"]:
        result.counts[subject, check] = Counts(**counts)
    for language, subject, compared, mismatched in value["languages"]:
        result.languages[language, subject] = [compared, mismatched]
    for entry in value["groups"]:
        subject, check, stage, rule = entry["key"]
        examples = [mismatch_from_json(example) for example in entry["examples"]]
        group = Group(stage, rule, entry["count"], set(entry["languages"]), examples)
        result.groups[subject, check, stage, rule] = group
    return result


def write_plan(folder: Path, plan: Plan, command: str, full: bool, hashes: dict[str, str]) -> None:
    """Remember what the run was to do, whether that is everything, and on which files."""
    value = {
        "command": command,
        "full": full,
        "models": [{**asdict(model), "path": str(model.path.resolve())} for model in plan.models],
        "subjects": list(plan.subjects),
        "checks": list(plan.checks),
        "inputs": {**asdict(plan.inputs), "files": [str(path.resolve()) for path in plan.inputs.files]},
        "timeout": plan.timeout,
        "hashes": hashes,
    }
    path = folder / PLAN
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(value, indent=1), "utf-8")
    os.replace(temporary, path)


def read_plan(folder: Path) -> tuple[Plan, str, bool, dict[str, str]]:
    """The plan of a run folder, its command, whether it is everything, and the hashes of the files at that time."""
    path = folder / PLAN
    try:
        value = json.loads(path.read_text("utf-8"))
        inputs = {**value["inputs"], "files": tuple(map(Path, value["inputs"]["files"]))}
        models = tuple(ModelPlan(**{**model, "path": Path(model["path"])}) for model in value["models"])
        plan = Plan(models, tuple(value["subjects"]), tuple(value["checks"]), Inputs(**inputs), value["timeout"])
        return plan, str(value["command"]), bool(value["full"]), dict(value["hashes"])
    except FileNotFoundError:
        raise InputError(f"{folder}: is not the folder of a run: it has no {PLAN}") from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read ({error}); start the run anew") from None
