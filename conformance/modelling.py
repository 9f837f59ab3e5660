"""Models named on the command line: files, folders, embedded names."""

from __future__ import annotations

from pathlib import Path

from conformance.errors import InputError
from conformance.plan import ModelPlan
from conformance.subjects import ORACLES
from reftok import embedded_models
from reftok.formats import KNOWN_FILES, file_format, find_model, models_in


def plan_models(sources: tuple[str, ...]) -> tuple[ModelPlan, ...]:
    """The models, each once; none named means every embedded one.

    A folder stands for every model file in it, or, where it has none, for those of its subfolders.
    Raises InputError for a folder without models, ModelFormatError for a name that is neither file nor model.
    """
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
    if not folder.is_dir():
        path = find_model(source)
        return [(source if source in embedded_models() and not folder.exists() else _name(path), path)]
    found = models_in(folder)
    if not found:
        found = [path for child in sorted(folder.iterdir()) if child.is_dir() for path in models_in(child)]
    if not found:
        raise InputError(
            f"{source}: the folder holds no model (tokenizer.json, *.model, *.spm, *.tiktoken, vocab.json)"
        )
    return [(_name(path), path) for path in found]


def _name(path: Path) -> str:
    """Folder and file: a folder as published may hold the same tokenizer in two formats."""
    return f"{path.resolve().parent.name}/{path.name}"


def _plan(name: str, path: Path) -> ModelPlan:
    model_format = "vocab_merges" if path.name == "vocab.json" else file_format(path.read_bytes()[:4096])
    if model_format not in ORACLES:
        problem = {"gguf": "GGUF files are not supported yet", "empty": "is empty"}.get(model_format)
        raise InputError(f"{path}: {problem or f'is none of the known files: {KNOWN_FILES}'}")
    return ModelPlan(name, path, model_format, ORACLES[model_format])
