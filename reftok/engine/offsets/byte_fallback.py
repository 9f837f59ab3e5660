"""The tokens of a text with their offsets, from the ids of a model that falls back to bytes: a fast path.

For pipelines like those of Llama 2 and Mistral: a `▁` before the text and in the place of each space, and BPE of the
text as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import sub

from reftok.engine.bpe.fast_bpe import FastBPE
from reftok.engine.caches import Results
from reftok.engine.encode.encoder import Encoder
from reftok.engine.offsets.byte_level import Columns, columns_of_parts, encoding_of, has_match
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.normalizers import Prepend, Replace
from reftok.rules.huggingface.pre_tokenizers import Metaspace
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.pieces import BYTE_PIECES
from reftok.rules.stages import Normalizer, PreTokenizer
from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import Encoding, Span

_CONTINUING_BYTES = frozenset(BYTE_PIECES[0x80:0xC0])


def byte_fallback_encoding(encoder: Encoder, text: str, sequence_id: int = 0) -> Encoding | None:
    """The fast path of `Pipeline.tokens_of`; None where that has to be asked.

    >>> import reftok
    >>> byte_fallback_encoding(reftok.load("spm-bpe-hf").engine.encoder, "a ☃").offsets
    [(0, 1), (1, 2), (2, 3), (2, 3), (2, 3)]
    """
    pipeline = encoder.pipeline
    model = pipeline.model
    if pipeline.library != "tokenizers" or type(model) is not BPE or not model.options.byte_fallback:
        return None
    if not isinstance(encoder.model, FastBPE) or encoder.model.merges_unknown:
        return None
    if len(pipeline.pre_tokenizers) > 1 or not all(map(_is_one_for_one, _steps(pipeline))):
        return None
    parts = pipeline.added_tokens.split_raw([Part(NormalizedString(text))], pipeline.encode_special_tokens)
    columns = columns_of_parts(parts, lambda part, start, word: _columns(encoder, model, part, start, word))
    return None if columns is None else encoding_of(columns, sequence_id)


def _steps(pipeline: Pipeline) -> tuple[Normalizer | PreTokenizer, ...]:
    return *pipeline.normalizers, *pipeline.pre_tokenizers


def _is_one_for_one(step: Normalizer | PreTokenizer) -> bool:
    """Whether it leaves each character in its place, but for one that it may put before them."""
    if isinstance(step, Prepend):
        return len(step.prepend) == 1
    if isinstance(step, Metaspace):
        return len(step.replacement) == 1 and not step.split
    return isinstance(step, Replace) and isinstance(step.pattern, str) and len(step.pattern) == len(step.content) == 1


def _columns(encoder: Encoder, model: BPE, text: str, start: int, word: int) -> Columns | None:
    """The tokens of a part without added tokens; None where they are not told by their ids."""
    pipeline, size = encoder.pipeline, len(text)
    for step in pipeline.normalizers:
        if isinstance(step, Prepend):
            text = step.prepend + text
        elif isinstance(step, Replace) and isinstance(step.pattern, str):
            text = text.replace(step.pattern, step.content)
    if has_match(pipeline.added_tokens.normalized_pattern, text):
        return None
    for metaspace in pipeline.pre_tokenizers:
        (part,) = metaspace.pre_tokenize([Part(NormalizedString(text, start))])
        text = part.normalized.text
    before = len(text) - size
    ids = encoder.ids_of_normalized(text)
    tokens = [*map(model.tokens.__getitem__, ids)]
    if model.unk_id in ids:
        return None
    first = start - before
    ends = [*accumulate(map(_characters_begun.__getitem__, tokens), initial=first)]
    if ends[-1] != first + len(text):
        return None
    return ids, tokens, _offsets(tokens, ends, start), [word] * len(ids), 1


def _offsets(tokens: Sequence[str], ends: Sequence[int], start: int) -> list[Span]:
    """Every byte of a character has the whole of it; what was put before the text has its first character."""
    starts = ends[:-1]
    are_within = [*map(_CONTINUING_BYTES.__contains__, tokens)]
    if True in are_within:
        starts = [*map(sub, starts, are_within)]
    offsets = [*zip(starts, ends[1:], strict=True)]
    for place, (first, end) in enumerate(offsets):
        if first >= start:
            break
        offsets[place] = start, max(end, start + 1)
    return offsets


def _length(token: str) -> int:
    """How many characters begin in a token, which may be a byte.

    Where what looks like a byte was found as text, the text is longer than this says.
    """
    return int(token not in _CONTINUING_BYTES) if token in BYTE_PIECES else len(token)


_characters_begun: Results[int] = Results(_length)
