"""A search for inputs that grow: whose time rises faster than their length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from time import process_time

import reftok
from benchmarks.worst_cases import WORST_CASES

LENGTH = 1_000
"""Code points of a text in the search."""
TIMES = 100
"""What is slow is tried with so many times the text, and the slowest of the end with ten times that."""
MOST_GROWTH = 15.0**2
"""So many times the time for a hundred times the text is no growth yet: what is measured is noisy, and a text that is
too long for a quick way costs up to twice as much a character, once.
"""
_KEPT = 8
_ROUNDS = 3
_ATOMS = 4

Way = Callable[[reftok.Tokenizer, str], Callable[[], object]]
"""Makes of a text what is timed."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What makes a text of any length: atoms one after the other and again, or in any order where there is a seed."""

    atoms: tuple[str, ...]
    seed: int | None = None

    def text(self, length: int) -> str:
        """So many code points.

        >>> Recipe(("ab", "c")).text(7)
        'abcabca'
        """
        count = length // sum(map(len, self.atoms)) + 1
        if self.seed is None:
            return ("".join(self.atoms) * count)[:length]
        return "".join(Random(self.seed).choices(self.atoms, k=length))[:length]

    def changed(self, atoms: Sequence[str], random: Random) -> Recipe:
        """With one atom more, less or another, or in another order."""
        own = [*self.atoms]
        match random.randrange(4):
            case 0 if len(own) < _ATOMS:
                own.insert(random.randrange(len(own) + 1), random.choice(atoms))
            case 1 if len(own) > 1:
                del own[random.randrange(len(own))]
            case 2:
                return replace(self, seed=random.randrange(1000) if self.seed is None else None)
            case _:
                own[random.randrange(len(own))] = random.choice(atoms)
        return replace(self, atoms=tuple(own))


def _by_character(tokenizer: reftok.Tokenizer, text: str) -> Callable[[], object]:
    return lambda: [*tokenizer.encode_iterable(text[place : place + 1] for place in range(len(text)))]


def _decode(tokenizer: reftok.Tokenizer, text: str) -> Callable[[], object]:
    ids = tokenizer.encode_ids(text)
    return lambda: tokenizer.decode(ids)


def _decode_any(tokenizer: reftok.Tokenizer, text: str) -> Callable[[], object]:
    """Tokens that no text is encoded to, bytes that are cut short among them: one for each character."""
    ids = [ord(character) % tokenizer.vocab_size for character in text]
    return lambda: tokenizer.decode(ids)


def _decode_by_id(tokenizer: reftok.Tokenizer, text: str) -> Callable[[], object]:
    ids = tokenizer.encode_ids(text)

    def stream() -> object:
        decoder = tokenizer.stream_decoder()
        return [decoder.feed(token_id) for token_id in ids], decoder.finish()

    return stream


WAYS: Mapping[str, Way] = {
    "encode_ids": lambda tokenizer, text: lambda: tokenizer.encode_ids(text),
    "encode": lambda tokenizer, text: lambda: tokenizer.encode(text),
    "stream of one chunk": lambda tokenizer, text: lambda: [*tokenizer.encode_iterable([text])],
    "stream by character": _by_character,
    "decode": _decode,
    "decode of any ids": _decode_any,
    "decode by id": _decode_by_id,
}


def slow_input_rows(model: str, minutes: float, seed: int = 0) -> Iterator[tuple[str, str]]:
    """What grows, with its times for a hundred times the text; then how many texts were tried.

    The search goes towards time for a text of one length; of each way the slowest few recipes go on. Python's garbage
    collector is on, as it is for whoever encodes.
    """
    tokenizer, random = reftok.load(model), Random(seed)
    atoms = _atoms(tokenizer, random)
    kept: dict[str, list[tuple[float, Recipe]]] = {way: [] for way in WAYS}
    told: set[tuple[str, Recipe]] = set()
    growths = [0.0]
    tried = 0
    end = process_time() + 60 * minutes
    while process_time() < end:
        way = random.choice([*WAYS])
        slowest = kept[way]
        if slowest and random.random() < 0.7:
            recipe = random.choice(slowest)[1].changed(atoms, random)
        else:
            recipe = Recipe(tuple(random.choices(atoms, k=random.randint(1, 3))), random.choice([None, seed]))
        tried += 1
        slowest.append((_seconds(tokenizer, way, recipe, LENGTH), recipe))
        slowest.sort(key=lambda found: -found[0])
        del slowest[_KEPT:]
        if (way, recipe) in told or recipe not in [found for _, found in slowest]:
            continue
        told.add((way, recipe))
        growths.append(_growth(tokenizer, way, recipe, LENGTH))
        if growths[-1] > MOST_GROWTH:
            yield _row(way, recipe, growths[-1])
    for way, slowest in kept.items():
        for _, recipe in slowest:
            growths.append(_growth(tokenizer, way, recipe, 10 * LENGTH))
            if growths[-1] > MOST_GROWTH:
                yield _row(way, recipe, growths[-1])
    yield "texts tried", str(tried)
    yield "the largest growth", _times(max(growths))


def _atoms(tokenizer: reftok.Tokenizer, random: Random) -> list[str]:
    """Characters and beginnings of the worst cases, and tokens of the model."""
    found = {make(LENGTH)[:size] for make in WORST_CASES.values() for size in (1, 2, 3)}
    tokens = (tokenizer.decode([random.randrange(tokenizer.vocab_size)]) for _ in range(300))
    return sorted(found | {*filter(None, tokens)})


def _growth(tokenizer: reftok.Tokenizer, way: str, recipe: Recipe, length: int) -> float:
    """How many times as long a text of `length` takes when it has a hundred times of it: the least of some rounds."""
    growth = float("inf")
    for _ in range(_ROUNDS):
        shorter = _seconds(fresh(tokenizer), way, recipe, length)
        longer = _seconds(fresh(tokenizer), way, recipe, TIMES * length)
        growth = min(growth, longer / max(shorter, 1e-4))
        if growth <= MOST_GROWTH:
            break
    return growth


def _row(way: str, recipe: Recipe, growth: float) -> tuple[str, str]:
    return f"{way} of {recipe}", _times(growth)


def _times(growth: float) -> str:
    return f"{growth:.0f}x the time for {TIMES}x the text"


def fresh(tokenizer: reftok.Tokenizer) -> reftok.Tokenizer:
    """The same tokenizer with nothing remembered; the tables that every text needs are made."""
    fresh = reftok.Tokenizer(tokenizer.rules)
    for way in WAYS.values():
        way(fresh, "a b")()
    return fresh


def _seconds(tokenizer: reftok.Tokenizer, way: str, recipe: Recipe, length: int) -> float:
    run = WAYS[way](tokenizer, recipe.text(length))
    start = process_time()
    run()
    return process_time() - start
