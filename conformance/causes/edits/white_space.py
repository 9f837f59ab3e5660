r"""Ways to take other characters for white space than the library does, as the `\s` of other languages would."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial

from conformance.causes.edits.added_tokens import StripsLess, seen_otherwise
from conformance.causes.edits.fault import Faults, of_rules
from conformance.causes.edits.translated import TranslatedStep, splits_by_white_space, with_other_splits
from reftok import Tokenizer
from reftok.rules.pipeline import Pipeline
from reftok.unicode.characters import NONCHARACTER, WHITE_SPACE

ASCII_WHITE_SPACE = frozenset("\t\n\v\f\r ")
_SEPARATORS = WHITE_SPACE - {*"\t\n\v\f\r\x85"}
_INFORMATION_SEPARATORS = frozenset("\x1c\x1d\x1e\x1f")
_UNBREAKABLE = frozenset("\xa0\u2007\u202f")
_MEMBER = "\u2003"
"""White space that no pattern names."""

WHITE_SPACES: Mapping[str, frozenset[str]] = {
    "ECMAScript": ASCII_WHITE_SPACE | _SEPARATORS | {"\ufeff"},
    "Go": ASCII_WHITE_SPACE - {"\v"},
    "Java": (ASCII_WHITE_SPACE | _SEPARATORS | _INFORMATION_SEPARATORS) - _UNBREAKABLE,
    "Kotlin": ASCII_WHITE_SPACE | _SEPARATORS | _INFORMATION_SEPARATORS,
    "Python": WHITE_SPACE | _INFORMATION_SEPARATORS,
    "ICU": (ASCII_WHITE_SPACE - {"\v"}) | _SEPARATORS,
}
r"""Language or library to what is white space there. Rust, C# and Oniguruma agree about it, and are right.

Sources: ECMA-262, WhiteSpace and LineTerminator; package regexp/syntax of Go, whose set is also that of
`is_ascii_whitespace` in Rust; `Character.isWhitespace` of Java; `Char.isWhitespace` of Kotlin; `str.isspace` of Python;
the user guide of ICU, Regular Expressions, `\s`.
"""


_TAKEN: Mapping[str, Callable[[int, str], bool]] = {
    "one character is taken": lambda distance, character: distance == 0,
    "spaces alone are taken": lambda distance, character: character == " ",
}
"""What an added token takes of a run of white space."""


def of_white_space(tokenizer: Tokenizer) -> Faults:
    r"""The white space of another language in the pre-tokenizer, and in what added tokens strip.

    >>> import reftok
    >>> fault = next(of_white_space(reftok.load("bpe-qwen")))
    >>> fault.stage, fault.rule
    ('PreTokenizer', 'white space is that of ECMAScript')
    """
    splits = any(map(splits_by_white_space, with_other_splits(tokenizer.rules.pre_tokenizers)))
    strips = any(token.lstrip or token.rstrip for token in tokenizer.rules.added_tokens.tokens.values())
    for name, members in WHITE_SPACES.items():
        table = dict.fromkeys(map(ord, WHITE_SPACE - members), NONCHARACTER)
        table |= dict.fromkeys(map(ord, members - WHITE_SPACE), _MEMBER)
        concerns = partial(_has_any, frozenset(map(chr, table)))
        rule = f"white space is that of {name}"
        if splits:
            yield of_rules("PreTokenizer", rule, tokenizer, partial(_with_splits, tokenizer, table), concerns)
        if strips:
            yield of_rules("AddedTokens", rule, tokenizer, partial(seen_otherwise, tokenizer, table), concerns)
    if splits:
        table = dict.fromkeys(map(ord, WHITE_SPACE - {" "}), NONCHARACTER)
        spaces_alone = partial(_with_splits, tokenizer, table)
        yield of_rules("PreTokenizer", "only U+0020 counts as white space", tokenizer, spaces_alone)
    if strips:
        table = dict.fromkeys(map(ord, WHITE_SPACE - ASCII_WHITE_SPACE), NONCHARACTER)
        concerns = partial(_has_any, frozenset(map(chr, table)))
        strips_ascii = partial(seen_otherwise, tokenizer, table)
        yield of_rules("AddedTokens", "white space is that of ASCII", tokenizer, strips_ascii, concerns)
        for rule, takes in _TAKEN.items():
            for sides in (("lstrip", "rstrip"), ("lstrip",), ("rstrip",)):
                less = partial(_strips_less, tokenizer, sides, takes)
                yield of_rules("AddedTokens", f"{rule} by {' and '.join(sides)}", tokenizer, less)


def _strips_less(tokenizer: Tokenizer, sides: Collection[str], takes: Callable[[int, str], bool]) -> Pipeline:
    return replace(tokenizer.rules, added_tokens=StripsLess(tokenizer.rules.added_tokens, sides, takes))


def _has_any(characters: frozenset[str], text: str) -> bool:
    return not characters.isdisjoint(text)


def _with_splits(tokenizer: Tokenizer, table: Mapping[int, str]) -> Pipeline:
    steps = with_other_splits(
        tokenizer.rules.pre_tokenizers, splits_by_white_space, lambda step: TranslatedStep(step, table)
    )
    return replace(tokenizer.rules, pre_tokenizers=steps)
