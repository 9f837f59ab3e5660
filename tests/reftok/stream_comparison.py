"""A tokenizer asked for the ids of a text in chunks and as a whole, and the plain rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random

from reftok.errors import ReftokError
from reftok.tokenizer import Tokenizer

Ids = list[int] | type[ReftokError]
"""What a tokenizer answers; the kind of error where it refuses the text."""


def refused(action: Callable[[], list[int]]) -> Ids:
    try:
        return action()
    except ReftokError as error:
        return type(error)


def random_cuts(length: int, random: Random) -> list[int]:
    """Up to 8 places within a text."""
    return sorted(random.sample(range(1, length), min(random.randint(1, 8), length - 1))) if length > 1 else []


def chunkings(text: str | bytes, seed: int, rounds: int) -> Iterator[Sequence[str | bytes]]:
    """One character (or byte) a chunk, and some others; now and then with an empty chunk."""
    yield [text[index : index + 1] for index in range(len(text))]
    random = Random(seed)
    for _ in range(rounds):
        places = [0, *random_cuts(len(text), random), len(text)]
        if random.random() < 0.1:
            places.append(len(text))
        yield [text[start:end] for start, end in pairwise(places)]


def streamed(tokenizer: Tokenizer, chunks: Sequence[str | bytes], add_special_tokens: bool = True) -> list[int]:
    """The ids of all chunks; nothing may be held behind the end."""
    encoder = tokenizer.stream_encoder(add_special_tokens=add_special_tokens)
    ids: list[int] = []
    for chunk in chunks:
        ids += encoder.feed(chunk) if isinstance(chunk, str) else encoder.feed_bytes(chunk)
    ids += encoder.finish()
    assert encoder.held == 0
    return ids


def check_stream(tokenizer: Tokenizer, text: str | bytes, seed: int = 0, rounds: int = 3) -> int:
    """Hold the stream, and the whole text on the fast ways, to the plain rules; gives how many chunkings there were.

    Raises AssertionError that shows the chunks.
    """
    expected = refused(lambda: list(tokenizer.rules.encode(text).ids))
    found = refused(lambda: list(tokenizer.encode(text).ids))
    assert found == expected, f"encode: {found} instead of {expected}"
    found = refused(lambda: tokenizer.encode_ids(text))
    assert found == expected, f"encode_ids: {found} instead of {expected}"
    count = 1
    for chunks in chunkings(text, seed, rounds):
        found = refused(lambda chunks=chunks: streamed(tokenizer, chunks))
        assert found == expected, f"stream of {chunks!r}: {found} instead of {expected}"
        count += 1
    data = text.encode("utf-8") if isinstance(text, str) else text
    for chunks in chunkings(data, seed, 1):
        found = refused(lambda chunks=chunks: streamed(tokenizer, chunks))
        assert found == expected, f"stream of {chunks!r}: {found} instead of {expected}"
        count += 1
    return count
