from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.encode.unigram import StreamedUnigram
from reftok.engine.unigram import fast_unigram
from reftok.engine.unigram.fast_unigram import FastUnigram
from reftok.rules.huggingface.unigram import Unigram
from reftok.rules.viterbi import PieceMatch

from ...official import Json, outcome, own, tokenizer_json
from ...tokenizers_strategies import unigram_models, words


def assert_same(model: Json, inputs: list[str]) -> None:
    plain = own(tokenizer_json(model)).rules.model
    assert isinstance(plain, Unigram)
    fast = FastUnigram(plain)
    for text in inputs:
        expected = outcome(lambda text=text: [token.id for token in plain.tokenize(text)])
        for _ in range(2):
            assert outcome(partial(fast.ids, text)) == expected


@settings(max_examples=1000)
@given(unigram_models(), st.lists(words, min_size=1, max_size=5))
def test_every_model_has_the_ids_of_the_plain_rule(model: Json, inputs: list[str]) -> None:
    assert_same(model, inputs)


@settings(max_examples=100)
@given(unigram_models(), st.lists(words, min_size=1, max_size=5))
def test_so_has_one_whose_pieces_are_too_long_for_a_tree(model: Json, inputs: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_unigram, "MOST_TRIE_NODES", 3)
        assert_same(model, inputs)


class CountingUnigram(Unigram):
    """Counts the places of texts at which it looks for pieces."""

    def __init__(self, pieces: list[tuple[str, float]]) -> None:
        super().__init__(pieces, unk_id=0)
        self.places = 0

    def matches(self, text: str, start: int) -> list[PieceMatch]:
        self.places += 1
        return super().matches(text, start)


def test_a_piece_as_long_as_the_text_is_not_walked_along_from_each_place() -> None:
    size = 7_990
    model = CountingUnigram([("<unk>", 0.0), ("0", -1.0), ("0" * size, -2.0)])
    fast = FastUnigram(model)
    assert fast.ids("0" * size) == [2]
    ids: list[int] = []
    StreamedUnigram(fast, ids).pre_tokens(["0" * (size - 1)])
    assert ids == [1] * (size - 1)
    assert model.places == 2 * size - 1
