"""Pre-tokens that are held until their end, because nothing is known of them before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain


class BufferedModel:
    """Looks each pre-token up when it is complete.

    ids_of_part: of the model.
    ids: where they are put.
    reason: why the model cannot tell any id before the end of a pre-token.

    >>> from reftok.engine.fast_model import FastModel
    >>> from reftok.spec.models.wordlevel import WordLevel
    >>> ids: list[int] = []
    >>> model = FastModel(WordLevel({"yes": 1, "no": 2}, "no"))
    >>> stage = BufferedModel(model.known_ids, ids, "a word is looked up as a whole")
    >>> stage.text("y"), stage.text("es"), stage.held, ids, stage.end_pre_token(), ids
    (None, None, 3, [1], None, [1])
    """

    def __init__(self, ids_of_pre_token: Mapping[str, Sequence[int]], ids: list[int], reason: str) -> None:
        self._ids_of_pre_token = ids_of_pre_token
        self._ids = ids
        self._fragments: list[str] = []
        self.held = 0
        self.held_until_end = reason

    def text(self, fragment: str) -> None:
        self._fragments.append(fragment)
        self.held += len(fragment)

    def end_pre_token(self) -> None:
        if self.held:
            pre_token = "".join(self._fragments)
            self._fragments.clear()
            self.held = 0
            self._ids += self._ids_of_pre_token[pre_token]

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        self._ids += chain.from_iterable(map(self._ids_of_pre_token.__getitem__, pre_tokens))

    def token(self, token_id: int) -> None:
        self._ids.append(token_id)
