"""Texts and ids in chunks, and what a stream gives for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random

from reftok.tokenizer import Tokenizer


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


def stream_decoded(tokenizer: Tokenizer, ids: Sequence[int], size: int = 1, skips: bool = True) -> str:
    """The text of ids that come so many at a time."""
    decoder = tokenizer.stream_decoder(skip_special_tokens=skips)
    texts = [decoder.feed_all(ids[start : start + size]) for start in range(0, len(ids), size)]
    return "".join(texts) + decoder.finish()


def check_stream(tokenizer: Tokenizer, text: str) -> None:
    """Hold the stream, and the whole text on the fast path, to the plain rules."""
    expected = list(tokenizer.rules.encode(text).ids)
    assert tokenizer.encode_ids(text) == list(tokenizer.encode(text).ids) == expected
    for source in (text, text.encode()):
        for chunks in chunkings(source, 0, 2):
            assert streamed(tokenizer, chunks) == expected, chunks
