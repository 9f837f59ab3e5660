"""The stages from a text to its ids, each with the tail of its text that something that follows may still change.

    text ─added tokens─▶ ─normalizers─▶ ─added tokens─▶ ─pre-tokenizers─▶ ─model─▶ ids

Items go from stage to stage: more text of a part, None at the end of a part, and the id of an added token between two
parts. A part is the whole text at first, then a segment between added tokens, then a pre-token. How much of its tail a
stage may hand on, the pure functions of `cuts/` say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import TypeAlias

from reftok.limits import MOST_SCANS, MOST_STREAMED_STAGES
from reftok.limits.growth import refuse_expansion
from reftok.regex_dialects.executor import Deadline
from reftok.regex_dialects.pattern import Pattern
from reftok.rules.huggingface.normalizers import Lowercase, Prepend, UnicodeForm
from reftok.rules.huggingface.pre_tokenizers import Metaspace
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.text import JOINED
from reftok.streams.cuts.added_tokens import TokenSearch, token_searches
from reftok.streams.cuts.models import AT_START, Carried, ModelParts
from reftok.streams.cuts.normalizers import NORMALIZERS, SentencePieceState, sentencepiece, sentencepiece_of_short
from reftok.streams.cuts.patterns import MOST_CONTEXT, Cuts, Rewrite
from reftok.streams.cuts.pre_tokenizers import PRE_TOKENIZERS

Item: TypeAlias = str | int | None

_SMALL = 64
"""A tail of more code points that has no cut is looked at again when it has grown by a quarter, so that all looks
together take time in proportion to the text."""
_SHORT = 16
"""Code points of a fragment up to which its normalization is remembered."""
_ANY = "."
"""Stands before a part that does not begin the text."""
_AT_ONCE = 2_000_000
"""So many code points a text may grow by before it is known how long it will be."""


class Stage(ABC):
    """A stage and its tail.

    why_uncut: why it hands nothing on before the end of a part, '' if it does.
    held: how many code points the tail has.
    _before: the characters before the tail that may count, '' at the start of a part.
    _kept: how many code points are held in the state of a stage, which is not the tail.
    """

    why_uncut = ""

    def __init__(self) -> None:
        self._tail = self._before = ""
        self._pending: list[str] = []
        self._next_look = self._kept = 0
        self.held = 0

    def take(self, items: Sequence[Item]) -> list[Item]:
        """What becomes of items, as far as it is sure."""
        out: list[Item] = []
        for item in items:
            if isinstance(item, str):
                self._pending.append(item)
                self.held += len(item)
            elif item is None:
                self._hand_on_tail(out, ends=True)
                out.append(None)
            else:
                out.append(item)
        # No end of the part (None) has followed the pending text, so more text of it may follow.
        if self._pending and self.held >= self._next_look:
            self._hand_on_tail(out, ends=False)
        return out

    def _hand_on_tail(self, out: list[Item], ends: bool) -> None:
        tail = self._tail
        if self._pending:
            tail += "".join(self._pending)
            self._pending.clear()
        end = self._hand_on(tail, ends, out)
        if ends:
            self._before = self._tail = ""
        elif end:
            self._before = (self._before + tail[max(end - MOST_CONTEXT, 0) : end])[-MOST_CONTEXT:]
            self._tail = tail[end:]
        else:
            self._tail = tail
        self.held = held = len(self._tail) + self._kept
        self._next_look = held + held // 4 if held >= _SMALL else 0

    @abstractmethod
    def _hand_on(self, tail: str, ends: bool, out: list[Item]) -> int:
        """Hand on what is sure of the tail, all of it if the part ends; how much that is."""


class Whole(Stage):
    """All stages of a pipeline: their plain rules are asked at the end of the text."""

    def __init__(self, pipeline: Pipeline, why_uncut: str) -> None:
        super().__init__()
        self._pipeline, self.why_uncut = pipeline, why_uncut

    def _hand_on(self, tail: str, ends: bool, out: list[Item]) -> int:
        if not ends:
            return 0
        out += [token.id for part in self._pipeline.tokenized(tail) for token in part.tokens or ()]
        return len(tail)


class Rewriting(Stage):
    """A normalizer, or a pre-tokenizer that rewrites its text. size: how much text it has made."""

    def __init__(self, rewrite: Rewrite) -> None:
        super().__init__()
        self._rewrite, self.why_uncut = rewrite, rewrite.why_uncut
        self._has_begun = False
        self.size = 0

    def _hand_on(self, tail: str, ends: bool, out: list[Item]) -> int:
        before = self._before or _ANY * self._has_begun
        text, end = self._rewrite.rewrite(tail, before, ends) if tail or self._before else ("", 0)
        self._has_begun |= ends and self._rewrite.only_first
        if text:
            self.size += len(text)
            out.append(text)
        return end


class Folding(Stage):
    """A normalizer of sentencepiece, as a fold over the fragments of a text. size: how much text it has made."""

    def __init__(self, normalizer: SentencePieceNormalizer) -> None:
        super().__init__()
        self._normalizer, self._state = normalizer, SentencePieceState()
        self.size = 0

    def _hand_on(self, tail: str, ends: bool, out: list[Item]) -> int:
        fold = sentencepiece_of_short if len(tail) <= _SHORT else sentencepiece
        text, state = fold(self._normalizer, self._state, tail, ends)
        self._state = SentencePieceState() if ends else state
        self._kept = self._state.held
        if text:
            self.size += len(text)
            out.append(text)
        return len(tail)


class CuttingOut(Stage):
    """The added tokens. Whether a token stands alone depends on the character before the tail as well."""

    def __init__(self, search: TokenSearch) -> None:
        super().__init__()
        self._search = search

    def _hand_on(self, tail: str, ends: bool, out: list[Item]) -> int:
        before = self._before[-1:]
        text, start = before + tail, len(before)
        found, end = self._search.decided(text, start, ends)
        out += found
        return end - start


class Cutting(Stage):
    """A pre-tokenizer that cuts at matches. _last: whether the last piece of a part was a match, None at its start."""

    def __init__(self, cuts: Cuts) -> None:
        super().__init__()
        self._matches, self.why_uncut = cuts.matches, cuts.why_uncut
        # In `_joined`, True is a match. JOINED is about delimiters, and `invert` makes the gaps delimiters.
        self._joined = {(left ^ cuts.invert, right ^ cuts.invert) for left, right in JOINED[cuts.behavior]}
        self._joined.add((False, False))  # two parts of one gap
        self._ends_at_once = self._joined.isdisjoint(((True, True), (True, False)))
        self._removed = not cuts.invert if cuts.behavior == "Removed" else None
        self._last: bool | None = None

    def _hand_on(self, tail: str, ends: bool, out: list[Item]) -> int:
        spans, settled = self._matches(tail, self._before, ends) if tail else ((), 0)
        place = 0
        for start, end in spans:
            if place < start:
                self._hand_on_piece(tail[place:start], False, out)
            self._hand_on_piece(tail[start:end], True, out)
            place = end
        if place < settled:
            self._hand_on_piece(tail[place:settled], False, out)
        if ends:
            self._last = None
        return settled

    def _hand_on_piece(self, text: str, is_match: bool, out: list[Item]) -> None:
        if self._last is not None and (self._last, is_match) not in self._joined:
            out.append(None)
        self._last = is_match
        if text and is_match is not self._removed:
            out.append(text)
        if is_match and self._ends_at_once:
            out.append(None)
            self._last = None


class Tokenizing(Stage):
    """The model. _carried: what the parts of the pre-token so far hand to the next; None if it was not cut yet."""

    def __init__(self, model: ModelParts) -> None:
        super().__init__()
        self._model, self.why_uncut = model, model.why_uncut
        self._carried: Carried | None = None

    def _hand_on(self, tail: str, ends: bool, out: list[Item]) -> int:
        if ends:
            if self._carried is not None:
                out += self._model.last_ids(tail, self._carried)
            elif tail:
                out += self._model.ids_of_word(tail)
            self._carried = None
            return len(tail)
        size, ids, carried = self._model.settled(tail, self._carried or AT_START)
        if size:
            out += ids
            self._carried = carried
        return size


class Chain:
    """The stages of a pipeline, for one text. model: that of the pipeline, for all its chains.

    why_uncut: who hands nothing on before the end of a text or of a part of it, and why.
    """

    def __init__(self, pipeline: Pipeline, model: ModelParts) -> None:
        self._fed = 0
        reasons = _why_whole(pipeline)
        self._stages = [Whole(pipeline, model.why_uncut)] if reasons else [*_stages(pipeline, model)]
        self.why_uncut = (*reasons, *filter(None, (stage.why_uncut for stage in self._stages)))
        rewriting = [stage for stage in self._stages if isinstance(stage, Rewriting | Folding)]
        # Each normalizer is one stage, and they come first. Pre-tokenizers lengthen a text by a small factor only.
        self._bounded = rewriting[: len(pipeline.normalizers)]
        found = [getattr(step, "pattern", None) for step in (*pipeline.normalizers, *pipeline.pre_tokenizers)]
        patterns = [pattern for pattern in found if isinstance(pattern, Pattern)]
        needs_deadline = len(patterns) > MOST_SCANS or any(pattern.may_run_away for pattern in patterns)
        self._deadline = Deadline() if needs_deadline else None

    @property
    def held(self) -> int:
        """How many code points the stages hold, each in the characters that it is given."""
        return sum([stage.held for stage in self._stages])

    def take(self, text: str, ends: bool) -> list[int]:
        """The ids that more text makes sure, and all that were held if it ends."""
        self._fed += len(text)
        if self._deadline is not None:
            self._deadline.extend(len(text))
        items: list[Item] = [*filter(None, [text]), *[None] * ends]
        with self._deadline or nullcontext():
            for stage in self._stages:
                items = stage.take(items)
        for stage in self._bounded:
            refuse_expansion(stage.size - _AT_ONCE * (not ends), self._fed)
        return [item for item in items if isinstance(item, int)]


def _why_whole(pipeline: Pipeline) -> list[str]:
    """Why the plain rules are asked at the end of the text; empty if the stages are streamed."""
    steps = (*pipeline.normalizers, *pipeline.pre_tokenizers)
    reasons = [
        f"{type(step).__name__} is not streamed"
        for step in steps
        if type(step) not in {*NORMALIZERS, *PRE_TOKENIZERS, SentencePieceNormalizer}
    ]
    if len(steps) > MOST_STREAMED_STAGES:
        reasons.append(f"{len(steps)} stages before the model: more are not streamed")
    metaspaces = [(i, step) for i, step in enumerate(pipeline.pre_tokenizers) if isinstance(step, Metaspace)]
    firsts = [i for i, step in metaspaces if step.prepend_scheme == "first"]
    # Otherwise several parts can begin where the original text does, or none.
    keep_start = all(isinstance(step, UnicodeForm | Lowercase | Prepend) for step in pipeline.normalizers)
    if any(firsts) or (firsts and not (keep_start and pipeline.added_tokens.normalized_pattern is None)):
        reasons.append('Metaspace with the scheme "first" asks where the original text begins')
    return reasons


def _stages(pipeline: Pipeline, model: ModelParts) -> Iterator[Stage]:
    raw, normalized = token_searches(pipeline.added_tokens, pipeline.encode_special_tokens)
    if raw is not None:
        yield CuttingOut(raw)
    for normalizer in pipeline.normalizers:
        if isinstance(normalizer, SentencePieceNormalizer):
            yield Folding(normalizer)
        else:
            yield Rewriting(NORMALIZERS[type(normalizer)](normalizer))
    if normalized is not None:
        yield CuttingOut(normalized)
    for pre_tokenizer in pipeline.pre_tokenizers:
        for step in PRE_TOKENIZERS[type(pre_tokenizer)](pre_tokenizer):
            yield Cutting(step) if isinstance(step, Cuts) else Rewriting(step)
    yield Tokenizing(model)
