"""blingfire, tokenizers in C++ as automata, as a subject.

Asked by the GPT-2 that it brings along, where the vocab.json is that of GPT-2; without the space that it else puts
before each text. It knows no special tokens in texts.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

END_OF_TEXT = 50256
"""The id of the last entry of GPT-2."""
LONGEST = 256
"""Bytes that the text of an id may have: the buffer for the text is made as large."""


class Subject:
    """The GPT-2 of the library."""

    capabilities: ClassVar[dict[str, Any]] = {
        "encode": {"add_special_tokens": "never", "special_in_text": "text"},
        "decode": {},
    }

    def __init__(self, model_path: str) -> None:
        import blingfire

        vocab = json.loads(Path(model_path).with_name("vocab.json").read_text("utf-8"))
        if vocab.get("<|endoftext|>") != END_OF_TEXT:
            raise ValueError("it brings along GPT-2, and this is another vocab")
        self.version = version("blingfire")
        self._library = blingfire
        folder = Path(blingfire.__file__).parent
        self._encoder = blingfire.load_model(str(folder / "gpt2.bin"))
        self._decoder = blingfire.load_model(str(folder / "gpt2.i2w"))
        blingfire.change_settings_dummy_prefix(self._encoder, False)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text: no more than it has bytes."""
        most = len(text.encode()) + 1
        return [int(i) for i in self._library.text_to_ids(self._encoder, text, most, no_padding=True)]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        from numpy import array, int32

        given, most = array(ids, dtype=int32), LONGEST * len(ids) + 1
        return str(self._library.ids_to_text(self._decoder, given, skip_special_tokens, most))
