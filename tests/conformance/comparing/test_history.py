"""Runs over time: their order, what was asked, when a cause came and went."""

from __future__ import annotations

from dataclasses import replace

from conformance.comparing.history import CauseTrend, by_start, history
from conformance.core.case import text_case
from conformance.core.finding import Finding
from conformance.core.run import Cell, Run, SubjectInfo
from tests.conformance.report.sample_run import finding, passing_run

WRONG = finding(text_case("x", ""), "r", count=3)
LISTED = replace(WRONG, status="known")


def run(day: int, *findings: Finding, subject: str = "planted-nfc") -> Run:
    cells = (Cell("gpt2-mini", subject, "ids", 9),)
    verdict = "unexpected findings" if findings else "as expected"
    return replace(
        passing_run(), started=f"2026-01-{day:02}T00:00:00+00:00", findings=findings, cells=cells, verdict=verdict
    )


def test_runs_stand_in_the_order_of_their_starts_and_not_of_their_names() -> None:
    found = by_start([("a", run(2)), ("b", run(1)), ("c", replace(run(1), started="2026-01-01T23:00:00-05:00"))])
    assert [name for name, _ in found] == ["b", "a", "c"]


def test_a_cause_came_went_and_was_not_asked() -> None:
    runs = [run(1), run(2, WRONG), run(3, subject="other"), run(4, WRONG), run(5), run(6, subject="other")]
    (cause,) = history((str(number), one) for number, one in enumerate(runs)).causes
    assert cause.mismatches == (0, 3, None, 3, 0, None)
    assert cause.turns == ((1, True), (4, False))
    assert (cause.is_there, cause.asked) == (False, (0, 1, 3, 4))


def test_a_cause_of_several_checks_is_one_and_known_where_all_of_it_is() -> None:
    other = finding(text_case("x", ""), "r", check="tokens", count=4)
    (cause,) = history([("a", run(1, LISTED, other)), ("b", run(2, LISTED))]).causes
    assert (cause.mismatches, cause.is_known) == ((7, 3), (False, True))


def test_what_is_still_there_stands_before_what_is_gone() -> None:
    gone = finding(text_case("x", ""), "gone", "special-token injection")
    causes = history([("a", run(1, gone, WRONG)), ("b", run(2, WRONG))]).causes
    assert [cause.rule for cause in causes] == ["r", "gone"]


def test_the_versions_that_changed_are_told_of_each_run() -> None:
    later = replace(run(2), versions={**run(2).versions, "tokenizers": "0.22.0"})
    assert [point.changed for point in history([("a", run(1)), ("b", later)]).runs] == [
        (),
        (("tokenizers", "0.21.0", "0.22.0"),),
    ]


def test_the_releases_of_the_subjects_are_versions_too() -> None:
    """Fault: six runs of one's own tokenizer, a release each, had changed nothing."""

    def of(day: int, version: str) -> Run:
        one = run(day)
        return replace(
            one, subjects=(SubjectInfo("mine", version, "subject"), SubjectInfo("theirs", version, "oracle"))
        )

    (_, later) = history([("a", of(1, "0.1")), ("b", of(2, "0.2"))]).runs
    assert later.changed == (("mine", "0.1", "0.2"),)


def of_mine(version: str, *findings: Finding) -> Run:
    """A run in which planted-nfc has this version."""
    return replace(run(1, *findings), subjects=(SubjectInfo("planted-nfc", version, "subject"),))


def trend(*runs: Run) -> CauseTrend:
    (cause,) = history((str(number), one) for number, one in enumerate(runs)).causes
    return cause


def test_what_is_back_after_it_was_gone_has_regressed() -> None:
    versions = ("git 1111111", "git 2222222", "git 3333333", "git 4444444")
    there = [of_mine(version, WRONG) for version in versions]
    gone = [of_mine(version) for version in versions]
    assert trend(gone[0], there[1], gone[2], there[3]).regressed == (3,)
    assert trend(there[0], gone[1], run(9, subject="other"), there[3]).regressed == (3,)
    assert trend(gone[0], there[1], there[2], gone[3]).regressed == ()


def test_a_run_that_asked_less_does_not_make_a_cause_gone_and_then_regressed() -> None:
    """Fault: after a run of the smallest tier the same mistake had "regressed"."""
    made = replace(finding(text_case("x", "fuzz:0:7"), "r"), languages=())
    core, smoke = replace(run(1, made), sources=("corpora", "fuzz")), replace(run(2), sources=("corpora",))
    found = trend(core, smoke, core)
    assert (found.mismatches[1], found.regressed) == (None, ())


def test_what_comes_and_goes_more_than_twice_though_nothing_changed_is_flaky_and_no_regression() -> None:
    def of(*versions: str, seeds: int = 0, cases: int = 0) -> CauseTrend:
        runs = [of_mine(version, *([WRONG] if number % 2 else [])) for number, version in enumerate(versions)]
        asked = ({"seed": number * seeds, "cases": number * cases} for number in range(len(runs)))
        return trend(*(replace(one, **values) for one, values in zip(runs, asked, strict=True)))

    same = "git 1111111"
    assert of(same, same, same, same).is_flaky
    assert of(same, same, same, same).regressed == ()
    assert not of(same, same, same).is_flaky
    assert not of("git 1111111", "git 2222222", "git 3333333", "git 4444444").is_flaky
    assert not of("git 1111111", "git 2222222", same, same).is_flaky
    for unknown in ("", "git 1111111 + changes"):
        assert not of(*[unknown] * 9).is_flaky
    assert not of(*[same] * 9, seeds=1).is_flaky
    assert not of(*[same] * 9, cases=1).is_flaky


def test_a_run_that_was_started_at_no_time_comes_first() -> None:
    assert [name for name, _ in by_start([("a", run(1)), ("b", replace(run(1), started=""))])] == ["b", "a"]
