"""Where a pre-token can be cut for the pre-tokenizers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import regex

from reftok.rules.huggingface.pre_tokenizers import (
    GPT2_PATTERN,
    WORDS,
    BertPreTokenizer,
    ByteLevel,
    CharDelimiterSplit,
    Digits,
    FixedLength,
    Metaspace,
    Punctuation,
    Split,
    UnicodeScripts,
    Whitespace,
    WhitespaceSplit,
)
from reftok.rules.llama_cpp.characters import CLASSES, folded
from reftok.rules.llama_cpp.pre_tokenizers import ByteCharacters, DigitGroups, RegexSplit, ThousandsSplit
from reftok.rules.llama_cpp.wpm import BertWords, stands_alone
from reftok.rules.patterns import compile_oniguruma
from reftok.rules.stages import PreTokenizer
from reftok.rules.types import Span
from reftok.streams.cuts.splits import Step, class_step, pattern_step
from reftok.unicode.characters import WHITE_SPACE, is_numeric, is_punctuation, script

_BLANKS = class_step(WHITE_SPACE.__contains__, "Removed")
_NUMBERS = regex.compile(f"[{CLASSES['N']}]+")
_DIGIT = regex.compile("[0-9]")


class Steps(NamedTuple):
    """The steps of pre-tokenizers one after the other.

    is_open: whether the model gets the pre-tokens behind the last step, so that its own cuts count.
    reasons: why nothing can be cut behind the last step, and who says so.
    """

    steps: tuple[Step, ...]
    is_open: bool
    reasons: tuple[str, ...] = ()


def steps_of(pre_tokenizers: Sequence[PreTokenizer]) -> Steps:
    """The steps of pre-tokenizers, up to one that has none; a class that is not known here, derived ones too, has none.

    Between two pre-tokens of a step the text can be cut, whatever the stages behind it are.

    >>> len(steps_of([Digits(False), ByteLevel(False, True)]).steps)
    2
    """
    steps: list[Step] = []
    for pre_tokenizer in pre_tokenizers:
        found = _steps(pre_tokenizer)
        if isinstance(found, str):
            return Steps(tuple(steps), False, (found,))
        steps += found
        if isinstance(pre_tokenizer, ByteLevel | ByteCharacters):
            # Behind it a character is several: what follows is not asked for cuts within a pre-token.
            return Steps(tuple(steps), False)
    return Steps(tuple(steps), True)


def _steps(pre_tokenizer: PreTokenizer) -> list[Step] | str:
    if type(pre_tokenizer) not in _KNOWN:
        return f"{type(pre_tokenizer).__name__} is not streamed"
    step: Step | str
    match pre_tokenizer:
        case Split(pattern, behavior, invert):
            step = pattern_step(pattern, behavior, invert)
        case ByteLevel(use_regex=False) | ByteCharacters():
            return []
        case ByteLevel():
            step = pattern_step(compile_oniguruma(GPT2_PATTERN))
        case Whitespace():
            step = pattern_step(WORDS, "Removed", True)
        case RegexSplit():
            step = pattern_step(pre_tokenizer.pattern, reading=pre_tokenizer.read)
        case Metaspace():
            step = _metaspace(pre_tokenizer)
        case WhitespaceSplit():
            step = _BLANKS
        case CharDelimiterSplit(delimiter):
            step = pattern_step(delimiter, "Removed")
        case Digits(individual_digits):
            step = class_step(is_numeric, "Isolated" if individual_digits else "Contiguous")
        case Punctuation(behavior):
            step = class_step(is_punctuation, behavior)
        case BertPreTokenizer():
            return [_BLANKS, class_step(is_punctuation, "Isolated")]
        case BertWords():
            return [_BLANKS, class_step(stands_alone, "Isolated")]
        case FixedLength(length):
            step = Step(partial(_fixed_lengths, length))
        case UnicodeScripts():
            step = Step(_scripts)
        case DigitGroups():
            step = Step(_digit_groups)
        case _:
            step = Step(_before_digits)
    return step if isinstance(step, str) else [step]


_KNOWN = frozenset({
    Split, ByteLevel, ByteCharacters, Whitespace, RegexSplit, Metaspace, WhitespaceSplit, CharDelimiterSplit, Digits,
    Punctuation, BertPreTokenizer, BertWords, FixedLength, UnicodeScripts, DigitGroups, ThousandsSplit,
})  # fmt: skip


def _metaspace(metaspace: Metaspace) -> Step | str:
    def rewrite(text: str) -> str:
        return text.replace(" ", metaspace.replacement)

    if not metaspace.split:
        return Step(lambda text: ([], len(text)), rewrite=rewrite)
    step = pattern_step(metaspace.replacement, "MergedWithNext")
    return step if isinstance(step, str) else Step(lambda text: step.matches(rewrite(text)), step.behavior, rewrite=rewrite)


def puts_before(pre_tokenizer: PreTokenizer) -> bool:
    """Whether it puts something before the pre-tokens that it is given."""
    match pre_tokenizer:
        case ByteLevel(add_prefix_space):
            return add_prefix_space
        case Metaspace(prepend_scheme=scheme):
            return scheme != "never"
        case _:
            return False


def without_prefix(pre_tokenizer: PreTokenizer) -> PreTokenizer:
    """The pre-tokenizer for what goes on with a pre-token that was cut."""
    match pre_tokenizer:
        case ByteLevel(_, use_regex):
            return ByteLevel(False, use_regex)
        case Metaspace(replacement, _, split):
            return Metaspace(replacement, "never", split)
        case _:
            return pre_tokenizer


def prefix_of(pre_tokenizer: PreTokenizer, text: str) -> str:
    """What it puts before the beginning of a pre-token, if the scheme is not "first"."""
    match pre_tokenizer:
        case ByteLevel(True):
            return "" if text.startswith(" ") else " "
        case Metaspace(replacement):
            return "" if text.startswith((" ", replacement)) else replacement
        case _:
            return ""


def _fixed_lengths(length: int, text: str) -> tuple[list[Span], int]:
    settled = len(text) // length * length
    return [(start, start + length) for start in range(0, settled, length)], settled


def _scripts(text: str) -> tuple[list[Span], int]:
    """The runs of one script but for the last; what has no script goes with the run before it."""
    starts: list[int] = []
    previous = None
    for place, character in enumerate(text):
        here = script(character)
        if here is not None and here != previous:
            starts.append(place)
            previous = here
    return [*zip(starts, starts[1:], strict=False)], starts[-1] if starts else 0


def _digit_groups(text: str) -> tuple[list[Span], int]:
    """The groups of the runs that have ended, counted from their ends, each with the text before its run."""
    settled = len(text)
    ends = [0]
    for run in _NUMBERS.finditer(folded(text)):
        start, end = run.span()
        if end == len(text):
            settled = start
        else:
            ends += range(start + ((end - start) % 3 or 3), end + 1, 3)
    return [*zip(ends, ends[1:], strict=False)], settled


def _before_digits(text: str) -> tuple[list[Span], int]:
    """No match, and nothing decided from the first digit on: where its run is cut depends on the end of the run."""
    found = _DIGIT.search(text)
    return [], len(text) if found is None else found.start()
