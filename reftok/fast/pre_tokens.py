"""The pre-tokens of a text, for the pre-tokenizers that most models have: patterns, ByteLevel, Metaspace.

What these cut is found for a whole text at once, by `findall` or `split`. Other pre-tokenizers are asked themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Protocol, TypeAlias

import regex

from reftok.fast.re_patterns import ascii_pattern
from reftok.regex_dialects.pattern import Pattern, compile_oniguruma, needs_deadline
from reftok.rules.huggingface.pre_tokenizers import (
    GPT2_PATTERN,
    ByteLevel,
    Metaspace,
    Split,
    WhitespaceSplit,
)
from reftok.rules.patterns import pattern_matches
from reftok.rules.stages import PreTokenizer
from reftok.rules.text import NormalizedString
from reftok.rules.types import PrependScheme, Span
from reftok.unicode.characters import WHITE_SPACE

_OF_EACH_KIND = "aA0_. \n"
"""A character of each kind that most texts have: a pattern that leaves one of them out leaves gaps in every text."""
_WORDS = re.compile(f"[^{''.join(sorted(WHITE_SPACE))}]+")
_ONLY_OF_PYTHON = re.compile("[\x1c-\x1f]")
"""Characters that `str.split` takes for white space, and no tokenizer does."""

Place: TypeAlias = tuple[int, int]
"""Where a pre-token stands in the text, and how many characters stand before it that the text does not have."""


class PreTokens(Protocol):
    """How a text is cut into pre-tokens.

    is_raw: whether ByteLevel is still to write them in the characters of their bytes.
    is_whole: whether the text is one pre-token, which the model has to cut.
    """

    @property
    def is_raw(self) -> bool: ...

    @property
    def is_whole(self) -> bool: ...

    def words(self, part: NormalizedString) -> list[str]:
        """The pre-tokens of a part, which is not ""."""
        ...

    def located(self, part: NormalizedString) -> tuple[list[str], list[Place]]:
        """The pre-tokens, and the place of each in the text of the part."""
        ...


def known_pre_tokens(steps: Sequence[PreTokenizer]) -> PreTokens | None:
    """The fast form of the pre-tokenizers of a pipeline; None if their rules have to be asked.

    >>> known = known_pre_tokens([ByteLevel(add_prefix_space=False, use_regex=True)])
    >>> known.located(NormalizedString("Hello world"))
    (['Hello', ' world'], [(0, 0), (5, 0)])
    """
    match [step if type(step) in _KNOWN else None for step in steps]:
        case []:
            return WholeText()
        case [Metaspace(replacement, scheme, split)] if len(replacement) == 1:
            return MetaspaceWords(replacement, scheme, split)
        case [WhitespaceSplit(), Metaspace(replacement, "always" | "never" as scheme, True)] if len(replacement) == 1:
            return SplitMetaspaceWords(replacement, scheme == "always")
        case [*splits, ByteLevel(False, use_regex)] if splits or use_regex:
            cuts = [PatternCut.of(step) for step in splits]
            if use_regex:
                cuts.append(PatternCut(compile_oniguruma(GPT2_PATTERN), True))
            found = [cut for cut in cuts if cut is not None]
            return PatternWords(found) if len(found) == len(cuts) else None
    return None


_KNOWN = (ByteLevel, Metaspace, Split, WhitespaceSplit)
"""A class that is derived from one of these may cut otherwise."""


@dataclass(frozen=True, slots=True)
class WholeText:
    """No pre-tokenizers: the model takes the whole text."""

    is_raw = False
    is_whole = True

    def words(self, part: NormalizedString) -> list[str]:
        return [part.text]

    def located(self, part: NormalizedString) -> tuple[list[str], list[Place]]:
        return [part.text], [(0, 0)]


@dataclass(frozen=True, slots=True)
class MetaspaceWords:
    """Metaspace alone: spaces become the replacement, and each begins a word.

    >>> MetaspaceWords("▁", "first", True).located(NormalizedString("a b"))
    (['▁a', '▁b'], [(0, 1), (1, 0)])
    """

    replacement: str
    scheme: PrependScheme
    splits: bool
    is_raw = False

    @property
    def is_whole(self) -> bool:
        return not self.splits

    def words(self, part: NormalizedString) -> list[str]:
        return self._cut(part)[0]

    def _cut(self, part: NormalizedString) -> tuple[list[str], int]:
        """The pre-tokens, and how many characters were put before the first one."""
        replaced = part.text.replace(" ", self.replacement)
        prepends = part.original_start == 0 if self.scheme == "first" else self.scheme == "always"
        lead = int(prepends and replaced[0] != self.replacement)
        replaced = self.replacement * lead + replaced
        if not self.splits:
            return [replaced], lead
        first, *others = replaced.split(self.replacement)
        words = [*map(self.replacement.__add__, others)]
        return [first, *words] if first else words, lead

    def located(self, part: NormalizedString) -> tuple[list[str], list[Place]]:
        words, lead = self._cut(part)
        starts = accumulate(map(len, words[:-1]), initial=-lead)
        places = [(start, 0) for start in starts]
        places[0] = 0, lead
        return words, places


@dataclass(frozen=True, slots=True)
class SplitMetaspaceWords:
    """WhitespaceSplit and Metaspace: words between white space, each with the replacement before it.

    >>> SplitMetaspaceWords("▁", True).located(NormalizedString(" a  b"))
    (['▁a', '▁b'], [(1, 1), (4, 1)])
    """

    replacement: str
    prepends: bool
    is_raw = False
    is_whole = False

    def words(self, part: NormalizedString) -> list[str]:
        text = part.text
        if self.replacement in text:
            return self.located(part)[0]
        words = _WORDS.findall(text) if _ONLY_OF_PYTHON.search(text) else text.split()
        return [*map(self.replacement.__add__, words)] if self.prepends else words

    def located(self, part: NormalizedString) -> tuple[list[str], list[Place]]:
        if self.replacement not in part.text:
            return self.words(part), [(match.start(), int(self.prepends)) for match in _WORDS.finditer(part.text)]
        # A word is also cut before each replacement that stands in it.
        metaspace = MetaspaceWords(self.replacement, "always" if self.prepends else "never", True)
        words: list[str] = []
        places: list[Place] = []
        for match in _WORDS.finditer(part.text):
            found, within = metaspace.located(NormalizedString(match[0]))
            words += found
            places += [(match.start() + start, lead) for start, lead in within]
        return words, places


@dataclass(frozen=True, slots=True)
class PatternWords:
    """Patterns one after the other, and ByteLevel: a pre-token is what none of them cuts."""

    cuts: Sequence[PatternCut]
    is_raw = True
    is_whole = False

    def words(self, part: NormalizedString) -> list[str]:
        words = self.cuts[0].words(part.text)
        for cut in self.cuts[1:]:
            words = [word for before in words for word in cut.words(before)]
        return words

    def located(self, part: NormalizedString) -> tuple[list[str], list[Place]]:
        text = part.text
        spans = self.cuts[0].spans(text)
        for cut in self.cuts[1:]:
            spans = [
                (start + first, start + last) for start, end in spans for first, last in cut.spans(text[start:end])
            ]
        return [text[start:end] for start, end in spans], [(start, 0) for start, _ in spans]


class PatternCut:
    """Cuts a text at the matches of a pattern; they are pre-tokens, and so are the gaps if these are kept."""

    @classmethod
    def of(cls, step: object) -> PatternCut | None:
        """The cut of a Split that keeps all text, or only its matches; None for any other step."""
        match step:
            case Split(Pattern() as pattern, "Isolated", _):
                return cls(pattern, True)
            case Split(Pattern() as pattern, "Removed", True):
                return cls(pattern, False)
        return None

    def __init__(self, pattern: Pattern, keeps_gaps: bool) -> None:
        self._pattern = pattern
        self._keeps_gaps = keeps_gaps
        # `findall` gives the groups of a pattern that has any; one that may run away is matched with a deadline.
        is_simple = not pattern.compiled.groups and not pattern.may_run_away
        self._may_cover = is_simple and "".join(pattern.compiled.findall(_OF_EACH_KIND)) == _OF_EACH_KIND
        self._for_ascii = ascii_pattern(pattern.tree) if self._may_cover and pattern.tree is not None else None

    def words(self, text: str) -> list[str]:
        """The pre-tokens of a text."""
        words = self._covering(text)
        return [text[start:end] for start, end in self._spans(text)] if words is None else words

    def spans(self, text: str) -> list[Span]:
        """Where they stand."""
        words = self._covering(text)
        if words is None:
            return self._spans(text)
        ends = [*accumulate(map(len, words), initial=0)]
        return [*pairwise(ends)]

    def _covering(self, text: str) -> list[str] | None:
        """The matches, if they follow each other from the start of the text to its end: then there is no gap."""
        if not self._may_cover or needs_deadline(self._pattern, text):
            return None
        compiled: re.Pattern[str] | regex.Pattern[str] | None
        compiled = self._for_ascii if text.isascii() else None
        if compiled is None:
            compiled, prepared = self._pattern.for_text(text)
            if prepared is not text:
                return None
        words: list[str] = compiled.findall(text)
        # An empty match directly behind another one counts here, and not in Oniguruma.
        return words if len("".join(words)) == len(text) and "" not in words else None

    def _spans(self, text: str) -> list[Span]:
        matches = pattern_matches(self._pattern, text)
        return [(start, end) for start, end, is_match in matches if start < end and (is_match or self._keeps_gaps)]
