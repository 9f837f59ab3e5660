"""Normalization forms of text that comes bit by bit.

The text can be cut, and the two sides normalized apart, at two kinds of places. Before a character whose full
decomposition begins with a starter that composes with nothing before it: marks are sorted up to it and no further, and
it begins anew whatever state composition is in. And behind a character whose full decomposition ends with a starter
that composes with nothing at all: no mark is sorted before it, and it blocks the way to every starter before it. Where
nothing is composed every starter will do. Source of the forms: Unicode Standard Annex #15, with the first rule.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache

from reftok.normalizers import BertNormalizer, UnicodeForm
from reftok.rewriting import Rewrite, bert_steps, rewriter
from reftok.stages import Normalizer
from reftok.streaming.sinks import StreamedStage, TextSink, hand_on_rewritten, rewritten
from reftok.unicode import Form, combining_class, composition, decomposition

_BEGINS, _ENDS = 1, 2
_LAST_WITH_COMPOSITION = 0x2FFFF
_LEADING_JAMO, _VOWEL_JAMO, _TRAILING_JAMO = range(0x1100, 0x1113), range(0x1161, 0x1176), range(0x11A8, 0x11C3)
_SYLLABLES_WITHOUT_TRAILING_JAMO = range(0xAC00, 0xD7A4, 28)
"""Source: the Unicode Standard, section 3.12, Conjoining Jamo Behavior."""


class _Cuts(dict[str, int]):
    """For each character whether the text can be cut before it (1), behind it (2), both (3) or neither (0)."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self._compatible = "K" in form
        self._firsts, self._seconds = _composing() if form.endswith("C") else (frozenset[str](), frozenset[str]())

    def __missing__(self, character: str) -> int:
        decomposed = decomposition(character, self._compatible)
        first, last = decomposed[0], decomposed[-1]
        begins = not combining_class(first) and first not in self._seconds
        ends = not combining_class(last) and last not in self._firsts and last not in self._seconds
        found = self[character] = _BEGINS * begins + _ENDS * ends
        return found


@cache
def cuts(form: Form) -> _Cuts:
    r"""Where a text can be cut for a form, by character.

    >>> [cuts("NFC")[character] for character in "a \u0301"], cuts("NFD")["a"]
    ([1, 3, 0], 3)
    """
    return _Cuts(form)


@cache
def _composing() -> tuple[frozenset[str], frozenset[str]]:
    """The characters that compose with one behind them, and those that compose with one before them."""
    firsts = {*map(chr, _LEADING_JAMO), *map(chr, _SYLLABLES_WITHOUT_TRAILING_JAMO)}
    seconds = {*map(chr, _VOWEL_JAMO), *map(chr, _TRAILING_JAMO)}
    for decomposed in filter(None, map(unicodedata.decomposition, map(chr, range(_LAST_WITH_COMPOSITION + 1)))):
        parts = decomposed.split()
        if len(parts) == 2 and parts[0][0] != "<":
            first_character, second_character = (chr(int(part, 16)) for part in parts)
            if composition(first_character, second_character) is not None:
                firsts.add(first_character)
                seconds.add(second_character)
    return frozenset(firsts), frozenset(seconds)


class StreamedForm(StreamedStage):
    """Holds the text from the last place where it can be cut.

    normalizer, rewrite: what is done to the text between two cuts, with and without its alignment.
    keeps_ascii: whether ASCII stays as it is.
    """

    def __init__(
        self, form: Form, normalizer: Normalizer, rewrite: Rewrite, sink: TextSink, keeps_ascii: bool = False
    ) -> None:
        super().__init__(sink)
        self._cuts = cuts(form)
        self._open_ascii = frozenset(character for character in map(chr, range(128)) if self._cuts[character] < _ENDS)
        self._keeps_ascii = keeps_ascii
        self._normalizer = normalizer
        self._rewrite = rewrite
        self._held = ""
        self._marks: list[str] = []
        self._marked = 0
        self._at_start = 0

    @property
    def held(self) -> int:
        """How many code points are held."""
        return len(self._held) + self._marked

    def text(self, fragment: str, at_start: int = 0) -> None:
        cut = len(fragment) - (fragment[-1] in self._open_ascii) if fragment.isascii() else self._last_cut(fragment)
        if at_start:
            self._at_start += at_start
        if cut < 0:
            self._marks.append(fragment)
            self._marked += len(fragment)
            return
        ready = self._held + fragment[:cut]
        if self._marks:
            ready = "".join((self._held, *self._marks, fragment[:cut]))
            self._marks.clear()
            self._marked = 0
        self._held = fragment[cut:]
        if self._keeps_ascii and ready.isascii() and not self._at_start:
            if ready:
                self.sink.text(ready)
        elif ready:
            self._hand_on(ready)

    def _last_cut(self, fragment: str) -> int:
        """The last place in a fragment, its end included, where the text can be cut; -1 where there is none."""
        cuts = self._cuts
        if cuts[fragment[-1]] & _ENDS:
            return len(fragment)
        for place in range(len(fragment) - 1, -1, -1):
            if cuts[fragment[place]] & _BEGINS or (place and cuts[fragment[place - 1]] & _ENDS):
                return place
        return -1

    def _hand_on(self, ready: str) -> None:
        at_start = 0
        if self._at_start:
            size = min(self._at_start, len(ready))
            self._at_start -= size
            text, at_start = rewritten(self._normalizer, ready, size)
        else:
            text = self._rewrite(ready)
        if text:
            self.sink.text(text, at_start)

    def end_part(self) -> None:
        ready = "".join((self._held, *self._marks))
        self._held = ""
        self._marks.clear()
        self._marked = 0
        if ready:
            self._hand_on(ready)
        self._at_start = 0
        self.sink.end_part()

    def parts(self, parts: Sequence[str]) -> None:
        hand_on_rewritten(parts, self._rewrite, self.sink)


class StreamedBert(StreamedStage):
    """BertNormalizer where it strips accents: rewrites by character, and a decomposition between them."""

    def __init__(self, normalizer: BertNormalizer, sink: TextSink) -> None:
        self._before, after = bert_steps(normalizer)
        self._form = StreamedForm("NFD", after, rewriter(after), sink)
        super().__init__(self._form)
        self._rewrite = rewriter(self._before)

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self._form.held

    def text(self, fragment: str, at_start: int = 0) -> None:
        if at_start:
            fragment, at_start = rewritten(self._before, fragment, at_start)
        else:
            fragment = self._rewrite(fragment)
        if fragment:
            self._form.text(fragment, at_start)

    def end_part(self) -> None:
        self._form.end_part()


def stream_form(normalizer: UnicodeForm, sink: TextSink) -> StreamedForm:
    """The stage before `sink` that brings text into a normalization form."""
    return StreamedForm(normalizer.form, normalizer, rewriter(normalizer), sink, keeps_ascii=True)
