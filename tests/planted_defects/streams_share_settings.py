"""Whether special tokens are skipped is kept by the tokenizer, so the stream that was made last decides for all."""

from __future__ import annotations

from typing import Any

import streams


class Decoder(streams.Decoder):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.subject.skips = self.skip_special_tokens

    def finish(self) -> str:
        return self.subject.decode(self.ids, self.subject.skips)


class Subject(streams.Streaming):
    decoder = Decoder
    skips = True
