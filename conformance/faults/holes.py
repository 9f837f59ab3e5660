"""Tables with a hole: merges, bytes or words that a tokenizer does not have; which, is learnt from its answers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from conformance.faults.changed_models import ChangedModel, is_byte_level, with_merge_of
from conformance.faults.fault import Fault, of_pipeline, predicted
from reftok import Tokenizer
from reftok.rules.byte_level import BYTE_TO_CHARACTER, from_byte_characters
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.pipeline import Pipeline
from reftok.rules.types import Token

Answer: TypeAlias = tuple[str, Sequence[int], Sequence[int]]
"""A text, with the right ids and those that a subject gave."""

JAVASCRIPT_KEYS = frozenset(
    {
        "__defineGetter__",
        "__defineSetter__",
        "__lookupGetter__",
        "__lookupSetter__",
        "__proto__",
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "propertyIsEnumerable",
        "toLocaleString",
        "toString",
        "valueOf",
    }
)
"""What every object has, so that `{}[word]` is not undefined. Source: ECMA-262, properties of the Object prototype."""
_MOST_BYTES, _MOST_WORDS = 24, 24
"""Of one answer, so many are looked at."""


def of_holes(tokenizer: Tokenizer, answers: Iterable[Answer]) -> Iterator[Fault]:
    """The faults that lack what these answers show to be lacking.

    >>> import reftok
    >>> tokenizer = reftok.load("bpe-qwen")
    >>> [fault.rule for fault in of_holes(tokenizer, [("toString", tokenizer.encode_ids("toString"), [])])]
    ["words that are keys of JavaScript's objects are lost"]
    """
    answers = [*answers]
    yield from _of_merges(tokenizer, answers)
    if is_byte_level(tokenizer):
        yield from _of_bytes(tokenizer, answers)
    yield from _of_words(tokenizer, answers)


def _learnt(
    tokenizer: Tokenizer,
    answers: Sequence[Answer],
    found_in: Callable[[str], Iterable[str]],
    without: Callable[[frozenset[str]], Pipeline],
) -> frozenset[str]:
    """All that answers show to be lacking: of what is found in a text, what explains its answer when it lacks."""
    lacking = frozenset[str]()
    for text, _, observed in answers:
        if predicted(partial(without(lacking).encode_ids, text)) != [*observed]:
            for one in found_in(text):
                if predicted(partial(without(lacking | {one}).encode_ids, text)) == [*observed]:
                    lacking |= {one}
                    break
    return lacking


# --- merges


def _of_merges(tokenizer: Tokenizer, answers: Sequence[Answer]) -> Iterator[Fault]:
    """The last merges missing: between which of them the list ends, answers tell the closer, the more there are."""
    model = tokenizer.rules.model
    if not isinstance(model, BPE) or not model.merges:
        return
    ranks = sorted({rank for rank, _ in model.merges.values()})
    least, most = 0, len(ranks)
    for text, _, observed in answers:
        fewer: Callable[[int], int] = partial(_less_its_ids, tokenizer, model, ranks, text)
        stop = bisect_left(range(least, most), -len(observed), key=fewer) + least
        given = predicted(partial(_with_fewer_merges(tokenizer, model, ranks[min(stop, most - 1)]).encode_ids, text))
        if given == [*observed]:
            last = bisect_left(range(stop, most), 1 - len(observed), key=fewer) + stop
            least, most = max(least, stop), max(stop + 1, min(most, last))
    if (least, most) != (0, len(ranks)):
        for count in dict.fromkeys((_roundest(least, most - 1), most - 1)):
            rule = f"merges beyond the first {count:,} are missing"
            build = partial(_with_fewer_merges, tokenizer, model, ranks[count])
            yield of_pipeline("Model", rule, tokenizer, build)


def _roundest(least: int, most: int) -> int:
    """The number of a range that ends in most zeros.

    >>> _roundest(987, 1012), _roundest(5, 5)
    (1000, 5)
    """
    unit: int = 10 ** len(str(most))
    while unit > 1 and (most // unit) * unit < max(1, least):
        unit //= 10
    return max(least, most // unit * unit)


def _less_its_ids(tokenizer: Tokenizer, model: BPE, ranks: Sequence[float], text: str, count: int) -> int:
    """The number of ids with so many merges, negative: it rises with the merges."""
    return -len(_with_fewer_merges(tokenizer, model, ranks[count]).encode_ids(text))


def _with_fewer_merges(tokenizer: Tokenizer, model: BPE, rank: float) -> Pipeline:
    """The rules without the merges of this rank and of higher ones."""

    def merge_of(left: int, right: int) -> tuple[int, int] | None:
        found = model.merge_of(left, right)
        return None if found is None or found[0] >= rank else found

    return replace(tokenizer.rules, model=with_merge_of(model, merge_of))


# --- bytes and words


def _of_bytes(tokenizer: Tokenizer, answers: Sequence[Answer]) -> Iterator[Fault]:
    """Bytes without a place in the map of bytes to characters."""

    def found_in(text: str) -> Iterable[str]:
        data = text.encode("utf-8", "surrogatepass")
        return [BYTE_TO_CHARACTER[byte] for byte in dict.fromkeys(data)][:_MOST_BYTES]

    without = partial(_without_characters, tokenizer)
    lacking = _learnt(tokenizer, answers, found_in, without)
    if lacking:
        data = from_byte_characters("".join(lacking)) or b""
        missing = f"byte 0x{data[0]:02X} is" if len(data) == 1 else "bytes are"
        rule = f"{missing} missing from the byte map"
        yield replace(of_pipeline("PreTokenizer", rule, tokenizer, partial(without, lacking)), learnt="hole")


def _without_characters(tokenizer: Tokenizer, lacking: frozenset[str]) -> Pipeline:
    model = tokenizer.rules.model
    table: Mapping[int, None] = dict.fromkeys(map(ord, lacking))

    def tokenize(text: str) -> Sequence[Token]:
        left = text.translate(table)
        tokens = model.tokenize(left) if left else []
        return tokens if left == text else [replace(token, span_normalized=(0, len(text))) for token in tokens]

    return replace(tokenizer.rules, model=ChangedModel(model, tokenize))


def _of_words(tokenizer: Tokenizer, answers: Sequence[Answer]) -> Iterator[Fault]:
    """Pre-tokens that are lost as a whole."""

    def found_in(text: str) -> Iterable[str]:
        splits = tokenizer.rules.pre_tokenized(text)
        words = (split.normalized.text for split in splits if split.tokens is None)
        return [*dict.fromkeys(words)][:_MOST_WORDS]

    if not tokenizer.rules.pre_tokenizers:
        return
    without = partial(_without_words, tokenizer)
    lacking = _learnt(tokenizer, answers, found_in, without)
    if lacking <= JAVASCRIPT_KEYS and lacking:
        rule, lacking = "words that are keys of JavaScript's objects are lost", JAVASCRIPT_KEYS
    else:
        rule = f"the word “{min(lacking)}” is lost" if len(lacking) == 1 else "some words are lost"
    if lacking:
        yield replace(of_pipeline("Model", rule, tokenizer, partial(without, lacking)), learnt="hole")


def _without_words(tokenizer: Tokenizer, lacking: frozenset[str]) -> Pipeline:
    model = tokenizer.rules.model
    tokenize = lambda text: [] if text in lacking else model.tokenize(text)
    return replace(tokenizer.rules, model=ChangedModel(model, tokenize))
