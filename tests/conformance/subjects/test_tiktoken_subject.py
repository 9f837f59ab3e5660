"""The library with rank files that have their pattern and special tokens beside them."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import pytest

from conformance.core.observation import Decoded, Encoded
from conformance.report.run.folder import read_run_folder
from conformance.subjects.adapters import load_subject
from conformance.subjects.base import UnavailableError

from ..commands import Command, Corpus, said

pytest.importorskip("tiktoken")

TOML = """
[encoding]
pattern = '[\\p{Han}]+|\\p{L}+|\\P{L}'
special_tokens = { "<s>" = 300 }
"""


def own(folder: Path, toml: str = TOML) -> Path:
    """A rank file with a .toml beside it."""
    tokens = [*(bytes([byte]) for byte in range(256)), b"ab", b"aba"]
    path = folder / "own.tiktoken"
    path.write_bytes(b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens)))
    (folder / "own.toml").write_text(toml, "utf-8")
    return path


def test_the_library_has_the_pattern_and_the_special_tokens_of_the_toml(tmp_path: Path) -> None:
    subject = load_subject("tiktoken", own(tmp_path), "tiktoken", 1.0)
    assert subject.encode("ab<s>aba ab") == Encoded((256, 300, 257, 32, 256))
    assert subject.decode((256, 300)) == Decoded("ab", "ab<s>")


def test_a_pattern_that_the_library_refuses_is_told(tmp_path: Path) -> None:
    path = own(tmp_path, TOML.replace(r"\p{L}+", r"\p{L}{999}"))
    with pytest.raises(UnavailableError, match=r"^tiktoken refuses the model: ValueError: "):
        load_subject("tiktoken", path, "tiktoken", 1.0)


def test_a_run_holds_a_rank_file_with_its_own_encoding_against_the_library(
    conformance_here: Command, corpus: Corpus, tmp_path: Path
) -> None:
    path, folder = own(tmp_path), tmp_path / "run"
    asked = ("--model", path, "--corpus", corpus("ab<s>aba 漢字ab"), "--inputs", "corpora", "--jobs", "1", "--quiet")
    ended = conformance_here("run", *asked, "--out", folder)
    assert ended.returncode == 0, ended.stdout
    assert all(
        cell.compared for cell in read_run_folder(folder).cells if (cell.subject, cell.check) == ("reftok", "ids")
    )
    hashes = json.loads((folder / "plan.json").read_text("utf-8"))["hashes"]
    assert os.path.realpath(tmp_path / "own.toml") in hashes
    (tmp_path / "own.toml").write_text(TOML + "# changed\n", "utf-8")
    said(conformance_here("run", "--resume", folder), 2, "own.toml: is gone or has changed since the run began")


def test_a_toml_that_is_not_sound_is_a_mistake_of_the_user(conformance_here: Command, tmp_path: Path) -> None:
    path = own(tmp_path, TOML + "vocab_size = 3\n")
    said(conformance_here("run", "--model", path, "--quiet"), 2, "encoding.vocab_size: this key is not known")
