"""The stages from a text to its ids, each with the tail of its text that something that follows may still change.

    text ─added tokens─▶ ─normalizers─▶ ─added tokens─▶ ─pre-tokenizers─▶ ─model─▶ ids

Items go from stage to stage: more text of a part, None at the end of a part, and the id of an added token between two
parts. A part is the whole text at first, then a segment between added tokens, then a pre-token. A stage knows nothing of
parts but the last; what it may hand on of that, the pure functions of `cuts/` say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import TypeAlias

from reftok.limits import MOST_SCANS, MOST_STREAMED_STAGES
from reftok.regex_dialects.executor import Deadline
from reftok.regex_dialects.pattern import Pattern
from reftok.rules.bounds import refuse_expansion
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.huggingface.pre_tokenizers import ByteLevel, Metaspace
from reftok.rules.llama_cpp.pre_tokenizers import ByteCharacters
from reftok.rules.pipeline import Pipeline
from reftok.rules.stages import Normalizer, PreTokenizer
from reftok.rules.text import JOINED
from reftok.streams.cuts.added_tokens import TokenSearch, token_searches
from reftok.streams.cuts.models import AT_START, Carried, ModelParts
from reftok.streams.cuts.normalizers import STREAMED as STREAMED_NORMALIZERS
from reftok.streams.cuts.normalizers import rewrite_of, why_uncut
from reftok.streams.cuts.pre_tokenizers import STREAMED as STREAMED_PRE_TOKENIZERS
from reftok.streams.cuts.pre_tokenizers import Cuts, cuts_of

Item: TypeAlias = str | int | None
"""More text of a part, the id of an added token between two parts, or the end of a part."""

_SMALL = 64
"""From so many code points on, a tail that has no cut is looked at again when it has grown by a quarter, so that all looks
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
        is_open = False
        for item in items:
            if type(item) is str:
                self._pending.append(item)
                self.held += len(item)
                is_open = True
            elif item is None:
                self._join()
                self._hand_on(out, ends=True)
                self._tail = ""
                self.held = self._next_look = 0
                out.append(None)
                is_open = False
            else:
                out.append(item)
        # Text that is followed by the end of its part has gone already.
        if is_open and self.held >= self._next_look:
            self._look(out)
        return out

    def _join(self) -> None:
        self._tail = self._tail + "".join(self._pending)
        self._pending.clear()

    def _look(self, out: list[Item]) -> None:
        self._join()
        cut = self._hand_on(out, ends=False)
        self._tail = self._tail[cut:]
        self.held = len(self._tail)
        self._next_look = self.held + self.held // 4 if self.held >= _SMALL else 0

    @abstractmethod
    def _hand_on(self, out: list[Item], ends: bool) -> int:
        """Hand on what is sure of the tail, and give its size; all of it if the part ends."""


class Normalizing(Stage):
    """A normalizer. size: how much text it has made."""

    def __init__(self, normalizer: Normalizer) -> None:
        super().__init__()
        self._rewrite = rewrite_of(normalizer)
        self.why_uncut = why_uncut(normalizer)
        self._before = ""
        self.size = 0

    def _hand_on(self, out: list[Item], ends: bool) -> int:
        tail, before = self._tail, self._before
        if not (tail or before):
            return 0
        text, end = self._rewrite(tail, before, ends)
        if text:
            self.size += len(text)
            out.append(text)
        self._before = "" if ends else tail[end - 1] if end else before
        return end


class CuttingOut(Stage):
    """The added tokens. What is before the tail counts for `single_word`: its last character is kept."""

    def __init__(self, search: TokenSearch) -> None:
        super().__init__()
        self._search = search
        self._before = ""

    def _hand_on(self, out: list[Item], ends: bool) -> int:
        text, start = self._before + self._tail, len(self._before)
        decided = self._search.decided(text, start, ends)
        for token_id, first, end in decided.parts:
            if token_id is None:
                out.append(text[first:end])
            else:
                out += None, token_id
        end = decided.cut(decided.end)
        if decided.start < end:
            out.append(text[decided.start : end])
        self._before = "" if ends else text[end - 1 : end] or self._before
        return end - start


class Rewriting(Stage):
    """A pre-tokenizer that rewrites each character, and may put something before a part. prefix: what, by the text."""

    def __init__(self, rewrite: Callable[[str], str], prefix: Callable[[str], str] | None = None) -> None:
        super().__init__()
        self._rewrite = rewrite
        self._prefix = prefix
        self._begins = True

    def _hand_on(self, out: list[Item], ends: bool) -> int:
        tail = self._tail
        if tail:
            prefix = self._prefix(tail) if self._begins and self._prefix is not None else ""
            out.append(self._rewrite(prefix + tail))
            self._begins = False
        if ends:
            self._begins = True
        return len(tail)


class RewritingFirst(Rewriting):
    """Metaspace with the scheme "first": it puts something before the part that begins where the original text does.

    pipeline: says where that is. beginning: the original text, as long as that is not known.
    """

    def __init__(self, rewrite: Callable[[str], str], prefix: Callable[[str], str], pipeline: Pipeline) -> None:
        super().__init__(rewrite, prefix)
        self._pipeline = pipeline
        self.beginning: str | None = ""

    def _hand_on(self, out: list[Item], ends: bool) -> int:
        if self.beginning is not None:
            # Where an inserted character stands alone, it can still come to stand for what is removed behind it.
            if not ends and len(self._tail) < 2:
                return 0
            first, *_ = (*self._pipeline.normalized(self.beginning), None)
            if first is None or first.tokens is not None or first.normalized.original_start > 0:
                self._prefix = None
            self.beginning = None
        size = super()._hand_on(out, ends)
        if ends:
            self._prefix = None
        return size


class Cutting(Stage):
    """A stage that cuts at matches. _last: whether what was handed on last of a part is a match, None at its start."""

    def __init__(self, cuts: Cuts) -> None:
        super().__init__()
        self._matches = cuts.matches
        self.why_uncut = cuts.why_uncut
        joined = {(left ^ cuts.invert, right ^ cuts.invert) for left, right in JOINED[cuts.behavior]}
        self._is_cut = {(left, right): (left, right) not in joined for left in (True, False) for right in (True, False)}
        self._is_cut[False, False] = False  # both are of one gap
        self._ends_at_once = self._is_cut[True, True] and self._is_cut[True, False]
        self._removed = None if cuts.behavior != "Removed" else not cuts.invert
        self._last: bool | None = None

    def _hand_on(self, out: list[Item], ends: bool) -> int:
        tail = self._tail
        spans, settled = self._matches(tail, ends) if tail else ((), 0)
        place = 0
        for start, end in spans:
            if place < start:
                self._piece(out, tail[place:start], False)
            self._piece(out, tail[start:end], True)
            place = end
        if place < settled:
            self._piece(out, tail[place:settled], False)
        if ends:
            self._last = None
        return settled

    def _piece(self, out: list[Item], text: str, is_match: bool) -> None:
        if self._last is not None and self._is_cut[self._last, is_match]:
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
        self._model = model
        self.why_uncut = model.why_uncut
        self._carried: Carried | None = None

    def _hand_on(self, out: list[Item], ends: bool) -> int:
        if ends:
            if self._carried is not None:
                out += self._model.last_ids(self._tail, self._carried)
            elif self._tail:
                out += self._model.ids_of_word(self._tail)
            self._carried = None
            return 0
        end = 0
        while True:
            size, ids, carried = self._model.settled(self._tail[end:], self._carried or AT_START)
            if not size:
                return end
            out += ids
            end, self._carried = end + size, carried


class Chain:
    """The stages of a pipeline, for one text. model: that of the pipeline, which all chains share.

    why_uncut: who hands nothing on before the end of a text or of a part of it, and why.
    """

    def __init__(self, pipeline: Pipeline, model: ModelParts) -> None:
        self._pipeline = pipeline
        self._text: list[str] = []
        self._fed = 0
        why_whole = _why_whole(pipeline)
        self._is_whole = bool(why_whole)
        self._stages: Sequence[Stage] = [] if why_whole else [*_stages(pipeline, model)]
        self._normalizing = [stage for stage in self._stages if isinstance(stage, Normalizing)]
        self._first = [stage for stage in self._stages if isinstance(stage, RewritingFirst)]
        stages = self._stages or [model]
        self.why_uncut = (*why_whole, *filter(None, (stage.why_uncut for stage in stages)))
        self._deadline = Deadline() if _needs_deadline((*pipeline.normalizers, *pipeline.pre_tokenizers)) else None

    @property
    def held(self) -> int:
        """How many code points the tails of the stages have together, in the characters that each has been given."""
        return self._fed if self._is_whole else sum([stage.held for stage in self._stages])

    def feed(self, text: str) -> list[int]:
        """The ids that more text makes sure."""
        self._fed += len(text)
        if self._deadline is not None:
            self._deadline.extend(len(text))
        if self._is_whole:
            self._text.append(text)
            return []
        for first in self._first:
            if first.beginning is not None:
                first.beginning += text
        return self._taken([text], _AT_ONCE)

    def end(self) -> list[int]:
        """The ids that were held."""
        if self._is_whole:
            splits = self._pipeline.tokenized("".join(self._text))
            return [token.id for split in splits for token in split.tokens or ()]
        return self._taken([None], 0)

    def _taken(self, items: list[Item], excess: int) -> list[int]:
        with nullcontext() if self._deadline is None else self._deadline:
            for stage in self._stages:
                items = stage.take(items)
        for normalizing in self._normalizing:
            # As `Pipeline.encode` refuses it; how long the text will be is known at its end.
            refuse_expansion(normalizing.size - excess, self._fed)
        return [item for item in items if isinstance(item, int)]


def _why_whole(pipeline: Pipeline) -> list[str]:
    """Why the plain rules are asked at the end of the text; empty if the stages are streamed."""
    known = {*STREAMED_NORMALIZERS, *STREAMED_PRE_TOKENIZERS}
    steps = (*pipeline.normalizers, *pipeline.pre_tokenizers)
    reasons = [f"{type(step).__name__} is not streamed" for step in steps if type(step) not in known]
    if len(steps) > MOST_STREAMED_STAGES:
        reasons.append(f"{len(steps)} stages before the model: more are not streamed")
    firsts = [index for index, step in enumerate(pipeline.pre_tokenizers) if _puts_first(step)]
    if any(firsts) or (firsts and pipeline.added_tokens.normalized_pattern is not None):
        reasons.append("Metaspace asks which of several parts begin where the text does")
    return reasons


def _needs_deadline(steps: Sequence[object]) -> bool:
    """Whether the patterns share one deadline: one may take very long, or there are very many."""
    patterns = [pattern for step in steps if isinstance(pattern := getattr(step, "pattern", None), Pattern)]
    return len(patterns) > MOST_SCANS or any(pattern.may_run_away for pattern in patterns)


def _puts_first(step: PreTokenizer) -> bool:
    return isinstance(step, Metaspace) and step.prepend_scheme == "first"


def _stages(pipeline: Pipeline, model: ModelParts) -> Iterator[Stage]:
    raw, normalized = token_searches(pipeline.added_tokens, pipeline.encode_special_tokens)
    if raw is not None:
        yield CuttingOut(raw)
    yield from map(Normalizing, pipeline.normalizers)
    if normalized is not None:
        yield CuttingOut(normalized)
    for step in pipeline.pre_tokenizers:
        if isinstance(step, Metaspace):
            yield _metaspace(step, pipeline)
        elif isinstance(step, ByteLevel) and step.add_prefix_space:
            yield Rewriting(str, lambda text: "" if text.startswith(" ") else " ")
        yield from map(Cutting, cuts_of(step))
        if isinstance(step, ByteLevel | ByteCharacters):
            yield Rewriting(lambda text: to_byte_characters(text.encode("utf-8", "surrogatepass")))
    yield Tokenizing(model)


def _metaspace(step: Metaspace, pipeline: Pipeline) -> Rewriting:
    def rewrite(text: str) -> str:
        return text.replace(" ", step.replacement)

    def prefix(text: str) -> str:
        return "" if text.startswith((" ", step.replacement)) else step.replacement

    if _puts_first(step):
        return RewritingFirst(rewrite, prefix, pipeline)
    return Rewriting(rewrite, prefix if step.prepend_scheme == "always" else None)
