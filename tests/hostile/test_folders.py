from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from . import folders
from .folder_damage import damaged
from .folders import FILES, outcome, prepare

SEED, COUNT = 1, 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files of all kinds."""
    made = tmp_path_factory.mktemp("folders")
    prepare(made)
    return made


def test_commands_end_in_a_message_that_names_the_damaged_file_and_write_nowhere_else(folder: Path) -> None:
    """The bounds of time are those of `python -m tests.hostile.folders`, which asks for more."""
    faults = {number: fault for number in range(COUNT) if (fault := outcome(SEED, number, folder)[1])}
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
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: int, said: str, fault: str
) -> None:
    def asked(words: object, world: Path, place: str) -> tuple[int, str]:
        (world / "outside" / "made.txt").touch()
        return code, said

    monkeypatch.setattr(folders, "ask", asked)
    kind, told = outcome(SEED, 0, folder)
    assert kind == "a fault"
    assert fault in told
    assert "outside/made.txt: was not there" in told


def test_a_number_stands_for_the_same_damage() -> None:
    data = b'{"a": [1, {"b": "c"}], "d": null}\n' * 3
    for form in ("json", "lines", "toml"):
        made = [damaged(data, form, Random(number), Path("/outside/secret.txt")) for number in range(60)]
        assert made == [damaged(data, form, Random(number), Path("/outside/secret.txt")) for number in range(60)]
        assert len({*made}) > 15


def test_every_kind_of_file_is_asked_about() -> None:
    assert {Path(asked.file).name for asked in FILES} >= {
        "corpus.jsonl", "session.json", "state.json", "plan.json", "findings.jsonl", "run.json", "journal.jsonl",
        "subject.toml", "conformance.toml",
    }  # fmt: skip
