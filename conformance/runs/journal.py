"""The journal of a run: each finished shard is a line on disk before anybody hears of it, so a killed run resumes."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar, get_args

from conformance.checks import CHECKS
from conformance.core.case import Kind
from conformance.core.errors import FORM_ERRORS, InputError
from conformance.core.finding import Mismatch, Severity
from conformance.core.run import mismatch_from_json, mismatch_to_json
from conformance.engine.plan import MOST_FUZZ, MOST_SECONDS, ModelPlan, Plan
from conformance.engine.result import Counts, Group, ShardResult
from conformance.files.atomic import write_atomically
from conformance.files.lines import LineFile, read_lines
from conformance.inputs.shards import SOURCES, Inputs, Shard
from conformance.subjects.adapters import BUILT_IN, ORACLES, absolute_subject, subject_label
from reftok.formats.tiktoken_encodings import ENCODINGS

PLAN = "plan.json"
JOURNAL = "journal.jsonl"
_Value = TypeVar("_Value")


class Journal:
    """The finished shards of one run folder."""

    def __init__(self, folder: Path) -> None:
        self.finished = {result.shard.key: result for result in _results(folder)}
        self._file = LineFile(folder / JOURNAL)

    def add(self, result: ShardResult) -> None:
        """Write a finished shard, and wait until it is on disk."""
        self.finished[result.shard.key] = result
        self._file.add([result_to_json(result)])

    def close(self) -> None:
        """Close the file; it stays, so that a run can be looked into."""
        self._file.close()


def check_journal(folder: Path, plan: Plan) -> None:
    """Raise InputError where the journal holds models, subjects or checks that the plan does not name."""
    for result in _results(folder):
        try:
            check_planned(result, plan)
        except ValueError as error:
            raise _no_journal(folder / JOURNAL, error) from None


def check_planned(result: ShardResult, plan: Plan) -> None:
    """Raise ValueError where a result holds models, subjects or checks that the plan does not name."""
    oracles = {model.name: model.oracle for model in plan.models}
    _choice(result.shard.model, oracles, "a model")
    subjects = {*plan.labels, oracles[result.shard.model], "reftok"}
    for subject, check in [*result.counts, *(key[:2] for key in result.groups)]:
        _choice(subject, subjects, "a subject")
        _choice(check, plan.checks, "a check")
    for subject in [*result.unavailable, *result.methods, *(subject for _, subject in result.languages)]:
        _choice(subject, subjects, "a subject")


def _results(folder: Path) -> list[ShardResult]:
    path = folder / JOURNAL
    try:
        return [result_from_json(json.loads(line)) for line in read_lines(path)]
    except FORM_ERRORS as error:
        raise _no_journal(path, error) from None


def _no_journal(path: Path, error: Exception) -> InputError:
    return InputError(f"{path}: is not the journal of a run ({_said(error)}); start the run anew")


def _said(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else " ".join(str(error).split())[:200]


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
        "methods": result.methods,
    }


def result_from_json(value: Any) -> ShardResult:
    """The finished shard of `result_to_json`.

    Raises one of FORM_ERRORS for what is none.
    """
    shard = Shard(**_typed(value, dict, "a line")["shard"])
    _text(shard.model, "a model")
    _choice(shard.source, SOURCES, "a source")
    if _count(shard.start, "start") >= _count(shard.stop, "stop"):
        raise ValueError("a shard is empty")
    cases, answers = _count(value["cases"], "cases"), _count(value["answers"], "answers")
    seconds = _seconds(value["seconds"], "seconds", 0, 1e9)
    result = ShardResult(shard, cases, answers, seconds, unavailable=_texts(value["unavailable"], "unavailable"))
    for subject, check, counts in value["counts"]:
        result.counts[_text(subject, "a subject"), _text(check, "a check")] = _counts(counts)
    for language, subject, compared, mismatched in value["languages"]:
        pair = [_count(compared, "compared"), _count(mismatched, "mismatched")]
        result.languages[_typed(language, str, "a language"), _text(subject, "a subject")] = pair
    for entry in value["groups"]:
        subject, check, stage, rule = (_typed(part, str, "a part of a key") for part in entry["key"])
        result.groups[subject, check, stage, rule] = _group(entry, (shard.model, subject, check), stage, rule)
    for subject, asked in _typed(value.get("methods", {}), dict, "methods").items():
        for method, is_there in _typed(asked, dict, "methods of a subject").items():
            result.methods[subject][method] = _typed(is_there, bool, method)
    return result


def _counts(value: Any) -> Counts:
    counts = Counts(**value)
    for name, number in value.items():
        _count(number, name)
    if max(counts.failures, counts.mismatched) > counts.compared:
        raise ValueError("more answers mismatched than were compared")
    return counts


def _group(value: Any, place: tuple[str, str, str], stage: str, rule: str) -> Group:
    """place: model, subject and check, which the examples must have too."""
    languages = {_text(language, "a language") for language in _typed(value["languages"], list, "languages")}
    examples = [_mismatch(example, place) for example in _typed(value["examples"], list, "examples")]
    count = _count(value["count"], "count")
    if not 0 < len(examples) <= count:
        raise ValueError("a group has no examples, or more than were counted")
    return Group(stage, rule, count, languages, examples)


def _mismatch(value: Any, place: tuple[str, str, str]) -> Mismatch:
    for name in ("rule", "expected", "observed"):
        _typed(value[name], str, name)
    _choice(value["severity"], get_args(Severity), "a severity")
    if (value["model"], value["subject"], value["check"]) != place:
        raise ValueError("an example is of another model, subject or check than its group")
    _check_case(_typed(value["case"], dict, "a case"))
    return mismatch_from_json(value)


def _check_case(value: Mapping[str, Any]) -> None:
    kind = _choice(value["kind"], get_args(Kind), "the kind of a case")
    if kind == "ids":
        for token_id in _typed(value["ids"], list, "ids"):
            _typed(token_id, int, "an id")
    else:
        name = "text" if kind == "text" else "bytes_hex"
        _typed(value[name], str, name)
    _typed(value["origin"], str, "origin")
    _typed(value.get("language", ""), str, "a language")


def write_plan(
    folder: Path, plan: Plan, command: str, full: bool, hashes: dict[str, str], versions: Mapping[str, str]
) -> None:
    """Remember what the run was to do, whether that is everything, and on which files with which libraries."""
    value = {
        "command": command,
        "full": full,
        "models": [{**asdict(model), "path": str(model.path.resolve())} for model in plan.models],
        "subjects": [absolute_subject(name) for name in plan.subjects],
        "checks": list(plan.checks),
        "inputs": {**asdict(plan.inputs), "files": [str(path.resolve()) for path in plan.inputs.files]},
        "timeout": plan.timeout,
        "hashes": hashes,
        "versions": dict(versions),
    }
    write_atomically(folder / PLAN, json.dumps(value, indent=1))


def read_plan(folder: Path) -> tuple[Plan, str, bool, dict[str, str]]:
    """The plan of a run folder, its command, whether it is everything, and the hashes of the files at that time.

    Raises InputError where it is not what `write_plan` writes.
    """
    value = _read_json(folder)
    try:
        plan = _plan(value)
        command, full = _text(value["command"], "command"), _typed(value["full"], bool, "full")
        hashes = _texts(value["hashes"], "hashes")
        missing = [str(path.resolve()) for path in plan.files if str(path.resolve()) not in hashes]
        if missing:
            raise ValueError(f"there is no hash of {missing[0]}")
        return plan, command, full, hashes
    except FORM_ERRORS as error:
        raise _no_plan(folder, error) from None


def read_versions(folder: Path) -> dict[str, str]:
    """The versions of the libraries when the run of a folder began."""
    value = _read_json(folder)
    try:
        return _texts(value["versions"], "versions")
    except FORM_ERRORS as error:
        raise _no_plan(folder, error) from None


def check_versions(folder: Path, installed: Mapping[str, str]) -> None:
    """Raise InputError where a library is not in the version that the run of this folder began with."""
    before = read_versions(folder)
    for name in sorted({*before, *installed}):
        was, now = before.get(name, "not installed"), installed.get(name, "not installed")
        if was != now:
            raise InputError(f"{folder}: {name} was {was}, is {now}: start the run anew")


def _read_json(folder: Path) -> dict[str, Any]:
    try:
        value: dict[str, Any] = _typed(json.loads((folder / PLAN).read_text("utf-8")), dict, "a plan")
    except FileNotFoundError:
        raise InputError(f"{folder}: is not the folder of a run: it has no {PLAN}") from None
    except (OSError, *FORM_ERRORS) as error:
        raise _no_plan(folder, error) from None
    return value


def _no_plan(folder: Path, error: Exception) -> InputError:
    return InputError(f"{folder / PLAN}: cannot be read ({_said(error)}); start the run anew")


def _plan(value: Mapping[str, Any]) -> Plan:
    models = tuple(_model(model) for model in _some(value["models"], "models"))
    subjects = tuple(_subject(name) for name in _some(value["subjects"], "subjects"))
    checks = tuple(_choice(check, CHECKS, "a check") for check in _some(value["checks"], "checks"))
    for names in ([model.name for model in models], list(map(subject_label, subjects)), checks):
        if len(set(names)) != len(names):
            raise ValueError(f"a name is there twice among {', '.join(names)}")
    timeout = _seconds(value["timeout"], "timeout", 0.001, MOST_SECONDS)
    return Plan(models, subjects, checks, _inputs(value["inputs"]), timeout)


def _model(value: Any) -> ModelPlan:
    model = ModelPlan(**{**value, "path": _path(value["path"])})
    _text(model.name, "the name of a model")
    _choice(model.format, ORACLES, "the format of a model")
    _choice(model.oracle, [ORACLES[model.format]], "the oracle of a model")
    _choice(model.encoding, ["", *ENCODINGS] if model.format == "tiktoken" else [""], "the encoding of a model")
    return model


def _subject(value: Any) -> str:
    file, _, factory = _text(value, "a subject").rpartition(":")
    if value not in BUILT_IN:
        _path(file)
        if not factory.isidentifier():
            raise ValueError(f"{value!r} is no subject")
    return str(value)


def _inputs(value: Any) -> Inputs:
    files = tuple(_path(file) for file in _typed(value["files"], list, "files"))
    sources = tuple(_choice(source, SOURCES, "a source") for source in _some(value["sources"], "sources"))
    inputs = Inputs(**{**value, "files": files, "sources": sources})
    _typed(inputs.seed, int, "seed")
    if _count(inputs.fuzz, "fuzz") > MOST_FUZZ:
        raise ValueError(f"fuzz is more than {MOST_FUZZ:,}")
    return inputs


def _typed(value: Any, kind: type[_Value], what: str) -> _Value:
    if type(value) is not kind:
        raise ValueError(f"{what} is no {kind.__name__}")
    return value


def _text(value: Any, what: str) -> str:
    if not _typed(value, str, what):
        raise ValueError(f"{what} is empty")
    return str(value)


def _path(value: Any) -> Path:
    if "\0" in _text(value, "a path"):
        raise ValueError("a path has a NUL")
    return Path(value)


def _texts(value: Any, what: str) -> dict[str, str]:
    return {key: _typed(text, str, f"{key} of {what}") for key, text in _typed(value, dict, what).items()}


def _some(value: Any, what: str) -> list[Any]:
    if not _typed(value, list, what):
        raise ValueError(f"{what} are missing")
    return list(value)


def _choice(value: Any, allowed: Collection[str], what: str) -> str:
    if _typed(value, str, what) not in allowed:
        raise ValueError(f"{what} is {value!r}, not one of {', '.join(allowed)}")
    return str(value)


def _count(value: Any, what: str) -> int:
    if not 0 <= _typed(value, int, what) < 1 << 63:
        raise ValueError(f"{what} is {value}")
    return int(value)


def _seconds(value: Any, what: str, least: float, most: float) -> float:
    if type(value) not in (int, float) or not least <= value <= most:
        raise ValueError(f"{what} is {value!r}")
    return float(value)
