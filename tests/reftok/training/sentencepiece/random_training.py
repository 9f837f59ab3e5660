"""Random trainings, for `python -m tests.reftok.random_run`: the official trainer and reftok's make the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from hypothesis import given

from ...pipeline_comparison import Tally
from .official_trainer import check_training
from .strategies import corpora, options


def _ask(model_types: tuple[str, ...], tally: Tally) -> Callable[[], None]:
    @given(corpora(), options(*model_types))
    def ask(sentences: list[str | bytes], chosen: dict[str, Any]) -> None:
        check_training(sentences, chosen, tally)

    return ask


ask_sentencepiece_training = partial(_ask, ("bpe", "bpe", "word", "char"))
ask_unigram_training = partial(_ask, ("unigram",))
