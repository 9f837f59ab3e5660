"""openvino-tokenizers, which turns a tokenizer of transformers into a graph of OpenVINO, as a subject.

    python -m pip install openvino-tokenizers==2026.4.1.0 openvino==2026.4.1 transformers
    conformance run --model path/to/tokenizer.json --subject docs/subjects/openvino_subject.py:OpenVino

Reads tokenizer.json. Loading takes some 10 s.
"""

from __future__ import annotations

from importlib.metadata import version


class OpenVino:
    """The compiled graphs of the model at `model_path`: one that encodes, and a decoder for each way of decoding."""

    def __init__(self, model_path: str) -> None:
        from openvino import compile_model
        from openvino_tokenizers import convert_tokenizer
        from transformers import PreTrainedTokenizerFast

        self.version = version("openvino-tokenizers")
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=model_path, clean_up_tokenization_spaces=False)
        self._decoders = {}
        for skips in (False, True):
            encoder, decoder = convert_tokenizer(tokenizer, with_detokenizer=True, skip_special_tokens=skips)
            self._decoders[skips] = compile_model(decoder)
        self._encoder = compile_model(encoder)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text; the graph adds the special tokens of the template."""
        return [int(token_id) for token_id in self._encoder([text])["input_ids"][0]]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        from numpy import array, int64

        given = array([ids], dtype=int64)  # of no ids, a list would have no type
        return str(self._decoders[skip_special_tokens]([given])["string_output"][0])
