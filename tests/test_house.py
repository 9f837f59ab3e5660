"""The rules of the house, read from the imports: who may import whom; and one version."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import conformance
import reftok

ROOT = Path(__file__).resolve().parent.parent
TOKENIZERS = {"tokenizers", "sentencepiece", "tiktoken", "transformers", "mistral_common", "llama_cpp", "gguf"}
ROOMS = {
    "reftok": (
        "version", "errors", "signals", "limits", "chat", "unicode", "regex_dialects", "rules", "formats", "fast",
        "streams", "tokenizer", "training", "explain", "encode_files", "cli", "reftok",
    ),
    "conformance": (
        "core", "files", "generators", "subjects", "inputs", "checks", "engine", "causes", "comparing", "report",
        "runs", "fuzzing", "vectors", "reproduce", "training", "cli", "conformance",
    ),
}  # fmt: skip
"""From the ground up; the name of the package stands for the modules of its root. A module imports from its own room,
and from those below it."""
PURE = ("core", "checks", "causes.edits", "comparing", "runs.expectations", "runs.gather", "causes.shrinking.cases")
"""Rooms and modules of conformance that are functions of values."""
KNOW_PATHS = {"conformance.core.resources", "conformance.runs.expectations", "conformance.comparing.shared_inputs"}
DOORS_TO_THE_WORLD = {
    "asyncio", "concurrent", "ctypes", "http", "io", "multiprocessing", "os", "pathlib", "pebble", "select", "shutil",
    "signal", "socket", "subprocess", "tempfile", "threading", "time", "urllib",
}  # fmt: skip
CALLS_TO_THE_WORLD = {"open", "print", "input", "exec", "eval", "__import__"}
IMPORT_BY_NAME = ["reftok", "reftok.chat.rendering", "reftok.encode_files.sources"]
"""The package, what it exports when that is first used; and jinja2 and zstandard, which are optional."""


def files(package: str) -> list[Path]:
    """The modules of a package."""
    return sorted((ROOT / package).rglob("*.py"))


def module(path: Path) -> str:
    """The dotted name of a module."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(path: Path) -> ast.Module:
    """The module, parsed."""
    return ast.parse(path.read_text("utf-8"), str(path))


@cache
def imports(path: Path) -> frozenset[str]:
    """Every module that a file imports, at its top or within a function, whether or not only for types."""
    return _imported(ast.walk(tree(path)))


def _imported(nodes: Iterable[ast.AST]) -> frozenset[str]:
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            name = "." * node.level + (node.module or "")
            found |= {name, *(f"{name}.{alias.name}" for alias in node.names)}
    return frozenset(found)


def first_parts(names: Iterable[str]) -> set[str]:
    """The first part of each dotted name."""
    return {name.partition(".")[0] for name in names}


def is_in(name: str, *places: str) -> bool:
    """Whether a name is one of these packages and modules of conformance, or within one."""
    return any(f"{name}.".startswith(f"conformance.{place}.") for place in places)


@cache
def imported_modules(package: str) -> dict[str, set[str]]:
    """What each module of a package imports from it; a name from a module counts as that module."""
    modules = {module(path) for path in files(package)}
    return {
        module(path): {name if name in modules else name.rpartition(".")[0] for name in imports(path)} & modules
        - {module(path)}
        for path in files(package)
    }  # fmt: skip


def room(name: str) -> int:
    """Which of the rooms of its package a module is in."""
    package, *rest = name.split(".")
    rooms = ROOMS[package]
    return rooms.index(rest[0] if rest and rest[0] in rooms else package)


BOTH = pytest.mark.parametrize("package", ROOMS)


def test_reftok_imports_the_standard_library_regex_and_itself() -> None:
    allowed = {*sys.stdlib_module_names, "regex", "reftok"}
    imported = {module(path): first_parts(imports(path)) - allowed for path in files("reftok")}
    assert {name: others for name, others in imported.items() if others} == {"reftok.chat.environment": {"jinja2"}}


@BOTH
def test_imports_are_written_out_in_full(package: str) -> None:
    assert not [module(path) for path in files(package) if any(name.startswith(".") for name in imports(path))]


@BOTH
def test_a_module_imports_from_its_room_and_those_below_it(package: str) -> None:
    imported = imported_modules(package).items()
    assert not [(name, other) for name, others in imported for other in others if room(other) > room(name)]


@BOTH
def test_nothing_is_imported_in_a_circle(package: str) -> None:
    TopologicalSorter(imported_modules(package)).prepare()


@BOTH
def test_a_room_is_a_folder_and_the_root_holds_few_modules(package: str) -> None:
    flat = {path.stem for path in (ROOT / package).glob("*.py")}
    assert len(flat) <= 8
    assert {path.parent.name for path in (ROOT / package).glob("*/*.py")} <= {*ROOMS[package]} - flat


def test_what_conformance_exports_has_the_name_of_none_of_its_modules() -> None:
    """It is looked up when it is used: an imported module of this name would stand in its place."""
    assert not {*conformance.__all__} & {path.stem for path in (ROOT / "conformance").iterdir()}


def test_two_modules_of_reftok_import_by_name() -> None:
    by_name = [
        module(path)
        for path in files("reftok")
        if {"importlib", "pkgutil", "runpy"} & first_parts(imports(path))
        or {"__import__", "exec", "eval"} & {node.id for node in ast.walk(tree(path)) if isinstance(node, ast.Name)}
    ]
    assert sorted(by_name) == IMPORT_BY_NAME


RUN_RULES = """
import sys
from reftok.formats import load_rules

for name in sys.argv[1:]:
    rules = load_rules(name)
    assert rules.decode(rules.encode("Hello").ids).strip() == "Hello", name
print(*(name for name in sys.modules if name.startswith("reftok.")))
"""


def test_a_model_is_loaded_and_its_rules_run_without_a_fast_path() -> None:
    models = ("bpe-qwen", "spm-bpe", "spm-unigram", "spm-unigram-hf")
    run = subprocess.run([sys.executable, "-c", RUN_RULES, *models], cwd=ROOT, capture_output=True, text=True)
    rooms = {name.split(".")[1] for name in run.stdout.split()}
    assert {"formats", "rules"} <= rooms, run.stderr
    assert not rooms & {"engine", "fast", "streams", "tokenizer"}


def test_only_the_adapters_import_third_party_tokenizers() -> None:
    others = [path for path in files("conformance") if not is_in(module(path), "subjects")]
    assert not [module(path) for path in others if first_parts(imports(path)) & TOKENIZERS]


def test_an_adapter_imports_its_library_only_when_it_is_used() -> None:
    adapters = files("conformance/subjects")
    at_the_top = {module(path): _imported(_outside_functions(tree(path))) for path in adapters}
    assert not {name: found for name, names in at_the_top.items() if (found := first_parts(names) & TOKENIZERS)}


def _outside_functions(node: ast.AST) -> Iterable[ast.AST]:
    """The nodes that are run when the module is imported, those in conditions and classes too."""
    yield node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        for child in ast.iter_child_nodes(node):
            yield from _outside_functions(child)


@BOTH
def test_nothing_but_a_package_that_is_run_imports_a_command_line(package: str) -> None:
    importing = {name for name, others in imported_modules(package).items() if any(".cli" in other for other in others)}
    assert {name for name in importing if f"{package}.cli" not in name} == {f"{package}.__main__"}


def test_what_is_a_function_of_values_does_not_reach_out() -> None:
    """They import no module for files, processes or time, and call nothing that reaches there."""
    pure = [path for path in files("conformance") if is_in(module(path), *PURE)]
    doors = {module(path): first_parts(imports(path)) & DOORS_TO_THE_WORLD for path in pure}
    assert {name: found for name, found in doors.items() if found} == {name: {"pathlib"} for name in KNOW_PATHS}
    assert not {module(path): found for path in pure if (found := _called(path) & CALLS_TO_THE_WORLD)}


def _called(path: Path) -> set[str]:
    calls = [node.func for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]
    return {function.id for function in calls if isinstance(function, ast.Name)}


def test_reports_are_functions_of_values_and_know_nothing_of_engines() -> None:
    """Of subjects they know the formats of models."""
    known = ("core", "files", "checks", "comparing", "report")
    imported = imported_modules("conformance").items()
    reports = {name: others for name, others in imported if is_in(name, "report")}
    formats = {"conformance.subjects.adapters", "conformance.subjects.base"}
    foreign = {name: {other for other in others if not is_in(other, *known)} for name, others in reports.items()}
    assert not {name: others - formats for name, others in foreign.items() if others - formats}


def test_one_module_of_conformance_writes_to_the_terminal() -> None:
    """Where nothing that others wrote is read as markup, or commands the terminal."""
    writing = {module(path) for path in files("conformance") if {"print", "Console"} & _called(path)}
    assert writing == {"conformance.report.console"}


def test_the_version_is_the_same_in_the_package_and_in_its_metadata() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == reftok.__version__


def test_reftok_by_itself_asks_for_what_the_whole_project_asks_for() -> None:
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    alone = tomllib.loads((ROOT / "reftok" / "pyproject.toml").read_text("utf-8"))["project"]
    assert [alone[key] == whole[key] for key in ("name", "license", "requires-python")] == [True] * 3
    assert {*alone["dependencies"]} == {name for name in whole["dependencies"] if name.startswith("regex")}
    assert alone["optional-dependencies"].items() <= whole["optional-dependencies"].items()
    assert alone["scripts"].items() <= whole["scripts"].items()
