"""What has changed since a session's last start, by which a cause that is not seen again is fixed or only unseen."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.fuzzing.known_causes import changed_subjects
from conformance.runs.job import file_hashes
from conformance.runs.plan_file import write_plan
from conformance.subjects.adapters import BUILT_IN
from conformance.subjects.versions import installed_versions
from tests.conformance.fuzzing.sessions import planted, session_job


@pytest.mark.parametrize(
    ("other", "is_changed"), [({}, False), ({"regex": "1"}, True), ({"gone-since": "1"}, True)], ids=str
)
def test_a_subject_is_another_where_a_library_is(tmp_path: Path, other: dict[str, str], is_changed: bool) -> None:
    plan = session_job(tmp_path / "session", 1, subjects=(planted("strips_white_space"),)).session.plan
    write_plan(tmp_path, plan, "conformance fuzz", False, file_hashes(plan), {**installed_versions(), **other})
    assert changed_subjects(plan, tmp_path) - BUILT_IN == set(plan.labels if is_changed else ())


def test_a_subject_is_another_where_a_file_that_it_imported_is_gone(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("try:\n    import fast\nexcept ImportError:\n    pass\n", "utf-8")
    (tmp_path / "fast.py").touch()
    plan = session_job(tmp_path / "session", 1, subjects=(f"{tmp_path / 'mine.py'}:Mine",)).session.plan
    write_plan(tmp_path, plan, "conformance fuzz", False, file_hashes(plan), installed_versions())
    assert "mine.py:Mine" not in changed_subjects(plan, tmp_path)
    (tmp_path / "fast.py").unlink()
    assert "mine.py:Mine" in changed_subjects(plan, tmp_path)
