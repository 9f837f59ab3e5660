"""The streams of published models against what they decode at once, on a sample of the corpora and random ids."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import reftok

from ..reftok.streams.decoding import assert_streams
from .test_reftok import FILES, pytestmark, sample

__all__ = ["pytestmark"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_texts_of_a_stream_are_together_what_is_decoded_at_once(path: Path) -> None:
    tokenizer = reftok.load(path)
    for text in sample():
        assert_streams(tokenizer, tokenizer.encode_ids(text), [])
    random = Random(path.name)
    for _ in range(300):
        ids = [random.randrange(tokenizer.rules.model.size) for _ in range(20)]
        assert_streams(tokenizer, ids, [(), ids[:2], ids[7:10]], random.random() < 0.5)
