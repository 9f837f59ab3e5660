"""What a subject is asked to tell faults apart, and to test them on inputs that they were not chosen by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, combinations
from typing import Any, TypeAlias

from conformance.causes.edits import predicted
from conformance.causes.edits.pre_tokenizers import doubtful_characters
from conformance.core.case import Case
from conformance.core.unicode_ages import of_each_age
from conformance.engine.bench import Bench
from conformance.engine.plan import Plan
from conformance.inputs.shards import corpus_cases
from reftok import Tokenizer

MOST_SAMPLES = 60
"""How many short texts of the corpora are asked, to see what a subject does with ordinary text."""
FRESH_OF_EACH = 25
"""Cases of each generator that are searched for inputs in the scope of a fault."""
LONGEST_MISSED = 20
"""Code points or ids of an input that is also asked with each of its places left out."""
_PROBED = "\t\v\f\r\x00\x1c\x1d\x1e\x1f\x85\xa0\u1680\u180e\u2000\u2007\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
"""Characters that programming languages treat differently, such as white space."""
MOST_REPLACED = 2
"""How many inputs on which a fault showed have characters replaced, and how many characters of each."""
_PROBING = ("a{0}b", " {0} a", "{0}.", "{0}.a", "e\u0301{0}", "e{0}\u0301")
_BESIDE = ("{0}", "a{0}", "{0}a", " {0} ")
_FRAMES = ("{0}a", "a{0}", "{0} a", "a {0}", "{0}{0}", "{0}.", ".{0}", "0{0}", "{0}0", "{0}\n", "the {0} word", "é{0}")
_WHITE_SPACE = re.compile(r"\s")
_FILLERS = ("x", "e", "0", "é", "，")
MOST_RIVALS = 8
ASKED_OF_EACH_PAIR = 4

Prediction: TypeAlias = Callable[[Case], object]
"""What a fault answers to a case, or None."""


def telling_cases(rivals: Sequence[Prediction], cases: Sequence[Case]) -> Iterator[Case]:
    """The first few cases for each pair of rivals that they do not answer alike."""
    pairs = Counter(dict.fromkeys(combinations(range(len(rivals)), 2), ASKED_OF_EACH_PAIR))
    for case in cases if pairs else ():
        answers = [rival(case) for rival in rivals]
        parted = [(one, other) for one, other in pairs if answers[one] != answers[other]]
        if parted:
            yield case
            pairs.subtract(parted)
            pairs = +pairs
            if not pairs:
                return


def sample_cases(plan: Plan) -> list[Case]:
    """Short texts from all over the corpora."""
    texts = [case for case in corpus_cases(plan.inputs.files) if case.kind == "text" and 0 < len(case.text) <= 200]
    return texts[:: max(1, len(texts) // MOST_SAMPLES)][:MOST_SAMPLES]


def drawn(bench: Bench, is_of_ids: bool, seed: str) -> Iterator[Any]:
    """What generators give to encode, or to decode, the same each time."""
    for case in bench.drawn_cases(FRESH_OF_EACH, f"{seed}:"):
        if not is_of_ids and case.kind == "text":
            yield case.text
        elif is_of_ids and case.kind == "ids":
            yield case.ids
        elif is_of_ids and case.kind == "text":
            yield tuple(bench.reference.tokenizer.encode_ids(case.text))


def around(tokenizer: Tokenizer, shown: Iterable[Any]) -> Iterator[Any]:
    """The inputs on which a fault showed, in parts, twice, and with a little text before or after them."""
    for asked in shown:
        if isinstance(asked, str):
            half = len(asked) // 2
            yield from filter(None, (asked[:half], asked[half:], asked * 2, asked[: half // 2]))
            yield from (frame.replace("{0}", asked) for frame in _FRAMES)
        else:
            plain = tuple(tokenizer.encode_ids("a", add_special_tokens=False))
            yield from ((*plain, *asked), (*asked, *plain), (*asked, *asked), (*plain, *asked, *plain))


def encoded_again(tokenizer: Tokenizer, texts: Iterable[str]) -> Iterator[tuple[int, ...]]:
    """The ids that the tokenizer gives for decoded texts, alone and within other text."""
    for text in texts:
        framed = (predicted(partial(tokenizer.encode_ids, frame.replace("{0}", text))) for frame in ("{0}", *_FRAMES))
        yield from (tuple(ids) for ids in framed if ids is not None)


def with_others(text: str) -> Iterator[str]:
    """A text with other characters in the place of each that tables may differ about: near it, and of each age."""
    for replaced in doubtful_characters(text)[:MOST_REPLACED]:
        near = (ord(replaced) + step for step in (-4096, -64, -1, 1, 64, 4096))
        characters = (chr(code) for code in near if 0 <= code < 0x110000 and not 0xD800 <= code < 0xE000)
        yield from (text.replace(replaced, other) for other in (*characters, *of_each_age(), *_PROBED))


def without_white_space(texts: Sequence[str]) -> Iterator[str]:
    """The texts with their white space replaced: what cuts at white space cuts them elsewhere, or not at all.

    >>> next(without_white_space(["a b c"]))
    'axbxc'
    """
    return (_WHITE_SPACE.sub(filler, text) for text in texts for filler in _FILLERS)


def with_white_space(texts: Sequence[str]) -> Iterator[str]:
    """Texts as long as these, with white space all through.

    >>> next(with_white_space(["abcdefgh"]))
    'ab  cd  '
    """
    every = ("ab  cd  e\n\n", "a\n\n", "abc \n\n\n", "a   b\r\n\r\n")
    return ((one * len(text))[: len(text)] for text in texts for one in every)


def probes() -> Iterator[str]:
    """Texts with what languages and tables of other ages do not agree about."""
    ages = [*of_each_age()]
    return chain(in_frames(_PROBED), map("a{0}".format, ages), map("{0}.a".format, ages))


def in_frames(characters: Iterable[str]) -> Iterator[str]:
    """Each of the characters beside others that a table may tell it from."""
    return (frame.format(one) for one in characters for frame in _PROBING)


def parts(asked: Any) -> Iterator[Any]:
    """A text or ids without one place; what begins or ends a word of a text; what begins or ends ids."""
    if len(asked) <= LONGEST_MISSED:
        yield from (asked[:place] + asked[place + 1 :] for place in range(len(asked)))
    for word in asked.split() if isinstance(asked, str) else (asked,):
        for place in range(len(word)):
            yield word[place:]
            yield word[: place + 1]


def beside_tokens(tokenizer: Tokenizer) -> Iterator[str]:
    """Every added token, alone and beside plain text."""
    tokens = tokenizer.rules.added_tokens.tokens.values()
    return (frame.format(one.content) for one in tokens for frame in _BESIDE)


def doubtful(texts: Sequence[str]) -> Iterator[str]:
    """The characters of the texts that tables may differ about, and what languages do not agree about, in frames."""
    own = dict.fromkeys(character for text in texts for character in doubtful_characters(text))
    return in_frames((*own, *_PROBED))
