"""A part of a run: the shards that one of several machines works on, which `conformance.runs.merge` puts together."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.core.errors import FORM_ERRORS, InputError, form_problem
from conformance.core.records import from_json, to_json
from conformance.inputs.shards import Shard
from reftok.formats.files import file_bytes

PART = "part.json"
MOST_PARTS = 10**6


@dataclass(frozen=True, slots=True)
class Part:
    """The part `number` of `count`, counted from 1."""

    number: int
    count: int

    def __post_init__(self) -> None:
        """Raises ValueError for a part that there is not."""
        if not 1 <= self.number <= self.count <= MOST_PARTS:
            raise ValueError(f"there is no part {self.number} of {self.count}")

    def __str__(self) -> str:
        """As it is given: "2/7"."""
        return f"{self.number}/{self.count}"

    def of(self, shards: Sequence[Shard]) -> list[Shard]:
        """The shards of this part, in the order of all.

        Each shard is in one of the parts. A part has its shards of as few models as it can, which have to be loaded,
        and of each model as many of each source as of the others, which take more or less time.

        >>> vocab = [Shard(model, "vocab", start, start + 1) for model in "ab" for start in range(2)]
        >>> scalars = [Shard(model, "scalars", start, start + 1) for model in "ab" for start in range(2)]
        >>> [shard.key for shard in Part(2, 4).of([*vocab, *scalars])]
        ['a|vocab|1|2', 'a|scalars|1|2']
        """
        models = {model: number for number, model in enumerate(dict.fromkeys(shard.model for shard in shards))}
        sizes = Counter((shard.model, shard.source) for shard in shards)
        seen: Counter[tuple[str, str]] = Counter()
        places: list[tuple[int, float, int]] = []
        for number, shard in enumerate(shards):
            source = (shard.model, shard.source)
            places.append((models[shard.model], (seen[source] + 0.5) / sizes[source], number))
            seen[source] += 1
        ends = [len(shards) * end // self.count for end in (self.number - 1, self.number)]
        return [shards[number] for number in sorted(number for *_, number in sorted(places)[slice(*ends)])]


def part_of(text: str) -> Part:
    """The part of "2/7"; raises ValueError for what is none.

    >>> part_of("2/7")
    Part(number=2, count=7)
    """
    match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    if match is None:
        raise ValueError(f"{text!r} is not K/N, as 2/7")
    return Part(int(match[1]), int(match[2]))


def part_to_text(part: Part) -> str:
    """The text of part.json."""
    return json.dumps(to_json(part)) + "\n"


def read_part(folder: Path) -> Part | None:
    """The part that the run of a folder is, None where it is a run; raises InputError where its part.json is none."""
    try:
        return from_json(json.loads(file_bytes(folder / PART)), Part)
    except FileNotFoundError:
        return None
    except (OSError, *FORM_ERRORS) as error:
        raise InputError(f"{folder / PART}: cannot be read ({form_problem(error)}); start the run anew") from None
