"""The ids of whole texts, and what all streams of a tokenizer have in common."""

from __future__ import annotations

from typing import Any

from reftok.engine.encode.chain import EncodingChain
from reftok.engine.encode.models import fast_model
from reftok.engine.fast_model import FastModel
from reftok.fast.affixes import Affixes, find_affixes, ids_behind_model
from reftok.rules.pipeline import Pipeline


class Encoder:
    """Shared by all threads that encode with one tokenizer.

    pipeline: whose ids are taken.
    model: the fast form of its model; made here where nobody has made it yet.

    >>> import reftok
    >>> Encoder(reftok.load("bpe-gpt2").rules).ids("Hello world", add_special_tokens=True)
    [40, 3525, 341, 291, 2118]
    """

    def __init__(self, pipeline: Pipeline, model: FastModel[Any] | None = None) -> None:
        self.pipeline = pipeline
        self.model: FastModel[Any] = fast_model(pipeline.model) if model is None else model
        self._affixes: dict[bool, Affixes] = {}
        self._idle: list[EncodingChain] = []

    def ids(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text, which is as `Pipeline.checked_text` gives it."""
        around = self.affixes(add_special_tokens)
        chain = self.take_chain()
        ids = chain.whole(text)
        self.put_back(chain)
        if around.buffered_by:
            return ids_behind_model(self.pipeline, ids, add_special_tokens)
        return [*around.prefix, *ids, *around.suffix] if around.prefix or around.suffix else ids

    def ids_of_normalized(self, text: str) -> list[int]:
        """The ids of a whole text at the door of the model."""
        chain = self.take_chain()
        ids = chain.of_normalized(text)
        self.put_back(chain)
        return ids

    def affixes(self, add_special_tokens: bool) -> Affixes:
        """The special-token prefix and suffix; found once."""
        found = self._affixes.get(bool(add_special_tokens))
        if found is None:
            found = self._affixes[bool(add_special_tokens)] = find_affixes(self.pipeline, add_special_tokens)
        return found

    def take_chain(self) -> EncodingChain:
        """A chain of stages that is as new.

        One that no stream is using is taken again, since making one takes longer than encoding a word. Taking it out of
        the list and putting it back are one step each.
        """
        try:
            return self._idle.pop()
        except IndexError:
            return EncodingChain(self.pipeline, self.model)

    def put_back(self, chain: EncodingChain) -> None:
        """Let others take a chain that has come to its end."""
        self._idle.append(chain)
