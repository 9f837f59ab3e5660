"""A seeded budget of made inputs, from the generators that know the model.

Each case depends on the seed, the model and its own number only, so that any slice can be made alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from conformance.core.case import Case, made_case
from conformance.generators.base import Generator, NothingToDo, in_turn
from conformance.inputs.shards import Inputs, Shard


def made_cases(inputs: Inputs, shard: Shard, generators: Iterable[Generator | NothingToDo]) -> list[Case]:
    """The made cases with the numbers of a shard. generators: of the model; they take turns."""
    turns = in_turn(generators)
    numbers = range(shard.start, shard.stop if turns else shard.start)
    return [_made(turns[number % len(turns)], inputs.seed, shard.model, number) for number in numbers]


def _made(generator: Generator, seed: int, model: str, number: int) -> Case:
    return made_case(generator.draw(Random(f"{seed}:{model}:{number}")), f"fuzz:{seed}:{number}")
