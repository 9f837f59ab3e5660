"""What a streamed model must keep, for one part cut at any places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from reftok.engine.encode.models import stream_model
from reftok.engine.fast_model import FastModel
from reftok.errors import ReftokError


def stream(model: FastModel[Any], fragments: Sequence[str]) -> list[list[int]]:
    """The ids that have been given after each fragment, and at the end of the part."""
    ids: list[int] = []
    given: list[list[int]] = []
    stage = stream_model(model, ids)
    for fragment in fragments:
        stage.text(fragment)
        given.append(list(ids))
    stage.end_pre_token()
    assert stage.held == 0
    return [*given, ids]


def whole_ids(model: FastModel[Any], text: str) -> list[int] | None:
    """The ids of the tokens that the plain model gives, None where the text is refused."""
    try:
        return [token.id for token in model.model.tokenize(text)]
    except ReftokError:
        return None


def cut(text: str, places: Sequence[int]) -> list[str]:
    """The text cut at places."""
    bounds = [0, *sorted({place for place in places if 0 < place < len(text)}), len(text)]
    return [text[start:end] for start, end in pairwise(bounds) if start < end]


def chunkings(text: str) -> Iterator[list[str]]:
    """Whole, by one character, with one cut and with two."""
    yield cut(text, [])
    yield list(text)
    for first in range(1, len(text)):
        for second in range(first, min(len(text), first + 5)):
            yield cut(text, [first, second])


def assert_streams(model: FastModel[Any], text: str, *others: Sequence[int]) -> None:
    """Every way to cut the text gives the ids of the plain model. others: more places to cut at."""
    expected = whole_ids(model, text)
    for fragments in (*chunkings(text), *(cut(text, places) for places in others)):
        try:
            found = stream(model, fragments)[-1]
        except ReftokError:
            assert expected is None, fragments
            continue
        assert found == expected, fragments


def assert_final(model: FastModel[Any], text: str, continuations: Sequence[str]) -> None:
    """What is given of a text begins the ids of the text with every continuation."""
    if any(whole_ids(model, text + more) is None for more in continuations):
        return
    ids: list[int] = []
    stage = stream_model(model, ids)
    for index, character in enumerate(text, 1):
        stage.text(character)
        assert stage.held <= index
        for more in ("", *continuations):
            assert (whole_ids(model, text[:index] + more) or [])[: len(ids)] == ids, (text[:index], more)


places = st.lists(st.integers(1, 60), max_size=6)
