"""What most defects of the second catalogue start from: the rules of reftok.rules as they stand, every answer right."""

from __future__ import annotations

from copy import copy
from typing import TypeVar

import reftok
from reftok import Tokenizer
from reftok.rules.pipeline import Pipeline

Spans = list[tuple[int, int]]
Part = TypeVar("Part")


class Plain:
    """The plain rules, any stage of which may be another object: no fast path stands before it."""

    def __init__(self, model_path: str) -> None:
        self.tokenizer: Tokenizer = reftok.load(model_path)
        self.pipeline = self.changed(self.tokenizer.rules)

    def changed(self, pipeline: Pipeline) -> Pipeline:
        """The stages that answer: for a defect to damage."""
        return pipeline

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return self.encode_with_offsets(text, add_special_tokens)[0]

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        encoding = self.pipeline.encode(text, add_special_tokens=add_special_tokens)
        return list(encoding.ids), list(encoding.tokens), list(encoding.offsets)

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return self.pipeline.decode(ids, skip_special_tokens=skip_special_tokens)


def of_class(part: object, damaged: type[Part]) -> Part:
    """A copy of a part of the pipeline, as an object of a subclass without fields of its own."""
    changed = copy(part)
    changed.__class__ = damaged
    assert isinstance(changed, damaged)
    return changed
