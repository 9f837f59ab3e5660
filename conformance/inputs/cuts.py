"""The places where texts and ids are cut for a stream: all of short ones, a seeded sample of long ones.

A text is cut by character, byte, token and grapheme cluster. Ids are fed one by one, so a cut of ids is where a stream
ends: its decoder is given every slice.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Literal, TypeAlias, TypeVar

from conformance.core.streaming import Chunks, Feeding
from reftok.unicode.graphemes import graphemes

Depth: TypeAlias = Literal["sample", "close", "sweep"]
"""The depth of cuts, each more than the one before.

"sample": one chunking, seeded by the text, for runs over everything. "close": the whole as one chunk, and every one-cut
and two-cut of what has at most `SHORTEST` units, for shrinking and replaying. "sweep": every one-cut, as far as
`MOST_FED` allows, the two-cuts of `SHORT` characters, `SHORTEST` bytes and `SHORT` ids, and seeded chunkings.
"""

SHORTEST = 12
SHORT = 80
CHUNKINGS = 8
"""The number of seeded chunkings of a text, and of ends of long ids."""
MOST_FED = 400_000
"""So many characters and bytes a sweep may feed for the cuts of one text, of which a seeded sample is taken otherwise:
enough for every two-cut of `SHORT` characters, and for every one-cut of 440 in ASCII."""
SHARE = 0.25
"""The part of a sample in which one more stream is reset, fed beside another, given empty chunks, or calls back."""

_Units = TypeVar("_Units", str, bytes)


def text_feedings(text: str, depth: Depth, token_ends: Collection[int] = ()) -> list[Feeding]:
    """A streaming encoder's feedings with a text, each once.

    token_ends: where the tokens of the whole text end, in code points.

    >>> feedings = text_feedings("ab", "close")
    >>> [feeding.chunks for feeding in feedings if feeding.is_plain and not feeding.has_empty_chunk]
    [(b'a', b'b'), ('ab',), (b'ab',), ('a', 'b')]
    >>> Feeding("encoder", ("a", "", "b")) in feedings
    True
    """
    if not text:
        return [Feeding("encoder", ()), Feeding("encoder", ("",))]
    chance = random.Random(text)
    data = text.encode("utf-8")

    def by_grapheme() -> Chunks:
        return tuple(graphemes(text))

    def by_token() -> Chunks:
        return _at(text, sorted({end for end in token_ends if 0 < end < len(text)}))

    makers: tuple[Callable[[], Chunks], ...] = (
        lambda: _at(text, _places(chance, len(text), 1)),
        lambda: _at(text, _places(chance, len(text), 2)),
        lambda: _at(text, _places(chance, len(text), chance.randrange(1, 1 + len(text)))),
        lambda: tuple(text),
        by_grapheme,
        by_token,
        lambda: _at(data, _places(chance, len(data), 1)),
        lambda: _at(data, range(1, len(data))),
    )
    feedings = _sampled(chance, chance.choice(makers)())
    if depth != "sample":
        feedings += _texts_close(text, data)
    if depth == "sweep":
        feedings += [Feeding("encoder", by_grapheme()), Feeding("encoder", by_token())]
        feedings += [Feeding("encoder", makers[number % len(makers)]()) for number in range(CHUNKINGS)]
        feedings += _within(_cut_once_and_twice(text, SHORT), _cut_once_and_twice(data, SHORTEST), chance)
    return list(dict.fromkeys(feedings))


def bytes_feedings(data: bytes, depth: Depth) -> list[Feeding]:
    """A streaming encoder's feedings with bytes that need not be UTF-8."""
    if not data:
        return [Feeding("encoder", ()), Feeding("encoder", (b"",))]
    chance = random.Random(data)
    feedings = _sampled(chance, _at(data, _places(chance, len(data), chance.randrange(1, 1 + len(data)))))
    if depth != "sample":
        feedings += [Feeding("encoder", (data,)), Feeding("encoder", _at(data, range(1, len(data))))]
        feedings += _within(_cut_once_and_twice(data, SHORTEST if depth == "close" else SHORT), (), chance)
    return list(dict.fromkeys(feedings))


def ids_feedings(ids: tuple[int, ...], depth: Depth) -> list[Feeding]:
    """A streaming decoder's feedings with ids, each once. Special tokens of slices are kept: they show most."""
    if not ids:
        return [Feeding("decoder", ()), Feeding("decoder", (), stop=1)]
    chance = random.Random(repr(ids))
    plain = Feeding("decoder", ids, chance.random() < 0.5)
    feedings = [plain]
    if chance.random() < SHARE:
        use = chance.choice(_uses(plain, 1 + chance.randrange(len(ids))))
        # A second decoder skips special tokens: what it gets wrong alone is not the first one's fault.
        alone = [replace(plain, skip_special_tokens=True)] if use.beside else []
        feedings += [*alone, use]
    if depth != "sample":
        is_short = len(ids) <= (SHORTEST if depth == "close" else SHORT)
        ends = range(1, 1 + len(ids)) if is_short else chance.sample(range(1, len(ids)), CHUNKINGS)
        both = [Feeding("decoder", ids, skip) for skip in (True, False)]
        feedings += [*both, *(use for feeding in both for end in ends for use in _uses(feeding, end))]
        starts = range(len(ids)) if is_short else (0,)
        feedings += [Feeding("decoder", ids[start:end], False) for start in starts for end in ends if start < end]
    return list(dict.fromkeys(feedings))


def _uses(plain: Feeding, place: int) -> tuple[Feeding, ...]:
    """Other uses of a stream: reset after some chunks, beside another, with an empty chunk, with a callback.

    place: a number of chunks, 1 or more. A stream that was finished is reset after other chunks than those to come, but
    for bytes: those of a character come in no other order.
    """
    chunks = plain.chunks
    earlier = chunks if isinstance(chunks[0], bytes) else chunks[::-1]
    uses = (
        replace(plain, forgotten=chunks[:place]),
        replace(plain, forgotten=earlier, is_finished=True),
        replace(plain, beside=chunks),
    )
    if plain.to == "decoder":
        stops = (1 + len(chunks), place) if plain.skip_special_tokens else ()
        return (*uses, *(replace(plain, stop=stop) for stop in stops))
    empty = "" if isinstance(chunks[0], str) else b""
    return (*uses, *(replace(plain, chunks=(*chunks[:at], empty, *chunks[at:])) for at in (0, place)))


def _sampled(chance: random.Random, chunks: Chunks) -> list[Feeding]:
    plain = Feeding("encoder", chunks)
    if chance.random() >= SHARE:
        return [plain]
    return [plain, chance.choice(_uses(plain, chance.randrange(1, 1 + len(chunks))))]


def _texts_close(text: str, data: bytes) -> list[Feeding]:
    each = Feeding("encoder", tuple(text))
    each_byte = Feeding("encoder", _at(data, range(1, len(data))))
    # No seam is at fault for what goes wrong with the whole as one chunk.
    feedings = [Feeding("encoder", (text,)), Feeding("encoder", (data,))]
    feedings += [each, each_byte, *_uses(each, 1 + len(text) // 2), *_uses(each_byte, _within_a_character(data))]
    if len(text) <= SHORTEST:
        feedings += _cut_once_and_twice(text, SHORTEST)
        feedings += _cut_once_and_twice(data, SHORTEST)
        feedings += [use for cut in _cuts(text, 1) for use in _uses(Feeding("encoder", cut), 1)]
    return feedings


def _within_a_character(data: bytes) -> int:
    """A place between the bytes of a character; a middle one where there is none."""
    return next((place for place, byte in enumerate(data) if byte & 0xC0 == 0x80), 1 + len(data) // 2)


def _cut_once_and_twice(whole: _Units, longest: int) -> Iterator[Feeding]:
    """Every one-cut, and every two-cut of what is not too long for it."""
    for count in (1, 2) if len(whole) <= longest else (1,):
        yield from (Feeding("encoder", chunks) for chunks in _cuts(whole, count))


def _cuts(whole: _Units, count: int) -> Iterator[tuple[_Units, ...]]:
    return (_at(whole, places) for places in combinations(range(1, len(whole)), count))


def _at(whole: _Units, places: Iterable[int]) -> tuple[_Units, ...]:
    """The chunks between these places, none of which is an end."""
    return tuple(whole[start:stop] for start, stop in pairwise((0, *places, len(whole))))


def _places(chance: random.Random, size: int, count: int) -> list[int]:
    return sorted(chance.sample(range(1, size), min(count, size - 1)))


def _within(first: Iterable[Feeding], second: Iterable[Feeding], chance: random.Random) -> list[Feeding]:
    """As many of the feedings as `MOST_FED` allows, all or a seeded sample."""
    feedings = [*first, *second]
    most = max(1, MOST_FED // max(1, sum(map(_size, feedings[0].chunks)))) if feedings else 0
    return feedings if len(feedings) <= most else chance.sample(feedings, most)


def _size(chunk: str | bytes | int) -> int:
    return 1 if isinstance(chunk, int) else len(chunk)
