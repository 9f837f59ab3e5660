"""openvino-tokenizers, which turns a tokenizer of transformers into a graph of OpenVINO, as a subject.

Reads tokenizer.json. Loading takes some 10 s.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, ClassVar


class Subject:
    """The compiled graphs of the model at `model_path`: one for each way of encoding and of decoding."""

    capabilities: ClassVar[dict[str, Any]] = {"encode": {}, "decode": {}}

    def __init__(self, model_path: str) -> None:
        from openvino import compile_model
        from openvino_tokenizers import convert_tokenizer
        from transformers import PreTrainedTokenizerFast

        self.version = version("openvino-tokenizers")
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=model_path, clean_up_tokenization_spaces=False)
        self._encoders, self._decoders = {}, {}
        for special in (False, True):
            encoder, decoder = convert_tokenizer(
                tokenizer, with_detokenizer=True, add_special_tokens=special, skip_special_tokens=special
            )
            self._encoders[special] = compile_model(encoder)
            self._decoders[special] = compile_model(decoder)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return [int(token_id) for token_id in self._encoders[add_special_tokens]([text])["input_ids"][0]]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        from numpy import array, int64

        given = array([ids], dtype=int64)  # of no ids, a list would have no type
        return str(self._decoders[skip_special_tokens]([given])["string_output"][0])
