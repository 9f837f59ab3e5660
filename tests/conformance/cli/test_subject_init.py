"""`conformance subject init`: what it says, and what it does not do."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from ..commands import Command, said

INIT = ("subject", "init", "--language", "python")


def test_init_writes_a_new_folder_and_names_the_next_two_commands(conformance_here: Command, tmp_path: Path) -> None:
    result = conformance_here(*INIT, "new/my tokenizer", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == (
        "written  new/my tokenizer: its README.md says what to fill in; then\n"
        "  conformance subject check 'new/my tokenizer/subject.toml' --model tokenizer.json\n"
        "  conformance run --model tokenizer.json --subject 'new/my tokenizer/subject.toml'\n"
    )
    assert {path.name for path in (tmp_path / "new" / "my tokenizer").iterdir()} == {
        "adapter.py",
        "subject.toml",
        "README.md",
    }


def test_init_names_the_subject_after_the_folder_or_by_name(conformance_here: Command, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    assert conformance_here(*INIT, ".", cwd=tmp_path / "mine").returncode == 0
    assert tomllib.loads((tmp_path / "mine" / "subject.toml").read_text("utf-8"))["name"] == "mine"
    assert conformance_here(*INIT, "--name", 'a "b"', tmp_path / "other").returncode == 0
    assert tomllib.loads((tmp_path / "other" / "subject.toml").read_text("utf-8"))["name"] == 'a "b"'


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("full", "full/adapter.py: is there already, and is not overwritten: give a new folder"),
        ("full/adapter.py", "full/adapter.py: is a file: give a folder"),
        ("a" * 300, "--name"),
        ("a" * 300 + "/b", "cannot be written: File name too long"),
        ("/", "--name"),
    ],
)
def test_a_folder_that_cannot_be_written_is_told_with_the_way_out(
    conformance_here: Command, tmp_path: Path, folder: str, message: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "adapter.py").write_text("mine", "utf-8")
    said(conformance_here(*INIT, folder, cwd=tmp_path), 2, message)
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "adapter.py"]
    assert (tmp_path / "full" / "adapter.py").read_text("utf-8") == "mine"


@pytest.mark.parametrize(
    ("subject", "asked"),
    [
        ("mine/subject.toml", ()),
        ("mine/subject.toml", ("--build",)),
        ("mine/built.toml", ()),
        ("mine/adapter.jar", ()),
        ("nowhere.toml", ()),
    ],
)
def test_check_names_no_option_that_was_not_given(
    conformance_here: Command, tmp_path: Path, subject: str, asked: tuple[str, ...]
) -> None:
    """Fault: "--subject mine/subject.toml: …", of what stood there without an option."""
    (tmp_path / "mine").mkdir()
    about = 'name = "mine"\ncommand = ["./adapter"]\n'
    (tmp_path / "mine" / "subject.toml").write_text(about, "utf-8")
    (tmp_path / "mine" / "built.toml").write_text(f'{about}build = "make"\n', "utf-8")
    (tmp_path / "mine" / "adapter.jar").touch()
    result = conformance_here("subject", "check", *asked, subject, "--model", "bpe-gpt2", cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith("conformance: ")
    assert "--subject" not in result.stderr


def test_init_takes_a_language_in_any_of_its_spellings(conformance_here: Command, tmp_path: Path) -> None:
    assert conformance_here("subject", "init", "--language", "C++", tmp_path / "mine").returncode == 0
    assert (tmp_path / "mine" / "adapter.cpp").is_file()
