"""The models of the corpora, trained by reftok instead of the official trainer."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest import mock

from reftok import embedded_models
from reftok.training.sentencepiece.options import trainer_options
from reftok.training.sentencepiece.trainer import train

ROOT = Path(__file__).resolve().parents[4]
QUICK = ("spm-char", "spm-word", "spm-bpe", "spm-bpe-symbols")
SLOW = ("spm-unigram", "spm-unigram-bytes", "spm-unigram-symbols", "spm-unigram-suffix")


def check_recipe(name: str) -> None:
    """What reftok makes by the recipe of a model is the model."""
    tools = str(ROOT / "tools")
    with mock.patch.object(sys, "path", [tools, *sys.path]):
        texts = importlib.import_module("model_training.texts").Texts.read(ROOT / "corpora")
        recipes = importlib.import_module("model_training.sentencepiece_models")
    with mock.patch.object(recipes, "_train", _train):
        made = getattr(recipes, name.replace("-", "_"))(texts)
    assert made == embedded_models()[name].read_bytes(), name


def _train(lines: Iterable[str], **options: Any) -> bytes:
    return train(lines, trainer_options(num_threads=1, **options))
