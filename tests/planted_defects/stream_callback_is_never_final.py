"""The callback is never told that a call is the last one."""

from __future__ import annotations

import streams


class Subject(streams.Streaming):
    def decode_with_callback(self, ids: list[int], callback: streams.Callback) -> None:
        super().decode_with_callback(ids, lambda text, token_id, is_final: callback(text, token_id, False))
