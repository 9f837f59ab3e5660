from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

import reftok

from .__main__ import outcome
from .asking import ANSWERED, REFUSED, REFUSED_AT_LOAD, ask
from .choices import Choices
from .files import Hostile, damaged, hostile

SEED = 1
COUNT = 240


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Counter[str]:
    """How many of the first files end in what. The bounds of time and memory are those of `python -m tests.hostile`."""
    folder = tmp_path_factory.mktemp("hostile")
    return Counter(ask(folder, hostile(SEED, number), Random(f"texts of {SEED}-{number}")) for number in range(COUNT))


def test_damaged_files_end_in_answers_or_in_errors_that_name_the_file(kinds: Counter[str]) -> None:
    assert {*kinds} == {ANSWERED, REFUSED, REFUSED_AT_LOAD}


def test_most_damaged_files_are_loaded_so_that_their_stages_are_asked(kinds: Counter[str]) -> None:
    assert kinds[REFUSED_AT_LOAD] < 0.4 * COUNT


def test_a_number_stands_for_the_same_file_in_whatever_order_they_are_made() -> None:
    forwards = [hostile(SEED, number) for number in range(40)]
    backwards = [hostile(SEED, number) for number in reversed(range(40))]
    assert forwards == backwards[::-1]


def test_the_bytes_of_a_fuzzed_input_decide_which_file_it_is() -> None:
    inputs = [bytes([byte]) * 40 for byte in range(0, 256, 8)]
    files = [damaged(Choices(data)) for data in inputs]
    assert files == [damaged(Choices(data)) for data in inputs]
    assert len({file.name for file in files}) > 3


def test_every_format_is_among_the_damaged_files() -> None:
    names = {hostile(SEED, number).name for number in range(COUNT)}
    assert names == {
        "tokenizer.json",
        "tokenizer.model",
        "model.gguf",
        "x.tiktoken",
        "tekken.json",
        "vocab.json",
        "vocab.txt",
    }


@pytest.mark.parametrize(
    ("error", "kind"),
    [(KeyError(), "an error of another kind"), (MemoryError(), "too much memory"), (RecursionError(), "an error of")],
)
def test_an_error_that_is_no_reftok_error_is_a_fault(
    error: Exception, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def load(*_: object) -> None:
        raise error

    monkeypatch.setattr(reftok, "load", load)
    found, fault = outcome(SEED, 0, tmp_path)
    assert found.startswith(kind)
    assert type(error).__name__ in fault


def test_an_error_that_does_not_name_the_file_is_a_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def load(*_: object) -> None:
        raise reftok.ReftokError("is wrong")

    monkeypatch.setattr(reftok, "load", load)
    with pytest.raises(AssertionError, match="the error names no file: is wrong"):
        ask(tmp_path, Hostile({"x": b""}), Random(0))
