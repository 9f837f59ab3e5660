"""A document that is too long to be encoded at once."""

from __future__ import annotations

from codecs import getincrementaldecoder

from reftok.encode_files.messages import LONGEST, Failure, Part, StopError, Task, not_utf_8
from reftok.engine.encode.stream import StreamEncoder
from reftok.errors import ReftokError
from reftok.tokenizer import Tokenizer


class LongDocument:
    """A document that comes in parts."""

    def __init__(self, tokenizer: Tokenizer, task: Task) -> None:
        if task.engine != "reftok" or task.verify:
            size = f"{task.longest >> 20} MiB"
            raise StopError(Failure("text", f"is longer than {size}: only reftok, without --verify, encodes it"))
        self._decoder = getincrementaldecoder("utf-8")("strict")
        self._replaces = task.errors == "replace"
        self._encoder: StreamEncoder = tokenizer.stream_encoder(add_special_tokens=task.add_special_tokens)
        self._fed = 0
        self._decoded = 0
        self._was_replaced = False
        self.tokens = 0

    def feed(self, part: Part) -> tuple[list[int], int, bool]:
        """Ids, code points, and whether bytes of the document were replaced."""
        text = self._text(part)
        self._decoded += len(text)
        try:
            ids = self._encoder.feed(text)
            if part.is_last:
                return ids + self._encoder.finish(), len(text), self._was_replaced
        except ReftokError as error:
            raise StopError(Failure("text", str(error))) from None
        reasons = self._encoder.held_until_end
        if self._encoder.held > LONGEST or (reasons and self._decoded > LONGEST):
            why = f" ({reasons[0]})" if reasons else ""
            message = f"the tokenizer must hold back more than {LONGEST >> 20} Mi code points of it{why}: split it"
            raise StopError(Failure("text", message))
        return ids, len(text), self._was_replaced

    def _text(self, part: Part) -> str:
        waiting, _ = self._decoder.getstate()
        self._fed += len(part.data)
        try:
            return self._decoder.decode(part.data, part.is_last)
        except UnicodeDecodeError as error:
            if not self._replaces:
                byte = self._fed - len(part.data) - len(waiting) + error.start
                raise StopError(not_utf_8(0, byte)) from None
        self._was_replaced = True
        decoder = getincrementaldecoder("utf-8")("replace")
        decoder.setstate((waiting, 0))
        self._decoder = decoder
        return decoder.decode(part.data, part.is_last)
