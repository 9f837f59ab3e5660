"""The settings of a project: found upward, paths from their folder, an unknown key refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.core.errors import InputError
from conformance.runs.settings import Settings, find_settings

WHOLE = """
subjects = ["mine.py:Mine", "reftok", "node server.mjs --fast"]
models = ["bpe-qwen", "model.json", "someone/model"]
corpora = ["edge_cases", "texts"]
tier = "core"
expectations = ["known.toml"]
fail-on = "natural"
jobs = 2
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the files that WHOLE names."""
    for name in ("mine.py", "server.mjs", "model.json"):
        (tmp_path / name).touch()
    (tmp_path / "texts").mkdir()
    (tmp_path / "within" / "deep").mkdir(parents=True)
    return tmp_path


def test_every_key_is_read_and_paths_stay_as_they_are_in_the_folder_itself(project: Path) -> None:
    (project / "conformance.toml").write_text(WHOLE, "utf-8")
    assert find_settings(project) == Settings(
        file=Path("conformance.toml"),
        subjects=("mine.py:Mine", "reftok", "node server.mjs --fast"),
        models=("bpe-qwen", "model.json", "someone/model"),
        corpora=("edge_cases", "texts"),
        tier="core",
        expectations=(Path("known.toml"),),
        fail_on="natural",
        jobs=2,
    )


def test_they_are_found_upward_and_their_paths_lead_there(project: Path) -> None:
    (project / "conformance.toml").write_text(WHOLE, "utf-8")
    found = find_settings(project / "within" / "deep")
    assert found.file == Path("../../conformance.toml")
    assert found.subjects == ("../../mine.py:Mine", "reftok", "node ../../server.mjs --fast")
    assert found.models == ("bpe-qwen", "../../model.json", "someone/model")
    assert found.corpora == ("edge_cases", "../../texts")
    assert found.expectations == (Path("../../known.toml"),)


def test_a_pyproject_has_them_in_its_table_and_conformance_toml_goes_before_it(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.other]\n", "utf-8")
    assert find_settings(project) == Settings()
    (project / "pyproject.toml").write_text("[tool.conformance]\njobs = 3\n", "utf-8")
    assert find_settings(project) == Settings(file=Path("pyproject.toml"), jobs=3)
    (project / "conformance.toml").write_text("jobs = 4\n", "utf-8")
    assert find_settings(project).jobs == 4


def test_none_are_looked_for_above_a_repository_or_where_everybody_may_write(project: Path) -> None:
    (project / "conformance.toml").write_text("jobs = 4\n", "utf-8")
    (project / "within" / ".git").mkdir()
    assert find_settings(project / "within" / "deep") == Settings()
    (project / "within" / ".git").rmdir()
    assert find_settings(project / "within" / "deep").jobs == 4
    project.chmod(0o777)
    assert find_settings(project / "within" / "deep") == Settings()
    assert find_settings(project).jobs == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("subject = []\n", r"conformance\.toml: the key 'subject' is not known; known are subjects, models"),
        ('subjects = "mine.py:Mine"\n', r"conformance\.toml: the key 'subjects': Expected `array`"),
        ("fail_on = 'any'\n", "the key 'fail_on' is not known"),
        ("fail-on = 'some'\n", r"conformance\.toml: the key 'fail-on': Invalid enum value 'some'"),
        ("tier = 'huge'\n", "the key 'tier': Invalid enum value 'huge'"),
        ("jobs = 0\n", "the key 'jobs': Expected `int` >= 1"),
        ("jobs = \n", r"conformance\.toml: Invalid value"),
    ],
)
def test_what_is_wrong_is_refused_with_file_and_key(project: Path, text: str, message: str) -> None:
    (project / "conformance.toml").write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        find_settings(project)
