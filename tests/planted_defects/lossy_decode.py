"""Bytes that are no UTF-8 are dropped instead of shown as U+FFFD: `decode(errors="ignore")`."""

from __future__ import annotations

from official import Official

from reftok import unicode_to_bytes

BYTES = unicode_to_bytes()


class Subject(Official):
    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        added = self.tokenizer.get_added_tokens_decoder().values()
        skipped = {token.content for token in added if token.special and skip_special_tokens}
        tokens = [token for i in ids if (token := self.tokenizer.id_to_token(i)) is not None and token not in skipped]
        return b"".join(map(bytes_of, tokens)).decode("utf-8", "ignore")


def bytes_of(token: str) -> bytes:
    """What the library does: a token with other characters than those of bytes stands for itself."""
    return bytes(map(BYTES.__getitem__, token)) if set(token) <= set(BYTES) else token.encode()
