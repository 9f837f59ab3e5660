"""The process kills itself on a text with ☠: a native library that reads past the end."""

from __future__ import annotations

import os
import signal

from official import Official, Spans


class Subject(Official):
    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        if "☠" in text:
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().encode_with_offsets(text, add_special_tokens)
