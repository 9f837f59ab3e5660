"""The shards of a model cover every case exactly once, in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.generators.seams import MOST_SEAMS
from conformance.inputs.scalars import scalar
from conformance.inputs.shards import (
    DEFAULT_SOURCES,
    SHARD_CASES,
    SHARD_CHARACTERS,
    Inputs,
    Shard,
    corpus_cases,
    shard_cases,
    shards,
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, ...]:
    (tmp_path / "many.txt").write_text("\n".join(f"line {n}" for n in range(2_500)), "utf-8")
    (tmp_path / "long.txt").write_text("x" * (SHARD_CHARACTERS + 5) + "\nshort\n", "utf-8")
    (tmp_path / "empty.txt").write_text("", "utf-8")
    return tuple(sorted(tmp_path.iterdir()))


@pytest.mark.parametrize("vocab_size", [0, 1, SHARD_CASES, SHARD_CASES + 1])
@pytest.mark.parametrize("fuzz", [0, 7, 2 * SHARD_CASES])
def test_shards_cover_every_case_exactly_once(files: tuple[Path, ...], vocab_size: int, fuzz: int) -> None:
    inputs = Inputs(files, sources=DEFAULT_SOURCES, fuzz=fuzz, seed=0)
    planned = shards(inputs, "m", vocab_size)
    counts = {"corpora": len(corpus_cases(files)), "vocab": vocab_size, "seams": MOST_SEAMS, "fuzz": fuzz}
    for source, count in counts.items():
        covered = [n for shard in planned if shard.source == source for n in range(shard.start, shard.stop)]
        assert covered == list(range(count))
    assert len({shard.key for shard in planned}) == len(planned)
    assert all(0 < shard.stop - shard.start <= SHARD_CASES for shard in planned)


def test_the_cases_of_the_shards_joined_are_all_cases(files: tuple[Path, ...]) -> None:
    inputs = Inputs(files, sources=("corpora", "fuzz"), fuzz=0, seed=0)
    joined = [case for shard in shards(inputs, "m", 5) for case in shard_cases(inputs, shard, {})]
    assert joined == corpus_cases(files)


def test_the_scalar_shards_give_every_scalar_value_alone_and_in_context() -> None:
    inputs = Inputs((), sources=("scalars",), fuzz=0, seed=0)
    planned = shards(inputs, "m", 0)
    covered = [n for shard in planned for n in range(shard.start, shard.stop)]
    assert "".join(chr(scalar(n)) for n in covered) == "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
    last = shard_cases(inputs, planned[-1], {})[-2:]
    assert [case.text[0] for case in last] == ["\U0010ffff"] * 2
    assert last[0].text == "\U0010ffff"


def test_no_shard_of_the_vocab_without_the_vocab() -> None:
    assert shards(Inputs((), sources=("corpora", "fuzz"), fuzz=0, seed=0), "m", 500) == []


def test_the_vocab_is_asked_id_by_id_even_with_gaps() -> None:
    inputs = Inputs((), sources=("vocab",), fuzz=0, seed=0)
    vocab = {2: "a", 5: "b", 9: "c"}
    cases = [case for shard in shards(inputs, "m", len(vocab)) for case in shard_cases(inputs, shard, vocab)]
    assert [case.ids for case in cases] == [(2,), (5,), (9,)]


def test_a_long_line_ends_its_shard(files: tuple[Path, ...]) -> None:
    first = shards(Inputs(files, sources=("corpora", "fuzz"), fuzz=0, seed=0), "m", 0)[0]
    assert first == Shard("m", "corpora", 0, 1)
