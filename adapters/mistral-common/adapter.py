"""mistral-common, the tokenizers of Mistral AI over sentencepiece and tiktoken, as a subject.

Reads sentencepiece's .model and tekken.json. It matches no special tokens in texts; those at the begin and end are the
caller's to ask for, and this adapter asks for none. Of a .model, special tokens are always
skipped, as by sentencepiece.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any


class Subject:
    """The library with the model at `model_path`."""

    def __init__(self, model_path: str) -> None:
        from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy, TokenizerVersion
        from mistral_common.tokens.tokenizers.sentencepiece import SentencePieceTokenizer
        from mistral_common.tokens.tokenizers.tekken import Tekkenizer

        self.version = version("mistral-common")
        self._policies = {False: SpecialTokenPolicy.KEEP, True: SpecialTokenPolicy.IGNORE}
        is_tekken = Path(model_path).read_bytes()[:1] == b"{"
        if is_tekken:
            self._tokenizer: Any = Tekkenizer.from_file(model_path)
        else:
            self._tokenizer = SentencePieceTokenizer(model_path, TokenizerVersion.v1)
            self._policies[False] = SpecialTokenPolicy.IGNORE  # to keep them is to give the pieces, and not the text
        self.capabilities: dict[str, Any] = {
            "encode": {"add_special_tokens": "never", "special_in_text": "text"},
            "decode": {} if is_tekken else {"skip_special_tokens": "always"},
        }

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return list(self._tokenizer.encode(text, bos=False, eos=False))

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        return str(self._tokenizer.decode(ids, self._policies[skip_special_tokens]))
