"""Normalization forms of text that comes bit by bit.

The two sides of a place where the text can be cut are normalized apart: see
`reftok.fast.normalization_boundaries`.
"""

from __future__ import annotations

from collections.abc import Sequence

from reftok.engine.encode.rewriting import Rewrite, bert_steps, rewriter
from reftok.engine.sinks import StreamedStage, TextSink, hand_on_rewritten
from reftok.fast.normalization_boundaries import BEGINS, ENDS, boundaries
from reftok.rules.huggingface.normalizers import BertNormalizer, UnicodeForm
from reftok.unicode.characters import Form


class StreamedForm(StreamedStage):
    """Holds the text from the last place where it can be cut.

    rewrite: what is done to the text between two boundaries.
    keeps_ascii: whether ASCII stays as it is.
    """

    def __init__(self, form: Form, rewrite: Rewrite, sink: TextSink, keeps_ascii: bool = False) -> None:
        super().__init__(sink)
        self._boundaries = boundaries(form)
        self._open_ascii = frozenset(
            character for character in map(chr, range(128)) if self._boundaries[character] < ENDS
        )
        self._keeps_ascii = keeps_ascii
        self._rewrite = rewrite
        self._held = ""
        self._marks: list[str] = []
        self._marked = 0

    @property
    def held(self) -> int:
        """How many code points are held."""
        return len(self._held) + self._marked

    def text(self, fragment: str) -> None:
        cut = (
            len(fragment) - (fragment[-1] in self._open_ascii) if fragment.isascii() else self._last_boundary(fragment)
        )
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
        if self._keeps_ascii and ready.isascii():
            if ready:
                self.sink.text(ready)
        elif ready:
            self._hand_on(ready)

    def _last_boundary(self, fragment: str) -> int:
        """The last place in a fragment, its end included, where the text can be cut; -1 where there is none."""
        boundaries = self._boundaries
        if boundaries[fragment[-1]] & ENDS:
            return len(fragment)
        for place in range(len(fragment) - 1, -1, -1):
            if boundaries[fragment[place]] & BEGINS or (place and boundaries[fragment[place - 1]] & ENDS):
                return place
        return -1

    def _hand_on(self, ready: str) -> None:
        text = self._rewrite(ready)
        if text:
            self.sink.text(text)

    def end_pre_token(self) -> None:
        ready = "".join((self._held, *self._marks))
        self._held = ""
        self._marks.clear()
        self._marked = 0
        if ready:
            self._hand_on(ready)
        self.sink.end_pre_token()

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        if self._keeps_ascii and all(map(str.isascii, pre_tokens)):
            self.sink.pre_tokens(pre_tokens)
        else:
            hand_on_rewritten(pre_tokens, self._rewrite, self.sink)


class StreamedBert(StreamedStage):
    """BertNormalizer where it strips accents: rewrites by character, and a decomposition between them."""

    def __init__(self, normalizer: BertNormalizer, sink: TextSink) -> None:
        before, after = bert_steps(normalizer)
        self._form = StreamedForm("NFD", rewriter(after), sink)
        super().__init__(self._form)
        self._rewrite = rewriter(before)

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self._form.held

    def text(self, fragment: str) -> None:
        fragment = self._rewrite(fragment)
        if fragment:
            self._form.text(fragment)

    def end_pre_token(self) -> None:
        self._form.end_pre_token()


def stream_form(normalizer: UnicodeForm, sink: TextSink) -> StreamedForm:
    """The stage before `sink` that brings text into a normalization form."""
    return StreamedForm(normalizer.form, rewriter(normalizer), sink, keeps_ascii=True)
