"""The adapters in Python of third-party tokenizers: what each says of itself, without its library."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import msgspec.structs
import pytest

from conformance.subjects.adapters import BUILT_IN
from conformance.subjects.protocol import Capabilities, DecodeCapability, EncodeCapability

ROOT = Path(__file__).resolve().parent.parent
ADAPTERS = sorted(path.parent for path in (ROOT / "adapters").glob("*/adapter.py"))
FORMATS = {"tokenizer.json", "sentencepiece", "tiktoken", "vocab_merges", "tekken"}
TOLD = {"name", "factory", "python", "build", "language", "homepage", "issues", "models"}
MAY_BE_TOLD = {"model"}

each_adapter = pytest.mark.parametrize("folder", ADAPTERS, ids=lambda folder: folder.name)


def loaded(folder: Path) -> ModuleType:
    """The adapter as a module."""
    spec = importlib.util.spec_from_file_location("adapter", folder / "adapter.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def subject(folder: Path) -> dict[str, Any]:
    """What subject.toml says."""
    return tomllib.loads((folder / "subject.toml").read_text("utf-8"))


@each_adapter
def test_an_adapter_is_named_as_its_folder_and_tells_all_there_is_to_tell(folder: Path) -> None:
    told = subject(folder)
    assert told["name"] in {folder.name, f"{folder.name} (PyPI)"}
    assert told["name"] not in BUILT_IN  # fault: two were called as a built-in subject is, and not asked
    assert TOLD <= told.keys() <= TOLD | MAY_BE_TOLD
    assert {*told["models"]} <= FORMATS
    assert told.get("model", "own") == "own"
    assert told["homepage"].startswith("https://")
    assert told["issues"].startswith(told["homepage"])


@each_adapter
def test_an_adapter_runs_in_an_environment_of_its_own_with_pinned_releases(folder: Path) -> None:
    told = subject(folder)
    assert told["python"] == ".venv/bin/python"
    make, _, install = told["build"].partition(" && ")
    assert make == "python3 -m venv .venv"
    installer, _, requirements = install.partition(" install ")
    assert installer == ".venv/bin/pip"
    assert [word for word in requirements.split() if len(word.split("==")) != 2] == []
    assert requirements.startswith(f"{folder.name}==")


@each_adapter
def test_an_adapter_is_read_without_its_library_and_has_the_methods_of_a_subject(folder: Path) -> None:
    file, _, factory = subject(folder)["factory"].partition(":")
    assert file == "adapter.py"
    made = getattr(loaded(folder), factory)
    assert callable(made.encode)
    assert callable(made.decode)


@pytest.mark.parametrize("folder", [folder for folder in ADAPTERS if hasattr(loaded(folder).Subject, "capabilities")])
def test_capabilities_are_those_of_the_protocol_and_of_the_methods(folder: Path) -> None:
    """Where they depend on the model, they are known only with the library."""
    made = loaded(folder).Subject
    told = made.capabilities
    msgspec.convert(told, Capabilities)
    assert told.keys() <= fields_of(Capabilities)
    assert told["encode"].keys() <= fields_of(EncodeCapability)
    assert told["decode"].keys() <= fields_of(DecodeCapability)
    assert ("fields" in told["encode"]) == hasattr(made, "encode_with_offsets")
    assert told.get("encode_batch", False) == hasattr(made, "encode_batch")
    assert ("stream_encode" in told) == hasattr(made, "stream_encoder")
    assert ("stream_decode" in told) == hasattr(made, "stream_decoder")


def fields_of(kind: type[msgspec.Struct]) -> set[str]:
    """The names of the fields of a message."""
    return {field.name for field in msgspec.structs.fields(kind)}
