"""The callback says that it is enough, and nobody listens."""

from __future__ import annotations

import streams


class Subject(streams.Streaming):
    def decode_with_callback(self, ids: list[int], callback: streams.Callback) -> None:
        super().decode_with_callback(ids, lambda *given: callback(*given) or True)
