"""The adapter for llama.cpp, without it; with it: tests/reftok/rules/llama_cpp/test_llama_vectors.py."""

from __future__ import annotations

import sys
import tracemalloc
from pathlib import Path

import pytest

from conformance.runs.models import plan_models
from conformance.subjects.adapters import load_subject
from conformance.subjects.base import UnavailableError
from reftok.errors import ModelFormatError


def test_a_gguf_file_is_compared_with_llama_cpp_and_only_its_beginning_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(b"GGUF\x03\0\0\0")
    with path.open("ab") as file:
        file.truncate(1 << 36)
    tracemalloc.start()
    (plan,) = plan_models((str(tmp_path),))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (plan.path, plan.format, plan.oracle) == (path, "gguf", "llama.cpp")
    assert peak < 1 << 20


def test_without_llama_cpp_the_package_to_install_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(UnavailableError, match=r"llama\.cpp is not installed: python -m pip install llama-cpp-python"):
        load_subject("llama.cpp", tmp_path / "x.gguf", "gguf", 1.0)


def test_reftok_reads_gguf_files_and_takes_bytes_for_them(tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError, match=r"x\.gguf"):
        load_subject("reftok", tmp_path / "x.gguf", "gguf", 1.0)
