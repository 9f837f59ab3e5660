"""The tests that docs/api.md shows for a user's own pytest run as they stand, and find what it says."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from reftok import embedded_models

ROOT = Path(__file__).parents[2]
README, API = ROOT / "README.md", ROOT / "docs" / "api.md"
Tested = Callable[..., "subprocess.CompletedProcess[str]"]


def blocks(path: Path, beginning: str) -> list[str]:
    """The Python of a document that begins so."""
    return re.findall(rf"```python\n({beginning}.*?)```", path.read_text("utf-8"), re.DOTALL)


@pytest.fixture
def tested(tmp_path: Path, command_environment: dict[str, str]) -> Tested:
    """Runs pytest on these files, beside the model that the documents name, in a process of its own."""
    model = tmp_path / "path" / "to" / "tokenizer.json"
    model.parent.mkdir(parents=True)
    shutil.copyfile(embedded_models()["bpe-qwen"], model)

    def run(mine: str, *tests: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "mine.py").write_text(mine, "utf-8")
        for number, test in enumerate(tests, 1):
            (tmp_path / f"test_mine_{number}.py").write_text(test, "utf-8")
        command = [sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", "-q"]
        # Hypothesis draws the same examples each time where it sees the variable CI.
        environment = {**command_environment, "CI": "true"}
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", timeout=300
        )

    return run


def failed(ended: subprocess.CompletedProcess[str]) -> list[str]:
    """The names of the tests that failed."""
    return re.findall(r"^FAILED test_mine_\d\.py::(\w+)", ended.stdout, re.MULTILINE)


def test_the_first_test_finds_what_it_shows_and_nothing_in_a_subject_that_is_right(tested: Tested) -> None:
    (mine,) = blocks(README, "class Mine:")
    test, *_ = blocks(API, "import conformance\n")
    (shown,) = re.findall(r"^E       AssertionError: ✗.*?observed[^\n]*$", API.read_text("utf-8"), re.DOTALL | re.M)
    found = tested(mine, test)
    assert failed(found) == ["test_mine_is_right", "test_mine_is_right_on_any_text"], found.stdout + found.stderr
    assert shown in found.stdout
    assert r"text='\r\n'," in found.stdout
    right = tested(mine.replace(r'.replace("\r\n", "\n")', ""), test)
    assert "2 passed" in right.stdout, right.stdout + right.stderr


def test_the_tests_of_the_docs_find_the_subject_that_is_wrong_and_nothing_in_one_that_is_right(tested: Tested) -> None:
    (mine,) = blocks(API, "class Mine:")
    _, *tests = blocks(API, "import conformance\n")
    tests += blocks(API, "from conformance import strategies\n")
    found = tested(mine, *tests)
    names = ["test_mine_thoroughly", "test_any_ids_are_decoded", "test_any_bytes_are_read_as_text"]
    names.append("test_a_line_feed_at_the_end_is_kept")
    assert failed(found) == names, found.stdout + found.stderr
    assert "text=''," in found.stdout
    right = tested(mine.replace(".rstrip()", ""), *tests)
    assert "4 passed" in right.stdout, right.stdout + right.stderr
