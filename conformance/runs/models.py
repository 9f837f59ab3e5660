"""Models named on the command line: files, folders, embedded names, names on the hub."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from conformance.core.errors import InputError, UsageError
from conformance.engine.plan import ModelPlan
from conformance.runs.hub import hub_folder, is_hub_name
from conformance.subjects import transformers_subject
from conformance.subjects.adapters import FORMATS, ORACLES, oracles
from reftok import embedded_models
from reftok.formats.model_files import KNOWN_FILES, find_model, model_format, models_in, names_embedded_model


def plan_models(sources: tuple[str, ...], encoding: str = "", official: str = "") -> tuple[ModelPlan, ...]:
    """The models, each once; none named means every embedded one.

    A folder stands for every model file in it, or, where it has none, for those of its subfolders; so does the name of
    a model on the hub (see `conformance.runs.hub`), which is downloaded where the cache does not have it.
    encoding: of the rank files among them, "" to recognise each. official: the library whose answers are right, "" for
        the official library of each format.
    Raises InputError for a folder without models or one that cannot be read, ModelFormatError for a file that cannot be
    read and a name that is neither file nor model, UsageError for an encoding and no rank file, and for an official
    library that does not read one of the models.
    """
    try:
        plans = _plans(sources)
    except OSError as error:
        raise InputError(
            f"{error.filename or ', '.join(map(str, sources))}: cannot be read: {error.strerror}"
        ) from None
    if official:
        plans = tuple(_with_oracle(plan, official) for plan in plans)
    if not encoding:
        return plans
    named = tuple(replace(plan, encoding=encoding) if FORMATS[plan.format].encodings else plan for plan in plans)
    if named == plans:
        raise UsageError(f"--encoding {encoding}: none of the models is a rank file of tiktoken")
    return named


def _with_oracle(plan: ModelPlan, official: str) -> ModelPlan:
    oracle = {transformers_subject.LIBRARY: transformers_subject.NAME}.get(official, official)
    if oracle not in oracles(plan.format):
        raise UsageError(
            f"--official {official}: does not read {plan.format}, as {plan.path} is; leave one of them out"
        )
    return replace(plan, oracle=oracle)


def _plans(sources: tuple[str, ...]) -> tuple[ModelPlan, ...]:
    embedded = embedded_models()
    if not sources:
        return tuple(_plan(name, path) for name, path in embedded.items())
    plans: dict[str, ModelPlan] = {}
    for source in sources:
        for name, path in _files(source):
            other = plans.get(name)
            label = name if other is None or other.path.samefile(path) else str(path)
            plans.setdefault(label, _plan(label, path))
    return tuple(plans.values())


def _files(source: str) -> list[tuple[str, Path]]:
    folder = Path(source)
    if names_embedded_model(source):
        return [(source, embedded_models()[source])]
    if is_hub_name(source):
        return [(f"{source}/{path.name}", path) for path in models_in(hub_folder(source))]
    found = models_in(folder) if folder.is_dir() else [find_model(source)]
    if not found:
        found = [path for child in sorted(folder.iterdir()) if child.is_dir() for path in models_in(child)]
    if not found:
        raise InputError(
            f"{source}: the folder holds no model (tokenizer.json, *.model, *.spm, *.tiktoken, *.gguf, vocab.json)"
        )
    return [(_name(path), path) for path in found]


def _name(path: Path) -> str:
    """Folder and file: a folder as published may hold the same tokenizer in two formats.

    A file may be a link: in the cache of the hub it leads to a name that says nothing.
    """
    return f"{path.parent.resolve().name}/{path.name}"


def _plan(name: str, path: Path) -> ModelPlan:
    found = model_format(path)
    if found not in ORACLES:
        problem = "is empty" if found == "empty" else f"is none of the known files: {KNOWN_FILES}"
        raise InputError(f"{path}: {problem}")
    return ModelPlan(name, path, found, ORACLES[found])
