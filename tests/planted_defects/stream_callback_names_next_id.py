"""The callback is told of the id that was read ahead, and not of the one that its text belongs to."""

from __future__ import annotations

from itertools import pairwise

import streams


class Subject(streams.Streaming):
    def decode_with_callback(self, ids: list[int], callback: streams.Callback) -> None:
        following = dict(pairwise(ids))

        def of_next(text: str, token_id: int, is_final: bool) -> bool | None:
            return callback(text, following.get(token_id, token_id), is_final)

        super().decode_with_callback(ids, of_next)
