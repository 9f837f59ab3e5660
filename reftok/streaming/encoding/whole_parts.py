"""Parts that are held until their end, because nothing is known of them before."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from reftok.models.vocab_model import VocabModel


class WholePartModel:
    """Looks each part up when it is complete.

    model: whose ids are taken.
    ids: where they are put.
    reason: why the model cannot tell any id before the end of a part.

    >>> from reftok.models.wordlevel import WordLevel
    >>> ids: list[int] = []
    >>> stage = WholePartModel(WordLevel({"yes": 1, "no": 2}, "no"), ids, "a word is looked up as a whole")
    >>> stage.text("y"), stage.text("es"), stage.held, ids, stage.end_part(), ids
    (None, None, 3, [1], None, [1])
    """

    def __init__(self, model: VocabModel, ids: list[int], reason: str) -> None:
        self._known_ids = model.known_ids
        self._ids = ids
        self._fragments: list[str] = []
        self.held = 0
        self.holds_parts = reason

    def text(self, fragment: str, at_start: int = 0) -> None:
        self._fragments.append(fragment)
        self.held += len(fragment)

    def end_part(self) -> None:
        if self.held:
            part = "".join(self._fragments)
            self._fragments.clear()
            self.held = 0
            self._ids += self._known_ids[part]

    def parts(self, parts: Sequence[str]) -> None:
        self._ids += chain.from_iterable(map(self._known_ids.__getitem__, parts))

    def token(self, token_id: int) -> None:
        self._ids.append(token_id)
