"""Engine, plain rules and official library give the same, over random files, texts, ids and cuts: a small share.

`python -m tests.reftok.random_run three-ways` asks as many as wanted.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from .official import Json
from .pipeline_comparison import Input, Tally
from .sentencepiece_strategies import inputs, models
from .three_ways import ask_file, ask_sentencepiece_model
from .tokenizers_strategies import questions


@settings(max_examples=300)
@given(questions(), st.integers(0, 1 << 20))
def test_of_any_tokenizer_json_fast_path_plain_rules_and_library_give_the_same(
    question: tuple[Json, list[Input]], seed: int
) -> None:
    ask_file(*question, seed, Tally())


@settings(max_examples=500)
@given(
    models(),
    st.lists(inputs, min_size=1, max_size=4),
    st.lists(st.integers(0, 300), max_size=12),
    st.integers(0, 1 << 20),
)
def test_of_any_sentencepiece_model_fast_path_plain_rules_and_library_give_the_same(
    data: bytes, texts: list[str | bytes], ids: list[int], seed: int
) -> None:
    ask_sentencepiece_model(data, texts, ids, seed, Tally())
