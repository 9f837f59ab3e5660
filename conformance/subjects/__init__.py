"""Subjects by name. An adapter is imported only when it is used, so that none needs to be installed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

from conformance.core.errors import UsageError
from conformance.subjects.base import Subject, UnavailableError
from conformance.subjects.isolated import IsolatedSubject

_ADAPTERS = {
    "tokenizers": "conformance.subjects.tokenizers_subject",
    "sentencepiece": "conformance.subjects.sentencepiece_subject",
    "tiktoken": "conformance.subjects.tiktoken_subject",
    "llama.cpp": "conformance.subjects.llama_cpp_subject",
    "reftok": "conformance.subjects.reftok_subject",
    "reftok-spec": "conformance.subjects.reftok_spec_subject",
}

_PACKAGES = {"llama.cpp": "llama-cpp-python"}
"""What an adapter needs, where it is not named like the adapter."""

BUILT_IN = tuple(_ADAPTERS)

ORACLES = {
    "tokenizer.json": "tokenizers",
    "vocab_merges": "tokenizers",
    "sentencepiece": "sentencepiece",
    "tiktoken": "tiktoken",
    "gguf": "llama.cpp",
}
"""The official library of each model format."""


def subject_label(name: str) -> str:
    """A subject as the reports name it: FILE.py:FACTORY without the folders.

    >>> subject_label("somewhere/mine.py:Mine"), subject_label("reftok")
    ('mine.py:Mine', 'reftok')
    """
    return name if name in _ADAPTERS else Path(name).name


def subject_version(name: str) -> str:
    """The version of a subject; "" for one from a file. Raises UnavailableError where it is not installed."""
    return str(_adapter(name).version()) if name in _ADAPTERS else ""


def load_subject(name: str, path: Path, model_format: str, timeout: float, encoding: str = "") -> Subject:
    """A subject with a model loaded.

    name: a built-in one, or FILE.py:FACTORY, which runs in a process of its own.
    encoding: of a rank file, "" to recognise it; only the adapters that read rank files take one.
    timeout: seconds that one answer of such a process may take.
    Raises UnavailableError with the reason where it cannot take part.
    """
    if name not in _ADAPTERS:
        return IsolatedSubject(name, path, timeout)
    adapter = _adapter(name)
    if model_format not in adapter.FORMATS:
        raise UnavailableError(f"{name} does not read {model_format} files")
    subject: Subject = adapter.load(path, model_format, encoding) if encoding else adapter.load(path, model_format)
    return subject


def check_subject_name(name: str) -> None:
    """Raise UsageError for what is neither a built-in subject nor FILE.py:FACTORY with an existing file."""
    if name in _ADAPTERS:
        return
    file, _, factory = name.rpartition(":")
    if not file or not factory.isidentifier():
        raise UsageError(f"--subject {name}: neither one of {', '.join(_ADAPTERS)} nor FILE.py:FACTORY")
    if not Path(file).is_file():
        raise UsageError(f"--subject {name}: there is no file {file}")


def _adapter(name: str) -> ModuleType:
    try:
        module = import_module(_ADAPTERS[name])
        module.version()
    except ImportError:
        package = _PACKAGES.get(name, name)
        raise UnavailableError(f"{name} is not installed: python -m pip install {package}") from None
    return module
