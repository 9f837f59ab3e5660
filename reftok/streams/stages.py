"""The stages from a text to its ids, each with the tail of its text that something that follows may still change.

    text ─added tokens─▶ ─normalizers─▶ ─added tokens─▶ ─pre-tokenizers─▶ ─model─▶ ids

Items go from stage to stage: more text of a part, None at the end of a part, and the id of an added token between two
parts. A part is the whole text at first, then a segment between added tokens, then a pre-token. How much of its tail a
stage may hand on, the pure functions of `cuts/` say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import TypeAlias

from reftok.limits import MOST_SCANS, MOST_STREAMED_STAGES
from reftok.limits.growth import refuse_expansion
from reftok.regex_dialects.executor import Deadline
from reftok.regex_dialects.pattern import Pattern
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.huggingface.normalizers import Lowercase, Prepend, UnicodeForm
from reftok.rules.huggingface.pre_tokenizers import ByteLevel, Metaspace
from reftok.rules.llama_cpp.pre_tokenizers import ByteCharacters
from reftok.rules.pipeline import Pipeline
from reftok.rules.text import JOINED
from reftok.streams.cuts.added_tokens import TokenSearch, token_searches
from reftok.streams.cuts.models import AT_START, Carried, ModelParts
from reftok.streams.cuts.normalizers import NORMALIZERS, Rewrite
from reftok.streams.cuts.pre_tokenizers import PRE_TOKENIZERS, Cuts, cuts_of

Item: TypeAlias = str | int | None

_SMALL = 64
"""A tail of more code points that has no cut is looked at again when it has grown by a quarter, so that all looks
together take time in proportion to the text."""
_AT_ONCE = 2_000_000
"""So many code points a text may grow by before it is known how long it will be."""


class Stage(ABC):
    """A stage and its tail. why_uncut: why it hands nothing on before the end of a part, '' if it does."""

    why_uncut = ""

    def __init__(self) -> None:
        self._tail = ""
        self._pending: list[str] = []
        self._next_look = 0
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
        # What was followed by the end of its part has been handed on.
        if self._pending and self.held >= self._next_look:
            self._hand_on_tail(out, ends=False)
        return out

    def _hand_on_tail(self, out: list[Item], ends: bool) -> None:
        tail = self._tail + "".join(self._pending)
        self._pending.clear()
        self._tail = tail[self._hand_on(tail, ends, out) :]
        self.held = len(self._tail)
        self._next_look = self.held + self.held // 4 if self.held >= _SMALL else 0

    @abstractmethod
    def _hand_on(self, tail: str, ends: bool, out: list[Item]) -> int:
        """Hand on what is sure of the tail, all of it if the part ends; how much that is."""


class Normalizing(Stage):
    """A normalizer. size: how much text it has made."""

    def __init__(self, rewrite: Rewrite) -> None:
        super().__init__()
        self._rewrite, self.why_uncut = rewrite.rewrite, rewrite.why_uncut
        self._before = ""
        self.size = 0

    def _hand_on(self, tail: str, ends: bool, out: list[Item]) -> int:
        text, end = self._rewrite(tail, self._before, ends) if tail or self._before else ("", 0)
        if text:
            self.size += len(text)
            out.append(text)
        self._before = "" if ends else tail[end - 1] if end else self._before
        return end


class CuttingOut(Stage):
    """The added tokens. Whether a token stands alone depends on the character before the tail as well."""

    def __init__(self, search: TokenSearch) -> None:
        super().__init__()
        self._search = search
        self._before = ""

    def _hand_on(self, tail: str, ends: bool, out: list[Item]) -> int:
        text, start = self._before + tail, len(self._before)
        decided = self._search.decided(text, start, ends)
        for token_id, first, end in decided.parts:
            out += (text[first:end],) if token_id is None else (None, token_id)
        if decided.start < decided.end:
            out.append(text[decided.start : decided.end])
        self._before = "" if ends else text[: decided.end][-1:]
        return decided.end - start


class Rewriting(Stage):
    """A pre-tokenizer that rewrites each character.

    prefix: what it puts before the text of a part. only_first: it does so only at the start of the whole text.
    """

    def __init__(
        self, rewrite: Callable[[str], str], prefix: Callable[[str], str] = lambda _: "", only_first: bool = False
    ) -> None:
        super().__init__()
        self._rewrite, self._prefix = rewrite, prefix
        self._only_first = only_first
        self._begins = True

    def _hand_on(self, tail: str, ends: bool, out: list[Item]) -> int:
        if tail:
            out.append(self._rewrite(self._prefix(tail) + tail if self._begins else tail))
        self._begins = ends and not self._only_first
        return len(tail)


class Cutting(Stage):
    """A pre-tokenizer that cuts at matches. _last: whether the last piece of a part was a match, None at its start."""

    def __init__(self, cuts: Cuts) -> None:
        super().__init__()
        self._matches, self.why_uncut = cuts.matches, cuts.why_uncut
        # The members of JOINED are delimiters; with `invert` the gaps are.
        self._joined = {(left ^ cuts.invert, right ^ cuts.invert) for left, right in JOINED[cuts.behavior]}
        self._joined.add((False, False))  # two parts of one gap
        self._ends_at_once = self._joined.isdisjoint(((True, True), (True, False)))
        self._removed = not cuts.invert if cuts.behavior == "Removed" else None
        self._last: bool | None = None

    def _hand_on(self, tail: str, ends: bool, out: list[Item]) -> int:
        spans, settled = self._matches(tail, ends) if tail else ((), 0)
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
        end = 0
        while True:
            size, ids, carried = self._model.settled(tail[end:], self._carried or AT_START)
            if not size:
                return end
            out += ids
            end, self._carried = end + size, carried


class Chain:
    """The stages of a pipeline, for one text. model: that of the pipeline, for all its chains.

    why_uncut: who hands nothing on before the end of a text or of a part of it, and why.
    """

    def __init__(self, pipeline: Pipeline, model: ModelParts) -> None:
        self._pipeline = pipeline
        self._fed = 0
        reasons = _why_whole(pipeline)
        self._whole: list[str] | None = [] if reasons else None
        self._stages: Sequence[Stage] = [Tokenizing(model)] if reasons else [*_stages(pipeline, model)]
        self.why_uncut = (*reasons, *filter(None, (stage.why_uncut for stage in self._stages)))
        found = [getattr(step, "pattern", None) for step in (*pipeline.normalizers, *pipeline.pre_tokenizers)]
        patterns = [pattern for pattern in found if isinstance(pattern, Pattern)]
        needs_deadline = len(patterns) > MOST_SCANS or any(pattern.may_run_away for pattern in patterns)
        self._deadline = Deadline() if needs_deadline else None

    @property
    def held(self) -> int:
        """How many code points the stages hold, each in the characters that it is given."""
        return sum([stage.held for stage in self._stages]) if self._whole is None else self._fed

    def feed(self, text: str) -> list[int]:
        """The ids that more text makes sure."""
        self._fed += len(text)
        if self._whole is None:
            return self._taken([text], _AT_ONCE)
        self._whole.append(text)
        return []

    def end(self) -> list[int]:
        """The ids that were held."""
        if self._whole is None:
            return self._taken([None], 0)
        parts = self._pipeline.tokenized("".join(self._whole))
        return [token.id for part in parts for token in part.tokens or ()]

    def _taken(self, items: list[Item], excess: int) -> list[int]:
        if self._deadline is not None:
            self._deadline.extend(sum(len(item) for item in items if isinstance(item, str)))
        with self._deadline or nullcontext():
            for stage in self._stages:
                items = stage.take(items)
        for stage in self._stages:
            if isinstance(stage, Normalizing):
                refuse_expansion(stage.size - excess, self._fed)
        return [item for item in items if isinstance(item, int)]


def _why_whole(pipeline: Pipeline) -> list[str]:
    """Why the plain rules are asked at the end of the text; empty if the stages are streamed."""
    steps = (*pipeline.normalizers, *pipeline.pre_tokenizers)
    reasons = [
        f"{type(step).__name__} is not streamed"
        for step in steps
        if type(step) not in NORMALIZERS and type(step) not in PRE_TOKENIZERS
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
        yield Normalizing(NORMALIZERS[type(normalizer)](normalizer))
    if normalized is not None:
        yield CuttingOut(normalized)
    for step in pipeline.pre_tokenizers:
        if isinstance(step, Metaspace):
            yield _metaspace(step)
        elif isinstance(step, ByteLevel) and step.add_prefix_space:
            yield Rewriting(str, lambda text: "" if text.startswith(" ") else " ")
        yield from map(Cutting, cuts_of(step))
        if isinstance(step, ByteLevel | ByteCharacters):
            yield Rewriting(lambda text: to_byte_characters(text.encode("utf-8", "surrogatepass")))
    yield Tokenizing(model)


def _metaspace(step: Metaspace) -> Rewriting:
    symbol = step.replacement

    def rewrite(text: str) -> str:
        return text.replace(" ", symbol)

    if step.prepend_scheme == "never":
        return Rewriting(rewrite)
    only_first = step.prepend_scheme == "first"
    return Rewriting(rewrite, lambda text: "" if text.startswith((" ", symbol)) else symbol, only_first)
