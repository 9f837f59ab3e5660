"""Characters that become others before a text is encoded, or after it was decoded: which, is learnt from answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from conformance.checks.base import first_difference
from conformance.core.observation import Decoded
from conformance.faults.fault import DecodingFault, Fault, of_text, predicted
from reftok import Tokenizer

SEVERAL = "some characters become others"

_MOST_OF_AN_ANSWER = 4
_LONGEST = 3
"""Code points in the place of one."""
_LONGEST_STRING = 12
"""Code points of a string that becomes another."""
_LEAST_TIMES, _MOST_STRINGS = 2, 8
"""A string is learnt that so many answers show, and of these so many, those that most answers show."""


def of_replaced(tokenizer: Tokenizer, answers: Iterable[tuple[str, Sequence[int], Sequence[int]]]) -> Iterator[Fault]:
    """The fault that replaces all characters that these answers show, and those that replace one of them.

    answers: texts, each with the right ids and those that a subject gave.

    >>> import reftok
    >>> tokenizer = reftok.load("bpe-qwen")
    >>> ids = tokenizer.encode_ids
    >>> [fault.rule for fault in of_replaced(tokenizer, [("a+b", ids("a+b"), ids("a b"))])]
    ['“+” becomes U+0020']
    """
    table: dict[str, str] = {}
    for text, right, observed in answers:
        shown = [predicted(partial(tokenizer.decode, ids)) or "" for ids in (right, observed)]
        pairs = {one: other for one, other in _pairs(*shown) if one in text}
        more = {**pairs, **table}
        if pairs.keys() - table and predicted(partial(_ids, tokenizer, more, text)) == tuple(observed):
            table = more
    for some in _tables(table):
        fault = of_text("Input", _rule(some), tokenizer, partial(_replaced, some))
        yield replace(fault, learnt="" if len(some) > 1 else "character")


def of_substrings(tokenizer: Tokenizer, answers: Iterable[tuple[str, Sequence[int], Sequence[int]]]) -> Iterator[Fault]:
    """The faults that put one string in the place of another, with as much around it as answers may ask for.

    answers: texts, each with the right ids and those that a subject gave. Two at least must show a string, and one of
        them within a word: a mistake of whole words is not one of strings.

    >>> import reftok
    >>> tokenizer = reftok.load("bpe-qwen")
    >>> pairs = [("other", "otehr"), ("bathe", "bateh")]
    >>> answers = [(text, tokenizer.encode_ids(text), tokenizer.encode_ids(given)) for text, given in pairs]
    >>> [fault.rule for fault in of_substrings(tokenizer, answers)]
    ['“he” becomes “eh”', '“the” becomes “teh”']
    """
    shown = Counter[tuple[str, str]]()
    within = set[tuple[str, str]]()
    for text, _, observed in answers:
        given = predicted(partial(tokenizer.decode, observed))
        for pair in _substrings(text, given) if given is not None else ():
            if predicted(partial(_ids_with, tokenizer, *pair, text)) == tuple(observed):
                shown[pair] += 1
                within |= {pair} if _is_within_a_word(pair[0], text) else set()
    for pair, times in shown.most_common(_MOST_STRINGS):
        if times >= _LEAST_TIMES and pair in within:
            fault = of_text("Input", _rule(dict([pair])), tokenizer, partial(_with_other, *pair))
            yield replace(fault, learnt="string")


def _substrings(text: str, given: str) -> Iterator[tuple[str, str]]:
    """What the first and last difference of two texts enclose, alone and with the characters beside it."""
    first = first_difference(text, given)
    rest = first_difference(text[:first:-1], given[:first:-1])
    end, end_given = len(text) - rest, len(given) - rest
    if not 0 < end - first <= _LONGEST_STRING:
        return
    for before, after in ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)):
        if before <= first and after <= rest:
            yield text[first - before : end + after], given[first - before : end_given + after]


def _is_within_a_word(string: str, text: str) -> bool:
    """Whether a string of letters stands beside another letter; one without letters is no part of a word."""
    before, _, after = text.partition(string)
    return not any(map(str.isalnum, string)) or (string.isalnum() and (before[-1:] + after[:1]).isalnum())


def _ids_with(tokenizer: Tokenizer, one: str, other: str, text: str) -> tuple[int, ...]:
    return tuple(tokenizer.encode_ids(_with_other(one, other, text)))


def _with_other(one: str, other: str, text: str) -> str:
    return text.replace(one, other)


def of_replaced_decoding(
    tokenizer: Tokenizer, answers: Iterable[tuple[Sequence[int], Decoded, Decoded]]
) -> Iterator[DecodingFault]:
    """The same of decoding.

    answers: ids, each with the right text and that of a subject.
    """
    table: dict[str, str] = {}
    for _, right, observed in answers:
        due = right.text if observed.with_special is None else right.kept
        more = {**dict(_pairs(due, observed.kept)), **table}
        if more.keys() - table and _replaced(more, due) == observed.kept:
            table = more
    for some in _tables(table):
        kind = "" if len(some) > 1 else "character"
        yield DecodingFault("Decoder", _rule(some), partial(_decoded, tokenizer, some), learnt=kind)


def _decoded(tokenizer: Tokenizer, table: Mapping[str, str], ids: Sequence[int], skips: bool) -> str:
    return _replaced(table, tokenizer.decode(ids, skip_special_tokens=skips))


def _tables(table: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """All together, then each alone: one that was learnt by mistake leaves the others theirs."""
    if table:
        yield table
    if len(table) > 1:
        yield from ({one: other} for one, other in table.items())


def _ids(tokenizer: Tokenizer, table: Mapping[str, str], text: str) -> tuple[int, ...]:
    return tuple(tokenizer.encode_ids(_replaced(table, text)))


def _replaced(table: Mapping[str, str], text: str) -> str:
    return "".join(table.get(character, character) for character in text)


def _pairs(right: str, observed: str) -> list[tuple[str, str]]:
    """The characters of one text that are others in another, as far as the places are plain.

    A space in the place of nothing: decoders drop it at the start.

    >>> _pairs("a-b-", "a_b_"), _pairs("straße", "strasse"), _pairs("+", ""), _pairs("ab", "ba and more")
    ([('-', '_')], [('ß', 'ss')], [('+', ' ')], [])
    """
    if len(right) == len(observed):
        found = dict.fromkeys(pair for pair in zip(right, observed, strict=True) if pair[0] != pair[1])
        return [*found] if len(found) == len(dict(found)) <= _MOST_OF_AN_ANSWER else []
    same = next((place for place in range(len(right)) if right[place] != observed[place : place + 1]), len(right))
    rest = len(right) - same - 1
    if rest < 0 or right[same + 1 :] != observed[len(observed) - rest :]:
        return []
    instead = observed[same : len(observed) - rest] or " "
    return [(right[same], instead)] if len(instead) <= _LONGEST and instead != right[same] else []


def _rule(table: Mapping[str, str]) -> str:
    if len(table) > 1:
        return SEVERAL
    ((one, other),) = table.items()
    return f"{_name(one)} becomes {_name(other)}"


def _name(text: str) -> str:
    if all("!" <= character <= "~" for character in text):
        return f"“{text}”"
    return " ".join(f"U+{ord(character):04X}" for character in text)
