"""The plain rules of reftok alone, `tokenizer.spec`: what the engine is held to, held to the official library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import reftok
from conformance.core.observation import Decoding, Encoding
from conformance.core.streaming import Feeding, Streaming
from conformance.subjects.base import Adapter, Ids, InBulk
from conformance.subjects.in_bulk import each
from conformance.subjects.reftok_subject import READS, REPRODUCTION, decoding_of, encoding_of
from reftok.spec.pipeline import Pipeline

NAME = "reftok-spec"


def version() -> str:
    """The installed version."""
    return reftok.__version__


class ReftokSpecSubject:
    """The plain rules with a model. They have no streams: those are the engine's."""

    name = NAME
    has_batch = False

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline
        self.takes_bytes = pipeline.library in ("sentencepiece", "llama.cpp")
        self._skips = pipeline.library != "sentencepiece"

    def encode(self, text: str | bytes) -> Encoding:
        return encoding_of(self.pipeline, text)

    def encode_batch(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        return [self.encode(text) for text in texts]

    def decode(self, ids: Sequence[int]) -> Decoding:
        return decoding_of(self.pipeline, ids, self._skips)

    def in_bulk(self) -> InBulk:
        decode = self.pipeline.decode
        return InBulk(
            lambda texts: each(self.pipeline.encode_ids, texts),
            lambda questions: each(self._kept, questions),
            (lambda questions: each(decode, questions)) if self._skips else None,
        )

    def _kept(self, ids: Ids) -> str:
        return self.pipeline.decode(ids, skip_special_tokens=False)

    def stream(self, feedings: Sequence[Feeding]) -> list[Streaming]:
        return [None] * len(feedings)

    def renew(self) -> None:
        pass

    def close(self) -> None:
        pass


def load(path: Path, model_format: str, encoding: str = "") -> ReftokSpecSubject:
    """The subject with a model."""
    return ReftokSpecSubject(reftok.load(path, encoding or None).spec)


_REPRODUCTION = REPRODUCTION.replace("reftok.load(path)", "reftok.load(path).spec")

ADAPTER = Adapter(NAME, package="reftok", reads=READS, version=version, load=load, reproduction=_REPRODUCTION)
