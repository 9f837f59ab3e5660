"""kitoken, a tokenizer in Rust with readers of its own for the published formats, as a subject.

    python -m pip install kitoken==0.11.1
    conformance run --model path/to/tokenizer.json --subject docs/subjects/kitoken_subject.py:Kitoken

Reads tokenizer.json, sentencepiece's .model and tiktoken's rank files. It adds no special tokens of a template: that
is left to its caller, and this adapter leaves it too, so a model with a template differs in every text.
"""

from __future__ import annotations

import codecs
from importlib.metadata import version
from pathlib import Path


class Kitoken:
    """The library with the model at `model_path`.

    Added tokens in a text are taken as such; of a sentencepiece model only the user-defined symbols, as sentencepiece
    does. kitoken decodes to bytes: what is not UTF-8 becomes U+FFFD as the official library of the format has it.
    """

    def __init__(self, model_path: str) -> None:
        from kitoken import Kitoken as Library

        self.version = version("kitoken")
        self._special: bool | list[str] = True
        self._errors = "replace"
        beginning = Path(model_path).read_bytes()[:1]
        if beginning == b"{":
            self._tokenizer = Library.from_tokenizers_file(model_path)
        elif beginning == b"\n":
            self._tokenizer = Library.from_sentencepiece_file(model_path)
            self._special, self._errors = ["priority"], "replace each byte"
        else:
            self._tokenizer = Library.from_tiktoken_file(model_path)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return list(self._tokenizer.encode(text, self._special))

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        return [list(ids) for ids in self._tokenizer.encode_all(texts, self._special)]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        return bytes(self._tokenizer.decode(ids, not skip_special_tokens)).decode("utf-8", self._errors)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """One U+FFFD for each byte, where Python has one for as much as may begin a character."""
    assert isinstance(error, UnicodeDecodeError)
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error("replace each byte", _replaced)
