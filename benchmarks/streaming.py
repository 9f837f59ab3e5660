"""Streams against whole texts and against the streaming decoder of `tokenizers`; how much an encoder holds back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import reftok
from benchmarks.measuring import medians, percentile
from reftok import Tokenizer

CHUNKS = (1, 16, 256)
"""Code points a chunk."""


def stream_rows(model: str, documents: Sequence[str], rounds: int) -> Iterator[tuple[str, str]]:
    """What was measured, and the figure; the ids and texts are compared before anything is timed."""
    tokenizer = reftok.load(model)
    yield from _encoding(tokenizer, documents, rounds)
    yield from _decoding(tokenizer, model, documents, rounds)
    yield from _held(tokenizer, documents)


def _encoding(tokenizer: Tokenizer, documents: Sequence[str], rounds: int) -> Iterator[tuple[str, str]]:
    def whole() -> list[list[int]]:
        return [tokenizer.encode_ids(document) for document in documents]

    def streamed(size: int) -> Callable[[], list[list[int]]]:
        chunked = [[text[i : i + size] for i in range(0, len(text), size)] for text in documents]
        return lambda: [encode_chunks(tokenizer, chunks) for chunks in chunked]

    candidates: dict[str, Callable[[], Any]] = {"whole": whole} | {str(size): streamed(size) for size in CHUNKS}
    _require_equal(candidates)
    megabytes = sum(len(document.encode("utf-8")) for document in documents) / 1e6
    seconds = medians(candidates, rounds)
    yield "encode_ids, whole texts", f"{megabytes / seconds['whole']:.2f} MB/s"
    for size in CHUNKS:
        speed, ratio = megabytes / seconds[str(size)], seconds["whole"] / seconds[str(size)]
        yield f"stream_encoder, {size} code points a chunk", f"{speed:.2f} MB/s, {ratio:.2f}x"


def encode_chunks(tokenizer: Tokenizer, chunks: Sequence[str]) -> list[int]:
    """The ids of a text in chunks."""
    encoder = tokenizer.stream_encoder()
    feed = encoder.feed
    ids: list[int] = []
    for chunk in chunks:
        ids += feed(chunk)
    ids += encoder.finish()
    return ids


def decode_each(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    """The text of ids, one at a time."""
    decoder = tokenizer.stream_decoder()
    feed = decoder.feed
    return "".join([feed(token_id) for token_id in ids]) + decoder.finish()


def _decoding(tokenizer: Tokenizer, model: str, documents: Sequence[str], rounds: int) -> Iterator[tuple[str, str]]:
    encoded = [tokenizer.encode_ids(document) for document in documents]
    candidates: dict[str, Callable[[], Any]] = {
        "whole": lambda: [tokenizer.decode(ids) for ids in encoded],
        "stream": lambda: [decode_each(tokenizer, ids) for ids in encoded],
    }
    _require_equal(candidates)
    if tokenizer.library == "tokenizers":
        candidates["library"] = _library_stream(model, encoded)
    tokens = sum(map(len, encoded))
    seconds = medians(candidates, rounds)
    yield "stream_decoder", f"{tokens / seconds['stream'] / 1e6:.2f} M tokens/s"
    if "library" in seconds:
        yield "stream_decoder against DecodeStream", f"{seconds['library'] / seconds['stream']:.1f}x"


def _library_stream(model: str, encoded: Sequence[Sequence[int]]) -> Callable[[], object]:
    """The streaming decoder of `tokenizers`; where it differs from its full decode, `conformance run` says so."""
    import tokenizers
    from tokenizers.decoders import DecodeStream

    from reftok.formats.model_files import find_model

    library = tokenizers.Tokenizer.from_file(str(find_model(model)))

    def decode(ids: Sequence[int]) -> str:
        stream = DecodeStream(skip_special_tokens=True)
        step = stream.step
        return "".join([step(library, token_id) or "" for token_id in ids])

    return lambda: [decode(ids) for ids in encoded]


def _held(tokenizer: Tokenizer, documents: Sequence[str]) -> Iterator[tuple[str, str]]:
    """How much is held after each character."""
    held: list[int] = []
    for document in documents:
        encoder = tokenizer.stream_encoder()
        for character in document:
            encoder.feed(character)
            held.append(encoder.held)
    figures = ", ".join(f"p{round(100 * share)} {percentile(held, share)}" for share in (0.5, 0.9, 0.99))
    yield "held back after each character", f"{figures}, most {max(held)}"


def _require_equal(candidates: dict[str, Callable[[], Any]]) -> None:
    """Raises AssertionError where one candidate gives something else than the first."""
    expected = None
    for name, run in candidates.items():
        found = run()
        expected = found if expected is None else expected
        if found != expected:
            raise AssertionError(f"{name} gives something else than {next(iter(candidates))}")
