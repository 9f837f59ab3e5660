"""What has changed since a session's last start, by which a cause that is not seen again is fixed or only unseen."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from conformance.causes.attribution import Attribution
from conformance.core.case import text_case
from conformance.core.finding import MOST_EXAMPLES, Mismatch
from conformance.engine.plan import Plan
from conformance.engine.result import empty_result
from conformance.fuzzing import known_causes
from conformance.fuzzing.known_causes import changed_subjects, replay_known
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


def test_what_is_known_is_asked_model_by_model_so_that_each_is_loaded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def answered(plan: Plan, example: Mismatch, cause: Attribution, deadline: float) -> tuple[str, None]:
        asked.append(example.model)
        return "same", None

    monkeypatch.setattr(known_causes, "_asked", answered)
    results = [empty_result(model) for model in ("b", "a", "b")]
    for result in results:
        example = Mismatch(result.shard.model, "s", "ids", "r", "other ids", text_case("x", ""), "", "")
        result.groups["s", "ids", "", "r"].add([example])
    plan = session_job(tmp_path / "session", 1).session.plan
    assert [entry.model for entry in replay_known(plan, results, (), math.inf)] == ["a", "b"]
    assert asked == ["a", "b", "b"]


@pytest.mark.parametrize(
    ("verdicts", "changed", "left"),
    [
        (("same", "same", "same"), ("s",), 10),
        (("same", "gone", "same"), (), 9),  # the subject is what it was: what it does not repeat proves nothing fixed
        (("same", "gone", "same"), ("s",), 2),
    ],
)
def test_a_session_that_goes_on_keeps_the_examples_that_are_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verdicts: tuple[str, ...], changed: tuple[str, ...], left: int
) -> None:
    """Fault: of ten examples of a finding, three were left after --resume."""
    answers = iter(verdicts)
    monkeypatch.setattr(known_causes, "_asked", lambda *given: (next(answers), None))
    result = empty_result("m")
    for number in range(MOST_EXAMPLES):
        example = Mismatch("m", "s", "ids", "r", "other ids", text_case("x" * number, ""), "", "")
        result.groups["s", "ids", "", "r"].add([example])
    plan = session_job(tmp_path / "session", 1).session.plan
    replay_known(plan, [result], changed, math.inf)
    (group,) = result.groups.values()
    assert (len(group.examples), len({one.case.text for one in group.examples})) == (left, left)
