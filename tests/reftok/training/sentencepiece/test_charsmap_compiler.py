"""Compiled rules are those of the official builder, byte for byte."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece import SentencePieceNormalizer

from reftok.training.sentencepiece.charsmap_compiler import compiled_charsmap
from reftok.training.sentencepiece.normalization import NAMED_RULES, charsmap_blob
from reftok.training.sentencepiece.options import TrainerOptions

from ...protobuf_writer import compile_charsmap

texts = st.text("ab é中😀", max_size=4)


@given(st.dictionaries(texts.filter(bool), texts, min_size=1, max_size=20))
def test_a_few_rules_are_compiled_as_by_the_library(rules: dict[str, str]) -> None:
    changing = {old: new for old, new in rules.items() if old != new} or {"a": "b"}
    assert compiled_charsmap(changing) == compile_charsmap(changing)


@pytest.mark.parametrize("first", [0x21, 0x3000, 0x10000])
def test_many_rules_close_blocks_of_the_array_as_in_the_library(first: int) -> None:
    generator = random.Random(first)
    alphabet = [chr(first + generator.randrange(3000)) for _ in range(400)]
    rules = {"".join(generator.choices(alphabet, k=generator.randint(1, 4))): "x" for _ in range(3000)}
    assert compiled_charsmap(rules) == compile_charsmap(rules)


@pytest.mark.parametrize("name", NAMED_RULES)
def test_the_rules_with_names_are_the_librarys(name: str) -> None:
    spec = SentencePieceNormalizer(rule_name=name).serialized_normalizer_spec()
    assert charsmap_blob(TrainerOptions(normalization_rule_name=name)) in spec


def test_too_many_texts_that_begin_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 31"):
        compiled_charsmap({"a" * length: "b" for length in range(1, 33)})
