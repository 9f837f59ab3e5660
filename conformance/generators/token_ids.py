"""Ids to decode: by chance, special, runs of byte tokens, what makes no text, and what no vocab has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from conformance.generators.alphabets import alphabet
from conformance.generators.base import Generator, NothingToDo, pick, picks
from conformance.generators.knowledge import ModelKnowledge
from reftok.rules.byte_level import from_byte_characters

_MOST_IDS = 10
_LATE = (1 << 16, 1 << 24, (1 << 31) - 1, (1 << 32) - 1)
_OUTSIDE_OFTEN = 0.02
_OFTEN_READ_OTHERWISE = (
    *("\u2581".encode(), "\ufeff".encode()),
    *(b"\xc0\xaf", b"\xe0\x80\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"),
)
"""A space symbol and a byte order mark made of bytes; overlong forms, a surrogate, a number above all characters."""
_WRONG_ENDS = (b"\x80", b"\xc3", b"\xe4\xb8", b"\xff")
"""Behind whole characters, which have been given out by then, they spoil the run of bytes."""


@dataclass(frozen=True, slots=True)
class TokenIds(Generator):
    """Up to ten ids. A fifth of all inputs are ids, since decoding is half of what is compared.

    ids: of the vocab. special: what decoding may skip. partial: whose tokens are parts of characters. by_byte: the id
    of each byte's token. outside: what the vocab has not.
    """

    ids: tuple[int, ...] = field(repr=False)
    special: tuple[int, ...] = field(repr=False)
    partial: tuple[int, ...] = field(repr=False)
    by_byte: Mapping[int, int] = field(repr=False)
    outside: tuple[int, ...]
    name = "ids"
    turns = 5

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> TokenIds | NothingToDo:
        ids = tuple(knowledge.tokens)
        if not ids:
            return NothingToDo(cls.name, "the vocab is empty")
        partial = tuple(token_id for token_id, token in knowledge.tokens.items() if knowledge.is_partial(token))
        gaps = {token_id + 1 for token_id in ids} - set(ids)
        by_byte = {byte: token_id for token_id, byte in knowledge.byte_ids.items()}
        if knowledge.notation == "byte-level":
            singles = ((token_id, from_byte_characters(token)) for token_id, token in knowledge.tokens.items())
            by_byte |= {data[0]: token_id for token_id, data in singles if data is not None and len(data) == 1}
        return cls(ids, knowledge.special_ids, partial, by_byte, (*sorted(gaps), *_LATE))

    def draw(self, chance: Random) -> tuple[int, ...]:
        kind = chance.random()
        if kind < 0.3 and self.by_byte:
            ids = self._bytes(chance)
        elif kind < 0.5 and self.partial:
            ids = picks(chance, self.partial, 4)
        else:
            ids = picks(chance, self.ids, _MOST_IDS)
        for pool, often in ((self.special, 0.2), (self.ids, 0.2), (self.outside, _OUTSIDE_OFTEN)):
            if pool and chance.random() < often:
                ids.insert(chance.randrange(len(ids) + 1), pick(chance, pool))
        return tuple(ids)

    def _bytes(self, chance: Random) -> list[int]:
        """The byte tokens of some characters, one of them lost or doubled now and then, or one too many behind them.

        Or a special token stands among them: skipped, it must not end the character.
        """
        data = "".join(picks(chance, alphabet(), 3)).encode("utf-8")
        if chance.random() < 0.2:
            data = pick(chance, (b"", data)) + pick(chance, _OFTEN_READ_OTHERWISE) + data
        if chance.random() < 0.3:
            data += pick(chance, _WRONG_ENDS)
        ids = [self.by_byte[byte] for byte in data if byte in self.by_byte]
        place = chance.randrange(len(ids)) if ids else 0
        change = chance.random()
        if change < 0.3:
            del ids[place : place + 1]
        elif change < 0.4:
            ids[place:place] = ids[place : place + 1]
        elif change < 0.5 and self.special:
            ids.insert(place, pick(chance, self.special))
        return ids or [pick(chance, self.ids)]
