"""A session is resumed from its own files alone: what is foreign is refused in one line that names the file."""

from __future__ import annotations

import json
import re
import shutil
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from conformance.core.errors import InputError
from conformance.fuzzing import folder as session_folder
from conformance.fuzzing.drive import run_session
from conformance.fuzzing.folder import kept_inputs, read_corpus, read_finished, read_state
from conformance.fuzzing.progress import SessionProgress
from tests.conformance.fuzzing.sessions import run, session_job

CASES = 600
"""More than the first generation has: there is a state, and the second generation is under way."""


class KilledError(BaseException):
    """Nothing may catch it."""


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a session that was killed in its second generation."""
    folder = tmp_path_factory.mktemp("begun") / "session"

    def killed(progress: SessionProgress | object) -> None:
        if isinstance(progress, SessionProgress) and progress.cases > 512:
            raise KilledError

    with pytest.raises(KilledError):
        run_session(session_job(folder, CASES), killed, lambda replayed: None)
    return folder


def test_the_shards_of_another_generation_are_not_taken_for_this_one(begun: Path) -> None:
    """Killed between the state and the journal of a generation, a session has the shards of the one before."""
    plan, generation = session_job(begun, CASES).session.plan, read_state(begun).generation
    assert {shard.generation for shard in read_finished(begun, generation, plan)} == {generation}
    assert read_finished(begun, generation + 1, plan) == {}


def refused(folder: Path, file: str) -> None:
    with pytest.raises(InputError) as caught:
        run(session_job(folder, CASES))
    message = str(caught.value)
    place = r":\d+" if file.endswith(".jsonl") else ""
    assert re.match(rf"{re.escape(str(folder / file))}{place}: is not the ", message)
    assert "\n" not in message


def put(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """The same JSON with something else at one place."""
    inner = value
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = new
    return value


MODEL = ("models", "bpe-gpt2")


@pytest.mark.parametrize(
    ("place", "new"),
    [
        (("models",), {}),
        (("generation",), True),
        (("kept",), -1),
        (("seconds",), float("nan")),
        ((*MODEL, "idle"), {"numbers": 1}),
        ((*MODEL, "result", "shard", "model"), "foreign"),
        ((*MODEL, "result", "counts", 0, 1), "unknown"),
        ((*MODEL, "result", "counts", 0, 0), "nobody"),
    ],
)
def test_a_state_that_is_not_of_the_plan_is_refused(
    begun: Path, tmp_path: Path, place: tuple[Any, ...], new: Any
) -> None:
    """Fault: it ended in tracebacks."""
    folder = Path(shutil.copytree(begun, tmp_path / "session"))
    path = folder / "state.json"
    path.write_text(json.dumps(put(json.loads(path.read_text("ascii")), place, new)), "ascii")
    refused(folder, "state.json")


def test_what_the_state_of_others_says_it_reached_is_not_read_to_merge_and_is_bounded(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: a few kilobytes of spans, such as "0-8388607" for each of many models, took gigabytes."""
    folder = Path(shutil.copytree(begun, tmp_path / "session"))
    path = folder / "state.json"
    state = json.loads(path.read_text("ascii"))
    model = state["models"]["bpe-gpt2"]
    model["coverage"] = {"merges": ["0-4194302"]}
    state["models"] = {str(number): model for number in range(100)}
    path.write_text(json.dumps(state), "ascii")
    tracemalloc.start()
    assert kept_inputs(folder) == kept_inputs(begun)
    assert tracemalloc.get_traced_memory()[1] < 64 << 20
    tracemalloc.stop()
    model["coverage"] = {"merges": ["0-9"]}
    path.write_text(json.dumps(state), "ascii")
    monkeypatch.setattr(session_folder, "MOST_KEYS_OF_ALL", 999)
    with pytest.raises(InputError, match="it reached more than any models have"):
        read_state(folder)


def test_a_state_larger_than_any_is_refused_unread(begun: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(begun, tmp_path / "session"))
    with (folder / "state.json").open("r+b") as file:
        file.truncate(129 << 20)
    refused(folder, "state.json")


def test_the_state_of_another_model_is_refused(begun: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(begun, tmp_path / "session"))
    path = folder / "state.json"
    path.write_text(path.read_text("ascii").replace("bpe-gpt2", "foreign"), "ascii")
    refused(folder, "state.json")


@pytest.mark.parametrize(
    ("place", "new"),
    [
        (("shard", "model"), "foreign"),
        (("result", "shard", "model"), "foreign"),
        (("result", "counts", 0, 1), "unknown"),
        (("kept",), [{"model": "foreign", "case": {"kind": "text", "text": "a", "origin": "o"}, "reached": {}}]),
    ],
)
def test_shards_that_are_not_of_the_plan_are_refused(
    begun: Path, tmp_path: Path, place: tuple[Any, ...], new: Any
) -> None:
    """Fault: they ended in tracebacks."""
    folder = Path(shutil.copytree(begun, tmp_path / "session"))
    path = folder / "shards.jsonl"
    path.write_text(json.dumps(put(json.loads(path.read_text("ascii")), place, new)) + "\n", "ascii")
    refused(folder, "shards.jsonl")


TEXT = {"kind": "text", "text": "a", "origin": "o"}


@pytest.mark.parametrize(
    "damaged",
    [
        {"model": "m", "case": {**TEXT, "kind": "song"}},
        {"model": "m", "case": {**TEXT, "text": "\ud800"}},
        {"model": "m", "case": {"kind": "ids", "ids": [1 << 65], "origin": "o"}},
        {"model": "m", "case": {"kind": "bytes", "bytes_hex": "x", "origin": "o"}},
        [],
    ],
)
def test_a_corpus_with_what_is_no_kept_input_is_refused_by_its_line(tmp_path: Path, damaged: Any) -> None:
    """Fault: `case` was taken as it came, and the line was not named."""
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in ({"model": "m", "case": TEXT}, damaged)), "ascii")
    with pytest.raises(InputError) as caught:
        read_corpus(tmp_path)
    message = str(caught.value)
    assert message.startswith(f"{path}:2: is not the corpus of a session (")
    assert len(message) < 500
    assert "\n" not in message


def test_a_session_that_nobody_touched_goes_on(begun: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(begun, tmp_path / "session"))
    assert run(session_job(folder, CASES)).run.cases == CASES
