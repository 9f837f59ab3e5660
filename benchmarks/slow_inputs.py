"""A search for inputs that grow: whose time rises faster than their length."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from random import Random
from time import process_time

import reftok
from benchmarks.worst_cases import WORST_CASES
from reftok.spec.pipeline import Pipeline

LENGTH = 1_000
"""Code points of a text in the search; what is slow is tried at ten and a hundred times of it."""
MOST_GROWTH = 15.0
"""So many times the time for ten times the text is no growth yet: what is measured is noisy."""
_KEPT = 8
_ATOMS = 4

Way = Callable[[reftok.Tokenizer, str], object]


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


def _by_character(tokenizer: reftok.Tokenizer, text: str) -> object:
    return [*tokenizer.encode_iterable(text[place : place + 1] for place in range(len(text)))]


WAYS: Mapping[str, Way] = {
    "encode_ids": lambda tokenizer, text: tokenizer.encode_ids(text),
    "encode": lambda tokenizer, text: tokenizer.encode(text),
    "stream of one chunk": lambda tokenizer, text: [*tokenizer.encode_iterable([text])],
    "stream by character": _by_character,
}


def slow_input_rows(model: str, minutes: float, seed: int = 0) -> Iterator[tuple[str, str]]:
    """What grows, with its times for ten times the text and for a hundred times; then how many texts were tried.

    The search goes towards time for a text of one length; of each way the slowest few recipes go on. Python's garbage
    collector is on, as it is for whoever encodes.
    """
    tokenizer, random = reftok.load(model), Random(seed)
    atoms = _atoms(tokenizer, random)
    kept: dict[str, list[tuple[float, Recipe]]] = {way: [] for way in WAYS}
    told: set[tuple[str, Recipe]] = set()
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
        growths = _growths(tokenizer, way, recipe)
        if max(growths) > MOST_GROWTH:
            yield f"{way} of {recipe}", " and ".join(f"{growth:.0f}x" for growth in growths) + " for ten times the text"
    yield "texts tried", str(tried)


def _atoms(tokenizer: reftok.Tokenizer, random: Random) -> list[str]:
    """Characters and beginnings of the worst cases, and tokens of the model."""
    found = {make(LENGTH)[:size] for make in WORST_CASES.values() for size in (1, 2, 3)}
    tokens = (tokenizer.decode([random.randrange(tokenizer.vocab_size)]) for _ in range(300))
    return sorted(found | {*filter(None, tokens)})


def _growths(tokenizer: reftok.Tokenizer, way: str, recipe: Recipe) -> list[float]:
    """How much longer it takes for ten times the text: from the length of the search, and from ten times that."""
    seconds = [_seconds(_fresh(tokenizer), way, recipe, size) for size in (LENGTH, 10 * LENGTH, 100 * LENGTH)]
    return [longer / max(shorter, 1e-4) for shorter, longer in itertools.pairwise(seconds)]


def _fresh(tokenizer: reftok.Tokenizer) -> reftok.Tokenizer:
    """The same tokenizer with nothing remembered; the tables that every text needs are made."""
    fresh = reftok.Tokenizer(**{stage.name: getattr(tokenizer, stage.name) for stage in fields(Pipeline)})
    for encode in WAYS.values():
        encode(fresh, "a b")
    return fresh


def _seconds(tokenizer: reftok.Tokenizer, way: str, recipe: Recipe, length: int) -> float:
    text = recipe.text(length)
    start = process_time()
    WAYS[way](tokenizer, text)
    return process_time() - start
