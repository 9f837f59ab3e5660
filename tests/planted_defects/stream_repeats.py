"""A held character comes twice: a streaming decoder that does not clear its buffer."""

from __future__ import annotations

from collections.abc import Iterator

from official import Official


class Subject(Official):
    def stream_decode(self, ids: list[int], skip_special_tokens: bool) -> Iterator[str]:
        for count in range(1, len(ids) + 1):
            yield self.decode(ids[max(0, count - 2) : count], skip_special_tokens)
