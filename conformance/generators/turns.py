"""The turns of each generator."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.generators.added_tokens import AddedTokens
from conformance.generators.base import Generator, NothingToDo
from conformance.generators.mutation import CorpusMutation, KeptMutation
from conformance.generators.symbols import Symbols
from conformance.generators.token_ids import TokenIds

TURNS = {KeptMutation.name: 3, TokenIds.name: 5, CorpusMutation.name: 2, AddedTokens.name: 2, Symbols.name: 2}
"""For each turn of another one; a fifth of all inputs are ids, since decoding is half of what is compared."""


def in_turn(found: Iterable[Generator | NothingToDo]) -> list[Generator]:
    """The generators, each as often as it has its turn; those with nothing to do are left out."""
    return [one for one in found if not isinstance(one, NothingToDo) for _ in range(TURNS.get(one.name, 1))]
