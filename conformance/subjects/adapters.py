"""The built-in subjects by name, and the formats of models that their libraries are official for."""

from __future__ import annotations

import math
from collections.abc import KeysView, Mapping
from os.path import isfile
from pathlib import Path
from types import MappingProxyType

from conformance.core.errors import InputError, UsageError
from conformance.core.observation import Failure
from conformance.files.digest import sha256
from conformance.subjects import (
    llama_cpp_subject,
    mistral_common_subject,
    reftok_spec_subject,
    reftok_subject,
    sentencepiece_subject,
    tiktoken_subject,
    tokenizers_subject,
    transformers_subject,
)
from conformance.subjects.base import Adapter, Format, Subject, UnavailableError
from conformance.subjects.definition import absolute_name, check_definition, definition
from conformance.subjects.isolated import MOST_MEMORY, IsolatedSubject
from conformance.subjects.protocol import Model
from conformance.subjects.protocol_subject import with_encoding
from conformance.subjects.special_tokens import SpecialTokens
from reftok.formats.tiktoken.rank_file import rank_encoding

_ADAPTERS: dict[str, Adapter] = {
    module.ADAPTER.name: module.ADAPTER
    for module in (
        tokenizers_subject,
        sentencepiece_subject,
        tiktoken_subject,
        llama_cpp_subject,
        mistral_common_subject,
        transformers_subject,
        reftok_subject,
        reftok_spec_subject,
    )
}
ADAPTERS: Mapping[str, Adapter] = MappingProxyType(_ADAPTERS)
BUILT_IN: KeysView[str] = _ADAPTERS.keys()

FORMATS: Mapping[str, Format] = MappingProxyType(
    {model_format.name: model_format for adapter in _ADAPTERS.values() for model_format in adapter.official}
)
"""The formats of models, by name."""

REPRODUCIBLE = tuple(name for name, model_format in FORMATS.items() if model_format.reproduction)
"""The formats of which a finding can be written as one small file."""

_ORACLES = {model_format.name: adapter.name for adapter in _ADAPTERS.values() for model_format in adapter.official}
ORACLES: Mapping[str, str] = MappingProxyType(_ORACLES)
"""The official library of each model format."""


def oracles(model_format: str) -> tuple[str, ...]:
    """What may be official for models of a format: its library, and transformers where it reads them.

    >>> oracles("tokenizer.json"), oracles("gguf")
    (('tokenizers', 'transformers-auto'), ('llama.cpp',))
    """
    reads = transformers_subject.ADAPTER.reads
    return (ORACLES[model_format], *((transformers_subject.NAME,) if model_format in reads else ()))


def subject_label(name: str) -> str:
    """A subject as the reports name it: FILE.py:FACTORY and commands without the folders, others as they say.

    >>> subject_label("somewhere/mine.py:Mine"), subject_label("reftok")
    ('mine.py:Mine', 'reftok')
    """
    return name if name in _ADAPTERS else definition(name).label


def absolute_subject(name: str) -> str:
    """A subject that is found from any folder.

    >>> absolute_subject("reftok"), absolute_subject("/mine.py:Mine")
    ('reftok', '/mine.py:Mine')
    """
    return name if name in _ADAPTERS else absolute_name(name)


def subject_version(name: str) -> str:
    """The version of a subject; "" for one from a file. Raises UnavailableError where it is not installed."""
    return _installed(name).version() if name in _ADAPTERS else ""


def load_subject(
    name: str,
    path: Path,
    model_format: str,
    timeout: float,
    encoding: str = "",
    memory: int = MOST_MEMORY,
    special_tokens: SpecialTokens | None = None,
    until: float = math.inf,
) -> Subject:
    """A subject with a model loaded.

    name: a built-in one, or of a user's (docs/protocol.md), which runs in a process of its own.
    encoding: of a rank file, "" to recognise it; only the adapters that read rank files take one.
    timeout: seconds that one answer of such a process may take. memory: that it may have, in MiB.
    special_tokens: of the model, for what such a subject leaves to its callers. until: of `time.monotonic`, when such a
        process has to have loaded the model, and from when on it is asked nothing.
    Raises UnavailableError with the reason where it cannot take part.
    """
    if name not in _ADAPTERS:
        subject = definition(name)
        model = model_to_load(path, model_format, encoding, subject.is_own_model)
        return IsolatedSubject(subject, model, timeout, memory, special_tokens, until)
    adapter = _installed(name)
    if model_format not in adapter.reads:
        raise UnavailableError(f"it reads {', '.join(adapter.reads)}, not {model_format}")
    return adapter.load(path, model_format, encoding)


def model_to_load(path: Path, model_format: str, encoding: str, own: bool) -> Model:
    """A model as a subject is told of it: a rank file with its pattern and special tokens. own: as of `Model`."""
    hashed = sha256(path) if isfile(path) else ""
    model = Model(path=str(path.absolute()), format=model_format, sha256=hashed, encoding=encoding, own=own)
    if not hashed or model_format not in FORMATS or not FORMATS[model_format].encodings:
        return model
    return with_encoding(model, rank_encoding(path.read_bytes(), path, encoding or None))


def check_subject_name(name: str) -> None:
    """Raise UsageError for what is neither a built-in subject nor one that can be started and told from these.

    InputError for a subject.toml of formats that there are not.
    """
    if name not in _ADAPTERS:
        check_definition(name, tuple(_ADAPTERS))
        about = definition(name).about
        for model_format in about.models if about is not None else ():
            if model_format not in FORMATS:
                raise InputError(f"{name}: `models` has {model_format!r:.100}, not one of {', '.join(FORMATS)}")
        if subject_label(name) in _ADAPTERS:
            taken = subject_label(name)
            raise UsageError(f"--subject {name}: would be called {taken}, as a built-in subject is; rename it")


def _installed(name: str) -> Adapter:
    adapter = _ADAPTERS[name]
    try:
        adapter.version()
    except ImportError:
        missing = f"{name} is not installed: python -m pip install {adapter.package}"
        raise UnavailableError(missing, Failure("not asked", missing)) from None
    return adapter
