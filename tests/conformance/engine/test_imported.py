"""What a Python file imports from its folder is found without running it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.engine.imported import imported_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, source in {
        "package/__init__.py": "from . import sibling",
        "package/sibling.py": "from ..above import x",
        "package/unused.py": "",
        "above.py": "import subject",
        "spaces/deep/module.py": "raise SystemExit",
        "broken.py": "x = (",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import json, package", ["above.py", "package/__init__.py", "package/sibling.py"]),
        ("def later():\n    from spaces.deep import module", ["spaces/deep/module.py"]),
        ("from spaces.deep.module import *", ["spaces/deep/module.py"]),
        ("import broken", ["broken.py"]),
        ("import", []),
    ],
)
def test_files_below_the_folder_are_found_and_what_they_import(folder: Path, source: str, names: list[str]) -> None:
    (folder / "subject.py").write_text(source, "utf-8")
    found = imported_files(folder / "subject.py")
    assert sorted(path.relative_to(folder).as_posix() for path in found) == names


def test_a_file_that_is_gone_imports_nothing(tmp_path: Path) -> None:
    assert imported_files(tmp_path / "subject.py") == ()


def test_a_module_that_no_file_can_be_named_after_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "known.py").touch()
    (tmp_path / "subject.py").write_text(f"import {'a' * 300}, known", "utf-8")
    assert imported_files(tmp_path / "subject.py") == (tmp_path / "known.py",)
