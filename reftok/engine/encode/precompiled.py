r"""The character map of a sentencepiece model, as `tokenizers` applies it, on text that comes bit by bit.

It goes by grapheme clusters. Whether there is a boundary before a character depends on the text up to it, so that every
cluster but the last is final. And the text can be cut at any boundary: no rule of UAX #29 looks past one, but those for
regional indicators, which count them, and before a boundary between two there is an even number of them.

Of a long cluster the rules ask only for what begins with its last character that is no mark.

Where no rule of the map begins with the first character of a cluster, the cluster is no rule's, and its characters are
looked up alone: each is final as soon as it comes.
"""

from __future__ import annotations

import re

from reftok.engine.caches import Results
from reftok.engine.encode.rewriting import CLUSTERS_OF_ONE, longest_replacement, rewriter
from reftok.engine.sinks import StreamedStage, TextSink
from reftok.rules.huggingface.normalizers import Precompiled
from reftok.unicode.forms import Change
from reftok.unicode.graphemes import JOINED_BY_MARKS_ONLY, MARKS, REGIONAL_INDICATOR, class_letters, graphemes

_LONG = 32
_SHORT = 2
_MOST_REMEMBERED = 1 << 12
_MARKS = re.compile(f"[{MARKS}]+")
_FROM_LAST_BASE = re.compile(rf"(?:{REGIONAL_INDICATOR}+|[^{MARKS}])[{MARKS}]*\Z")


class StreamedPrecompiled(StreamedStage):
    """Holds the last cluster, in pieces where it is long; `_context` is what decides about its end.

    Nothing is held of a cluster whose characters are looked up alone; its beginning is then the `_context`.

    keeps_alignment: whether a stage behind asks where the text begins in the original (`OriginalStart`).
    """

    keeps_alignment = False

    def __init__(self, normalizer: Precompiled, sink: TextSink) -> None:
        super().__init__(sink)
        self._normalizer = normalizer
        self._rewrite = rewriter(normalizer)
        self._most_of_one = longest_replacement(normalizer.charsmap)
        self._rewritten = Results(self._rewrite, longest=_SHORT, capacity=_MOST_REMEMBERED)
        has_part = normalizer.charsmap.has_part
        self._begins_no_rule = Results(
            lambda character: class_letters(character) == JOINED_BY_MARKS_ONLY and not has_part(character),
            capacity=_MOST_REMEMBERED,
        )
        self._start_pre_token()

    def _start_pre_token(self) -> None:
        self._cluster = ""
        self._pieces: list[str] = []
        self._in_pieces = 0
        self._context = ""
        self._marks: list[str] = []
        self._has_written = False
        self._undecided = ""

    @property
    def held(self) -> int:
        """How many code points are held."""
        return len(self._cluster) + self._in_pieces + len(self._undecided)

    def text(self, fragment: str) -> None:
        cluster = self._cluster
        if not self._pieces and CLUSTERS_OF_ONE.fullmatch((cluster or self._context) + fragment) is not None:
            last = self._context = fragment[-1]
            if self._begins_no_rule[last]:
                self._cluster = ""
                self._hand_on(cluster + fragment)
                return
            self._cluster = last
            ready = cluster + fragment[:-1]
            if ready:
                self._hand_on(ready)
        elif self._context and not cluster and not self._pieces:
            self._go_on_alone(fragment)
        elif len(self._context) > _LONG and _MARKS.fullmatch(class_letters(fragment)):
            self._pieces.append(fragment)
            self._in_pieces += len(fragment)
            self._marks.append(fragment)
        else:
            self._find_boundaries(fragment)

    def _go_on_alone(self, fragment: str) -> None:
        """The characters that join a cluster of which nothing is held, and what is behind it."""
        rest = class_letters(fragment).lstrip(MARKS)
        size = len(fragment) - len(rest)
        for character in fragment[:size]:
            self._hand_on(character)
        if rest:
            self._context = ""
            self.text(fragment[size:])

    def _find_boundaries(self, fragment: str) -> None:
        context = "".join((self._context, *self._marks))
        self._marks.clear()
        clusters = graphemes(context + fragment)
        last = clusters[-1]
        if len(clusters) == 1:
            self._pieces.append(fragment)
            self._in_pieces += len(fragment)
        else:
            cut = len(fragment) - len(last)
            ready = "".join((self._cluster, *self._pieces, fragment[:cut]))
            self._pieces.clear()
            self._in_pieces = 0
            self._cluster = last
            self._hand_on(ready)
        self._context = _context_of(last)

    def _hand_on(self, ready: str) -> None:
        """Hand on what is rewritten.

        If the alignment counts, the first characters wait while the last of them is an inserted one: a character
        removed behind it would move that.
        """
        if self._undecided:
            ready, self._undecided = self._undecided + ready, ""
        if text := self._rewritten[ready] if len(ready) <= _SHORT else self._rewrite(ready):
            if (
                self.keeps_alignment
                and not self._has_written
                and len(text) <= self._most_of_one
                and self._ends_with_insertion(ready)
            ):
                self._undecided = ready
                return
            self._has_written = True
            self.sink.text(text)

    def _ends_with_insertion(self, ready: str) -> bool:
        """Whether the last character is an inserted one: if the next is removed, it will stand for that."""
        changes: list[Change] = []
        self._normalizer.add_changes(ready, changes)
        return changes[-1][1] == 1

    def end_pre_token(self) -> None:
        ready = "".join((self._cluster, *self._pieces))
        self._has_written = True
        if ready or self._undecided:
            self._hand_on(ready)
        self._start_pre_token()
        self.sink.end_pre_token()


def _context_of(cluster: str) -> str:
    """The part of a cluster that decides whether another character joins it."""
    if len(cluster) <= _LONG:
        return cluster
    found = _FROM_LAST_BASE.search(class_letters(cluster))
    return cluster if found is None else cluster[found.start() :]
