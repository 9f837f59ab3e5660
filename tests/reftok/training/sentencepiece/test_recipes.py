"""The models of the corpora that are quickly made; the others are made by `random_run training-embedded-models`."""

from __future__ import annotations

import pytest

from .recipes import QUICK, check_recipe


@pytest.mark.parametrize("name", QUICK)
def test_a_model_of_the_corpora_is_made_by_reftok_as_well(name: str) -> None:
    check_recipe(name)
