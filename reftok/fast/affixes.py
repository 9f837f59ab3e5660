"""The special-token prefix and suffix: the ids that the stages behind the model add to those of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reftok.errors import UnsupportedFeature
from reftok.rules.pipeline import Pipeline
from reftok.rules.types import Encoding


@dataclass(frozen=True, slots=True)
class Affixes:
    """The ids before those of the text and behind them.

    buffered_by: the stage for which all ids must be buffered until the end, '' where there is none.
    """

    prefix: tuple[int, ...] = ()
    suffix: tuple[int, ...] = ()
    buffered_by: str = ""


def find_affixes(pipeline: Pipeline, add_special_tokens: bool) -> Affixes:
    """The special-token prefix and suffix, found by giving the post-processors two marks for a text.

    Truncation and padding need to know how many ids there are. A template that has the text twice, and sentencepiece's
    reverse order, need to know all of them.

    >>> import reftok
    >>> find_affixes(reftok.load("bpe-llama3").rules, add_special_tokens=True)
    Affixes(prefix=(5008,), suffix=(), buffered_by='')
    """
    if pipeline.truncation is not None:
        return Affixes(buffered_by="Truncation: it depends on the number of all ids")
    if pipeline.padding is not None:
        return Affixes(buffered_by="Padding: it depends on the number of all ids")
    marks = (-1, -2)
    try:
        ids = ids_behind_model(pipeline, marks, add_special_tokens)
    except UnsupportedFeature:
        return Affixes(buffered_by="PostProcessor: it refuses texts, after all other stages")
    if ids.count(-1) != 1 or (start := ids.index(-1)) + 1 != (ids.index(-2) if -2 in ids else -1):
        return Affixes(buffered_by="PostProcessor: the ids of the text do not stand in it once and in order")
    return Affixes(tuple(ids[:start]), tuple(ids[start + len(marks) :]))


def ids_behind_model(pipeline: Pipeline, ids: Sequence[int], add_special_tokens: bool) -> list[int]:
    """The ids of a text after the stages behind the model.

    Quirk: sentencepiece does not look at `emit_unk_piece` where it is asked for ids.
    """
    size = len(ids)
    encoding = Encoding(ids, [""] * size, [(0, 0)] * size, [0] * size, [None] * size, [0] * size)
    if pipeline.sentencepiece_options is not None:
        options = replace(pipeline.sentencepiece_options, emit_unk_piece=False)
        pipeline = replace(pipeline, sentencepiece_options=options)
    return list(pipeline.post_process([encoding], size, add_special_tokens).ids)
