"""Parts that are held until their end, because nothing is known of them before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain


class BufferedModel:
    """Looks each part up when it is complete.

    ids_of_part: of the model.
    ids: where they are put.
    reason: why the model cannot tell any id before the end of a part.

    >>> from reftok.engine.fast_model import FastModel
    >>> from reftok.spec.models.wordlevel import WordLevel
    >>> ids: list[int] = []
    >>> model = FastModel(WordLevel({"yes": 1, "no": 2}, "no"))
    >>> stage = BufferedModel(model.known_ids, ids, "a word is looked up as a whole")
    >>> stage.text("y"), stage.text("es"), stage.held, ids, stage.end_part(), ids
    (None, None, 3, [1], None, [1])
    """

    def __init__(self, ids_of_part: Mapping[str, Sequence[int]], ids: list[int], reason: str) -> None:
        self._ids_of_part = ids_of_part
        self._ids = ids
        self._fragments: list[str] = []
        self.held = 0
        self.holds_parts = reason

    def text(self, fragment: str) -> None:
        self._fragments.append(fragment)
        self.held += len(fragment)

    def end_part(self) -> None:
        if self.held:
            part = "".join(self._fragments)
            self._fragments.clear()
            self.held = 0
            self._ids += self._ids_of_part[part]

    def parts(self, parts: Sequence[str]) -> None:
        self._ids += chain.from_iterable(map(self._ids_of_part.__getitem__, parts))

    def token(self, token_id: int) -> None:
        self._ids.append(token_id)
