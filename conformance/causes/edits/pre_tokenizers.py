"""Ways to get the pre-tokenizer wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from conformance.causes.edits.added_tokens import with_normalizers
from conformance.causes.edits.fault import Fault, Faults, TextAnswer, of_rules, predicted, with_steps
from conformance.causes.edits.parameters import in_other_order, with_other_options
from conformance.causes.edits.pattern_edits import edits
from conformance.causes.edits.patterns import rewritten, spelled_out
from conformance.causes.edits.translated import TranslatedSplit, in_other_classes
from reftok import ReftokError, Tokenizer
from reftok.regex_dialects.pattern import Pattern, compile_oniguruma
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.huggingface.normalizers import Replace
from reftok.rules.huggingface.pre_tokenizers import GPT2_PATTERN, BertPreTokenizer, ByteLevel, Punctuation, Split
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.rules.stages import PreTokenizer
from reftok.rules.text import NormalizedString, Part, split_at
from reftok.unicode.characters import WHITE_SPACE, is_punctuation

MOST_CHARACTERS = 4
"""Of a text that are looked at when a class of characters is in doubt."""
_DOUBTFUL_ASCII = "\v\f\x1c\x1d\x1e\x1f"
"""White space that tables forget, and controls that some take for it."""


def of_pre_tokenizers(tokenizer: Tokenizer) -> Faults:
    """Patterns written otherwise, options that are not read, steps that are missing."""
    for index, step in enumerate(tokenizer.rules.pre_tokenizers):  # first: without cuts between, a Split is Contiguous
        yield _with(tokenizer, f"{type(step).__name__} is missing", index, ())
    for index, step in enumerate(tokenizer.rules.pre_tokenizers):
        yield from _of_step(tokenizer, index, step)
    if not tokenizer.rules.pre_tokenizers:
        words = Split(SPACE_SYMBOL, "MergedWithNext", False)
        build = partial(replace, tokenizer.rules, pre_tokenizers=(words,))
        yield of_rules("PreTokenizer", "text is split before each space", tokenizer, build)
    for rule, steps in in_other_order(tokenizer.rules.pre_tokenizers):
        yield of_rules("PreTokenizer", rule, tokenizer, partial(replace, tokenizer.rules, pre_tokenizers=steps))


def _of_step(tokenizer: Tokenizer, index: int, step: PreTokenizer) -> Faults:
    for rule, steps in _otherwise(step):
        yield _with(tokenizer, rule, index, steps)
    found = _pattern(step)
    if found is None:
        return
    pattern, rest = found
    others = [*rewritten(pattern)] + [("GPT-2's pattern", GPT2_PATTERN)] * (pattern != GPT2_PATTERN)
    for rule, changed in others:
        yield of_rules("PreTokenizer", rule, tokenizer, partial(_with_pattern, tokenizer, index, step, changed, rest))


def _otherwise(step: PreTokenizer) -> Iterator[tuple[str, tuple[PreTokenizer, ...]]]:
    if isinstance(step, ByteLevel):
        yield "bytes are not mapped: glyphs are taken for text", (Glyphs(),)
    if isinstance(step, BertPreTokenizer | Punctuation):
        yield "symbols of ASCII are not punctuation", (_WithoutSymbols(step),)
    yield from ((rule, (other,)) for rule, other in with_other_options(step))


class Glyphs:
    """ASCII by the byte table and everything else as it is: what a reader of a byte-level vocab must not do."""

    def pre_tokenize(self, splits: Sequence[Part]) -> list[Part]:
        return [part if part.tokens is not None else Part(_glyphs(part.normalized)) for part in splits]


_ASCII_SYMBOLS = frozenset("$+<=>^`|~")


class _WithoutSymbols:
    """Cuts at punctuation as a step does, but not at the symbols of ASCII."""

    def __init__(self, step: BertPreTokenizer | Punctuation) -> None:
        self.step = step

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        is_cut = lambda character: is_punctuation(character) and character not in _ASCII_SYMBOLS
        if isinstance(self.step, Punctuation):
            return split_at(parts, is_cut, self.step.behavior)
        return split_at(split_at(parts, WHITE_SPACE.__contains__, "Removed"), is_cut, "Isolated")


def _glyphs(normalized: NormalizedString) -> NormalizedString:
    text = "".join(to_byte_characters(one.encode()) if one.isascii() else one for one in normalized.text)
    return NormalizedString(text, normalized.original_start, normalized.alignments)


def of_classes(tokenizer: Tokenizer, text: str) -> Faults:
    """Characters of this text, one or all of them, that are taken for something else.

    So it is where a table of a class was made by hand, or is another Unicode version's. Which characters are wrong in
    other texts, it does not say.
    """
    doubtful = doubtful_characters(text)[:MOST_CHARACTERS]
    for characters in dict.fromkeys((*doubtful, "".join(doubtful))) if doubtful else ():
        yield from of_characters(tokenizer, characters)


def of_edited_patterns(tokenizer: Tokenizer, answers: Iterable[TextAnswer]) -> Iterator[Fault]:
    r"""The edits of a split pattern that explain at least one of these answers.

    >>> import reftok
    >>> tokenizer = reftok.load("bpe-gpt2")
    >>> apart = tokenizer.encode_ids("123", add_special_tokens=False) + tokenizer.encode_ids("4")
    >>> next(of_edited_patterns(tokenizer, [("1234", tokenizer.encode_ids("1234"), apart)])).rule
    'the pattern has “ ?\\p{N}{1,3}” for “ ?\\p{N}+”'
    """
    answers = [*answers]
    for fault in edited_patterns(tokenizer) if answers else ():
        if any(predicted(partial(fault.ids, text)) == [*observed] for text, _, observed in answers):
            yield fault


def edited_patterns(tokenizer: Tokenizer) -> Iterator[Fault]:
    """All single edits of all patterns, of those by which a normalizer replaces, too."""
    for index, normalizer in enumerate(tokenizer.rules.normalizers):
        if isinstance(normalizer, Replace) and (pattern := _oniguruma(normalizer.pattern)) is not None:
            for edit in edits(pattern):
                build = partial(_with_replaced, tokenizer, index, normalizer, edit.pattern)
                yield of_rules("Normalizer", edit.rule, tokenizer, build)
    for index, step in enumerate(tokenizer.rules.pre_tokenizers):
        found = _pattern(step)
        if found is not None:
            for edit in edits(spelled_out(found[0])):
                build = partial(_with_pattern, tokenizer, index, step, edit.pattern, found[1])
                yield of_rules("PreTokenizer", edit.rule, tokenizer, build)


def of_characters(tokenizer: Tokenizer, characters: str) -> Faults:
    """All of these characters taken for something else."""
    for index, step in enumerate(tokenizer.rules.pre_tokenizers):
        found = _pattern(step)
        if found is not None:
            pattern, rest = found
            for rule, table in in_other_classes(pattern, characters):
                yield _with(tokenizer, rule, index, (_translated(step, table), *rest))


def doubtful_characters(text: str) -> list[str]:
    r"""The characters of a text that tables of classes may differ about, each once.

    >>> doubtful_characters("a\u00e9\x0b\n\u00e9")
    ['é', '\x0b']
    """
    found = (character for character in text if not character.isascii() or character in _DOUBTFUL_ASCII)
    return list(dict.fromkeys(found))


def _translated(step: PreTokenizer, table: dict[int, str]) -> TranslatedSplit:
    if isinstance(step, Split) and isinstance(step.pattern, Pattern):
        return TranslatedSplit(step.pattern, step.behavior, step.invert, table)
    return TranslatedSplit(compile_oniguruma(GPT2_PATTERN), "Isolated", False, table)


def _pattern(step: PreTokenizer) -> tuple[str, tuple[PreTokenizer, ...]] | None:
    """The split pattern of a step, and the steps that do what else it does."""
    if isinstance(step, ByteLevel) and step.use_regex:
        return GPT2_PATTERN, (replace(step, use_regex=False),)
    pattern = _oniguruma(step.pattern) if isinstance(step, Split) else None
    return None if pattern is None else (pattern, ())


def _oniguruma(pattern: object) -> str | None:
    """A pattern in the syntax of Oniguruma; None for what is no regular expression, or has no such form."""
    try:
        return pattern.as_oniguruma() if isinstance(pattern, Pattern) else None
    except (KeyError, ReftokError):
        return None


def _with_replaced(tokenizer: Tokenizer, index: int, step: Replace, pattern: str) -> Pipeline:
    other = replace(step, pattern=compile_oniguruma(pattern))
    return with_normalizers(tokenizer.rules, with_steps(tokenizer.rules.normalizers, index, (other,)))


def _with_pattern(
    tokenizer: Tokenizer, index: int, step: PreTokenizer, pattern: str, rest: tuple[PreTokenizer, ...]
) -> Pipeline:
    compiled = compile_oniguruma(pattern)
    split = replace(step, pattern=compiled) if isinstance(step, Split) else Split(compiled, "Isolated", False)
    return replace(tokenizer.rules, pre_tokenizers=with_steps(tokenizer.rules.pre_tokenizers, index, (split, *rest)))


def _with(tokenizer: Tokenizer, rule: str, index: int, steps: tuple[PreTokenizer, ...]) -> Fault:
    changed = with_steps(tokenizer.rules.pre_tokenizers, index, steps)
    return of_rules("PreTokenizer", rule, tokenizer, lambda: replace(tokenizer.rules, pre_tokenizers=changed))
