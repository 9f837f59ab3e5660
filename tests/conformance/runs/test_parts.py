"""Each shard of a run is in one of its parts."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.core.errors import InputError
from conformance.inputs.shards import Shard
from conformance.runs.parts import MOST_PARTS, PART, Part, part_of, part_to_text, read_part

SIZES = st.dictionaries(
    st.sampled_from("abcd"), st.dictionaries(st.sampled_from(("corpora", "vocab", "scalars")), st.integers(1, 9))
)


def shards_of(sizes: dict[str, dict[str, int]]) -> list[Shard]:
    return [
        Shard(model, source, start, start + 1)
        for model, sources in sizes.items()
        for source, count in sources.items()
        for start in range(count)
    ]


@given(SIZES, st.integers(1, 12))
def test_each_shard_is_in_one_part_in_the_order_of_all_and_the_parts_are_alike_in_size(
    sizes: dict[str, dict[str, int]], count: int
) -> None:
    every = shards_of(sizes)
    parts = [Part(number, count).of(every) for number in range(1, count + 1)]
    assert sorted(chain(*parts), key=every.index) == every
    assert all(part == sorted(part, key=every.index) for part in parts)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@given(SIZES, st.integers(1, 12))
def test_the_parts_load_no_more_models_than_they_must(sizes: dict[str, dict[str, int]], count: int) -> None:
    every = shards_of(sizes)
    models = {shard.model for shard in every}
    loads = sum(len({shard.model for shard in Part(number, count).of(every)}) for number in range(1, count + 1))
    assert loads < len(models) + count


def test_a_part_of_a_model_has_as_much_of_each_source() -> None:
    parts = [Part(number, 4).of(shards_of({"a": {"corpora": 4, "scalars": 8}})) for number in range(1, 5)]
    assert {tuple(sorted(shard.source for shard in part)) for part in parts} == {("corpora", "scalars", "scalars")}


@pytest.mark.parametrize("text", ["", "2", "0/2", "3/2", "-1/2", "1/0", "1/2/3", "1.0/2", "a/b", f"1/{MOST_PARTS + 1}"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not K/N|there is no part"):
        part_of(text)


def test_a_folder_remembers_its_part(tmp_path: Path) -> None:
    assert read_part(tmp_path) is None
    (tmp_path / PART).write_text(part_to_text(Part(2, 7)), "ascii")
    assert read_part(tmp_path) == Part(2, 7)
    assert str(read_part(tmp_path)) == "2/7"
    (tmp_path / PART).write_text('{"number": 3, "count": 2}', "ascii")
    with pytest.raises(InputError, match="there is no part 3 of 2"):
        read_part(tmp_path)
