"""The streamed stages of a tokenizer in a row.

    ─AddedTokens─▶ ─Normalizer─▶ ─AddedTokens─▶ ─PreTokenizer─▶ ─Model─▶ ids

is the order of `reftok.rules.pipeline` with a streamed form in the place of every stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reftok.engine.encode.added_tokens import stream_added_tokens
from reftok.engine.encode.buffered import BufferedStages
from reftok.engine.encode.llama_special_tokens import StreamedLlamaSpecialTokens
from reftok.engine.encode.models import stream_model
from reftok.engine.encode.normalizers import stream_normalizer
from reftok.engine.encode.original_start import OriginalStart, RecordedStart
from reftok.engine.encode.pre_tokenizers import stream_pre_tokenizer
from reftok.engine.encode.precompiled import StreamedPrecompiled
from reftok.engine.encode.rewriting import may_grow_too_much
from reftok.engine.fast_model import FastModel
from reftok.engine.patterns.streamable import need_a_deadline
from reftok.engine.sinks import StreamedStage, TextSink
from reftok.limits import MOST_STREAMED_STAGES
from reftok.limits.growth import refuse_expansion
from reftok.regex_dialects.executor import Deadline
from reftok.rules.huggingface.pre_tokenizers import Metaspace
from reftok.rules.llama_cpp.special_tokens import LlamaSpecialTokens
from reftok.rules.pipeline import Pipeline

_AT_ONCE = 2_000_000
"""So many code points a text may grow by before it is known how long it will be."""


class EncodingChain:
    """Takes the text of one stream after the other; after `end` it is as new.

    stages: in the order in which the text goes through them.
    ids: where the last stage puts the ids; they are taken from there.
    held_until_end: which stages can decide nothing before the end of a pre-token, and why.
    """

    def __init__(self, pipeline: Pipeline, model: FastModel[Any]) -> None:
        self.ids: list[int] = []
        self.stages = _stages(pipeline, model, self.ids)
        self.text = self.stages[0].text
        self.end = self.stages[0].end_pre_token
        self._holding = [stage for stage in self.stages if getattr(type(stage), "held", None) is not StreamedStage.held]
        self.held_until_end = tuple(filter(None, (stage.held_until_end for stage in self.stages)))

    @property
    def held(self) -> int:
        """How many code points all stages hold together."""
        return sum([stage.held for stage in self._holding])

    def whole(self, text: str) -> list[int]:
        """The ids of a whole text."""
        if text:
            self.stages[0].pre_tokens((text,))
        return self.taken()

    def of_normalized(self, text: str) -> list[int]:
        """The ids of a whole text at the door of the model."""
        model = self.stages[-1]
        if text:
            model.text(text)
        model.end_pre_token()
        return self.taken()

    def taken(self) -> list[int]:
        """The ids that are there, which are then no longer there."""
        taken = self.ids[:]
        self.ids.clear()
        return taken


class _Bounded(StreamedStage):
    """Refuses a normalizer's text that is too long for what was fed, as `Pipeline.encode` does.

    That is known when the text has ended; before, much more is let through, but not everything.
    """

    def __init__(self, sink: TextSink) -> None:
        super().__init__(sink)
        self.fed = 0
        self.size = 0

    def text(self, fragment: str) -> None:
        self.size += len(fragment)
        if self.size > _AT_ONCE:
            refuse_expansion(self.size - _AT_ONCE, self.fed)
        self.sink.text(fragment)

    def end_pre_token(self) -> None:
        self.sink.end_pre_token()

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        self.size += sum(map(len, pre_tokens))
        if self.size > _AT_ONCE:
            refuse_expansion(self.size - _AT_ONCE, self.fed)
        self.sink.pre_tokens(pre_tokens)

    def end_text(self) -> None:
        """Raise ModelFormatError where the text was blown up, else begin anew."""
        refuse_expansion(self.size, self.fed)
        self.fed = self.size = 0


class _Timed(StreamedStage):
    """Lets the patterns of all stages behind it share what time they may take on a text."""

    def __init__(self, sink: TextSink) -> None:
        super().__init__(sink)
        self._deadline = Deadline()

    def text(self, fragment: str) -> None:
        self._deadline.extend(len(fragment))
        with self._deadline:
            self.sink.text(fragment)

    def end_pre_token(self) -> None:
        with self._deadline:
            self.sink.end_pre_token()
        self._deadline = Deadline()

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        with Deadline(sum(map(len, pre_tokens))):
            self.sink.pre_tokens(pre_tokens)


class _Counting(StreamedStage):
    """Counts the code points of a text for the stages that bound it."""

    def __init__(self, bounded: list[_Bounded], sink: TextSink) -> None:
        super().__init__(sink)
        self._bounded = bounded

    def text(self, fragment: str) -> None:
        for stage in self._bounded:
            stage.fed += len(fragment)
        self.sink.text(fragment)

    def end_pre_token(self) -> None:
        self.sink.end_pre_token()
        for stage in self._bounded:
            stage.end_text()

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        for stage in self._bounded:
            stage.fed += sum(map(len, pre_tokens))
        self.sink.pre_tokens(pre_tokens)
        for stage in self._bounded:
            stage.end_text()


def _stages(pipeline: Pipeline, model: FastModel[Any], ids: list[int]) -> tuple[TextSink, ...]:
    added_tokens = pipeline.added_tokens
    ignored = added_tokens.special_ids() if pipeline.encode_special_tokens else frozenset()
    stages: list[TextSink] = [stream_model(model, ids)]
    if (count := len(pipeline.normalizers) + len(pipeline.pre_tokenizers)) > MOST_STREAMED_STAGES:
        return BufferedStages(pipeline, stages[0], f"{count} stages before the model: more are not streamed"), stages[0]
    bounded: list[_Bounded] = []
    starts: list[OriginalStart] = []
    for place, pre_tokenizer in reversed([*enumerate(pipeline.pre_tokenizers)]):
        asks = isinstance(pre_tokenizer, Metaspace) and pre_tokenizer.prepend_scheme == "first"
        starts += [OriginalStart(pipeline, place)] * asks
        stages.append(stream_pre_tokenizer(pre_tokenizer, stages[-1], starts[-1] if asks else None))
    stages += stream_added_tokens(added_tokens.normalized_pattern, ignored, stages[-1])
    must_be_bounded = may_grow_too_much(pipeline.normalizers)
    for normalizer in reversed(pipeline.normalizers):
        if must_be_bounded:
            bounded.append(_Bounded(stages[-1]))
            stages.append(bounded[-1])
        stage = stream_normalizer(normalizer, stages[-1])
        if isinstance(stage, StreamedPrecompiled):
            stage.keeps_alignment = bool(starts)
        stages.append(stage)
    if isinstance(added_tokens, LlamaSpecialTokens):
        stages.append(StreamedLlamaSpecialTokens(added_tokens, pipeline.encode_special_tokens, stages[-1]))
    else:
        stages += stream_added_tokens(added_tokens.raw_pattern, ignored, stages[-1])
    if starts:
        stages.append(RecordedStart(starts, stages[-1]))
    if bounded:
        stages.append(_Counting(bounded, stages[-1]))
    if need_a_deadline((*pipeline.normalizers, *pipeline.pre_tokenizers)):
        stages.append(_Timed(stages[-1]))
    return tuple(reversed(stages))
