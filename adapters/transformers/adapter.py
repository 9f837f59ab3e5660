"""transformers, its slow tokenizers in Python, as a subject.

Those of the last release that has them for all models: 4.57. Reads vocab.json with merges.txt, as they are or beside a
tokenizer.json, by GPT2Tokenizer, or by Qwen2Tokenizer where tokenizer_config.json says so; and a .model like that of
Llama, by LlamaTokenizer, which is asked for no `<s>` at the begin, since sentencepiece has none there. The special
tokens that GPT2Tokenizer and LlamaTokenizer have of themselves are in none of these files: in a text they are asked for
as text.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

FIRST_BYTE = 3
"""The id of the first byte in the .model of Llama."""


class Subject:
    """The slow tokenizer of the model at `model_path`."""

    def __init__(self, model_path: str) -> None:
        import transformers

        self.version = version("transformers")
        path = Path(model_path)
        is_sentencepiece = path.read_bytes()[:1] == b"\n"
        self.capabilities: dict[str, Any] = {
            "encode": {"add_special_tokens": "never" if is_sentencepiece else "choice"},
            "decode": {},
        }
        self._has_template = not is_sentencepiece
        self._brings_special_tokens = is_sentencepiece or not _is_qwen(path.parent)
        if is_sentencepiece:
            self._tokenizer = transformers.LlamaTokenizer(model_path)
            if not self._tokenizer.sp_model.IsByte(FIRST_BYTE):
                raise ValueError("LlamaTokenizer is for a .model like that of Llama: <unk>, <s>, </s>, then the bytes")
        elif not (path.with_name("vocab.json").exists() and path.with_name("merges.txt").exists()):
            raise ValueError("beside it are no vocab.json and merges.txt, which the slow tokenizers read")
        else:
            make = transformers.Qwen2Tokenizer if _is_qwen(path.parent) else transformers.GPT2Tokenizer
            self._tokenizer = make.from_pretrained(str(path.parent), local_files_only=True)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        template = add_special_tokens and self._has_template
        as_text = self._brings_special_tokens
        return list(self._tokenizer.encode(text, add_special_tokens=template, split_special_tokens=as_text))

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids, as it is: without the removal of spaces before punctuation."""
        text = self._tokenizer.decode(ids, skip_special_tokens=skip_special_tokens, clean_up_tokenization_spaces=False)
        return str(text)


def _is_qwen(folder: Path) -> bool:
    config = folder / "tokenizer_config.json"
    return config.exists() and json.loads(config.read_text("utf-8")).get("tokenizer_class") == "Qwen2Tokenizer"
