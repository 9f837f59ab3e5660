"""Byte-level trainers of a few lines, asked as such: `train(texts, vocab_size, pattern) -> {token bytes: rank}`.

No official library has such a trainer. What they share is the rule of byte-pair encoding; of equally frequent pairs
each takes its own, so a result is right if one of the rules that are out there gives it.

Source: karpathy/minbpe basic.py, regex.py; karpathy/rustbpe lib.rs; gautierdag/bpeasy lib.rs; tiktoken _educational.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.training.case import Learned, Result, TrainingCase
from reftok.rules.byte_level import CHARACTER_TO_BYTE
from reftok.training.merging import MergeLoop
from reftok.training.minbpe import BYTES, FirstSeenLoop
from reftok.training.pipelines import GPT4_PATTERN
from reftok.training.texts import Texts
from reftok.training.training import Training

PATTERNS = (GPT4_PATTERN, r"\p{L}+|\p{N}+|[^\p{L}\p{N}]+")


class _SmallerIds(MergeLoop):
    has_int32_counts = False


class _LargerIds(_SmallerIds):
    def rank(self, pair: str, words: list[int]) -> Any:
        return -ord(pair[0]), -ord(pair[1])


class _SmallerBytes(_SmallerIds):
    def rank(self, pair: str, words: list[int]) -> Any:
        return self.halves(pair)


class _SmallerToken(_SmallerIds):
    def rank(self, pair: str, words: list[int]) -> Any:
        return "".join(self.halves(pair))


class _LargerCountOfParts(_SmallerIds):
    def rank(self, pair: str, words: list[int]) -> Any:
        counts = [sum(word.count(part) * n for word, n in zip(self.words, self.counts, strict=True)) for part in pair]
        return -sum(counts), pair


TIES: Mapping[str, type[MergeLoop]] = {
    "the first of the text": FirstSeenLoop,
    "that of smaller ids": _SmallerIds,
    "that of larger ids": _LargerIds,
    "that of smaller bytes": _SmallerBytes,
    "that of the smaller token": _SmallerToken,
    "that whose parts occur more often": _LargerCountOfParts,
}
"""Which of equally frequent pairs is merged first, with the loop that does so."""


def ranks_training(case: TrainingCase, given: Result | None) -> Learned:
    """What a right trainer learns: by the rule for ties that gives the result, by the first of TIES if none does."""
    found = list(ranks_by_ties(case).values())
    return next((entries for one in found for entries in _in_a_dict(one) if entries == given), found[0])


def ranks_by_ties(case: TrainingCase) -> dict[str, Learned]:
    """What each of TIES makes of a training. Raises ReftokError if its options mean nothing."""
    training = Training.of("minbpe", Texts.of(case.texts, None), pattern=case.options["pattern"])
    counted = training.count(case.texts)
    words = ["".join(chr(CHARACTER_TO_BYTE[character]) for character in word) for word in counted]
    size = case.options["vocab_size"]
    return {name: _trained(loop, words, [*counted.values()], size) for name, loop in TIES.items()}


def _trained(kind: type[MergeLoop], words: Sequence[str], counts: Sequence[int], size: int) -> Learned:
    loop = kind(words, counts, [chr(byte) for byte in range(BYTES)])
    loop.start()
    while len(loop.tokens) < size and (best := loop.best()) is not None and best[0] > 0:
        loop.make(best, "".join(loop.halves(best[1])), len(loop.tokens))
    return Learned(tuple((number, token, None) for number, token in enumerate(loop.tokens)))


def _in_a_dict(learned: Learned) -> Iterator[Learned]:
    """A result as it is, and as a dict has it where two merges make one token: with the last, or the first rank."""
    yield learned
    last = {token: number for number, token, _ in learned.entries}
    yield Learned(tuple((number, token, None) for token, number in sorted(last.items(), key=lambda item: item[1])))
    first = {token: number for number, token, _ in reversed(learned.entries)}
    yield Learned(tuple((number, token, None) for token, number in sorted(first.items(), key=lambda item: item[1])))
