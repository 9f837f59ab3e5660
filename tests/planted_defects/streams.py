"""What the planted defects of streams start from: streams that hold everything to the end.

So all that they give is right, but for what is long they give it too late.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from official import Official

Callback: TypeAlias = Callable[[str, int, bool], bool | None]


class Encoder:
    """Encodes the whole at the end; for a defect to let go too early."""

    def __init__(self, subject: Official, add_special_tokens: bool) -> None:
        self.subject = subject
        self.add_special_tokens = add_special_tokens
        self.chunks: list[str] = []

    def feed(self, text: str) -> list[int]:
        self.chunks.append(text)
        return []

    def finish(self) -> list[int]:
        return self.subject.encode("".join(self.chunks), self.add_special_tokens)

    def reset(self) -> None:
        self.chunks = []


class SeamEncoder(Encoder):
    """Encodes apart what stands before and after a seam of chunks, where it should not have been cut."""

    def is_cut(self, text: str, seam: int) -> bool:
        """Whether the text is cut at this seam: for a defect to say."""
        return False

    def finish(self) -> list[int]:
        text, start, position = "".join(self.chunks), 0, 0
        ids: list[int] = []
        for chunk in self.chunks:
            position += len(chunk)
            if start < position < len(text) and self.is_cut(text, position):
                ids += self.subject.encode(text[start:position], self.add_special_tokens)
                start = position
        return ids + self.subject.encode(text[start:], self.add_special_tokens)


class Decoder:
    """Decodes everything at the end; for a defect to give out wrong text."""

    def __init__(self, subject: Official, skip_special_tokens: bool) -> None:
        self.subject = subject
        self.skip_special_tokens = skip_special_tokens
        self.ids: list[int] = []

    def feed(self, token_id: int) -> str:
        self.ids.append(token_id)
        return ""

    def finish(self) -> str:
        return self.subject.decode(self.ids, self.skip_special_tokens)

    def reset(self) -> None:
        self.ids = []


class Streaming(Official):
    """Right streams, of classes that a defect replaces."""

    encoder: Any = Encoder
    decoder: Any = Decoder

    def stream_encoder(self, add_special_tokens: bool) -> Any:
        return self.encoder(self, add_special_tokens)

    def stream_decoder(self, skip_special_tokens: bool) -> Any:
        return self.decoder(self, skip_special_tokens)

    def decode_with_callback(self, ids: list[int], callback: Callback) -> None:
        given = ""
        for count in range(1, len(ids) + 1):
            text = self.decode(ids[:count], True)
            if count < len(ids) and text.endswith("\ufffd"):
                continue
            if callback(text[len(given) :], ids[count - 1], count == len(ids)) is False:
                return
            given = text
