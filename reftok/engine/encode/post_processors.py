"""What the stages behind the model add to the ids of a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reftok.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The ids before those of the text and behind them.

    held_by: the stage for which all ids must be held until the end, '' where there is none.
    """

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    held_by: str = ""


def surroundings(tokenizer: Tokenizer, add_special_tokens: bool) -> Surroundings:
    """What the post-processors put around a text, found once by giving them two marks for a text.

    Truncation and padding need to know how many ids there are. A template that has the text twice, and sentencepiece's
    reverse order, need to know all of them.

    >>> import reftok
    >>> surroundings(reftok.load("bpe-llama3"), add_special_tokens=True)
    Surroundings(before=(5008,), after=(), held_by='')
    """
    known = tokenizer.encoding_states.surroundings
    found = known.get(bool(add_special_tokens))
    if found is None:
        found = known[bool(add_special_tokens)] = _surroundings(tokenizer, add_special_tokens)
    return found


def _surroundings(tokenizer: Tokenizer, add_special_tokens: bool) -> Surroundings:
    if tokenizer.truncation is not None:
        return Surroundings(held_by="Truncation: it depends on the number of all ids")
    if tokenizer.padding is not None:
        return Surroundings(held_by="Padding: it depends on the number of all ids")
    marks = (-1, -2)
    ids = tokenizer.ids_behind_model(marks, add_special_tokens)
    if ids.count(-1) != 1 or (start := ids.index(-1)) + 1 != (ids.index(-2) if -2 in ids else -1):
        return Surroundings(held_by="PostProcessor: the ids of the text do not stand in it once and in order")
    return Surroundings(tuple(ids[:start]), tuple(ids[start + len(marks) :]))
