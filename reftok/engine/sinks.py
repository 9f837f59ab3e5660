"""The protocols between streamed stages: text, bit by bit, in parts.

    sink.text("Hel"); sink.text("lo "); sink.end_part(); sink.token(7); sink.text("world"); sink.end_part()

says the same as `[Split("Hello "), Split(tokens=(7,)), Split("world")]` between the stages of `reftok.tokenizer`. A
stage of the stream is a sink that was made with the sink behind it. It hands text on as soon as nothing that may still
come can change it, and holds the rest. Where it ends a part, what follows is another part: the stage behind it never
looks across.

On the way back to text a part is a token of the decoders' chain, and `token` is not used.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol


class TextSink(Protocol):
    """Takes parts of text, and the added tokens between them."""

    @property
    def held(self) -> int:
        """How many code points this stage itself holds; behind ByteLevel each stands for a byte."""
        ...

    @property
    def holds_parts(self) -> str:
        """Why this stage holds every part until its end, '' if it does not."""
        ...

    def text(self, fragment: str) -> None:
        """More text of the part; not ''."""
        ...

    def end_part(self) -> None:
        """The part is complete. A part that got no text is none, and the call does nothing."""
        ...

    def parts(self, parts: Sequence[str]) -> None:
        """Each of these is a whole part; none is ''. The part before them has ended."""
        ...

    def token(self, token_id: int) -> None:
        """An added token. It stands between two parts: end_part was called before."""
        ...


class StreamedStage(ABC):
    """The base of most streamed stages: added tokens pass, and many parts at once are taken one by one."""

    holds_parts = ""

    def __init__(self, sink: TextSink) -> None:
        self.sink = sink

    @property
    def held(self) -> int:
        """How many code points are held."""
        return 0

    @abstractmethod
    def text(self, fragment: str) -> None: ...

    @abstractmethod
    def end_part(self) -> None: ...

    def parts(self, parts: Sequence[str]) -> None:
        for part in parts:
            self.text(part)
            self.end_part()

    def token(self, token_id: int) -> None:
        self.sink.token(token_id)


def hand_on_rewritten(parts: Sequence[str], rewrite: Callable[[str], str], sink: TextSink) -> None:
    """Whole parts, each rewritten; those of which nothing is left are none."""
    left = list(filter(None, map(rewrite, parts)))
    if left:
        sink.parts(left)
