"""The plain rules of reftok alone, `tokenizer.rules`: what the engine is held to, held to the official library."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import reftok
from conformance.core.observation import Encoded, Encoding, Failure
from conformance.subjects.base import Adapter, Ids, InBulk
from conformance.subjects.library import LibrarySubject, each
from reftok import Tokenizer
from reftok.formats import load_rules
from reftok.rules.pipeline import Pipeline

NAME = "reftok-spec"
READS = ("tokenizer.json", "vocab_merges", "sentencepiece", "tiktoken", "gguf", "tekken")


def version() -> str:
    """The installed version."""
    return reftok.__version__


class ReftokSpecSubject(LibrarySubject):
    """The plain rules with a model. They have no streams: those are the engine's."""

    name = NAME

    def __init__(self, tokenizer: Pipeline | Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.takes_bytes = tokenizer.library in ("sentencepiece", "llama.cpp")
        self.skips = tokenizer.library != "sentencepiece"

    def encoding(self, text: str | bytes) -> Encoded:
        found = self._tokenizer.encode(text)
        return Encoded(tuple(found.ids), tuple(found.tokens), tuple(found.offsets), tuple(found.special_tokens_mask))

    def encode_bare(self, texts: Sequence[str]) -> list[Encoding]:
        found = each(partial(self._tokenizer.encode, add_special_tokens=False), texts)
        return [Failure("refused", "") if one is None else Encoded(tuple(one.ids)) for one in found]

    def text(self, ids: Ids, skip_special_tokens: bool) -> str:
        return self._tokenizer.decode(ids, skip_special_tokens)

    def in_bulk(self) -> InBulk:
        return self.one_by_one(self._tokenizer.encode_ids)


def load(path: Path, model_format: str, encoding: str = "") -> ReftokSpecSubject:
    """The subject with a model."""
    return ReftokSpecSubject(load_rules(path, encoding or None))


REPRODUCTION = """\
class Subject:
    def __init__(self, path):
        import reftok

        self.tokenizer = reftok.load(path).rules
        self.skips = self.tokenizer.library != "sentencepiece"

    def encode(self, text):
        encoding = self.tokenizer.encode(as_text(text) if self.skips else text)
        return parts(encoding.ids, encoding.tokens, encoding.offsets, encoding.special_tokens_mask)

    def bare(self, text):
        return list(self.tokenizer.encode(as_text(text), add_special_tokens=False).ids)

    def decode(self, ids):
        choices = (True, False) if self.skips else (False,)
        return [self.tokenizer.decode(ids, skip_special_tokens=skips) for skips in choices]
"""

ADAPTER = Adapter(NAME, package="reftok", reads=READS, version=version, load=load, reproduction=REPRODUCTION)
