"""Random files, whole and broken, with texts, ids and cuts: a small share; random_run.py asks as many as wanted."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from .broken_files import Damaged, check_damaged
from .official import Json
from .pipeline_comparison import Input, Tally, compare_file, compare_model
from .sentencepiece_strategies import inputs, models
from .tokenizers_strategies import damaged_files, questions

SEEDS = st.integers(0, 1 << 20)


@settings(max_examples=400)
@given(questions(), SEEDS)
def test_of_any_tokenizer_json_fast_path_plain_rules_streams_and_library_give_the_same(
    question: tuple[Json, list[Input]], seed: int
) -> None:
    compare_file(*question, seed, Tally())


@settings(max_examples=500)
@given(models(), st.lists(inputs, min_size=1, max_size=4), st.lists(st.integers(0, 300), max_size=12), SEEDS)
def test_of_any_sentencepiece_model_fast_path_plain_rules_streams_and_library_give_the_same(
    data: bytes, texts: list[str | bytes], ids: list[int], seed: int
) -> None:
    compare_model(data, texts, ids, seed, Tally())


@settings(max_examples=150)
@given(damaged_files())
def test_a_broken_file_is_refused_by_name_or_read_as_the_library_does(damaged: Damaged) -> None:
    check_damaged(damaged, Tally())
