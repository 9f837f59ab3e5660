r"""riptoken, tiktoken anew in Rust, as a subject.

Reads rank files, by `load_tiktoken_bpe`. Pattern and special tokens, which these lack, are those of tiktoken for the
encoding that the name of the file tells (cl100k_base, o200k_base), as `riptoken.get_encoding` takes them from there,
which would download the ranks. It cannot skip special tokens.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

ENCODINGS = {
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"
        r"|\s+(?!\S)|\s",
        {
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
    "o200k_base": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    ),
}
"""Pattern and special tokens by encoding. Source: tiktoken 0.14, tiktoken_ext/openai_public.py."""


class Subject:
    """The library with the ranks at `model_path`."""

    capabilities: ClassVar[dict[str, Any]] = {
        "encode": {"add_special_tokens": "never"},
        "decode": {"skip_special_tokens": "never"},
        "encode_batch": True,
    }

    def __init__(self, model_path: str) -> None:
        from riptoken import CoreBPE, load_tiktoken_bpe

        self.version = version("riptoken")
        encoding = Path(model_path).stem
        if encoding not in ENCODINGS:
            raise ValueError(f"no encoding is called {encoding}")
        pattern, special_tokens = ENCODINGS[encoding]
        self._core = CoreBPE(load_tiktoken_bpe(model_path), special_tokens, pattern)
        self._special = set(special_tokens)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text, special tokens in it as such."""
        return list(self._core.encode(text, self._special))

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        return [list(ids) for ids in self._core.encode_batch(texts, self._special)]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        return str(self._core.decode(ids))
