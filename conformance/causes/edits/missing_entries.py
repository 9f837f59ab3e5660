"""Missing table entries: merges, bytes or words that an implementation lacks, learnt from its answers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from conformance.causes.edits.changed_models import ChangedModel, is_byte_level, with_merge_of
from conformance.causes.edits.fault import Fault, TextAnswer, of_rules, predicted
from reftok import Tokenizer
from reftok.rules.byte_level import BYTE_TO_CHARACTER, from_byte_characters
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.pieces import PieceTable, PieceType
from reftok.rules.types import Token

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
"""Inherited by every object, so that `{}[word]` finds something. Source: ECMA-262, Object.prototype."""
_MOST_TRIED = 24
"""Bytes or words of one text that are tried."""


def of_missing_entries(tokenizer: Tokenizer, answers: Iterable[TextAnswer]) -> Iterator[Fault]:
    """One fault for each table that these answers show to be incomplete.

    >>> import reftok
    >>> tokenizer = reftok.load("bpe-qwen")
    >>> next(of_missing_entries(tokenizer, [("toString", tokenizer.encode_ids("toString"), [])])).rule
    "words that are keys of JavaScript's objects are lost"
    """
    answers = [*answers]
    yield from _of_merges(tokenizer, answers)
    if is_byte_level(tokenizer):
        yield from _of_bytes(tokenizer, answers)
    yield from _of_words(tokenizer, answers)
    yield from _of_lengths(tokenizer, answers)


def _learnt(
    tokenizer: Tokenizer,
    answers: Sequence[TextAnswer],
    candidates_in: Callable[[str], Iterable[str]],
    without: Callable[[frozenset[str]], Pipeline],
) -> frozenset[str]:
    """The entries that must be missing to explain the answers, at most one for each text."""
    lacking = frozenset[str]()
    for text, _, observed in answers:
        if predicted(partial(without(lacking).encode_ids, text)) != [*observed]:
            for one in candidates_in(text):
                if predicted(partial(without(lacking | {one}).encode_ids, text)) == [*observed]:
                    lacking |= {one}
                    break
    return lacking


# --- merges


def _of_merges(tokenizer: Tokenizer, answers: Sequence[TextAnswer]) -> Iterator[Fault]:
    """A list of merges that ends too early; fewer merges mean more ids, so each answer narrows down where it ends."""
    model = tokenizer.rules.model
    if not isinstance(model, BPE) or not model.merges:
        return
    ranks = sorted({rank for rank, _ in model.merges.values()})
    least, most = 0, len(ranks)
    for text, _, observed in answers:
        negative_length: Callable[[int], int] = partial(_negative_length, tokenizer, model, ranks, text)
        stop = bisect_left(range(least, most), -len(observed), key=negative_length) + least
        given = predicted(partial(_with_fewer_merges(tokenizer, model, ranks[min(stop, most - 1)]).encode_ids, text))
        if given == [*observed]:
            last = bisect_left(range(stop, most), 1 - len(observed), key=negative_length) + stop
            least, most = max(least, stop), max(stop + 1, min(most, last))
    if (least, most) != (0, len(ranks)):
        for count in dict.fromkeys((_roundest(least, most - 1), most - 1)):
            rule = f"merges beyond the first {count:,} are missing"
            build = partial(_with_fewer_merges, tokenizer, model, ranks[count])
            yield of_rules("Model", rule, tokenizer, build)


def _roundest(least: int, most: int) -> int:
    """The roundest number of a range: the one with the most zeros at its end.

    >>> _roundest(987, 1012), _roundest(5, 5)
    (1000, 5)
    """
    unit: int = 10 ** len(str(most))
    while unit > 1 and (most // unit) * unit < max(1, least):
        unit //= 10
    return max(least, most // unit * unit)


def _negative_length(tokenizer: Tokenizer, model: BPE, ranks: Sequence[float], text: str, count: int) -> int:
    """Minus the number of ids if only `count` merges are there: `bisect` needs a key that rises with `count`."""
    return -len(_with_fewer_merges(tokenizer, model, ranks[count]).encode_ids(text))


def _with_fewer_merges(tokenizer: Tokenizer, model: BPE, rank: float) -> Pipeline:
    """The rules with only the merges below this rank."""

    def merge_of(left: int, right: int) -> tuple[int, int] | None:
        found = model.merge_of(left, right)
        return None if found is None or found[0] >= rank else found

    return replace(tokenizer.rules, model=with_merge_of(model, merge_of))


# --- long pieces


def _of_lengths(tokenizer: Tokenizer, answers: Sequence[TextAnswer]) -> Iterator[Fault]:
    """A search that gives up before the longest pieces: none is found of more characters or bytes than some number.

    The answers bound the number: the longest token that they have, and the shortest that they lack.
    """
    name = tokenizer.id_to_token
    kept = {name(one) or "" for _, right, observed in answers for one in {*observed} - {*right}}
    lost = {name(one) or "" for _, right, observed in answers for one in {*right} - {*observed}}
    for unit, size in _SIZES:
        longest = max(map(size, kept), default=0)
        shortest = min((one for one in map(size, lost) if one > longest), default=0)
        for limit in dict.fromkeys((shortest - 1, longest, *range(longest, shortest))) if shortest else ():
            build = partial(_without_long, tokenizer, partial(_is_long, size, limit))
            fault = of_rules("Model", f"pieces of more than {limit} {unit} are not found", tokenizer, build)
            yield replace(fault, learnt="missing")


def _is_long(size: Callable[[str], int], limit: int, piece: str) -> bool:
    return size(piece) > limit


def _length_in_bytes(piece: str) -> int:
    return len(piece.encode("utf-8", "surrogatepass"))


_SIZES: tuple[tuple[str, Callable[[str], int]], ...] = (("characters", len), ("bytes", _length_in_bytes))


def _without_long(tokenizer: Tokenizer, is_long: Callable[[str], bool]) -> Pipeline:
    """The rules without the pieces that are too long."""
    model = tokenizer.rules.model
    if isinstance(model, BPE):

        def merge_of(left: int, right: int) -> tuple[int, int] | None:
            found = model.merge_of(left, right)
            return None if found is None or is_long(model.id_to_token(found[1]) or "") else found

        return replace(tokenizer.rules, model=with_merge_of(model, merge_of))
    if isinstance(model, Unigram):
        shorter = [("" if is_long(piece) else piece, score) for piece, score in model.pieces]
        return replace(tokenizer.rules, model=Unigram(shorter, model.unk_id, model.byte_fallback))
    if isinstance(model, PieceModel):
        unused = (one._replace(type=PieceType.UNUSED) if is_long(one.piece) else one for one in model.table.pieces)
        table = PieceTable([*unused], model.table.byte_fallback, "", model.table.special)
        return replace(tokenizer.rules, model=type(model)(table))
    return tokenizer.rules


# --- bytes and words


def _of_bytes(tokenizer: Tokenizer, answers: Sequence[TextAnswer]) -> Iterator[Fault]:
    """Bytes that are missing from the map of bytes to characters."""

    def candidates_in(text: str) -> Iterable[str]:
        data = text.encode("utf-8", "surrogatepass")
        return [BYTE_TO_CHARACTER[byte] for byte in dict.fromkeys(data)][:_MOST_TRIED]

    for parts in (False, True):
        without = partial(_without_characters, tokenizer, parts)
        lacking = _learnt(tokenizer, answers, candidates_in, without)
        if lacking:
            data = from_byte_characters("".join(lacking)) or b""
            missing = f"byte 0x{data[0]:02X} is" if len(data) == 1 else "bytes are"
            rule = f"{missing} missing from the byte map"
            yield replace(of_rules("PreTokenizer", rule, tokenizer, partial(without, lacking)), learnt="missing")


def _without_characters(tokenizer: Tokenizer, parts: bool, lacking: frozenset[str]) -> Pipeline:
    """Drops characters of the byte map: after merging if `parts`, so that no merge crosses them, else before."""
    model = tokenizer.rules.model
    table: Mapping[int, str] = dict.fromkeys(map(ord, lacking), "\0" if parts else "")

    def tokenize(text: str) -> Sequence[Token]:
        left = [*filter(None, text.translate(table).split("\0"))]  # NUL is free: the byte map never produces it
        tokens = [token for part in left for token in model.tokenize(part)]
        return tokens if left == [text] else [replace(token, span_normalized=(0, len(text))) for token in tokens]

    return replace(tokenizer.rules, model=ChangedModel(model, tokenize))


def _of_words(tokenizer: Tokenizer, answers: Sequence[TextAnswer]) -> Iterator[Fault]:
    """Pre-tokens that give no tokens at all."""

    def candidates_in(text: str) -> Iterable[str]:
        splits = tokenizer.rules.pre_tokenized(text)
        words = (split.normalized.text for split in splits if split.tokens is None)
        return [*dict.fromkeys(words)][:_MOST_TRIED]

    if not tokenizer.rules.pre_tokenizers:
        return
    without = partial(_without_words, tokenizer)
    lacking = _learnt(tokenizer, answers, candidates_in, without)
    if lacking <= JAVASCRIPT_KEYS and lacking:
        rule, lacking = "words that are keys of JavaScript's objects are lost", JAVASCRIPT_KEYS
    else:
        rule = f"the word “{min(lacking)}” is lost" if len(lacking) == 1 else "some words are lost"
    if lacking:
        yield replace(of_rules("Model", rule, tokenizer, partial(without, lacking)), learnt="missing")


def _without_words(tokenizer: Tokenizer, lacking: frozenset[str]) -> Pipeline:
    model = tokenizer.rules.model
    tokenize = lambda text: [] if text in lacking else model.tokenize(text)
    return replace(tokenizer.rules, model=ChangedModel(model, tokenize))
