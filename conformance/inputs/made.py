"""Inputs from what knows the model: its seams, and a seeded budget of what generators draw.

Each drawn case depends on the seed, the model and its own number only, so that any slice can be made alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from conformance.core.case import Case, made_case, text_case
from conformance.generators.base import Generator, NothingToDo, in_turn
from conformance.generators.seams import Seam
from conformance.inputs.shards import Inputs, Shard


def seam_cases(seams: Sequence[Seam], shard: Shard) -> list[Case]:
    """The seams with the numbers of a shard, which may be fewer than its numbers."""
    numbered = enumerate(seams[shard.start : shard.stop], shard.start)
    return [text_case(seam.text, f"seams:{number}") for number, seam in numbered]


def made_cases(inputs: Inputs, shard: Shard, generators: Iterable[Generator | NothingToDo]) -> list[Case]:
    """The made cases with the numbers of a shard. generators: of the model; they take turns."""
    turns = in_turn(generators)
    numbers = range(shard.start, shard.stop if turns else shard.start)
    return [_made(turns[number % len(turns)], inputs.seed, shard.model, number) for number in numbers]


def _made(generator: Generator, seed: int, model: str, number: int) -> Case:
    return made_case(generator.draw(Random(f"{seed}:{model}:{number}")), f"fuzz:{seed}:{number}")
