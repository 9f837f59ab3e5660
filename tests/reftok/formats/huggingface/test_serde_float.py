from __future__ import annotations

import json
import random
from collections.abc import Sequence

import pytest
import tokenizers

from reftok.formats.strict_json import serde_float, serde_integer


def official_scores(numbers: Sequence[str]) -> list[float]:
    """The doubles that the library reads, written out again without loss."""
    vocab = ",".join(f'["{index}",{number}]' for index, number in enumerate(numbers))
    config = f'{{"version":"1.0","model":{{"type":"Unigram","unk_id":null,"vocab":[{vocab}]}}}}'
    model = json.loads(tokenizers.Tokenizer.from_str(config).to_str())["model"]
    return [float(score) for _, score in model["vocab"]]


def random_number(generator: random.Random) -> str:
    whole = str(generator.randrange(10 ** generator.randrange(1, 26)))
    fraction = "." + "".join(generator.choices("0123456789", k=generator.randrange(1, 26)))
    exponent = generator.choice("eE") + generator.choice(["", "+", "-"]) + str(generator.randrange(40))
    return generator.choice(["", "-"]) + whole + generator.choice(["", fraction]) + generator.choice(["", exponent])


def read(number: str) -> float:
    return float(serde_integer(number) if number.lstrip("-").isdigit() else serde_float(number))


def test_random_numbers_become_the_doubles_of_the_library() -> None:
    generator = random.Random(7)
    numbers = [random_number(generator) for _ in range(20_000)]
    numbers += [repr(-generator.expovariate(0.1)) for _ in range(10_000)]
    assert [read(number) for number in numbers] == official_scores(numbers)
    assert any(read(number) != float(number) for number in numbers)


ZEROS = ["0.0", "-0.0", "0e400", "0.0e99999", "1e-400", "0.1e-99999999999999999999", "0." + "0" * 400 + "1"]
EDGES = ["5e-324", "1.7976931348623157e308", "18446744073709551615", "18446744073709551616", "-9223372036854775808"]
OTHERS = [
    "-9223372036854775809",
    "1e00000000001",
    "1" * 300,
    "0.3",
    "1844674407370955161.60",
    "184467440737095516159.05",
]


@pytest.mark.parametrize("number", [*ZEROS, *EDGES, *OTHERS])
def test_numbers_at_the_edges_become_the_doubles_of_the_library(number: str) -> None:
    assert [repr(read(number))] == [repr(score) for score in official_scores([number])]


@pytest.mark.parametrize("number", ["1e309", "-1e400", "1e99999999999999999999", "1" * 400, "9" * 309 + ".5"])
def test_numbers_beyond_float64_are_refused_as_in_the_library(number: str) -> None:
    with pytest.raises(OverflowError, match="out of range"):
        read(number)
    with pytest.raises(Exception, match="number out of range"):
        official_scores([number])


def test_whole_numbers_stay_whole_as_long_as_they_fit_in_64_bits() -> None:
    assert isinstance(serde_integer("18446744073709551615"), int)
    assert isinstance(serde_integer("18446744073709551616"), float)
    assert isinstance(serde_integer("-9223372036854775809"), float)
