"""The n best encodings of a text by a sentencepiece model of type UNIGRAM.

Source: sentencepiece 0.2.3, sentencepiece_processor.cc (`NBestEncode`).
"""

from __future__ import annotations

from dataclasses import dataclass

from reftok.errors import UnsupportedFeature
from reftok.spec.encodings import byte_offsets
from reftok.spec.pipeline import Pipeline
from reftok.spec.postprocessors import default_processing
from reftok.spec.sentencepiece.n_best_search import n_best_segments
from reftok.spec.sentencepiece.options import apply_options
from reftok.spec.sentencepiece.unigram import SentencePieceUnigram
from reftok.spec.text import NormalizedString, Split
from reftok.spec.trace import to_encoding
from reftok.spec.types import Encoding

MOST_RESULTS = 512


@dataclass(frozen=True, slots=True)
class ScoredEncoding:
    """One of the n best; the score is the sum of the scores of its pieces, a float32."""

    encoding: Encoding
    score: float


def n_best(tokenizer: Pipeline, text: str | bytes, size: int) -> list[ScoredEncoding]:
    """Up to `size` encodings of the text, the best first; fewer where there are not so many.

    size: 512 at most; below 2 it gives the one encoding of `encode` with the score 0.
    Raises UnsupportedFeature for a model of any other type and for a larger size, InvalidText as `encode` does.

    >>> import reftok
    >>> [" ".join(best.encoding.tokens) for best in n_best(reftok.load("spm-unigram"), "a cat", 3)]
    ['▁a ▁ ca t', '▁a ▁ c at', '▁ a ▁ ca t']
    """
    model = tokenizer.model
    if not isinstance(model, SentencePieceUnigram):
        raise UnsupportedFeature(
            "", "n_best", f"only sentencepiece's unigram models have it, not {type(model).__name__}"
        )
    if size > MOST_RESULTS:
        raise UnsupportedFeature("", "n_best", f"size is {size}, sentencepiece gives {MOST_RESULTS} at most")
    best = tokenizer.encode(text)
    original = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
    normalized = NormalizedString(original)
    for normalizer in tokenizer.normalizers:
        normalized = normalizer.normalize(normalized)
    if size < 2 or not normalized.text:
        return [ScoredEncoding(best, 0.0)]
    results = []
    for segments, score in n_best_segments(model, normalized.text, size):
        tokens = tuple(model.table.tokens(segments))
        encoding = default_processing([to_encoding([Split(normalized, tokens)])])
        if tokenizer.sentencepiece_options is not None:
            encoding = apply_options(encoding, tokenizer.sentencepiece_options, model.table, len(original))
        results.append(ScoredEncoding(encoding if isinstance(text, str) else byte_offsets(encoding, original), score))
    return results
