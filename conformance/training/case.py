"""What a trainer is given, what it learned, and where two that were given the same differ first."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.core.errors import FORM_ERRORS
from conformance.core.observation import Failure
from reftok import ReftokError
from reftok.formats.sentencepiece.protobuf import read_fields

SAME_SCORE, SAME_STEP = 1e-3, 1e-4
"""Scores of hf-unigram are compared so closely: its own differ by as much from run to run. Characters that its rounds
dropped come back with the lowest score and so many steps more, in an order of chance."""


@dataclass(frozen=True, slots=True)
class TrainingCase:
    """One training.

    name: for people. trainer: as `reftok train` names it. texts: to learn from.
    options: of the trainer, under its own names; of those of tokenizers also `pipeline`, the tokenizer.json that is
        trained.
    """

    name: str
    trainer: str
    texts: tuple[str, ...]
    options: Mapping[str, Any]

    @property
    def settings(self) -> dict[str, Any]:
        """The options without the pipeline."""
        return {name: value for name, value in self.options.items() if name != "pipeline"}


@dataclass(frozen=True, slots=True)
class Learned:
    """What a file has of its training.

    entries: id, token and score by id; the score is None where a model has none. merges: pairs of tokens.
    value: the whole file, as JSON or bytes.
    """

    entries: tuple[tuple[int, str, float | None], ...]
    merges: tuple[tuple[str, str], ...] = ()
    value: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TrainingDifference:
    """Where two results differ first.

    place: such as "merge 3" or "entry 17". path: of keys, of a difference in the file beside what was learned, else "".
    """

    place: str
    expected: str
    observed: str
    path: str = ""

    @property
    def kind(self) -> str:
        """The path, or the first word of the place."""
        return self.path or self.place.partition(" ")[0]


def learned_of(data: bytes) -> Learned | Failure:
    """What a tokenizer.json or a `.model` has; the failure "nonsense" for another file."""
    try:
        if data.lstrip()[:1] != b"{":
            return _of_model(data)
        value = json.loads(data)
        if "ranks" in value:
            return Learned(tuple(sorted((int(rank), str(token), None) for token, rank in value["ranks"])))
        if "model" not in value:
            return Failure("nonsense", "its file is JSON, but no tokenizer.json: it has no model")
        return of_tokenizer_json(value)
    except (*FORM_ERRORS, ReftokError, struct.error) as error:
        return Failure("nonsense", f"its file is neither a tokenizer.json nor a .model: {error!s:.200}")


def of_tokenizer_json(value: Mapping[str, Any]) -> Learned:
    """What the model of a tokenizer.json has learned. Raises one of FORM_ERRORS where it has another form.

    >>> of_tokenizer_json({"model": {"vocab": {"b": 1, "a": 0, "ab": 2}, "merges": ["a b"]}}).merges
    (('a', 'b'),)
    """
    model = value["model"]
    vocab = model["vocab"]
    if isinstance(vocab, Mapping):
        entries = [(int(token_id), str(token), None) for token, token_id in vocab.items()]
        pairs = [pair.split(" ") if isinstance(pair, str) else pair for pair in model.get("merges", ())]
        return Learned(tuple(sorted(entries)), tuple((str(left), str(right)) for left, right in pairs), value)
    scored = [(number, str(piece), _finite(score)) for number, (piece, score) in enumerate(vocab)]
    return Learned(tuple(scored), (), value)


def _finite(score: Any) -> float | None:
    """The score; None for null, which serde_json writes for infinity and NaN."""
    found = None if score is None else float(score)
    return found if found is not None and math.isfinite(found) else None


def _of_model(data: bytes) -> Learned:
    return Learned(tuple(_pieces(data)), (), data)


def _pieces(data: bytes) -> Iterator[tuple[int, str, float]]:
    number = 0
    for place, _, _, message in read_fields(data, ""):
        if place == 1 and isinstance(message, bytes):
            values = {field: value for field, _, _, value in read_fields(message, "")}
            piece, score = values[1], values.get(2, bytes(4))
            if not isinstance(piece, bytes) or not isinstance(score, bytes):
                raise TypeError("a piece has another form")
            yield number, piece.decode("utf-8"), struct.unpack("<f", score)[0]
            number += 1
    if not number:
        raise ValueError("it has no pieces")


Result = Learned | Failure


def first_difference(trainer: str, expected: Result, observed: Result) -> TrainingDifference | None:
    """Where they differ first, None where they do not; two that fail are alike.

    >>> left, right = (Learned(((0, "a", None), (1, token, None))) for token in "bc")
    >>> first_difference("wordlevel", left, right)
    TrainingDifference(place='entry 1', expected="'b'", observed="'c'", path='')
    """
    if isinstance(expected, Failure) or isinstance(observed, Failure):
        if isinstance(expected, Failure) and isinstance(observed, Failure) and observed.kind == "refused":
            return None
        return TrainingDifference("training", _shown(expected), _shown(observed))
    if trainer == "hf-unigram":
        return _of_sets(expected, observed)
    return _of_entries(expected, observed) or _of_lists("merge", _named(expected), _named(observed))


def _shown(result: Result) -> str:
    return f"{result.kind}: {result.message}" if isinstance(result, Failure) else f"{len(result.entries):,} entries"


def _named(learned: Learned) -> list[str]:
    return [f"{left!r} + {right!r}" for left, right in learned.merges]


def _of_entries(expected: Learned, observed: Learned) -> TrainingDifference | None:
    merged = {left + right for learned in (expected, observed) for left, right in learned.merges}
    for left, right in zip(expected.entries, observed.entries, strict=False):
        if left[:2] != right[:2]:
            if left[1] in merged and right[1] in merged:
                found = _of_lists("merge", _named(expected), _named(observed))
                if found is not None:
                    return found
            return TrainingDifference(f"entry {left[0]}", _entry(left, right), _entry(right, left))
        if _bits(left[2]) != _bits(right[2]):
            return TrainingDifference(f"score of entry {left[0]} {left[1]!r}", repr(left[2]), repr(right[2]))
    sizes = len(expected.entries), len(observed.entries)
    if sizes[0] == sizes[1]:
        return None
    place = min(sizes)
    longer = [learned.entries[place] if len(learned.entries) > place else None for learned in (expected, observed)]
    shown = [f"{one[1]!r}" if one is not None else "no more entries" for one in longer]
    return TrainingDifference(f"entry {place}", *shown)


def _entry(entry: tuple[int, str, float | None], other: tuple[int, str, float | None]) -> str:
    return repr(entry[1]) if entry[0] == other[0] else f"{entry[1]!r} with the id {entry[0]}"


def _bits(score: float | None) -> bytes | None:
    return None if score is None else struct.pack("<d", score)


def _of_lists(what: str, expected: Sequence[str], observed: Sequence[str]) -> TrainingDifference | None:
    for number, (left, right) in enumerate(zip(expected, observed, strict=False)):
        if left != right:
            return TrainingDifference(f"{what} {number}", left, right)
    if len(expected) == len(observed):
        return None
    number = min(len(expected), len(observed))
    shown = [listed[number] if len(listed) > number else f"no more {what}s" for listed in (expected, observed)]
    return TrainingDifference(f"{what} {number}", *shown)


def _of_sets(expected: Learned, observed: Learned) -> TrainingDifference | None:
    scores = [{token: score for _, token, score in learned.entries} for learned in (expected, observed)]
    if missing := sorted(scores[0].keys() - scores[1].keys()):
        return TrainingDifference(f"piece {missing[0]!r}", "is in the vocab", "is not there")
    if added := sorted(scores[1].keys() - scores[0].keys()):
        return TrainingDifference(f"piece {added[0]!r}", "is not in the vocab", "is there")
    steps = SAME_STEP * sum(len(token) == 1 for token in scores[0])
    for token, score in scores[0].items():
        other, most = scores[1][token], SAME_SCORE + (steps if len(token) == 1 else 0.0)
        is_same = score is other if score is None or other is None else abs(score - other) <= most
        if not is_same:
            shown = ["null" if one is None else f"{one:.6f}" for one in (score, other)]
            return TrainingDifference(f"score of {token!r}", *shown)
    return None
