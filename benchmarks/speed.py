"""Encoding against the official library: with caches that are empty, filled by other documents, filled by these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import reftok
from benchmarks.candidates import Encode, load_official, load_reference, peers
from benchmarks.measuring import medians, prepared_medians
from reftok.rules.pipeline import Pipeline

Figures = Iterator[tuple[str, str]]
Loader = Callable[[], Encode]

_MOST_PLAIN = 100_000
"""So many code points the plain rules are timed with, or one document more."""


def speed_rows(model: str, documents: Sequence[str], rounds: int) -> Figures:
    """What was measured, and the figure; ids are compared before anything is timed.

    Cold: freshly loaded, and the text was never seen. Held out: after every other document, on those between. Warm:
    after the same documents. The official library is treated alike, since it has a cache too.
    """
    tokenizer = reftok.load(model)
    official = tokenizer.library
    loaders: dict[str, Loader] = {
        official: lambda: load_official(tokenizer.library, model),
        "reftok": lambda: load_reference(model),
    }
    loaders |= peers(model)
    loaded = {name: load() for name, load in loaders.items()}
    for name in list(loaders):
        if not _equal(loaded[official], loaded[name], documents):
            del loaders[name], loaded[name]
            yield f"{name}: other ids than {official}'s, not timed", "–"
    yield from _compared("cold", official, _prepared(loaders, (), documents, rounds), _megabytes(documents))
    if len(documents) > 1:
        seen, unseen = documents[::2], documents[1::2]
        yield from _compared("held out", official, _prepared(loaders, seen, unseen, rounds), _megabytes(unseen))
    warm = medians({name: _run(encode, documents) for name, encode in loaded.items()}, rounds)
    yield from _compared("warm", official, warm, _megabytes(documents))
    yield "encode with offsets, against encode_ids", f"{_offsets(tokenizer, documents, rounds):.1f}x the time"
    yield from _plain(tokenizer.rules, loaded[official], official, documents, rounds)


def _equal(expected: Encode, observed: Encode, documents: Sequence[str]) -> bool:
    return all(expected(document) == observed(document) for document in documents)


def _prepared(
    loaders: dict[str, Loader], before: Sequence[str], documents: Sequence[str], rounds: int
) -> dict[str, float]:
    def prepare(load: Loader) -> Callable[[], object]:
        encode = load()
        for document in before:
            encode(document)
        return _run(encode, documents)

    return prepared_medians({name: partial(prepare, load) for name, load in loaders.items()}, rounds)


def _run(encode: Encode, documents: Sequence[str]) -> Callable[[], object]:
    return lambda: [encode(document) for document in documents]


def _compared(cache: str, official: str, seconds: dict[str, float], megabytes: float) -> Figures:
    for name, taken in seconds.items():
        if name != official:
            speeds = f"{megabytes / taken:.2f} against {megabytes / seconds[official]:.2f} MB/s"
            yield f"{name} against {official}, {cache}", f"{seconds[official] / taken:.2f}x ({speeds})"


def _offsets(tokenizer: reftok.Tokenizer, documents: Sequence[str], rounds: int) -> float:
    """With the caches that both need filled: else the first would fill them for the second."""
    for document in documents:
        tokenizer.encode(document)
        tokenizer.encode_ids(document)
    seconds = medians(
        {
            "ids": lambda: [tokenizer.encode_ids(document) for document in documents],
            "offsets": lambda: [tokenizer.encode(document) for document in documents],
        },
        rounds,
    )
    return seconds["offsets"] / seconds["ids"]


def _plain(rules: Pipeline, encode: Encode, official: str, documents: Sequence[str], rounds: int) -> Figures:
    """The plain rules, which remember nothing, so that they are neither cold nor warm."""
    some, size = [], 0
    for document in documents:
        some.append(document)
        size += len(document)
        if size > _MOST_PLAIN:
            break
    if any(rules.encode_ids(document) != encode(document) for document in some):
        yield "plain rules: other ids", "–"
        return
    yield from _compared(
        "with offsets",
        official,
        medians({"plain rules": _run(rules.encode_ids, some), official: _run(encode, some)}, rounds),
        _megabytes(some),
    )


def _megabytes(documents: Sequence[str]) -> float:
    return sum(len(document.encode("utf-8")) for document in documents) / 1e6
