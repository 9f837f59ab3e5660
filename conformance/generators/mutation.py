"""Inputs that were there before, changed a little, cut, and put together: lines of corpora, and what was kept."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from random import Random

from conformance.generators.alphabets import NEARLY_SPACES, SPACES, TROUBLE, alphabet, marks
from conformance.generators.base import Drawn, Generator, NothingToDo, few, pick
from conformance.generators.knowledge import ModelKnowledge

LONGEST_SLICE = 28
_LONG, _LONG_SHARE = (140, 270, 530, 1040), 0.04
"""Lengths a little beyond the usual sizes of buffers, for lines of ordinary text in a row: in such text, tokens span
the end of a buffer."""
_MOST_CHANGES = 3


@dataclass(frozen=True, slots=True)
class CorpusMutation(Generator):
    """Slices of corpus lines, spliced and changed. lines: of the corpora."""

    lines: tuple[str, ...] = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)
    name = "corpus mutation"
    turns = 2

    @classmethod
    def of_inputs(cls, knowledge: ModelKnowledge, lines: tuple[str, ...]) -> CorpusMutation | NothingToDo:
        lines = tuple(filter(None, lines))
        return cls(lines, knowledge.texts) if lines else NothingToDo(cls.name, "no corpus was given")

    def draw(self, chance: Random) -> str:
        text = _slice(chance, pick(chance, self.lines))
        if chance.random() < 0.3:
            text += _slice(chance, pick(chance, self.lines))
        text = mutated(chance, text, self.texts) if chance.random() < 0.7 else text
        return self._long(chance) if chance.random() < _LONG_SHARE else text

    def _long(self, chance: Random) -> str:
        size, text = pick(chance, _LONG), ""
        while len(text) < size:
            text += pick(chance, self.lines) + " "
        return text[:size]


@dataclass(frozen=True, slots=True)
class KeptMutation(Generator):
    """Inputs that reached something new, changed and spliced. kept: in the order in which they were kept."""

    kept: tuple[Drawn, ...] = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)
    name = "mutation of kept inputs"
    turns = 3

    @classmethod
    def of_inputs(cls, knowledge: ModelKnowledge, kept: tuple[Drawn, ...]) -> KeptMutation | NothingToDo:
        return cls(kept, knowledge.texts) if kept else NothingToDo(cls.name, "nothing has been kept yet")

    def draw(self, chance: Random) -> Drawn:
        found = pick(chance, self.kept)
        if isinstance(found, str):
            other = pick(chance, self.kept)
            if isinstance(other, str) and chance.random() < 0.3:
                found = _slice(chance, found) + _slice(chance, other)
            return mutated(chance, found, self.texts)
        return _mutated_bytes(chance, found) if isinstance(found, bytes) else _mutated_ids(chance, found, self.kept)


def mutated(chance: Random, text: str, texts: tuple[str, ...]) -> str:
    """The text with up to three changes. texts: what may be inserted as a whole."""
    for _ in range(few(chance, _MOST_CHANGES)):
        place = chance.randrange(len(text) + 1)
        before, after = text[:place], text[place:]
        match chance.randrange(9):
            case 0:
                text = before + after[1:]
            case 1:
                text = before + after[:1] * 2 + after[1:]
            case 2:
                text = before + pick(chance, pick(chance, (SPACES, NEARLY_SPACES, TROUBLE, marks()))) + after
            case 3:
                text = before + pick(chance, alphabet()) + after[1:]
            case 4:
                text = before + after.swapcase()
            case 5:
                text = unicodedata.normalize(pick(chance, ("NFD", "NFKC")), text)
            case 6 if texts:
                text = before + pick(chance, texts) + after
            case 7:
                text = after + before
            case _:
                text = before + _neighbour(chance, after[:1]) + after[1:]
    return text


def _neighbour(chance: Random, character: str) -> str:
    """The character beside it in Unicode."""
    code = ord(character or "a") + pick(chance, (-1, 1))
    return chr(code) if 0 <= code < 0xD800 or 0xE000 <= code < 0x110000 else "a"


def _slice(chance: Random, text: str) -> str:
    start = chance.randrange(len(text)) if text else 0
    return text[start : start + few(chance, LONGEST_SLICE)]


def _mutated_bytes(chance: Random, data: bytes) -> bytes:
    place = chance.randrange(len(data) + 1)
    one = bytes([chance.randrange(256)])
    return pick(
        chance,
        (data[:place] + data[place + 1 :], data[:place] + one + data[place:], data[:place] + one + data[place + 1 :]),
    )


def _mutated_ids(chance: Random, ids: tuple[int, ...], kept: tuple[Drawn, ...]) -> tuple[int, ...]:
    place = chance.randrange(len(ids) + 1)
    other = pick(chance, kept)
    more = other if isinstance(other, tuple) else ids[::-1]
    return pick(chance, (ids[:place] + ids[place + 1 :], ids[:place] + more + ids[place:], ids[place:] + ids[:place]))
