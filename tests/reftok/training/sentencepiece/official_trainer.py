"""The official trainer beside reftok's: the same sentences and options, and what both make of them."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from sentencepiece import SentencePieceTrainer

from reftok.errors import ReftokError, VocabularyTooLarge
from reftok.formats.sentencepiece.protobuf import read_fields, to_float
from reftok.training.sentencepiece.options import trainer_options
from reftok.training.sentencepiece.trainer import train

from ...pipeline_comparison import Tally

Sentences = Sequence[str | bytes]
_TOO_HIGH = re.compile(r"Vocabulary size too high \(\d+\)\. Please set it to a value <= (\d+)\.")
_NO_LOG = {"minloglevel": 3}


def official_model(sentences: Iterable[str | bytes], **options: Any) -> bytes:
    """What the official trainer makes, without a log.

    Raises what the library raises.
    """
    model = io.BytesIO()
    SentencePieceTrainer.train(sentence_iterator=iter(sentences), model_writer=model, **_NO_LOG, **options)
    return model.getvalue()


def official_largest(error: Exception) -> int | None:
    """The largest vocabulary that an error of the library names."""
    found = _TOO_HIGH.search(str(error))
    return int(found[1]) if found else None


def check_training(sentences: Sentences, options: dict[str, Any], tally: Tally | None = None) -> None:
    """Both make the same bytes, or both refuse, with the same largest vocabulary where that is the reason."""
    tally = tally or Tally()
    kind = options.get("model_type", "unigram")
    place = f"train({list(sentences)!r}, **{options!r})"
    try:
        expected = official_model(sentences, **options)
    except (RuntimeError, ValueError) as error:
        _check_refusal(sentences, options, error, place)
        tally.compared[f"{kind}: both refuse"] += 1
        return
    try:
        made = train(sentences, trainer_options(**options))
    except ReftokError as error:
        raise AssertionError(f"reftok refuses: {error}, {place}") from None
    assert made == expected, f"{_first_difference(expected, made)}, {place}"
    tally.compared[f"{kind}: the same bytes"] += 1


def _check_refusal(sentences: Sentences, options: dict[str, Any], error: Exception, place: str) -> None:
    refusal = _refusal(sentences, options)
    assert refusal is not None, f"the library refuses: {error}, {place}"
    largest = refusal.largest if isinstance(refusal, VocabularyTooLarge) else None
    assert largest == official_largest(error), f"{refusal}, but {error}, {place}"


def _refusal(sentences: Sentences, options: dict[str, Any]) -> ReftokError | None:
    try:
        train(sentences, trainer_options(**options))
    except ReftokError as error:
        return error
    return None


def _first_difference(expected: bytes, made: bytes) -> str:
    pairs = zip(pieces(expected), pieces(made), strict=False)
    for token_id, (theirs, ours) in enumerate(pairs):
        if theirs != ours:
            return f"piece {token_id}: {ours} instead of {theirs}"
    return f"{len(pieces(made))} pieces instead of {len(pieces(expected))}, or other specs"


def pieces(model: bytes) -> list[tuple[str, float]]:
    """The pieces of a model and their scores."""
    found = []
    for number, _, _, message in read_fields(model, ""):
        if number == 1 and isinstance(message, bytes):
            values = {field: value for field, _, _, value in read_fields(message, "")}
            piece, score = values[1], values[2]
            assert isinstance(piece, bytes)
            assert isinstance(score, bytes)
            found.append((piece.decode("utf-8"), to_float(score)))
    return found
