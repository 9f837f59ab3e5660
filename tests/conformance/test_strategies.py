"""Strategies for Hypothesis that know a model: what fails shrinks to the few plain items that it needs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

from conformance import strategies
from reftok import embedded_models, load
from tests.conformance.generators.tiny import byte_level

SEEKING = settings(max_examples=3_000, database=None, deadline=None, suppress_health_check=list(HealthCheck))
ONE_IN_A_HUNDRED = settings(max_examples=300, derandomize=True, database=None, deadline=None)


def shrunk(strategy: st.SearchStrategy[Any], fails: Callable[[Any], bool]) -> Any:
    return find(strategy, fails, settings=SEEKING, random=Random(0))


@pytest.mark.parametrize(
    ("fails", "smallest"),
    [
        (lambda text: "\r\n" in text, {"\r\n"}),
        (lambda text: "<w>" in text, {"<w>"}),
        (lambda text: "aab" in text, {"aab"}),
        (lambda text: any(character.isupper() for character in text), {"A"}),
    ],
)
def test_a_text_shrinks_to_the_characters_that_it_needs(fails: Callable[[str], bool], smallest: set[str]) -> None:
    assert shrunk(strategies.texts(byte_level()), fails) in smallest


def test_a_text_that_must_be_long_shrinks_to_its_least_length_or_one_more() -> None:
    """In a process of its own: Hypothesis draws from the constants of the modules that are loaded.

    One more, because a run and its suffix are drawn separately, and no shrinking step shortens both.

    Fault: where it began, and so what its steps of shrinking reached, hung on which other tests had run before.
    """
    code = (
        "from tests.conformance.test_strategies import byte_level, shrunk, strategies\n"
        "print(len(shrunk(strategies.texts(byte_level()), lambda text: len(text) > 64)))"
    )
    found = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2])
    assert int(found.stdout) in (65, 66)


def test_bytes_and_ids_shrink_to_those_that_they_need() -> None:
    model = byte_level()
    assert shrunk(strategies.byte_strings(model), lambda data: b"\xff" in data) == b"\xff"
    assert shrunk(strategies.byte_strings(model), lambda data: b"\xed\xa0\x80" in data) == b"\xed\xa0\x80"
    special = max(model.rules.added_tokens.tokens)
    assert shrunk(strategies.ids(model), lambda ids: special in ids) == [special]
    assert shrunk(strategies.ids(model), lambda ids: len(ids) > 3) == [0] * 4


def test_a_model_is_a_name_a_path_or_a_tokenizer() -> None:
    path = embedded_models()["bpe-qwen"]
    for model in ("bpe-qwen", str(path), path, load("bpe-qwen")):
        found = shrunk(strategies.texts(model), lambda text: "<|im_" in text)
        assert len(found) < 10, "a part of a token, of those that hypothesis was led to: which, its release decides"


def test_texts_are_texts_bytes_are_often_none_and_ids_are_a_list() -> None:
    model = byte_level()
    broken: list[bool] = []

    @ONE_IN_A_HUNDRED
    @given(strategies.texts(model), strategies.byte_strings(model), strategies.ids(model))
    def drawn(text: str, data: bytes, ids: list[int]) -> None:
        text.encode("utf-8")
        broken.append("\ufffd" in data.decode("utf-8", "replace"))
        assert type(ids) is list
        assert all(0 <= token_id < 1 << 32 for token_id in ids)

    drawn()
    assert 0.1 < sum(broken) / len(broken) < 0.9


def test_what_is_drawn_is_mostly_whole() -> None:
    """Parts are left out for the shrinker's sake, and seldom."""
    texts: list[str] = []

    @ONE_IN_A_HUNDRED
    @given(strategies.texts(byte_level()))
    def drawn(text: str) -> None:
        texts.append(text)

    drawn()
    assert sum(map(len, texts)) / len(texts) > 5


@pytest.mark.parametrize("strategy", [strategies.texts, strategies.byte_strings, strategies.ids])
def test_a_strategy_is_shown_without_the_model_that_it_knows(
    strategy: Callable[[strategies.Model], st.SearchStrategy[Any]],
) -> None:
    """Hypothesis warns of what is too long to show, and takes its time to write it."""
    assert len(repr(strategy("spm-unigram"))) < 200


def test_hypothesis_that_is_missing_is_named_with_the_command_that_installs_it() -> None:
    code = "import sys; sys.modules['hypothesis'] = None; import conformance; import conformance.strategies"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].endswith("needs hypothesis: python -m pip install hypothesis")
