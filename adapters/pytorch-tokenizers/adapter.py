"""pytorch-tokenizers, the tokenizers in C++ of PyTorch (ExecuTorch), as a subject.

Asked by its classes of C++; those of Python only hand on to the official libraries. Reads tokenizer.json;
sentencepiece's .model, by the library of Google; and the rank file of Llama 3, of which it has the pattern and the
special tokens as defaults. Of the latter two it decodes only id by id: this adapter does not ask that.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

LLAMA3 = 128_000
"""The ranks of Llama 3."""


class Subject:
    """The library with the model at `model_path`."""

    def __init__(self, model_path: str) -> None:
        import pytorch_tokenizers

        self.version = version("pytorch-tokenizers")
        data = Path(model_path).read_bytes()
        is_json = data[:1] == b"{"
        if is_json:
            self._tokenizer: Any = pytorch_tokenizers.CppHFTokenizer()
            self.capabilities: dict[str, Any] = {"encode": {}, "decode": {}}
        else:
            is_sentencepiece = data[:1] == b"\n"
            if not is_sentencepiece and len(data.splitlines()) != LLAMA3:
                raise ValueError("its pattern and special tokens for rank files are those of Llama 3")
            self._tokenizer = (
                pytorch_tokenizers.CppSPTokenizer() if is_sentencepiece else pytorch_tokenizers.CppTiktoken()
            )
            special_in_text = "text" if is_sentencepiece else "matched"
            self.capabilities = {
                "encode": {"add_special_tokens": "never", "special_in_text": special_in_text},
                "decode": None,
            }
        self._has_template = is_json
        self._tokenizer.load(model_path)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text; a number of special tokens at its begin and end asks for the template."""
        number = int(add_special_tokens and self._has_template)
        return list(self._tokenizer.encode(text, number, number))

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        if not self._has_template:
            raise NotImplementedError("it decodes only id by id")
        return str(self._tokenizer.decode_batch(ids, skip_special_tokens))
