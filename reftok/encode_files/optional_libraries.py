"""Libraries that reftok does not depend on, imported by name where the caller asks for what they do.

reftok imports the standard library and `regex`, nothing else: what its ids are must not depend on what is installed.
`encode_files` writes the ids of an official library or compares with them on request, and reads .zst; this is the one
module of reftok that may import by name, which `tests/test_house.py` holds.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from reftok.errors import EncodingStopped

INSTALLED_BY = {
    "sentencepiece": "sentencepiece",
    "tiktoken": "reftok[tiktoken]",
    "tokenizers": "tokenizers",
    "zstandard": "reftok[zstd]",
}
"""The name for pip, by the name that is imported."""


def optional_library(name: str) -> Any:
    """The module of a library.

    Raises EncodingStopped, with the command that installs it, where it is missing.

    >>> optional_library("tokenizers").__name__
    'tokenizers'
    """
    try:
        return import_module(name)
    except ImportError:
        raise EncodingStopped(f'{name} is not installed: pip install "{INSTALLED_BY[name]}"') from None
