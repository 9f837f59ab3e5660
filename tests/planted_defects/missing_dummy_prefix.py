"""No space before the text: a sentencepiece port without `add_dummy_prefix`."""

from __future__ import annotations

from dataclasses import replace

from official import Official

import reftok
from reftok import Tokenizer
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer


class Subject(Official):
    def __init__(self, model_path: str) -> None:
        super().__init__(model_path)
        right = reftok.load(model_path)
        (normalizer,) = right.rules.normalizers
        assert isinstance(normalizer, SentencePieceNormalizer)
        options = replace(normalizer.options, add_dummy_prefix=False)
        wrong = SentencePieceNormalizer(options, normalizer.charsmap, normalizer.symbols)
        self.wrong = Tokenizer(replace(right.rules, normalizers=(wrong,)), right)

    def encode_with_offsets(
        self, text: str, add_special_tokens: bool
    ) -> tuple[list[int], list[str], list[tuple[int, int]]]:
        encoding = self.wrong.encode(text)
        return list(encoding.ids), list(encoding.tokens), list(encoding.offsets)
