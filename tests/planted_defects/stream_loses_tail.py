"""What a stream holds back never comes: a streaming decoder without a flush."""

from __future__ import annotations

from collections.abc import Iterator

from official import Official


class Subject(Official):
    def stream_decode(self, ids: list[int], skip_special_tokens: bool) -> Iterator[str]:
        chunks = list(super().stream_decode(ids, skip_special_tokens))
        return iter(chunks[:-1])
