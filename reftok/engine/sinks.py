"""The protocol between streamed stages: text, bit by bit, in pre-tokens.

    sink.text("Hel"); sink.text("lo "); sink.end_pre_token(); sink.token(7); sink.text("world"); sink.end_pre_token()

says the same as `[Part("Hello "), Part(tokens=(7,)), Part("world")]` between the stages of
`reftok.rules.pipeline`. A
stage of the stream is a sink that was made with the sink behind it. It hands text on as soon as nothing that may still
come can change it, and holds the rest. No stage looks beyond a pre-token; before the first pre-tokenizer that is the
text between two added tokens.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol


class TextSink(Protocol):
    """Takes pre-tokens of text, and the added tokens between them."""

    @property
    def held(self) -> int:
        """How many code points this stage itself holds; behind ByteLevel each stands for a byte."""
        ...

    @property
    def held_until_end(self) -> str:
        """Why this stage holds every pre-token until its end, '' if it does not."""
        ...

    def text(self, fragment: str) -> None:
        """More text of the pre-token; not ''."""
        ...

    def end_pre_token(self) -> None:
        """The pre-token is complete. A pre-token that got no text is none, and the call does nothing."""
        ...

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        """Each of these is a whole pre-token; none is ''. The pre-token before them has ended."""
        ...

    def token(self, token_id: int) -> None:
        """An added token. It stands between two pre-tokens: end_pre_token was called before."""
        ...


class _Stage(ABC):
    """Pre-tokens at once are taken one by one."""

    held_until_end = ""

    @property
    def held(self) -> int:
        """How many code points are held."""
        return 0

    @abstractmethod
    def text(self, fragment: str) -> None: ...

    @abstractmethod
    def end_pre_token(self) -> None: ...

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        for pre_token in pre_tokens:
            self.text(pre_token)
            self.end_pre_token()


class StreamedStage(_Stage):
    """The base of the stages before the model: added tokens pass."""

    def __init__(self, sink: TextSink) -> None:
        self.sink = sink

    def token(self, token_id: int) -> None:
        self.sink.token(token_id)


class StreamedModel(_Stage):
    """The base of the last stages, which put ids into a list."""

    _ids: list[int]

    def token(self, token_id: int) -> None:
        self._ids.append(token_id)


def hand_on_rewritten(pre_tokens: Sequence[str], rewrite: Callable[[str], str], sink: TextSink) -> None:
    """Whole pre-tokens, each rewritten; those of which nothing is left are none."""
    left = list(filter(None, map(rewrite, pre_tokens)))
    if left:
        sink.pre_tokens(left)
