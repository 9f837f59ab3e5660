"""Models by their names on the Hugging Face hub: from its cache on this machine, or downloaded, as data only.

The cache is read without the library, which need not be installed. Source: huggingface_hub 2.4 constants.py, and its
guide "Understand caching": models--ORG--NAME/refs/main names the commit, snapshots/<commit> has the files.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from conformance.core.errors import InputError
from conformance.report.console import say
from conformance.subjects.base import one_line
from reftok.formats.model_files import models_in

_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_]|[.-](?![.-]))*"
_NAME = re.compile(f"{_PART}/{_PART}")
_COMMIT = re.compile(rb"[0-9a-f]{40}")

TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "generation_config.json",
    "added_tokens.json",
    "vocab.json",
    "merges.txt",
    "vocab.txt",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
    "source.spm",
    "target.spm",
    "tiktoken.model",
    "*.tiktoken",
    "tekken.json",
)
"""What is downloaded: no weights, and nothing that could be run."""


def is_hub_name(source: str) -> bool:
    """Whether `source` may be the name of a model on the hub: ORG/NAME, where ORG is no folder here.

    >>> is_hub_name("Qwen/Qwen3-0.6B"), is_hub_name("Qwen3-0.6B"), is_hub_name("../models")
    (True, False, False)
    """
    return _NAME.fullmatch(source) is not None and not os.path.lexists(source.partition("/")[0])


def hub_folder(name: str) -> Path:
    """The folder with the tokenizer files of a model, which are downloaded where the cache has none.

    Raises InputError where there are none to be had.
    """
    cached = cached_snapshot(name)
    if cached is None or not models_in(cached):
        cached = _downloaded(name)
        if not models_in(cached):
            raise InputError(f"{name}: has no tokenizer file on the hub (of {', '.join(TOKENIZER_FILES)})")
    return cached


def hub_cache() -> Path:
    """The folder of the hub's cache, whether or not there is one."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join("~", ".cache")
    home = os.environ.get("HF_HOME") or os.path.join(home, "huggingface")
    named = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE") or os.path.join(home, "hub")
    return Path(os.path.expandvars(os.path.expanduser(named)))


def cached_snapshot(name: str) -> Path | None:
    """The files of a model's branch main that the cache has; None where it has none."""
    folder = hub_cache() / f"models--{name.replace('/', '--')}"
    try:
        commit = (folder / "refs" / "main").read_bytes().strip()
    except OSError:
        return None
    snapshot = folder / "snapshots" / commit.decode("latin-1")
    return snapshot if _COMMIT.fullmatch(commit) and snapshot.is_dir() else None


def _downloaded(name: str) -> Path:
    nowhere = f"{name}: is no file or folder here, and not in the cache of the hub, {hub_cache()}"
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise InputError(f"{nowhere}; to download it: python -m pip install 'reftok[hub]'") from None
    say(f"{name}: the tokenizer files are downloaded from the hub into {hub_cache()}")
    try:
        return Path(snapshot_download(name, allow_patterns=[*TOKENIZER_FILES], cache_dir=hub_cache()))
    except Exception as error:
        raise InputError(f"{nowhere}; it cannot be downloaded: {one_line(error)}") from None
