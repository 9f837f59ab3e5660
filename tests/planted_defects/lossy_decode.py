"""Bytes that are no UTF-8 are dropped instead of shown as U+FFFD: `decode(errors="ignore")`."""

from __future__ import annotations

from official import Official

from reftok import unicode_to_bytes

BYTES = unicode_to_bytes()


class Subject(Official):
    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        added = self.tokenizer.get_added_tokens_decoder()
        kept = [i for i in ids if not (skip_special_tokens and i in added and added[i].special)]
        tokens = [self.tokenizer.id_to_token(i) for i in kept]
        data = [t.encode() if i in added else bytes(map(BYTES.get, t)) for i, t in zip(kept, tokens, strict=True)]
        return b"".join(data).decode("utf-8", "ignore")
