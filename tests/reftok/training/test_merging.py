"""The loop of merges against a count of all pairs before each merge; the educational trainers against themselves."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TypeVar

import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

import reftok
from reftok.training.bpe import BpeTrainer
from reftok.training.minbpe import MinbpeTrainer
from reftok.training.monitor import Monitor, TrainingTrace

Ids = list[int]
Symbol = TypeVar("Symbol", int, str)


def plainly(words: list[bytes], vocab_size: int) -> list[tuple[int, int]]:
    """All pairs counted anew before each merge, in the order of the text, as minbpe does it."""
    ids: list[Ids] = [list(word) for word in words]
    merges: list[tuple[int, int]] = []
    for new in range(256, vocab_size):
        counts: Counter[tuple[int, int]] = Counter()
        for word in ids:
            counts.update(pairwise(word))
        if not counts:
            break
        merges.append(max(counts, key=counts.__getitem__))
        ids = [merged(word, merges[-1], new) for word in ids]
    return merges


def merged(word: list[Symbol], pair: tuple[Symbol, Symbol], new: Symbol) -> list[Symbol]:
    result: list[Symbol] = []
    place = 0
    while place < len(word):
        if tuple(word[place : place + 2]) == pair:
            result.append(new)
            place += 2
        else:
            result.append(word[place])
            place += 1
    return result


@settings(max_examples=200)
@given(st.lists(st.text("abc", max_size=12), max_size=12), st.integers(256, 280))
def test_the_queue_makes_the_merges_that_counting_anew_makes(words: list[str], vocab_size: int) -> None:
    counts = Counter(word.encode() for word in words)
    assert MinbpeTrainer(vocab_size=vocab_size).train(counts).merges == plainly(
        [word.encode() for word in words], vocab_size
    )


@settings(max_examples=200)
@example(["babb"])
@given(st.lists(st.text("abc", min_size=1, max_size=12), min_size=1, max_size=6))
def test_rivals_are_those_before_the_merge_and_not_after_it(words: list[str]) -> None:
    """A merge takes neighbours from some pairs, and makes new ones: a count that is asked too late is another."""
    rows = [list(word) for word in words]
    trace = TrainingTrace()
    BpeTrainer(vocab_size=40).train(Counter(words), Monitor(trace=trace))
    for made in trace.merges.values():
        counts = Counter(pair for row in rows for pair in pairwise(row))
        assert counts.pop((made.left, made.right)) == made.count
        assert sorted(made.rivals) == sorted(pair for pair, count in counts.items() if count == made.count)
        rows = [merged(row, (made.left, made.right), made.piece) for row in rows]


@settings(max_examples=150)
@given(st.text("ab c1.é", min_size=1, max_size=60), st.integers(256, 275))
def test_tiktokens_educational_trainer_makes_the_same_tokens(text: str, vocab_size: int) -> None:
    """As long as no token is made in two ways: it has one id for them then."""
    from tiktoken._educational import bpe_train

    pattern = r" ?\w+| ?[^\s\w]+|\s+"
    words = Counter(word.encode() for word in regex.findall(pattern, text))
    trained = MinbpeTrainer(vocab_size=vocab_size).train(words)
    if len(set(trained.tokens)) < len(trained.tokens) or len(trained.tokens) < vocab_size:
        return
    ranks = bpe_train(text, vocab_size, pattern, visualise=None)
    assert trained.tokens == sorted(ranks, key=ranks.__getitem__)


def test_minbpe_takes_the_first_pair_of_the_text_and_tokenizers_the_smaller_ids() -> None:
    first = reftok.train("minbpe", ["dcab"], pattern=None, vocab_size=257)
    smaller = reftok.train("hf-bpe", ["dcab"], pipeline="none", vocab_size=5)
    assert [first.encode("dcab").tokens, smaller.encode("dcab").tokens] == [["dc", "a", "b"], ["d", "c", "ab"]]
