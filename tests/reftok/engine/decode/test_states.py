from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reftok import InvalidIds, Tokenizer
from reftok.engine.decode import states as decoding_states
from reftok.engine.decode.states import UNREMEMBERED, DecodingStates, decodable_tokens
from tests.models import load


def test_there_is_a_bound_to_the_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding_states, "_MOST_STATES", 2)
    states = DecodingStates()
    first, second = states.at(("a",)), states.at(("b",))
    assert states.at(("c",)) is UNREMEMBERED
    assert (states.at(("a",)), states.at(("b",))) == (first, second)
    states.keep(first, 1, "text", UNREMEMBERED)
    states.keep(UNREMEMBERED, 1, "text", first)
    assert (len(first), len(UNREMEMBERED)) == (0, 0)


def test_there_is_a_bound_to_the_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding_states, "_MOST_TEXTS", 2)
    states = DecodingStates()
    state = states.at(("a",))
    for token_id in range(4):
        states.keep(state, token_id, "", state)
    assert list(state) == [0, 1]


def test_ids_outside_the_vocab_are_not_remembered() -> None:
    tokenizer = Tokenizer(load("bpe-gpt2").rules)
    for _ in range(2):
        assert tokenizer.decode([40, 1 << 30, 3525, 4_000_000]) == "Hello"
    assert set(tokenizer.engine._decoding[True].tokens) == {40, 3525}


@given(st.lists(st.integers(0, 5002), max_size=12), st.booleans())
def test_tokens_are_remembered_as_they_are(ids: list[int], skip_special_tokens: bool) -> None:
    tokenizer = load("bpe-qwen")
    states = tokenizer.engine._decoding[skip_special_tokens]
    expected = [tokenizer.rules.decodable_token(token_id, skip_special_tokens) for token_id in ids]
    for _ in range(2):
        assert decodable_tokens(tokenizer.rules, states, ids, skip_special_tokens) == [
            token for token in expected if token is not None
        ]


def test_the_first_id_outside_the_vocab_is_the_one_that_is_named() -> None:
    tokenizer = load("spm-unigram")
    for _ in range(2):
        with pytest.raises(InvalidIds, match="id 70000 "):
            tokenizer.decode([5, 70000, 80000])
