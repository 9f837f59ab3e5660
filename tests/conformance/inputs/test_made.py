"""Made inputs depend on seed, model and number alone, and every generator that has something to do has its turn."""

from __future__ import annotations

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from conformance.core.case import Case
from conformance.generators import generators
from conformance.generators.base import Generator, NothingToDo, in_turn
from conformance.inputs.made import made_cases
from conformance.inputs.shards import Inputs, Shard
from tests.conformance.generators.tiny import knowledge_of


@cache
def found(model: str = "byte-level") -> tuple[Generator | NothingToDo, ...]:
    return tuple(generators(knowledge_of(model), ("hello world", "naïve ☠")))


def made(first: int, last: int, seed: int = 0, model: str = "m") -> list[Case]:
    return made_cases(Inputs((), ("fuzz",), last, seed), Shard(model, "fuzz", first, last), found())


@given(st.integers(0, 5), st.integers(0, 2_000), st.integers(1, 40))
def test_any_slice_can_be_made_alone(seed: int, first: int, count: int) -> None:
    whole = made(first, first + count, seed)
    assert [case for number in range(first, first + count) for case in made(number, number + 1, seed)] == whole


def test_another_seed_or_model_makes_other_cases() -> None:
    first = made(0, 50)
    assert made(0, 50, seed=1) != first
    assert made(0, 50, model="n") != first


def test_texts_bytes_and_ids_are_made_and_a_fifth_are_ids() -> None:
    kinds = [case.kind for case in made(0, 500)]
    assert set(kinds) == {"text", "bytes", "ids"}
    assert 0.15 < kinds.count("ids") / len(kinds) < 0.3


def test_every_generator_has_its_turn_in_one_round() -> None:
    turns = in_turn(found())
    assert {one.name for one in turns} == {one.name for one in found() if not isinstance(one, NothingToDo)}
    assert len(made(0, len(turns))) == len(turns)


def test_without_generators_there_are_no_cases() -> None:
    assert made_cases(Inputs((), ("fuzz",), 9, 0), Shard("m", "fuzz", 0, 9), [NothingToDo("ids", "no vocab")]) == []
