"""Questions with settings that are drawn for a text: its parts as pairs and words, cut and padded in all ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeAlias

from conformance.core.settings import Padding, Question, Side, SpecialInText, Strategy, Text, Truncation

LONGEST, MOST_WORDS = 80, 5
"""Code points of a text, and words of a pre-tokenized one, that are asked."""
Count: TypeAlias = Callable[[tuple[Text, ...]], tuple[int, int]]
"""How many tokens an input has, and how many the template adds to it."""
_SIDES: tuple[Side, ...] = ("right", "left")
_STRATEGIES: tuple[Strategy, ...] = ("longest_first", "only_first", "only_second")


def drawn_questions(text: str, count: Count) -> list[Question]:
    """The questions of a text, always the same; first its parts by themselves, without any setting.

    >>> questions = drawn_questions("a b c d e f", lambda texts: (len(texts) * 9, 0))
    >>> questions[0] == Question((("a b c d e f",),))
    True
    >>> [sorted(one.needs) for one in questions if len(one.needs) == 1][::2]
    [['pair'], ['is_pretokenized'], ['truncation'], ['padding']]
    """
    return [*_drawn(text[:LONGEST], count, Random(text.encode("utf-8", "surrogatepass")))]


def special_questions(text: str, special: Sequence[str]) -> list[Question]:
    """The questions of a text with a special token: alone, and with special tokens matched, taken as text, and refused.

    special: the texts of all special tokens.

    >>> len(special_questions("a<e>", ["<e>", "<f>"])), special_questions("a<e>", ["<f>"])
    (9, [])
    """
    first = next(((one,) for one in special if one in text), None)
    if first is None:
        return []
    place = text.find(first[0])
    text = text[max(0, place - LONGEST) : place + len(first[0]) + LONGEST]
    others = tuple(one for one in special if one != first[0])
    choices = ((), None), (None, None), ((), ()), (first, None), (others, None), ((), others), ((), first), (others, ())
    asked = [Question(((text,),), special_in_text=SpecialInText(*choice)) for choice in choices]
    return [Question(((text,),)), *asked]  # the first shows mistakes that have nothing to do with settings


def _drawn(text: str, count: Count, chance: Random) -> Iterator[Question]:
    place = chance.randint(1, max(1, len(text) - 1))
    first, second = (text[:place], text[place:]) if len(text) > 1 else (text, text)
    words = tuple(text.split()[:MOST_WORDS]) or (text,)
    half = len(words) // 2
    for part in dict.fromkeys((text, first, second, *words)):
        yield Question(((part,),))
    pair, of_words = (first, second), (words[:half], words[half:]) if half else (words, words)
    yield Question((pair,))
    yield Question((pair,), add_special_tokens=False)
    yield Question(((words,),), chance.random() < 0.7, is_pretokenized=True)
    yield Question((of_words,), chance.random() < 0.7, is_pretokenized=True)
    for inputs in ((text,), (text,), pair, pair, pair):
        adds = chance.random() < 0.7
        yield Question((inputs,), adds, truncation=_truncation(inputs, adds, count, chance))
    for batch in (((text,),), ((first,), (text,)), (pair, (text, first))):
        yield Question(batch, chance.random() < 0.7, padding=_padding(max(map(count, batch))[0], chance))
    truncation = _truncation(pair, True, count, chance)
    yield Question((pair, (text, first)), truncation=truncation, padding=_padding(truncation.max_length, chance))
    truncation = _truncation(of_words, True, count, chance)
    yield Question((of_words,), True, True, truncation, _padding(truncation.max_length, chance))


def _truncation(inputs: tuple[Text, ...], adds: bool, count: Count, chance: Random) -> Truncation:
    """One that cuts something off most inputs, into few windows, and leaves room for a text and a stride."""
    each = [count((one,))[0] for one in inputs]
    strategy = chance.choice(_STRATEGIES) if len(each) > 1 else "longest_first"
    cut = {"only_first": 0, "only_second": 1}.get(strategy)
    kept = 0 if cut is None else sum(each) - each[cut]  # of these the other text stays whole
    most = sum(each) - kept - 1
    room = chance.randint(max(min(2, most), most // 3), most) if most > 0 else 1
    share = room if cut is not None else room // len(each)
    stride = chance.choice((0, chance.randint(0, share // 2 if share > 1 else 0)))
    return Truncation(kept + room + count(inputs)[1] * adds, stride, strategy, chance.choice(_SIDES))


def _padding(tokens: int, chance: Random) -> Padding:
    length = chance.choice((None, tokens + chance.randint(0, 5)))
    multiple = chance.choice((None, 3, 8))
    return Padding(length, multiple, chance.choice(_SIDES), chance.choice((0, 3, 7)), chance.choice((0, 1, 3)))
