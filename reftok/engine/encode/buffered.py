"""Stages and models without a streamed form: they see a pre-token when it is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from reftok.engine.encode.original_start import OriginalStart
from reftok.engine.sinks import StreamedModel, StreamedStage, TextSink
from reftok.rules.pipeline import Pipeline
from reftok.rules.stages import Normalizer, PreTokenizer
from reftok.rules.text import NormalizedString, Part

PreTokens: TypeAlias = Callable[[str], Iterable[str]]
"""A pre-token, made into pre-tokens."""


class _Buffer:
    """Holds each pre-token until its end. reason: who cannot be sure of anything before, and why."""

    def __init__(self, reason: str) -> None:
        self.held_until_end = reason
        self._fragments: list[str] = []
        self._size = 0

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self._size

    def text(self, fragment: str) -> None:
        """More of the pre-token."""
        self._fragments.append(fragment)
        self._size += len(fragment)

    def _taken(self) -> str:
        """The pre-token, '' if there is none; the next text belongs to another."""
        pre_token = "".join(self._fragments)
        self._fragments, self._size = [], 0
        return pre_token


class BufferedStage(_Buffer, StreamedStage):
    """A stage that sees a pre-token when it is complete. pre_tokens: what it makes of one."""

    def __init__(self, pre_tokens: PreTokens, sink: TextSink, reason: str) -> None:
        super().__init__(reason)
        self.sink = sink
        self._pre_tokens = pre_tokens

    def end_pre_token(self) -> None:
        pre_token = self._taken()
        for text in self._pre_tokens(pre_token) if pre_token else ():
            if text:
                self.sink.text(text)
                self.sink.end_pre_token()


def buffer_for_normalizer(normalizer: Normalizer, sink: TextSink, reason: str = "is not streamed") -> BufferedStage:
    """The stage before `sink` that runs a normalizer over complete pre-tokens; the reason begins with its name."""

    def pre_tokens(text: str) -> Iterable[str]:
        return (normalizer.normalize(NormalizedString(text)).text,)

    return BufferedStage(pre_tokens, sink, f"{type(normalizer).__name__} {reason}")


def buffer_for_pre_tokenizer(
    pre_tokenizer: PreTokenizer, sink: TextSink, reason: str = "is not streamed", start: OriginalStart | None = None
) -> BufferedStage:
    """The stage before `sink` that runs a pre-tokenizer over complete pre-tokens; the reason begins with its name.

    start: for a pre-tokenizer that asks which pre-tokens begin where the original text does.
    """

    def pre_tokens(text: str) -> Iterable[str]:
        begins_later = start is None or start.is_passed or not start.takes(text)
        splits = pre_tokenizer.pre_tokenize([Part(NormalizedString(text, int(begins_later)))])
        return (split.normalized.text for split in splits)

    return BufferedStage(pre_tokens, sink, f"{type(pre_tokenizer).__name__} {reason}")


class BufferedStages(_Buffer, StreamedStage):
    """All stages before the model: the plain rules are asked when the text is complete."""

    def __init__(self, pipeline: Pipeline, sink: TextSink, reason: str) -> None:
        super().__init__(reason)
        self.sink = sink
        self._pipeline = pipeline

    def end_pre_token(self) -> None:
        for split in self._pipeline.pre_tokenized(self._taken()):
            for token in split.tokens or ():
                self.sink.token(token.id)
            if split.tokens is None and split.normalized.text:
                self.sink.text(split.normalized.text)
                self.sink.end_pre_token()


class BufferedModel(_Buffer, StreamedModel):
    """Looks each pre-token up when it is complete.

    ids_of_pre_token: of the model.
    ids: where they are put.
    reason: why the model cannot tell any id before the end of a pre-token.

    >>> from reftok.engine.fast_model import FastModel
    >>> from reftok.rules.huggingface.wordlevel import WordLevel
    >>> ids: list[int] = []
    >>> model = FastModel(WordLevel({"yes": 1, "no": 2}, "no"))
    >>> stage = BufferedModel(model.known_ids, ids, "a word is looked up as a whole")
    >>> stage.text("y"), stage.text("es"), stage.held, ids, stage.end_pre_token(), ids
    (None, None, 3, [1], None, [1])
    """

    def __init__(self, ids_of_pre_token: Mapping[str, Sequence[int]], ids: list[int], reason: str) -> None:
        super().__init__(reason)
        self._ids_of_pre_token = ids_of_pre_token
        self._ids = ids

    def end_pre_token(self) -> None:
        if pre_token := self._taken():
            self._ids += self._ids_of_pre_token[pre_token]

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        self._ids += chain.from_iterable(map(self._ids_of_pre_token.__getitem__, pre_tokens))
