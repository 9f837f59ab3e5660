"""The streamed form of `reftok.spec.sentencepiece.normalizer`.

It holds the text from where a longer text could match a longer rule or symbol, and the spaces that may turn out to be
the last.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from typing import TypeAlias

import regex

from reftok.engine.caches import Results, TwoGenerationCache
from reftok.engine.encode.sentencepiece_prefixes import Prefixes, prefixes
from reftok.engine.sinks import StreamedStage, TextSink
from reftok.spec.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.unicode.characters import REPLACEMENT_CHARACTER

_SHORT = 16
_SPACES = regex.compile("  +")
_INVALID = regex.compile("[\udc80-\udcff]")
_WORDS = regex.compile("[^ ]* ")

Step: TypeAlias = tuple[tuple[str, ...], str]
"""The rewritten text before spaces are trimmed, cut where spaces are not collapsed across; and what is still open."""


AsciiRules: TypeAlias = tuple[dict[int, str], str]
"""The replacements of ASCII characters that do not stay as they are, and the characters that this does not hold for."""


class _Alone(dict[str, str | None]):
    """The result for a character whatever follows it; None where that is not known from the character alone."""

    def __init__(self, found: Prefixes) -> None:
        super().__init__()
        self._prefixes = found

    def __missing__(self, character: str) -> str | None:
        part, _, is_open = self._prefixes.at(character, 0)
        found = self[character] = None if is_open or "  " in part else part
        return found


class _NotAlone(Exception):
    """A word that other text can change, or spaces within it be collapsed with others."""


class Replacer:
    """Rewrites every prefix of a text that longer text cannot change, by symbol, rule and character.

    Spaces are collapsed within what it gives where the options say so, but within a replacement they stay.
    """

    def __init__(self, normalizer: SentencePieceNormalizer) -> None:
        self._normalizer = normalizer
        self._collapses = normalizer.options.remove_extra_whitespaces
        self._is_plain = normalizer.symbols is None and normalizer.charsmap is None
        self._words: Results[str] = Results(self._word)
        self._ascii: AsciiRules | None = None
        self._short: TwoGenerationCache[Step] = TwoGenerationCache(1 << 13)
        self._prefixes = prefixes(normalizer)
        self._alone = _Alone(self._prefixes)

    def step(self, text: str) -> Step:
        """The text rewritten as far as it is final.

        >>> Replacer(SentencePieceNormalizer()).step("a  b ")
        (('a b ',), '')
        """
        if len(text) > _SHORT or self._is_plain:
            return self._step(text)
        found = self._short.get(text)
        if found is None:
            found = self._step(text)
            self._short.put(text, found)
        return found

    def _step(self, text: str) -> Step:
        if self._is_plain:
            text = text if text.isascii() else _INVALID.sub(REPLACEMENT_CHARACTER, text)
            return (self._collapsed(text),), ""
        if len(text) > _SHORT and text.isascii():
            table, others = self._ascii = self._ascii or ascii_rules(self._normalizer)
            if not any(map(text.__contains__, others)):
                behind, rest = self.prefixes(text[-1], is_end=False)
                before = text[:-1].translate(table) if table else text[:-1]
                return (self._collapsed("".join((before, *behind))),), rest
        parts, start = self._words_alone(text) if len(text) > _SHORT else ([], 0)
        behind, rest = self.prefixes(text[start:], is_end=False)
        if not parts:
            return behind, rest
        before = "".join(parts)
        if behind and "  " not in behind[0]:
            before, behind = before + behind[0], behind[1:]
        return (self._collapsed(before), *behind), rest

    def _words_alone(self, text: str) -> tuple[list[str], int]:
        """The words that a text begins with and no other text can change, rewritten, and where they end."""
        words: list[str] = _WORDS.findall(text)
        parts: list[str] = []
        with suppress(_NotAlone):
            parts.extend(map(self._words.__getitem__, words))
        return parts, sum(map(len, words[: len(parts)]))

    def _word(self, word: str) -> str:
        found, rest = self.prefixes(word, is_end=False)
        if rest or any("  " in run for run in found):
            raise _NotAlone
        return "".join(found)

    def _collapsed(self, text: str) -> str:
        return _SPACES.sub(" ", text) if self._collapses and "  " in text else text

    def end_of_spaces(self, text: str) -> int:
        """How many characters a text begins with that are spaces whatever follows them."""
        alone = self._alone
        if not text or alone[text[0]] != " ":
            return 0
        return len(text) - len(text.lstrip("".join(character for character in set(text) if alone[character] == " ")))

    def prefixes(self, text: str, is_end: bool) -> Step:
        """The same, prefix by prefix; at the end of the part nothing is open."""
        every = list(map(self._alone.__getitem__, text))
        if None not in every:
            return tuple(filter(None, (self._collapsed("".join(filter(None, every))),))), ""
        runs: list[str] = []
        run: list[str] = []
        position = 0
        prefix, alone = self._prefixes.at, self._alone
        while position < len(text):
            known = alone[text[position]]
            if known is not None:
                run.append(known)
                position += 1
                continue
            part, length, is_open = prefix(text, position)
            if is_open and not is_end:
                break
            if "  " in part:
                runs += [self._collapsed("".join(run)), part]
                run = []
            else:
                run.append(part)
            position += length
        return tuple(filter(None, [*runs, self._collapsed("".join(run))])), text[position:]


def ascii_rules(normalizer: SentencePieceNormalizer) -> AsciiRules:
    r"""A table for `str.translate` and the characters that it does not tell enough about.

    What becomes of an ASCII character before another one is known from the character alone, unless a symbol begins with
    it, a rule goes on with a second one, or two spaces come out.

    >>> ascii_rules(SentencePieceNormalizer())
    ({}, '\x00')
    """
    table: dict[int, str] = {}
    others = {"\0", *(normalizer.symbols.first_characters if normalizer.symbols is not None else ())}
    charsmap = normalizer.charsmap
    for code in range(1, 128):
        if charsmap is None or (found := charsmap.step(charsmap.root(), bytes([code]))) is None:
            continue
        node, value = found
        if value is not None:
            table[code] = charsmap.replacement(value)
        if charsmap.goes_on_in_ascii(node) or "  " in table.get(code, ""):
            others.add(chr(code))
    return table, "".join(sorted(filter(str.isascii, others)))


@lru_cache(maxsize=32)
def replacer(normalizer: SentencePieceNormalizer) -> Replacer:
    """The replacer of a normalizer, with what it remembers: one for all its streams."""
    return Replacer(normalizer)


class StreamedSentencePieceNormalizer(StreamedStage):
    """Holds what is open, and how many spaces (as they are written in the end) may be the last."""

    def __init__(self, normalizer: SentencePieceNormalizer, sink: TextSink) -> None:
        super().__init__(sink)
        options = normalizer.options
        self._prefix = prefixes(normalizer).at
        self._replacer = replacer(normalizer)
        self._step = self._replacer.step
        self._space = "▁" if options.escape_whitespaces else " "
        self._trims = options.remove_extra_whitespaces
        self._has_prefix = options.add_dummy_prefix and not options.treat_whitespace_as_suffix
        self._has_suffix = options.add_dummy_prefix and options.treat_whitespace_as_suffix
        self._start_part()

    def _start_part(self) -> None:
        self._open = ""
        self._is_begun = False
        self._follows_space = self._trims
        self._spaces = 0

    @property
    def held(self) -> int:
        """How many code points are held."""
        return len(self._open) + self._spaces

    def text(self, fragment: str) -> None:
        if not self._is_begun and not (fragment := self._begun(self._open + fragment, is_end=False)):
            return
        runs, self._open = self._step(self._open + fragment)
        for run in runs:
            self._hand_on(run)

    def _begun(self, text: str, is_end: bool) -> str:
        """The text without the spaces that it begins with; '' while nothing else has come, and what is open is kept."""
        position = self._replacer.end_of_spaces(text) if self._trims else 0
        self._open = ""
        while self._trims and position < len(text):
            part, length, is_open = self._prefix(text, position)
            if is_open and not is_end:
                self._open = text[position:]
                return ""
            if part != " ":
                break
            position += length
        text = text[position:]
        if text:
            self._is_begun = True
            self._begin()
        return text

    def _begin(self) -> None:
        if self._has_prefix:
            if self._trims:
                self._spaces = 1
            else:
                self.sink.text(self._space)

    def _hand_on(self, run: str) -> None:
        """A run of replaced text; what is `▁` in the text itself is a space as well, but only at the end."""
        if self._trims:
            if not self._spaces and not self._follows_space and " " not in run and self._space not in run:
                self.sink.text(run)
                return
            if self._follows_space:
                run = run.lstrip(" ")
                if not run:
                    return
            self._follows_space = run[-1] == " "
        text = run.replace(" ", self._space)
        if self._trims:
            text = self._without_last_spaces(text)
        if text:
            self.sink.text(text)

    def _without_last_spaces(self, text: str) -> str:
        size = len(text)
        spaces = self._spaces
        if text[-1] == self._space:
            text = text.rstrip(self._space)
            if not text:
                self._spaces += size
                return ""
            self._spaces = size - len(text)
        else:
            self._spaces = 0
        return self._space * spaces + text if spaces else text

    def end_part(self) -> None:
        if self._open and not self._is_begun:
            self._open = self._begun(self._open, is_end=True)
        if self._is_begun:
            runs, _ = self._replacer.prefixes(self._open, is_end=True)
            for run in runs:
                self._hand_on(run)
            if self._has_suffix:
                self.sink.text(self._space)
        self._start_part()
        self.sink.end_part()
