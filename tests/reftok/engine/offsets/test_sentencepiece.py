from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok import Tokenizer
from reftok.engine.offsets.sentencepiece import SentencePieceOffsets
from reftok.formats.sentencepiece.model_file import read_sentencepiece_model
from reftok.rules.sentencepiece.pieces import PieceType
from tests.models import load

from ...protobuf_writer import UNKNOWN, model_bytes
from ...sentencepiece_strategies import inputs, models

EMBEDDED = [
    "spm-bpe",
    "spm-bpe-symbols",
    "spm-char",
    "spm-unigram",
    "spm-unigram-bytes",
    "spm-unigram-suffix",
    "spm-unigram-symbols",
    "spm-word",
]
TEXTS = st.text(
    st.sampled_from(
        "abe \u2581\u00e9\u0301\u3042\u304b\u3099\u1100\u1161\u8a9e\u0e01\ufb01\u3000\U0001f600\udc80<>1\n"
    ),
    max_size=40,
)


def same(tokenizer: Tokenizer, text: str) -> None:
    offsets = SentencePieceOffsets(tokenizer.engine.encoder, tokenizer.engine.fast)
    assert offsets.encoding(text) == tokenizer.rules.tokens_of(text)


@given(models(), st.lists(inputs, max_size=4))
def test_the_tokens_are_those_of_the_plain_way(data: bytes, texts: list[str | bytes]) -> None:
    tokenizer = Tokenizer(read_sentencepiece_model(data, ""))
    for text in texts:
        same(tokenizer, text if isinstance(text, str) else text.decode("utf-8", "surrogateescape"))


@pytest.mark.parametrize("name", EMBEDDED)
@settings(max_examples=60)
@given(text=TEXTS | st.text(max_size=20))
def test_embedded_models_give_the_tokens_of_the_plain_way(name: str, text: str) -> None:
    same(load(name), text)


def test_a_character_that_is_only_within_a_piece_is_unknown_alone() -> None:
    data = model_bytes([UNKNOWN, ("ab", -1.0, PieceType.NORMAL), ("c", -1.0, PieceType.NORMAL)])
    tokenizer = Tokenizer(read_sentencepiece_model(data, ""))
    for text in ("a", "acab", "xaxabb"):
        same(tokenizer, text)


def test_the_bytes_of_a_character_end_where_it_does() -> None:
    encoding = load("spm-unigram-bytes").encode("\u2603\U0001f600")
    spans = dict(zip(encoding.tokens, encoding.offsets, strict=True))
    assert spans["<0xE2>"] == (0, 0)
    assert spans["<0x83>"] == (0, 1)
    assert encoding.offsets[-1] == (1, 2)
