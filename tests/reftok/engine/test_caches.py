from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st
from reftok.engine.fast_pipeline import RememberingModel
from reftok.engine.offsets.metaspace import Words

from reftok.engine.caches import MOST_CHARACTERS_OF_TOKENS, Results
from tests.models import load


@given(st.integers(1, 4), st.lists(st.sampled_from(["a", "b", "c", "dd", "eee", "f", "g"]), max_size=40))
def test_results_are_those_of_the_function_and_bounded(capacity: int, texts: list[str]) -> None:
    results = Results(lambda text: text * 2, longest=2, capacity=capacity)
    for text in texts:
        assert results[text] == text * 2
        assert len(results) <= capacity
        assert "eee" not in results


def test_a_result_that_is_used_is_computed_once() -> None:
    computed: list[str] = []
    results = Results(lambda text: computed.append(text), capacity=2)
    for number in range(9):
        results["used"]
        results[f"unused {number}"]
    assert computed.count("used") == 1


def test_a_result_that_is_not_used_is_forgotten() -> None:
    computed: list[str] = []
    results = Results(lambda text: computed.append(text), capacity=2)
    for text in ("a", "b", "c", "d", "e", "a"):
        results[text]
    assert computed.count("a") == 2


def test_what_long_texts_take_is_bounded() -> None:
    """Fault: 65,536 words of 255 characters, with as many ids each, took 200 MB a generation."""
    computed: list[str] = []
    results = Results(lambda text: computed.append(text), characters=1_000)
    words = [f"{number:0100}" for number in range(25)]
    for word in words:
        results[word]
        assert sum(map(len, results)) <= 1_000
    for word in words[-10:]:
        results[word]
    assert len(computed) == len(words)


def test_a_copy_has_the_same_bounds_and_remembers_nothing() -> None:
    results = Results(len, longest=3, capacity=9, characters=4)
    results["a"]
    again = pickle.loads(pickle.dumps(results))
    for text in ("ab", "cd", "ef", "long"):
        again[text]
    assert again == {"ef": 2}


def test_tokens_have_a_smaller_bound_than_ids() -> None:
    """Fault: a generation of tokens took up to 560 MB."""
    pipeline = load("spm-bpe-hf").rules
    words = Words(pipeline)
    caches = [RememberingModel(pipeline.model)._tokens, words._within, words._last]
    assert {one._characters for one in caches} == {MOST_CHARACTERS_OF_TOKENS}
