"""Two runs compared: what both asked is new, fixed, changed or as before; what only one asked is neither, and told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.comparing.comparison import KINDS, Comparison, compare
from conformance.core.case import text_case
from conformance.core.finding import Finding, Mismatch, Severity
from conformance.core.run import Cell, LanguageCell, ModelInfo, Run, SubjectInfo
from conformance.report.comparison import headline

CORPORA = {"edge_cases/spaces.jsonl": "1", "languages/de-Latn.txt": "2"}
ORIGIN = "edge_cases/spaces.jsonl:3"


def finding(rule: str = "r", severity: Severity = "other ids", origin: str = ORIGIN, **fields: Any) -> Finding:
    place = {name: fields.pop(name, default) for name, default in PLACE.items()}
    example = Mismatch(**place, rule="raw", severity=severity, case=text_case("a", origin), expected="1", observed="2")
    return Finding(example, **{"count": 1, "languages": (), "stage": "", "rule": rule, "oracle": "o", **fields})


PLACE = {"model": "m", "subject": "s", "check": "ids"}


def run(*findings: Finding, **fields: Any) -> Run:
    """A run that compared ten answers of every check of its one subject and model."""
    checks = fields.pop("checks", ("ids", "decode"))
    values: dict[str, Any] = {
        "verdict": "as expected",
        "command": "conformance run",
        "seed": 0,
        "versions": {"tokenizers": "0.22.2"},
        "models": (ModelInfo("m", "m.json", "tokenizer.json", "ab", "tokenizers", 9),),
        "subjects": (SubjectInfo("s", "1", "subject"),),
        "checks": checks,
        "cells": tuple(Cell("m", "s", check, 10) for check in checks),
        "languages": (LanguageCell("de-Latn", "s", 5, 0),),
        "findings": findings,
        "problems": (),
        "corpora": CORPORA,
        "cases": 10,
        "answers": 20,
        "sources": ("corpora", "fuzz"),
        "fuzz": 100,
    }
    return Run(**{**values, **fields})


def kinds(comparison: Comparison) -> dict[str, list[str]]:
    return {kind: [c.finding.rule for c in comparison.of(kind)] for kind in KINDS if comparison.of(kind)}


def test_runs_without_a_common_subject_are_no_pass() -> None:
    other = run(subjects=(SubjectInfo("t", "1", "subject"),))
    comparison = compare(run(finding("wrong")), other)
    assert comparison.exit_code == 1
    assert comparison.new_problems == (
        "nothing is compared: the second run asked none of the subjects of the first, s",
    )
    assert compare(run(), run(subjects=(*run().subjects, *other.subjects))).exit_code == 0


@pytest.mark.parametrize(
    ("before", "after", "expected", "verdict"),
    [
        (
            (finding("mended"), finding("stays")),
            (finding("planted"), finding("stays")),
            {"new": ["planted"], "fixed": ["mended"], "unchanged": ["stays"]},
            "worse",
        ),
        ((finding(),), (finding(),), {"unchanged": ["r"]}, "unchanged"),
        ((finding(),), (), {"fixed": ["r"]}, "better"),
        ((), (finding(status="known"),), {"new": ["r"]}, "changed"),
    ],
)
def test_the_verdict_follows_from_what_came_and_went(
    before: tuple[Finding, ...], after: tuple[Finding, ...], expected: dict[str, list[str]], verdict: str
) -> None:
    comparison = compare(run(*before), run(*after))
    assert kinds(comparison) == expected
    assert (comparison.verdict, comparison.exit_code) == (verdict, int(verdict == "worse"))
    assert not any((comparison.versions, comparison.coverage, comparison.places, comparison.notes))


@pytest.mark.parametrize(
    ("before", "after", "names", "worse"),
    [
        ({}, {"count": 2}, ["mismatches"], True),
        ({"count": 2}, {}, ["mismatches"], False),
        ({"severity": "offsets only"}, {}, ["severity"], True),
        ({}, {"severity": "offsets only"}, ["severity"], False),
        ({"status": "known"}, {}, ["status"], True),
        ({}, {"status": "known"}, ["status"], False),
        ({"status": "known"}, {"status": "known", "count": 5}, ["mismatches"], False),
        ({}, {"languages": ("de-Latn",)}, ["languages"], False),
    ],
)
def test_what_changes_about_a_finding(
    before: dict[str, Any], after: dict[str, Any], names: list[str], worse: bool
) -> None:
    comparison = compare(run(finding(**before)), run(finding(**after)))
    (change,) = comparison.of("changed")
    assert [part.name for part in change.changes] == names
    assert comparison.worse is worse


def test_another_shrunk_example_is_a_change() -> None:
    other = finding()
    other = replace(other, example=replace(other.example, case=text_case("b", ORIGIN)))
    (change,) = compare(run(finding()), run(other)).of("changed")
    assert [(part.name, part.before, part.after) for part in change.changes] == [("input", "a", "b")]


def test_another_answer_to_the_same_input_is_a_change_whatever_else_was_asked() -> None:
    other = replace(finding(), example=replace(finding().example, observed="3"))
    (change,) = compare(run(finding()), run(other, cases=11, fuzz=101)).of("changed")
    assert [part.name for part in change.changes] == ["observed"]


# --- what only one of them asked


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({"checks": ("decode",)}, "check"),
        ({"cells": (Cell("m", "s", "ids", 0, not_applicable=10), Cell("m", "s", "decode", 10))}, "nothing compared"),
        ({"corpora": {"languages/de-Latn.txt": "2"}}, "corpus"),
        ({"corpora": {**CORPORA, "edge_cases/spaces.jsonl": "other"}}, "changed corpus"),
        ({"models": (ModelInfo("n", "n", "tokenizer.json", "ab", "tokenizers", 9),), "cells": ()}, "model"),
    ],
)
def test_what_the_second_run_did_not_ask_is_not_fixed(fields: dict[str, Any], kept: str) -> None:
    comparison = compare(run(finding()), run(**fields))
    assert kinds(comparison) == {"only before": ["r"]}, kept
    assert kinds(compare(run(**fields), run(finding()))) == {"only after": ["r"]}
    assert comparison.notes or comparison.coverage or comparison.places


@pytest.mark.parametrize("sources", [("session",), ("vocab",)])
def test_a_language_that_one_of_them_did_not_ask_is_not_compared(sources: tuple[str, ...]) -> None:
    """Fault: a session names the corpora that it mutates, and was held against the lines of a run."""
    other = run(sources=sources, languages=())
    seen = finding(languages=("de-Latn",))
    comparison = compare(run(seen), other)
    assert kinds(comparison) == {"only before": ["r"]}
    assert kinds(compare(other, run(seen))) == {"only after": ["r"]}
    assert comparison.tallies["corpus file"] == ()
    assert [part.lost for part in comparison.coverage] == [("corpora", "fuzz")]


def test_what_was_seen_in_a_language_that_both_asked_is_fixed_though_the_example_is_from_another() -> None:
    seen = finding(origin="more/other.txt:1", languages=("de-Latn", "other"))
    comparison = compare(run(seen, corpora={**CORPORA, "more/other.txt": "3"}), run())
    assert kinds(comparison) == {"fixed": ["r"]}
    assert "of 3 corpus files, 2 are alike" in comparison.notes[0]


@pytest.mark.parametrize(
    ("number", "fields", "kind"),
    [
        (7, {}, "fixed"),
        (7, {"seed": 1}, "only before"),
        (7, {"fuzz": 50}, "fixed"),
        (70, {"fuzz": 50}, "only before"),
        (7, {"sources": ("corpora",)}, "only before"),
        (7, {"corpora": {"languages/de-Latn.txt": "2"}}, "only before"),
    ],
)
def test_made_inputs_are_shared_where_seed_corpora_and_number_are(
    number: int, fields: dict[str, Any], kind: str
) -> None:
    made = finding(origin=f"fuzz:0:{number}:text")
    comparison = compare(run(made), run(**fields))
    assert kinds(comparison) == {kind: ["r"]}
    assert bool(comparison.notes) == bool(fields)


def test_how_often_is_compared_only_where_both_asked_the_same() -> None:
    comparison = compare(run(finding(count=2)), run(finding(count=9), fuzz=101))
    assert kinds(comparison) == {"unchanged": ["r"]}
    assert comparison.notes[-1] == "how often a finding was seen is not compared"


# --- coverage, versions, problems


def test_a_check_that_compares_nothing_any_more_is_worse() -> None:
    comparison = compare(run(), run(cells=(Cell("m", "s", "ids", 10),)))
    (place,) = comparison.places
    assert (place.check, place.lost, comparison.exit_code) == ("decode", True, 1)


def test_a_check_that_compares_nothing_since_less_was_asked_is_told_and_not_worse() -> None:
    comparison = compare(run(), run(cells=(Cell("m", "s", "ids", 10),), corpora={}))
    (place,) = comparison.places
    assert (place.check, place.lost, comparison.exit_code) == ("decode", False, 0)


def test_a_check_that_was_not_asked_for_is_lost_coverage_and_not_worse() -> None:
    comparison = compare(run(), run(checks=("ids",)))
    assert [(part.name, part.lost) for part in comparison.coverage] == [("checks", ("decode",))]
    assert (comparison.places, comparison.exit_code) == ((), 0)


def test_new_lost_and_changed_models_subjects_and_corpora() -> None:
    models = tuple(ModelInfo(name, name, "f", "cd", "tokenizers", 9) for name in ("m", "n"))
    after = run(models=models, subjects=(), corpora={"languages/de-Latn.txt": "9"}, sources=("corpora",))
    found = {part.name: (part.new, part.lost, part.changed) for part in compare(run(), after).coverage}
    assert found == {
        "models": (("n",), (), ("m",)),
        "subjects": ((), ("s",), ()),
        "inputs": ((), ("fuzz",), ()),
        "corpora": ((), ("edge_cases/spaces.jsonl",), ("languages/de-Latn.txt",)),
    }


def test_the_version_of_a_subject_has_changed_where_both_runs_know_it() -> None:
    known, later, unknown = (run(subjects=(SubjectInfo("s", one, "subject"),)) for one in ("git 1", "git 2", ""))
    (change,) = compare(known, later).versions
    assert (change.name, change.before, change.after) == ("s", "git 1", "git 2")
    assert not compare(unknown, later).versions + compare(known, unknown).versions + compare(known, known).versions


def test_changed_versions() -> None:
    comparison = compare(run(), run(versions={"tokenizers": "0.23.3", "regex": "1"}))
    assert [(c.name, c.before, c.after) for c in comparison.versions] == [
        ("tokenizers", "0.22.2", "0.23.3"),
        ("regex", "", "1"),
    ]


def test_a_new_problem_is_worse_and_one_that_is_gone_is_better() -> None:
    assert compare(run(), run(problems=("p",))).new_problems == ("p",)
    assert compare(run(), run(problems=("p",))).verdict == "worse"
    assert compare(run(problems=("p",)), run()).verdict == "better"


def test_what_is_known_and_no_longer_happens_is_not_worse() -> None:
    """Fault: a run in which two known findings were mended, and nothing else had changed, was worse."""
    gone = "expectation e no longer happens on m: is it fixed (r)? then take it off the list"
    comparison = compare(run(finding()), run(problems=(gone,)))
    assert (comparison.verdict, comparison.exit_code, comparison.new_problems) == ("better", 0, (gone,))
    assert headline(comparison) == "Better: 1 fixed, 1 mended: prune it"


def test_an_incomplete_run_says_so() -> None:
    assert "second run is incomplete" in compare(run(), run(verdict="incomplete")).notes[0]


def test_tallies_count_by_model_subject_check_and_corpus_file() -> None:
    before = run(finding(languages=("de-Latn",)), languages=(LanguageCell("de-Latn", "s", 5, 4),))
    tallies = compare(before, run(finding("new", check="decode"))).tallies
    counts = {name: [(t.name, t.kinds["new"], t.kinds["fixed"]) for t in found] for name, found in tallies.items()}
    assert counts == {
        "model": [("m", 1, 1)],
        "subject": [("s", 1, 1)],
        "check": [("ids", 0, 1), ("decode", 1, 0)],
        "corpus file": [("de-Latn", 0, 1)],
    }
    assert [t.mismatches for t in tallies["corpus file"]] == [(4, 0)]


def run_of(subject: str, *more: str, **fields: Any) -> Run:
    """A run in which each of the subjects is wrong three times of ten, one time in German."""
    subjects = (subject, *more)
    return run(
        subjects=tuple(SubjectInfo(name, "1", "subject") for name in subjects),
        cells=tuple(Cell("m", name, "ids", 10, mismatched=3) for name in subjects),
        languages=tuple(LanguageCell("de-Latn", name, 5, 1) for name in subjects),
        **fields,
    )


def test_a_subject_that_left_or_joined_is_neither_a_repair_nor_a_fault_in_the_tables() -> None:
    comparison = compare(run_of("s", "left"), run_of("s", "joined"))
    counts = {name: [(t.name, t.mismatches) for t in found] for name, found in comparison.tallies.items()}
    assert counts == {
        "model": [("m", (3, 3))],
        "subject": [("s", (3, 3))],
        "check": [("ids", (3, 3))],
        "corpus file": [("de-Latn", (1, 1))],
    }
    assert comparison.counted == (1, 3)
    assert not any(tally.has_changed for found in comparison.tallies.values() for tally in found)


def test_what_is_not_compared_any_more_is_not_a_repair_in_the_tables() -> None:
    decoded = (Cell("m", "s", "decode", 10), Cell("m", "t", "ids", 10, 3))
    before = replace(run_of("s", "t"), cells=(Cell("m", "s", "ids", 10, 3), *decoded))
    after = replace(run_of("s", "t"), cells=(Cell("m", "s", "ids", 0, failures=10), *decoded))
    tallies = compare(before, after).tallies
    assert [(t.name, t.mismatches) for t in tallies["subject"]] == [("s", (0, 0)), ("t", (3, 3))]
    assert [t.mismatches for t in tallies["corpus file"]] == [(1, 1)]


@pytest.mark.parametrize("fields", [{"fuzz": 101}, {"seed": 1}, {"sources": ("corpora",)}])
def test_how_many_answers_differ_is_comparable_only_where_both_asked_the_same(fields: dict[str, Any]) -> None:
    tallies = compare(run_of("s"), run_of("s", **fields)).tallies
    assert [t.mismatches for name in ("model", "subject", "check") for t in tallies[name]] == [None] * 3
    assert [t.mismatches for t in tallies["corpus file"]] == [(1, 1)]


def test_corpus_files_are_not_comparable_under_another_file_of_the_model() -> None:
    other = (ModelInfo("m", "m.json", "tokenizer.json", "cd", "tokenizers", 9),)
    (tally,) = compare(run_of("s"), run_of("s", models=other)).tallies["corpus file"]
    assert (tally.mismatches, tally.has_changed) == (None, False)


# --- whatever the runs

RUNS = st.builds(
    lambda found, fields: run(*{one.fingerprint: one for one in found}.values(), **fields),
    st.lists(
        st.builds(
            lambda rule, check, origin, count, status, severity: finding(
                rule, severity, origin, check=check, count=count, status=status
            ),
            st.sampled_from("abc"),
            st.sampled_from(["ids", "decode"]),
            st.sampled_from([ORIGIN, "fuzz:0:7", "fuzz:0:99:text", "languages/de-Latn.txt", "vocab:3"]),
            st.integers(1, 3),
            st.sampled_from(["new", "known"]),
            st.sampled_from(["other ids", "offsets only"]),
        ),
        max_size=4,
    ),
    st.fixed_dictionaries(
        {},
        optional={
            "checks": st.sampled_from([("ids",), ("ids", "decode")]),
            "seed": st.integers(0, 1),
            "fuzz": st.sampled_from([8, 100]),
            "problems": st.sampled_from([(), ("p",)]),
            "corpora": st.sampled_from([CORPORA, {}, {"languages/de-Latn.txt": "2"}]),
        },
    ),
)


@given(RUNS)
def test_a_run_compared_with_itself_is_unchanged(one: Run) -> None:
    comparison = compare(one, one)
    assert (comparison.verdict, set(kinds(comparison)) <= {"unchanged"}) == ("unchanged", True)


@given(RUNS, RUNS)
def test_every_finding_of_both_runs_is_in_exactly_one_kind_and_the_way_back_mirrors_it(one: Run, other: Run) -> None:
    there, back = compare(one, other), compare(other, one)
    of_both = {f.fingerprint for f in (*one.findings, *other.findings)}
    assert sorted(change.finding.fingerprint for change in there.findings) == sorted(of_both)

    def prints(comparison: Comparison, kind: Any) -> set[str]:
        return {change.finding.fingerprint for change in comparison.of(kind)}

    mirrored = (("new", "fixed"), ("only before", "only after"), ("changed", "changed"), ("unchanged", "unchanged"))
    assert all(prints(there, kind) == prints(back, mirror) for kind, mirror in mirrored)
    assert {change.finding.fingerprint for change in there.findings if change.is_worse} <= {
        finding.fingerprint for finding in other.findings if finding.status == "new"
    }
