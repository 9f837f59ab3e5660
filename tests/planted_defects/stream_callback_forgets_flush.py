"""The call for the last id has no more than came with it: what was held is never heard."""

from __future__ import annotations

import streams


class Subject(streams.Streaming):
    def decode_with_callback(self, ids: list[int], callback: streams.Callback) -> None:
        def without_incomplete(text: str, token_id: int, is_final: bool) -> bool | None:
            return callback(text.rstrip("\ufffd"), token_id, is_final)

        super().decode_with_callback(ids, without_incomplete)
