"""Ids are given out once the longest token's length has come after them, as if no merge could reach farther back."""

from __future__ import annotations

import streams


class Encoder(streams.Encoder):
    count = 0

    def feed(self, text: str) -> list[int]:
        self.chunks.append(text)
        return self.given(len("".join(self.chunks)) - max(map(len, self.subject.tokenizer.get_vocab())))

    def finish(self) -> list[int]:
        return self.given(len("".join(self.chunks)))

    def given(self, end: int) -> list[int]:
        """The new ids of the tokens that end here or before."""
        ids, _, offsets = self.subject.encode_with_offsets("".join(self.chunks), self.add_special_tokens)
        count = sum(stop <= end for _, stop in offsets)
        fresh, self.count = ids[self.count : count], max(self.count, count)
        return fresh

    def reset(self) -> None:
        super().reset()
        self.count = 0


class Subject(streams.Streaming):
    encoder = Encoder
