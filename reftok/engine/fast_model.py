"""The ids of a model without their tokens, remembered: what every fast model begins with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from reftok.engine.caches import Results
from reftok.rules.stages import Model

AnyModel = TypeVar("AnyModel", bound=Model)


class FastModel(Generic[AnyModel]):
    """The ids of any model, each pre-token looked up as a whole.

    model: whose ids are taken.
    known_ids: a pre-token to its ids, which remembers those of short ones.

    >>> from reftok.rules.huggingface.wordlevel import WordLevel
    >>> FastModel(WordLevel({"yes": 1, "no": 2}, "no")).ids("maybe")
    [2]
    """

    def __init__(self, model: AnyModel) -> None:
        self.model = model
        self.known_ids: Results[Sequence[int]] = Results(self.ids_of)

    def ids(self, text: str) -> list[int]:
        """The ids of a pre-token, or of the whole text where the model takes that."""
        return list(self.known_ids[text])

    def ids_of(self, text: str) -> Sequence[int]:
        """The ids of a text that is not remembered."""
        return tuple([token.id for token in self.model.tokenize(text)])
