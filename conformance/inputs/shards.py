"""The cases of a model, cut into shards that are worked on one by one.

A shard is a name, from which its cases can be made again: so a run can be resumed, and split over processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from conformance.core.case import Case, ids_case
from conformance.core.records import Count, Name
from conformance.generators.seams import MOST_SEAMS
from conformance.inputs.byte_tokens import byte_token_cases
from conformance.inputs.corpora import is_natural, read_corpus
from conformance.inputs.cuts import Depth
from conformance.inputs.scalars import SCALARS, scalar, scalar_cases

SOURCES = ("corpora", "vocab", "seams", "fuzz", "scalars", "cuts")
DEFAULT_SOURCES = ("corpora", "vocab", "seams", "fuzz")
SHARD_CHARACTERS = 60_000
SHARD_CASES = 1_000
SHARD_SCALARS = 4_096
SHARD_CUTS = 16
LONGEST_LINE = 1_000
MOST_FUZZ = 10**9


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of every model of a run.

    files: corpus files, which are read for "corpora" and mutated for "fuzz".
    sources: some of SOURCES. "vocab" is every entry of the vocab decoded, and that text encoded again; "seams" the
        places where two rules of the model want the same characters; "scalars" every Unicode scalar value, alone and in
        context; "cuts" the texts of the corpora, cut for streams as
        `conformance.inputs.cuts` says, and byte tokens in every order.
    fuzz: how many made cases; seed: what they are made from.
    """

    files: tuple[Path, ...]
    sources: tuple[str, ...]
    fuzz: Annotated[int, Meta(ge=0, le=MOST_FUZZ)]
    seed: int

    @property
    def closest_depth(self) -> Depth:
        """The depth of cuts for streams at which everything that a run has seen of a case is seen again."""
        return "sweep" if "cuts" in self.sources else "close"


@dataclass(frozen=True, slots=True)
class Shard:
    """A slice of the cases of one model: `source` is one of SOURCES."""

    model: Name
    source: str
    start: Count
    stop: Count

    @property
    def key(self) -> str:
        """Its name in the journal of a run."""
        return f"{self.model}|{self.source}|{self.start}|{self.stop}"


def shards(inputs: Inputs, model: str, vocab_size: int) -> list[Shard]:
    """The shards of one model, in order."""
    slices = {
        "corpora": lambda: _corpus_slices(inputs.files),
        "vocab": lambda: _slices(vocab_size, SHARD_CASES),
        "seams": lambda: _slices(MOST_SEAMS, SHARD_CASES),  # how many there are, only the model tells
        "fuzz": lambda: _slices(inputs.fuzz, SHARD_CASES),
        "scalars": lambda: _slices(SCALARS, SHARD_SCALARS),
        "cuts": lambda: _slices(len(cut_cases(inputs.files)), SHARD_CUTS),
    }
    return [Shard(model, source, *ends) for source in SOURCES if source in inputs.sources for ends in slices[source]()]


def shard_cases(inputs: Inputs, shard: Shard, vocab: Mapping[int, str]) -> list[Case]:
    """The cases of one shard; those of "seams" and "fuzz" are made elsewhere, by what knows the model.

    vocab: the model's ids in ascending order, with their tokens.
    """
    numbers = range(shard.start, shard.stop)
    if shard.source == "corpora":
        return _with_ids(corpus_cases(inputs.files)[shard.start : shard.stop], vocab)
    if shard.source == "vocab":
        return [ids_case((token_id,), f"vocab:{token_id}") for token_id in islice(vocab, shard.start, shard.stop)]
    if shard.source == "cuts":
        return _with_ids(cut_cases(inputs.files)[shard.start : shard.stop], vocab)
    if shard.source == "scalars":
        return [case for number in numbers for case in scalar_cases(scalar(number))]
    raise ValueError(f"{shard.key}: such cases are made by generators")


@cache
def corpus_cases(files: tuple[Path, ...]) -> list[Case]:
    """The cases of all corpus files."""
    return [case for path in files for case in read_corpus(path)]


def natural_texts(inputs: Inputs) -> Mapping[str, int]:
    """How many natural texts the corpora of a run have, by the name of the file; none where they are not asked."""
    files = inputs.files if "corpora" in inputs.sources else ()
    return Counter(case.language for path in files if is_natural(path) for case in read_corpus(path))


def corpus_lines(files: tuple[Path, ...]) -> tuple[str, ...]:
    """The texts of all corpus files that are short enough to be mutated."""
    return tuple(case.text for case in corpus_cases(files) if case.kind == "text" and len(case.text) < LONGEST_LINE)


@cache
def cut_cases(files: tuple[Path, ...]) -> list[Case]:
    """The cases that are cut for streams: each text of the corpora once, and the byte tokens."""
    texts = {(case.kind, case.text, case.data, case.tokens): case for case in corpus_cases(files)}
    return [*texts.values(), *byte_token_cases()]


def _with_ids(cases: list[Case], vocab: Mapping[int, str]) -> list[Case]:
    """The cases, with the ids of their tokens; one whose tokens are not all in the vocab is no case of this model."""
    if not any(case.tokens for case in cases):
        return cases
    ids = {token: token_id for token_id, token in vocab.items()}
    known = (case for case in cases if ids.keys() >= set(case.tokens))
    return [ids_case(tuple(map(ids.__getitem__, case.tokens)), case.origin) if case.tokens else case for case in known]


def _slices(count: int, size: int) -> list[tuple[int, int]]:
    return [(start, min(start + size, count)) for start in range(0, count, size)]


def _corpus_slices(files: tuple[Path, ...]) -> list[tuple[int, int]]:
    slices: list[tuple[int, int]] = []
    start = characters = 0
    cases = corpus_cases(files)
    for number, case in enumerate(cases):
        characters += len(case.text)
        if characters >= SHARD_CHARACTERS or number + 1 - start >= SHARD_CASES:
            slices.append((start, number + 1))
            start, characters = number + 1, 0
    if start < len(cases):
        slices.append((start, len(cases)))
    return slices
