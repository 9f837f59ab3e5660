"""The ids of a text that comes in parts.

    raw text ─added tokens─▶ segments ─normalizers─▶ ─added tokens─▶ units ─pre-tokenizers─▶ pre-tokens ─model─▶ ids

What has come is buffered from the last cut on. At each look the stages say, one after the other, up to where nothing that
follows can change what they make of the buffer; the last place that all of them agree on is the next cut. What is before
it goes through the rules of the stages, as a part that may begin or end within a segment, a unit or a pre-token.

A segment is the text between two added tokens; a unit is what the last pre-tokenizer is given that puts something before
its pre-tokens, or else a normalized segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from reftok.limits import MOST_STREAMED_STAGES
from reftok.rules.huggingface.pre_tokenizers import Metaspace
from reftok.rules.pipeline import Pipeline
from reftok.rules.text import NormalizedString, Split, refuse_expansion
from reftok.streams.cuts.added_tokens import Decided, token_searches
from reftok.streams.cuts.models import AT_START, UnigramParts, WordIds, model_parts
from reftok.streams.cuts.normalizers import Normalization, why_uncut
from reftok.streams.cuts.pre_tokenizers import prefix_of, puts_before, steps_of, without_prefix

_SMALL = 64
"""From so many buffered code points on, a look that found no cut is repeated when the buffer has grown by a quarter, so
that all looks together take time in proportion to the text."""
_AT_ONCE = 2_000_000
"""So many code points a text may grow by before it is known how long it will be."""


class Place(Enum):
    """What a cut lies between: two units, two pre-tokens of a unit, or two parts of a pre-token."""

    UNITS = 0
    PRE_TOKENS = 1
    INSIDE = 2


class Stages:
    """The stages of a pipeline, for all its streams.

    ids_of_word: what the model gives for a whole pre-token.
    why_uncut: who can decide nothing before the end of a text, or of a segment, unit or pre-token, and why.
    """

    def __init__(self, pipeline: Pipeline, ids_of_word: WordIds) -> None:
        self.pipeline = pipeline
        self.ids_of_word = ids_of_word
        self.raw_tokens, self.normalized_tokens = token_searches(pipeline.added_tokens, pipeline.encode_special_tokens)
        self.normalization = Normalization(pipeline.normalizers)
        pre_tokenizers = pipeline.pre_tokenizers
        putting = [index for index, step in enumerate(pre_tokenizers) if puts_before(step)]
        start = putting[-1] if putting else 0
        self.to_units, self.to_pre_tokens = pre_tokenizers[:start], pre_tokenizers[start:]
        self.goes_on = tuple(map(without_prefix, self.to_pre_tokens[:1])) + self.to_pre_tokens[1:]
        unit_steps, steps = steps_of(self.to_units), steps_of(self.to_pre_tokens)
        self.unit_steps = len(unit_steps.steps)
        self.steps = unit_steps.steps + steps.steps * unit_steps.is_open
        self.is_open = unit_steps.is_open and steps.is_open
        self.model = model_parts(pipeline.model, ids_of_word)
        self.finds_start = any(isinstance(step, Metaspace) and step.prepend_scheme == "first" for step in pre_tokenizers)
        reasons = [*map(why_uncut, pipeline.normalizers)]
        if len(putting) > 1:
            reasons.append("several pre-tokenizers put something before their pre-tokens")
        count = len(pipeline.normalizers) + len(pre_tokenizers)
        self.is_whole = count > MOST_STREAMED_STAGES
        if self.is_whole:
            reasons = [f"{count} stages before the model: more are not streamed"]
        self.has_cuts = not any(reasons)
        self.why_uncut = tuple(filter(None, (*reasons, *unit_steps.reasons, *steps.reasons, self.model.why_uncut)))


class TextParts:
    """The text of one stream after the other, and its ids.

    ids: what is final and has not been taken.
    """

    def __init__(self, stages: Stages) -> None:
        self._stages = stages
        self.ids: list[int] = []
        self._buffer = ""
        self._pending: list[str] = []
        self._start()

    def _start(self) -> None:
        self._next_look = 0
        self._size = self._fed = 0
        self._sizes = [0] * len(self._stages.pipeline.normalizers)
        self._is_start = True
        self._before = ""
        self._begin_segment()

    def _begin_segment(self) -> None:
        self._begins_segment = True
        self._normalized_before = ""
        self._begin_unit()

    def _begin_unit(self) -> None:
        self._place = Place.UNITS
        self._carried = AT_START

    @property
    def held(self) -> int:
        """How many code points are buffered."""
        return self._size

    def feed(self, text: str) -> None:
        """More text; not ''."""
        self._pending.append(text)
        self._size += len(text)
        self._fed += len(text)
        if self._size < self._next_look or self._stages.is_whole:
            return
        self._join()
        while self._take(ends=False) and self._buffer and isinstance(self._stages.model, UnigramParts):
            pass
        self._size = len(self._buffer)
        self._next_look = self._size + self._size // 4 if self._size >= _SMALL else 0

    def end(self) -> None:
        """The text has ended; what comes next is another."""
        self._join()
        if self._stages.is_whole:
            for split in self._stages.pipeline.tokenized(self._buffer):
                self.ids += [token.id for token in split.tokens or ()]
        else:
            self._take(ends=True)
            for size in self._sizes:
                refuse_expansion(size, self._fed)
        self._buffer = ""
        self._start()

    def _join(self) -> None:
        self._buffer += "".join(self._pending)
        self._pending.clear()

    def _take(self, ends: bool) -> bool:
        """Encode the buffer up to the next cut; whether there was one."""
        start = len(self._before)
        text = self._before + self._buffer
        decided = self._stages.raw_tokens.decided(text, start, ends)
        for token_id, first, end in decided.parts:
            if token_id is None:
                self._last_part(text[first:end])
            else:
                self._last_part("")
                self.ids.append(token_id)
            self._is_start = False
        if ends:
            self._last_part(text[decided.start :])
            return True
        cut = decided.start + self._next_part(text[decided.start : decided.end], decided)
        if cut == start:
            return False
        self._is_start = False
        self._buffer = text[cut:]
        self._before = text[cut - 1]
        return True

    # --- a segment

    def _raw(self, text: str) -> NormalizedString:
        """A part of the text; only whether it begins where the original text does is looked at."""
        return NormalizedString(text, 0 if self._is_start else 1)

    def _last_part(self, text: str) -> None:
        """Encode what is left of a segment, which may be nothing."""
        if text or not self._begins_segment:
            texts = self._stages.normalization.last(self._raw(text), self._begins_segment)
            self._count(list(map(len, texts[1:])))
            decided = self._decided_tokens(texts[-1].text, ends=True)
            self._encode(texts[-1], decided, len(texts[-1]), Place.UNITS)
        self._begin_segment()

    def _next_part(self, text: str, decided: Decided) -> int:
        """Encode the beginning of an open segment up to a cut, and give the cut."""
        stages = self._stages
        if not text or not stages.has_cuts:
            return 0
        normalized = stages.normalization.settled(self._raw(text), self._begins_segment)
        tokens = self._decided_tokens(normalized.text.text, ends=False)
        most, limit = len(text), normalized.limit
        while True:
            limit, place = self._last_cut(normalized.text, tokens, limit)
            if limit <= 0:
                return 0
            cut, images = normalized.raw_cut(limit, most)
            most = decided.cut(decided.start + cut) - decided.start
            if most == cut and images[-1] == limit:
                break
            limit = min(limit, images[-1])
        if stages.finds_start and self._is_start and normalized.text.spans()[limit - 1][0] == 0:
            # An inserted character can come to stand for what is removed behind it: wait for another one.
            return 0
        self._count(images[1:])
        self._encode(normalized.text, tokens, limit, place)
        self._begins_segment = False
        return cut

    def _count(self, sizes: Sequence[int]) -> None:
        """Refuse a text that the normalizers blow up, as `Pipeline.encode` does."""
        for index, size in enumerate(sizes):
            self._sizes[index] += size
            if self._sizes[index] > _AT_ONCE:
                refuse_expansion(self._sizes[index] - _AT_ONCE, self._fed)

    def _decided_tokens(self, text: str, ends: bool) -> Decided:
        """The added tokens in normalized text, placed in the text itself."""
        before = self._normalized_before
        parts, start, end, uncut = self._stages.normalized_tokens.decided(before + text, len(before), ends)
        if not before:
            return Decided(parts, start, end, uncut)
        return Decided(
            [(token_id, first - 1, last - 1) for token_id, first, last in parts],
            start - 1,
            end - 1,
            [(first - 1, last - 1) for first, last in uncut],
        )

    # --- the last cut of a normalized segment

    def _last_cut(self, text: NormalizedString, tokens: Decided, limit: int) -> tuple[int, Place]:
        start, end = tokens.start, min(tokens.end, limit)
        while end > start:
            cut, place = self._cut_of_steps(text, start, tokens.end, end)
            end = tokens.cut(start + cut)
            if cut and end == start + cut:
                return end, place
        ends = (end for token_id, _, end in reversed(tokens.parts) if token_id is not None and end <= limit)
        return next(ends, 0), Place.UNITS

    def _cut_of_steps(self, text: NormalizedString, start: int, end: int, limit: int) -> tuple[int, Place]:
        """The last cut up to a limit of what is known of the text behind the last added token."""
        begins = start > 0 or self._place is Place.UNITS
        is_new = start > 0 or self._place is not Place.INSIDE

        def of_unit(unit: str, limit: int, place: int, begins: bool, is_new: bool) -> tuple[int, Place]:
            prefix = self._prefix(text, unit, place) if begins else ""
            cut, kind = of_step(prefix + unit, limit + len(prefix), place, self._stages.unit_steps, begins, is_new)
            return max(cut - len(prefix), 0), kind

        def of_step(unit: str, limit: int, place: int, level: int, begins: bool, is_new: bool) -> tuple[int, Place]:
            steps, unit_steps = self._stages.steps, self._stages.unit_steps
            if level == len(steps):
                carried = AT_START if is_new else self._carried
                return self._stages.model.cut(unit, limit, carried) if self._stages.is_open else 0, Place.INSIDE
            step = steps[level]
            while limit > 0:
                boundary, last = step.cut(unit, limit)
                inner = last - boundary
                while inner > 0:
                    rest = step.rewrite(unit[boundary:last])
                    is_first = boundary == 0
                    arguments = place + boundary, begins or not is_first, is_new or not is_first
                    if level + 1 == unit_steps:
                        cut, kind = of_unit(rest, inner, *arguments)
                    else:
                        cut, kind = of_step(rest, inner, arguments[0], level + 1, *arguments[1:])
                    if not cut:
                        break
                    # Whether the step cuts at the end of what is known is open: only a boundary behind it may be there.
                    is_known = boundary + cut < len(unit) and step.cut(unit, len(unit))[1] > boundary + cut
                    is_decided = is_known or (kind is Place.PRE_TOKENS and level >= unit_steps)
                    if is_decided and step.cut(unit, boundary + cut)[1] == boundary + cut:
                        return boundary + cut, kind
                    inner = cut - 1
                if boundary or not last:
                    return boundary, Place.UNITS if level < unit_steps else Place.PRE_TOKENS
                return 0, Place.UNITS
            return 0, Place.UNITS

        known = text.text[start:end]
        if self._stages.unit_steps:
            return of_step(known, limit - start, start, 0, begins, is_new)
        return of_unit(known, limit - start, start, begins, is_new)

    def _prefix(self, text: NormalizedString, unit: str, place: int) -> str:
        """What is put before a unit that begins at a place."""
        if not self._stages.to_pre_tokens:
            return ""
        first = self._stages.to_pre_tokens[0]
        if isinstance(first, Metaspace) and first.prepend_scheme == "first":
            if not self._is_start or text.spans()[place][0] > 0:
                return ""
        return prefix_of(first, unit) if puts_before(first) else ""

    # --- the ids of a normalized part

    def _encode(self, text: NormalizedString, tokens: Decided, end: int, place: Place) -> None:
        """Encode a part of a segment up to a cut, or to the end of the segment. place: what the end lies between."""
        for token_id, first, last in tokens.parts:
            if last > end:
                break
            if token_id is None:
                self._units(text.slice(first, last), Place.UNITS)
            else:
                self.ids.append(token_id)
            self._begin_unit()
        if tokens.start < end:
            self._units(text.slice(tokens.start, end), place)
        if end:
            self._normalized_before = text.text[end - 1]

    def _units(self, text: NormalizedString, place: Place) -> None:
        if not text.text:
            return
        units = [Split(text)]
        for pre_tokenizer in self._stages.to_units:
            units = pre_tokenizer.pre_tokenize(units)
        for index, unit in enumerate(units):
            is_last = index == len(units) - 1
            self._unit(unit, place if is_last else Place.UNITS)
        self._place = place
        if place is not Place.INSIDE:
            self._carried = AT_START

    def _unit(self, unit: Split, place: Place) -> None:
        stages = self._stages
        pre_tokens = [unit]
        for pre_tokenizer in stages.to_pre_tokens if self._place is Place.UNITS else stages.goes_on:
            pre_tokens = pre_tokenizer.pre_tokenize(pre_tokens)
        texts = [pre_token.normalized.text for pre_token in pre_tokens]
        if texts and self._place is Place.INSIDE:
            ids, self._carried = stages.model.ids(texts[0], self._carried)
            self.ids += ids
            del texts[0]
            if not texts and place is Place.INSIDE:
                return
        self._carried = AT_START
        last = texts.pop() if texts and place is Place.INSIDE else None
        for text in texts:
            self.ids += stages.ids_of_word(text)
        if last is not None:
            ids, self._carried = stages.model.ids(last, AT_START)
            self.ids += ids
        self._place = Place.UNITS
