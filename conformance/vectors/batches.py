"""Batches: texts that a cache takes for one another, and texts that a batch must not change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from conformance.core.observation import Encoded
from conformance.engine.repeating import DEPENDS
from conformance.generators.knowledge import ModelKnowledge
from conformance.inputs.vector_file import BatchVector
from conformance.subjects.base import Subject
from conformance.vectors.notes import flag_of
from reftok import Tokenizer

SAME_START = 8
MOST_TEXTS = 8
_BATCH = "batch gives other ids than the text alone"
_WORDS = ("internationally", "internationalization", "international", "straightforward", "straightforwardly")
_ANAGRAMS = (("listen", "silent", "enlist", "tinsel"), ("night", "thing"), ("earth", "heart", "hater"))
_CASES = ("the", "THE", "The", "tHE", " the", "the ")


def batches(
    tokenizer: Tokenizer, oracle: Subject, texts: Sequence[str], knowledge: ModelKnowledge
) -> list[BatchVector]:
    """The batches whose ids the official library gives alone, together, and as the reference does."""
    found: list[BatchVector] = []
    for some in _batches(texts, knowledge):
        answers = [one for one in oracle.encode_batch(some) if isinstance(one, Encoded)]
        ids = tuple(one.ids for one in answers)
        if len(ids) == len(some) and ids == tuple(tuple(tokenizer.encode_ids(text)) for text in some):
            flags = (flag_of("Any check", DEPENDS), flag_of("Any check", _BATCH))
            found.append(BatchVector(tc_id=0, flags=flags, result="valid", texts=tuple(some), ids=ids))
    return found


def _batches(texts: Sequence[str], knowledge: ModelKnowledge) -> Iterator[Sequence[str]]:
    """The cache's traps first: the same beginning, the same letters, another case; then lengths of all sorts."""
    yield [*_WORDS, *(word for some in _ANAGRAMS for word in some), *_CASES]
    short = [text for text in texts if len(text) <= 80]
    yield ["", *short[:MOST_TEXTS], "", *short[:2]]
    starts: dict[str, list[str]] = defaultdict(list)
    for text in knowledge.texts:
        if len(text) > SAME_START and text.isalpha():
            starts[text[:SAME_START]].append(text)
    alike = [text for some in starts.values() if len(some) > 1 for text in some[:2]][: 2 * MOST_TEXTS]
    if alike:
        yield alike
    by_length = sorted(texts, key=len)
    if by_length:
        yield [by_length[-1], by_length[0], *by_length[:: 1 + len(by_length) // MOST_TEXTS]]
