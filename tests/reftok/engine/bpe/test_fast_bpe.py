from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.encode.models import fast_model
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.llama_cpp.bpe import LlamaBPE, LlamaBPEOptions
from reftok.rules.stages import Model
from reftok.rules.tiktoken.rank_bpe import RankBPE

from ...official import Json, outcome, own, tokenizer_json
from ...rules.llama_cpp.test_bpe import parts
from ...rules.tiktoken.test_rank_bpe import rank_vocabs
from ...tokenizers_strategies import bpe_models, words


def plain_ids(model: Model, text: str) -> list[int]:
    return [token.id for token in model.tokenize(text)]


@settings(max_examples=1000)
@given(bpe_models(), st.lists(words, min_size=1, max_size=5))
def test_every_model_has_the_ids_of_the_plain_rule(model: Json, inputs: list[str]) -> None:
    plain = own(tokenizer_json(model)).rules.model
    fast = fast_model(plain)
    for text in inputs:
        expected = outcome(partial(plain_ids, plain, text))
        for _ in range(2):
            assert outcome(partial(fast.ids, text)) == expected


@settings(max_examples=400)
@given(rank_vocabs(), st.lists(st.sampled_from([b"a", b"b", b"ab", "é".encode(), b"x"]), min_size=1, max_size=60))
def test_every_vocab_of_ranks_has_the_ids_of_the_plain_rule(vocab: dict[bytes, int], words: list[bytes]) -> None:
    plain = RankBPE({to_byte_characters(token): rank for token, rank in vocab.items()})
    fast = fast_model(plain)
    for text in [to_byte_characters(b"".join(words)), *plain.vocab] * 2:
        assert fast.ids(text) == plain_ids(plain, text)


@settings(max_examples=30)
@given(rank_vocabs(), st.integers(0, 3))
def test_long_words_have_the_ids_of_the_plain_rule(vocab: dict[bytes, int], shift: int) -> None:
    plain = RankBPE({to_byte_characters(token): rank for token, rank in vocab.items()})
    text = to_byte_characters((b"ab" * 150 + "éa".encode() * 100 + b"aab" * 100)[shift:])
    assert fast_model(plain).ids(text) == plain_ids(plain, text)


@settings(max_examples=300)
@given(
    st.lists(st.tuples(parts, parts), unique=True, max_size=12),
    st.lists(st.sampled_from(["a", "b", "ab", "abc", "aa", "\n", "\n\n", "<0x63>"]), unique=True),
    st.builds(LlamaBPEOptions, st.booleans(), st.booleans(), st.booleans()),
    st.text("abc\n", max_size=40),
)
def test_every_model_of_llama_has_the_ids_of_the_plain_rule(
    pairs: list[tuple[str, str]], tokens: list[str], options: LlamaBPEOptions, text: str
) -> None:
    ranks = {pair: rank for rank, pair in enumerate(pairs)}
    plain = LlamaBPE({token: token_id for token_id, token in enumerate(tokens)}, ranks, options)
    fast = fast_model(plain)
    for _ in range(2):
        assert fast.ids(text) == plain_ids(plain, text)


@pytest.mark.parametrize("model", [RankBPE({"a": 0}), BPE({"a": 0}, []), LlamaBPE({"a": 0}, {})])
def test_the_ids_of_long_words_are_not_remembered(model: Model) -> None:
    known = fast_model(model).known_ids
    for length, is_same in ((255, True), (256, False)):
        assert (known["a" * length] is known["a" * length]) is is_same
