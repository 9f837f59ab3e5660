from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from . import folders
from .folder_damage import damaged
from .folders import FILES, outcome, prepare

SEED, COUNT = 1, 40


def test_commands_end_in_a_message_that_names_the_damaged_file_and_write_nowhere_else(tmp_path: Path) -> None:
    """The bounds of time are those of `python -m tests.hostile.folders`, which asks for more."""
    prepare(tmp_path)
    faults = {number: fault for number in range(COUNT) if (fault := outcome(SEED, number, tmp_path)[1])}
    assert not faults, "\n".join(faults.values())


@pytest.mark.parametrize(
    ("code", "said", "fault"),
    [
        (3, "conformance: the harness failed", "the exit code is 3"),
        (2, "conformance: it is wrong", "the message does not name the file"),
        (2, "conformance: 1\n2\n3", "the message has 3 lines"),
        (2, "it is wrong", "no line begins as a message of the command"),
        (1, "\x1b[2J", "the character U+001B"),
        (0, "Traceback", "a traceback"),
    ],
)
def test_a_command_that_fails_says_too_little_or_writes_elsewhere_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, said: str, fault: str
) -> None:
    for name in ("finding", "outside/secret.txt", *(f"home/{asked.file}" for asked in FILES)):
        file = tmp_path / "base" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}", "ascii")
    (tmp_path / "world").mkdir()

    def asked(words: object, world: Path, place: str) -> tuple[int, str]:
        (world / "outside" / "made.txt").touch()
        return code, said

    monkeypatch.setattr(folders, "ask", asked)
    kind, told = outcome(SEED, 0, tmp_path)
    assert kind == "a fault"
    assert fault in told
    assert "outside/made.txt: was not there" in told


def test_a_number_stands_for_the_same_damage() -> None:
    data = b'{"a": [1, {"b": "c"}], "d": null}\n' * 3
    for form in ("json", "lines", "toml"):
        made = [damaged(data, form, Random(number), Path("/outside/secret.txt")) for number in range(60)]
        assert made == [damaged(data, form, Random(number), Path("/outside/secret.txt")) for number in range(60)]
        assert len({*made}) > 15
