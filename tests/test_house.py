"""The rules of the house, read from the imports: who may import whom; and one version."""

from __future__ import annotations

import ast
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import reftok

ROOT = Path(__file__).resolve().parent.parent
TOKENIZERS = {"tokenizers", "sentencepiece", "tiktoken", "transformers", "mistral_common", "llama_cpp", "gguf"}
PURE = ("attribute", "case", "checks", "expectations", "finding", "gather", "observation", "plan", "run", "shrink")
READS_FILES = {"conformance.expectations"}
DOORS_TO_THE_WORLD = {
    "asyncio", "concurrent", "ctypes", "http", "io", "multiprocessing", "os", "pathlib", "pebble", "select", "shutil",
    "signal", "socket", "subprocess", "tempfile", "threading", "time", "urllib",
}  # fmt: skip
IMPORTS_BY_NAME = "reftok.encode_files.optional_libraries"
"""What an official library gives is written or compared with on request, and .zst is read where zstandard is there."""
ROOMS = (
    "version", "errors", "unicode", "oniguruma", "spec", "engine", "tokenizer", "formats", "explain", "encode_files",
    "cli", "reftok",
)  # fmt: skip
"""Of reftok, from the ground up; "reftok" stands for the modules of its root. A module imports from its own room, and
from those below it."""
CALLS_TO_THE_WORLD = {"open", "print", "input", "exec", "eval", "__import__"}


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


def imports(path: Path) -> set[str]:
    """Every module that a file imports, at its top or within a function, whether or not only for types."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module(path)}: imports are written out in full"
            assert node.module is not None
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def packages(path: Path) -> set[str]:
    """The first part of each name that is imported."""
    return {name.partition(".")[0] for name in imports(path)}


def harness_but_subjects() -> list[Path]:
    """The modules of conformance outside of subjects/."""
    return [path for path in files("conformance") if not module(path).startswith("conformance.subjects")]


def pure_modules() -> list[Path]:
    """The modules that are functions of values."""
    folder = ROOT / "conformance"
    return [path for name in PURE for path in (sorted((folder / name).rglob("*.py")) or [folder / f"{name}.py"])]


@pytest.mark.parametrize("path", files("reftok"), ids=module)
def test_reftok_imports_the_standard_library_regex_and_itself(path: Path) -> None:
    assert packages(path) <= {*sys.stdlib_module_names, "regex", "reftok"}


def imported_modules(path: Path, modules: frozenset[str]) -> set[str]:
    """The modules of the package that a file imports; a name from a module counts as that module."""
    found = {name if name in modules else name.rpartition(".")[0] for name in imports(path)}
    return {name for name in found if name in modules} - {module(path)}


def room(name: str) -> int:
    """Which of the rooms of reftok a module is in."""
    first = name.split(".")[1:2] or ["reftok"]
    return ROOMS.index(first[0] if first[0] in ROOMS else "reftok")


@pytest.mark.parametrize("path", files("reftok"), ids=module)
def test_a_module_of_reftok_imports_from_its_room_and_those_below_it(path: Path) -> None:
    modules = frozenset(map(module, files("reftok")))
    above = [name for name in imported_modules(path, modules) if room(name) > room(module(path))]
    assert not above


def test_nothing_in_reftok_is_imported_in_a_circle() -> None:
    modules = frozenset(map(module, files("reftok")))
    TopologicalSorter({module(path): imported_modules(path, modules) for path in files("reftok")}).prepare()


@pytest.mark.parametrize("path", files("reftok"), ids=module)
def test_one_module_of_reftok_imports_by_name(path: Path) -> None:
    by_name = {"importlib", "pkgutil", "runpy"} & packages(path)
    called = {node.id for node in ast.walk(tree(path)) if isinstance(node, ast.Name)} & {"__import__", "exec", "eval"}
    assert not (by_name | called) or module(path) == IMPORTS_BY_NAME


@pytest.mark.parametrize("path", harness_but_subjects(), ids=module)
def test_only_the_adapters_import_third_party_tokenizers(path: Path) -> None:
    assert not packages(path) & TOKENIZERS


@pytest.mark.parametrize("path", files("conformance/subjects"), ids=module)
def test_an_adapter_imports_its_library_only_when_it_is_used(path: Path) -> None:
    at_the_top = [node for node in tree(path).body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in at_the_top if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in at_the_top if isinstance(node, ast.ImportFrom)}
    assert not {name.partition(".")[0] for name in names} & TOKENIZERS


@pytest.mark.parametrize("path", [*files("reftok"), *files("conformance")], ids=module)
def test_nothing_but_a_package_that_is_run_imports_a_command_line(path: Path) -> None:
    assert path.name == "__main__.py" or not {name for name in imports(path) if name.rpartition(".")[2] == "cli"}


@pytest.mark.parametrize("path", pure_modules(), ids=module)
def test_checks_attribution_and_findings_do_not_reach_out(path: Path) -> None:
    """They import no module for files, processes or time (Path as a type, and the reader of the list, are let be)."""
    allowed = {"pathlib"} if module(path) in {*READS_FILES, "conformance.plan"} else set()
    assert packages(path) & DOORS_TO_THE_WORLD <= allowed
    called = {node.func.id for node in ast.walk(tree(path)) if isinstance(node, ast.Call) and _is_name(node.func)}
    assert not called & CALLS_TO_THE_WORLD


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name)


@pytest.mark.parametrize("path", pure_modules(), ids=module)
def test_checks_attribution_and_findings_import_no_adapter_and_no_worker(path: Path) -> None:
    """`conformance.subjects` itself (names) is let be, and of the engines the data of a shard's result."""
    forbidden = [
        name
        for name in imports(path)
        if name.startswith(("conformance.subjects.", "conformance.engines", "conformance.report"))
        and not name.startswith(("conformance.subjects.subject_label", "conformance.engines.result"))
    ]
    assert not forbidden


@pytest.mark.parametrize("path", files("conformance/report"), ids=module)
def test_reports_know_nothing_of_engines_and_subjects(path: Path) -> None:
    assert not {name for name in imports(path) if name.startswith(("conformance.engines", "conformance.subjects"))}


def test_the_version_is_the_same_in_the_package_and_in_its_metadata() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == reftok.__version__
