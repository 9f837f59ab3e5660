"""What the stages of an official library give, asked one by one.

Source: `normalizer.normalize_str` and `pre_tokenizer.pre_tokenize_str` of tokenizers 0.23; `Normalize` of sentencepiece
0.2. They are given the text as it is: where added tokens stand in it, they do not say what encoding does.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any


def official_stages(path: Path, model_format: str, text: str) -> dict[str, tuple[str, ...]]:
    """The parts of the text after Normalizer and PreTokenizer, as far as the library can be asked."""
    try:
        if model_format == "tokenizer.json":
            return _of_tokenizers(_tokenizer(path), text)
        if model_format == "sentencepiece":
            return {"Normalizer": (str(_processor(path).Normalize(text)),)}
    except Exception:
        return {}
    return {}


def _of_tokenizers(tokenizer: Any, text: str) -> dict[str, tuple[str, ...]]:
    normalizer, pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
    normalized = text if normalizer is None else normalizer.normalize_str(text)
    stages: dict[str, tuple[str, ...]] = {"Normalizer": (normalized,)}
    if pre_tokenizer is not None:
        stages["PreTokenizer"] = tuple(piece for piece, _ in pre_tokenizer.pre_tokenize_str(normalized))
    return stages


@lru_cache(maxsize=1)
def _tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(path))


@lru_cache(maxsize=1)
def _processor(path: Path) -> Any:
    import sentencepiece

    return sentencepiece.SentencePieceProcessor(model_file=str(path))
