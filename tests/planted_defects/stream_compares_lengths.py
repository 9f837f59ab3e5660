"""What is new is told by the length of the text so far, and not by the text: U+FFFD is as long as what it becomes."""

from __future__ import annotations

import streams


class Decoder(streams.Decoder):
    given = 0

    def feed(self, token_id: int) -> str:
        self.ids.append(token_id)
        return self.finish()

    def finish(self) -> str:
        text = super().finish()
        fresh, self.given = text[self.given :], len(text)
        return fresh

    def reset(self) -> None:
        super().reset()
        self.given = 0


class Subject(streams.Streaming):
    decoder = Decoder
