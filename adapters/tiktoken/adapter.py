"""tiktoken with the vocab of a byte-level tokenizer.json, as many serve such models, as a subject.

Reads tokenizer.json with one regular expression for the split. tiktoken has no normalizer: one of NFC is applied before
it, by the tables of this Python, as the authors of Qwen did. (Rank files need no adapter: `--model FILE.tiktoken`.)
"""

from __future__ import annotations

import json
import unicodedata
from codecs import getincrementaldecoder
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from tiktoken import Encoding


class Subject:
    """The library with the vocab, the added tokens and the split pattern of the model at `model_path`."""

    capabilities: ClassVar[dict[str, Any]] = {
        "encode": {"add_special_tokens": "never"},
        "decode": {},
        "encode_batch": True,
        "stream_decode": ["reset", "beside"],
    }

    def __init__(self, model_path: str) -> None:
        from tiktoken import Encoding

        self.version = version("tiktoken")
        model = json.loads(Path(model_path).read_text("utf-8"))
        self._normalizer = (model["normalizer"] or {}).get("type")
        added = {token["content"]: token["id"] for token in model["added_tokens"]}
        pre_tokenizer = model["pre_tokenizer"] or {"type": None}
        splits = pre_tokenizer.get("pretokenizers", [pre_tokenizer])
        patterns = [split["pattern"]["Regex"] for split in splits if split["type"] == "Split"]
        if self._normalizer not in (None, "NFC") or len(patterns) != 1:
            raise ValueError("neither a normalizer other than NFC nor other than one split fits into tiktoken")
        self._special_ids = frozenset(token["id"] for token in model["added_tokens"] if token["special"])
        self._encoding = Encoding(
            "of tokenizer.json",
            pat_str=patterns[0],
            mergeable_ranks=_ranks(model["model"]["vocab"], added),
            special_tokens=added,
        )

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return self._encoding.encode(self._normalized(text), allowed_special="all")

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        return self._encoding.encode_batch(list(map(self._normalized, texts)), allowed_special="all")

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids; tiktoken cannot skip special tokens, so their ids are left out, as its users must."""
        return self._encoding.decode([i for i in ids if not (skip_special_tokens and i in self._special_ids)])

    def stream_decoder(self, skip_special_tokens: bool) -> Decoder:
        """A decoder that is fed one id after the other."""
        return Decoder(self._encoding, self._special_ids if skip_special_tokens else frozenset())

    def _normalized(self, text: str) -> str:
        return text if self._normalizer is None else unicodedata.normalize("NFC", text)


class Decoder:
    """Text as the ids come: the bytes that begin a character wait for the rest of it."""

    def __init__(self, encoding: Encoding, skipped: frozenset[int]) -> None:
        self._encoding = encoding
        self._skipped = skipped
        self.reset()

    def feed(self, token_id: int) -> str:
        """The text that has become certain with this id."""
        if token_id in self._skipped:
            return ""
        return self._utf8.decode(self._encoding.decode_single_token_bytes(token_id))

    def finish(self) -> str:
        """What is held: a character that stays incomplete is U+FFFD."""
        return self._utf8.decode(b"", final=True)

    def reset(self) -> None:
        """Forget what has come."""
        self._utf8 = getincrementaldecoder("utf-8")("replace")


def _ranks(vocab: dict[str, int], added: dict[str, int]) -> dict[bytes, int]:
    """The bytes of each entry; the order of the ids is taken for that of the merges."""
    byte_of = _byte_of_glyph()
    return {bytes(map(byte_of.__getitem__, entry)): rank for entry, rank in vocab.items() if entry not in added}


def _byte_of_glyph() -> dict[str, int]:
    """The glyphs of GPT-2: printable bytes of Latin-1 stand for themselves, the others for U+0100 and on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + number): byte for number, byte in enumerate(others)}
