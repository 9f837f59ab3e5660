"""One tokenizer encodes in many threads, while its memories are filled and forgotten."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Barrier
from typing import Any

import pytest
from reftok.engine import caches as cache
from reftok.engine.bpe import word_merges
from reftok.engine.encode.sentencepiece_rewriting import rewriter
from reftok.engine.patterns import automaton
from reftok.engine.patterns.streamable import streamable
from reftok.engine.unigram import undecided_text

import reftok

LANGUAGES = Path(__file__).resolve().parents[4] / "corpora" / "languages"
LITTLE = 4
MEMORIES = [
    (automaton, "MOST_STATES", LITTLE),
    (automaton, "MOST_STEPS", 8 * LITTLE),
    (word_merges, "_MOST_PAIRS", LITTLE),
    (undecided_text, "_MOST_STEPS", 8 * LITTLE),
]
"""What bounds them besides the capacity of `Results`, and the bounds of the test."""
THREADS = 4


def texts() -> list[str]:
    """Lines of some languages, and words longer than what a model looks at at once."""
    random = Random(7)
    lines = [path.read_text("utf-8").splitlines()[5][:160] for path in sorted(LANGUAGES.glob("*.txt"))[::8]]
    words = ["".join(random.choices("aehinost▁ ", k=100)) for _ in range(3)]
    return [*lines, *words, "a" * 90, "  \n" * 20, "漢字かな한국어👩‍👩‍👧" * 5]


@pytest.fixture
def little_is_remembered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The memories of tokenizers that are loaded now are full all the time: what one thread forgets another uses.

    What all tokenizers share begins anew, now and afterwards.
    """
    remember: Callable[..., None] = cache.Results.__init__

    def remember_little(results: cache.Results[Any], compute: Any, longest: int = 255, capacity: int = 0) -> None:
        remember(results, compute, longest, LITTLE)

    monkeypatch.setattr(cache.Results, "__init__", remember_little)
    for module, name, most in MEMORIES:
        monkeypatch.setattr(module, name, most)
    for shared in (rewriter, streamable):
        shared.cache_clear()
    yield
    for shared in (rewriter, streamable):
        shared.cache_clear()


@pytest.fixture
def threads_take_turns_often() -> Iterator[None]:
    """As often as the interpreter can, so that few texts are enough for a race."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("little_is_remembered", "threads_take_turns_often")
@pytest.mark.parametrize("name", ["bpe-qwen", "spm-bpe", "spm-bpe-hf", "spm-unigram", "spm-unigram-hf"])
def test_encoders_in_many_threads_share_what_is_known_and_nothing_else(name: str) -> None:
    tokenizer, asked = reftok.load(name), texts()
    barrier = Barrier(THREADS)

    def encoded(number: int) -> list[tuple[list[int], list[int]]]:
        first = number * len(asked) // THREADS
        found: list[tuple[list[int], list[int]]] = []
        barrier.wait()
        for text in asked[first:] + asked[:first]:
            encoder = tokenizer.stream_encoder()
            ids = [token_id for start in range(0, len(text), 3) for token_id in encoder.feed(text[start : start + 3])]
            found.append((tokenizer.encode_ids(text), ids + encoder.finish()))
        return found[-first:] + found[:-first] if first else found

    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(encoded, range(THREADS)))
    # The plain rules: what they give comes from no memory that the threads have shared.
    alone = [[*tokenizer.rules.encode(text).ids] for text in asked]
    assert found == [[(ids, ids) for ids in alone]] * THREADS
