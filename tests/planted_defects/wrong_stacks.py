"""Ports that call themselves for every merge: a long word is deeper than the stack."""

from __future__ import annotations

import sys
import threading
from typing import Any, ClassVar

from official import Spans
from reference import Reference, with_model

from reftok import Tokenizer
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.types import Token


class _Recursive(BPE):
    """The symbols of a word as a linked list, which is walked by recursion."""

    def tokenize(self, text: str) -> list[Token]:
        self._walk(text)
        return [*super().tokenize(text)]

    def _walk(self, text: str) -> int:
        return 0 if not text else self._next(text)

    def _next(self, text: str) -> int:
        return 1 + max(map(self._walk, (text[1:],)))


class Recursion(Reference):
    """The interpreter's own limit of recursion ends it with an error."""

    kind: ClassVar[type[Any]] = _Recursive

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_model(tokenizer, self.kind)


class SmallStack(Recursion):
    """A thread with the stack of a small C library, 128 KiB, and no limit of recursion: the process dies."""

    size_bytes: ClassVar[int] = 128 * 1024

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        answers: list[tuple[list[int], list[str], Spans]] = []
        before, limit = threading.stack_size(self.size_bytes), sys.getrecursionlimit()
        sys.setrecursionlimit(1_000_000)
        try:
            ask = super().encode_with_offsets
            thread = threading.Thread(target=lambda: answers.append(ask(text, add_special_tokens)))
            thread.start()
            thread.join()
        finally:
            threading.stack_size(before)
            sys.setrecursionlimit(limit)
        return answers[0]
