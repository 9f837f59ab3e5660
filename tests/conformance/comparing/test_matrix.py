"""The matrix of releases: what each release does, when a behaviour came or went, and what a release was not asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.comparing.matrix import Behaviour, LibraryMatrix, matrix, spans
from conformance.core.case import Case, ids_case, text_case
from conformance.core.finding import Finding, Mismatch, Status
from conformance.core.run import Cell, ModelInfo, Run

RELEASES = ("0.9.0", "0.10.0", "0.21.4", "0.22.2", "0.23.3")


def finding(
    rule: str, model: str = "m", subject: str = "reftok", check: str = "ids", case: Case | None = None, count: int = 1
) -> Finding:
    case = case or text_case("ab", "o")
    status: Status = "known" if rule.startswith("known") else "new"
    example = Mismatch(model, subject, check, "raw", "other ids", case, "1", "2")
    return Finding(example, count, (), "Model", rule, "tokenizers", status, reason="why" if status == "known" else "")


def run(
    version: str,
    *findings: Finding,
    library: str = "tokenizers",
    models: tuple[str, ...] = ("m",),
    refused: Mapping[str, str] | None = None,
    checks: tuple[str, ...] = ("ids",),
) -> Run:
    """A run under one release; every finding has its cell."""
    refused = refused or {}
    places = {(f.example.model, f.example.subject, f.example.check) for f in findings}
    places |= {(model, "reftok", check) for model in models if model not in refused for check in checks}

    def cell(place: tuple[str, str, str]) -> Cell:
        found = [f for f in findings if (f.example.model, f.example.subject, f.example.check) == place]
        known = sum(f.count for f in found if f.status == "known")
        return Cell(*place, compared=100, mismatched=sum(f.count for f in found), known=known)

    return Run(
        verdict="as expected",
        command="conformance run",
        seed=0,
        versions={library: version},
        models=tuple(ModelInfo(name, name, "f", "ab", library, 9) for name in models),
        subjects=(),
        checks=("ids", "decode", "stream decode"),
        cells=tuple(map(cell, sorted(places))),
        languages=(),
        findings=findings,
        problems=tuple(f"{m} was not compared with its official library: {why}" for m, why in refused.items()),
        corpora={},
        cases=9,
        answers=9,
    )


def only(*runs: Run) -> LibraryMatrix:
    (found,) = matrix(runs)
    return found


def behaviour(library: LibraryMatrix, rule: str) -> Behaviour:
    (found,) = (entry for entry in library.behaviours if entry.rule == rule)
    return found


def test_releases_are_ordered_by_number_whatever_the_order_of_the_runs() -> None:
    assert only(*map(run, RELEASES[::-1])).releases == RELEASES


@pytest.mark.parametrize("seen", [(0, 1, 2, 3, 4), (0, 1), (3, 4), (2,), (0, 2, 4)])
def test_a_behaviour_has_the_releases_in_which_it_was_seen(seen: tuple[int, ...]) -> None:
    runs = [run(name, *([finding("r")] if index in seen else [])) for index, name in enumerate(RELEASES)]
    found = behaviour(only(*runs), "r")
    assert found.seen == tuple(RELEASES[index] for index in seen)
    assert found.has_changed == (len(seen) < len(RELEASES))


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ((0, 1, 2, 3, 4), ()),
        ((0, 1), (("0.21.4", False),)),
        ((3, 4), (("0.22.2", True),)),
        ((0, 2), (("0.10.0", False), ("0.21.4", True), ("0.22.2", False))),
    ],
)
def test_the_turns_are_the_releases_unlike_the_one_before(
    seen: tuple[int, ...], expected: tuple[tuple[str, bool], ...]
) -> None:
    runs = [run(name, *([finding("r")] if index in seen else [])) for index, name in enumerate(RELEASES)]
    assert behaviour(only(*runs), "r").turns == expected


def test_behaviours_with_one_upstream_that_went_together_have_one_cause_with_the_most_frequent_first() -> None:
    rare = replace(finding("rare"), upstream="u")
    often = replace(finding("often", check="decode", count=9), upstream="u")
    always = replace(finding("always"), upstream="u")
    checks = ("ids", "decode")
    library = only(
        run("0.9.0", rare, often, always, finding("alone"), checks=checks), run("0.10.0", always, checks=checks)
    )
    assert [[entry.rule for entry in cause.behaviours] for cause in library.causes] == [
        ["often", "rare"],
        ["alone"],
        ["always"],
    ]


def test_causes_stand_by_release_the_newest_first_and_what_never_changed_last() -> None:
    library = only(
        run("0.9.0", finding("always", count=99), finding("first to go", count=99), finding("last to go")),
        run("0.10.0", finding("always"), finding("last to go")),
        run("0.21.4", finding("always")),
    )
    assert [cause.behaviours[0].rule for cause in library.causes] == ["last to go", "first to go", "always"]


def test_a_release_that_shows_a_behaviour_was_asked_though_the_library_had_nothing_to_compare() -> None:
    streams = ("ids", "stream decode")
    older = run("0.9.0", finding("r", check="stream decode"), checks=streams)
    newer = run("0.10.0", finding("s", subject="tokenizers", check="stream decode"), checks=streams)
    found = behaviour(only(older, newer), "r")
    assert (found.asked, found.seen) == (("0.9.0", "0.10.0"), ("0.9.0",))


def test_a_release_that_does_not_read_the_model_says_nothing_about_a_behaviour() -> None:
    library = only(run("0.9.0", refused={"m": "no"}), run("0.10.0", finding("r")), run("0.21.4", finding("r")))
    found = behaviour(library, "r")
    assert found.asked == found.seen == ("0.10.0", "0.21.4")
    assert [cell.state for cell in library.rows[0].cells] == ["refused", "new", "new"]
    assert [(gap.what, gap.releases, gap.reason) for gap in library.gaps] == [("m", ("0.9.0",), "no")]


def test_a_check_that_the_library_has_nothing_for_in_one_release_is_a_gap_though_reftok_was_compared() -> None:
    older = run("0.9.0", checks=("ids", "stream decode"))
    newer = run(
        "0.10.0", finding("known r", subject="tokenizers", check="stream decode"), checks=("ids", "stream decode")
    )
    library = only(older, newer)
    cells = {row.check: [cell.state for cell in row.cells] for row in library.rows}
    assert cells == {"ids": ["equal", "equal"], "stream decode": ["none", "known"]}
    assert [(gap.what, gap.releases) for gap in library.gaps] == [("stream decode", ("0.9.0",))]
    assert behaviour(library, "known r").asked == ("0.10.0",)


def test_a_behaviour_is_one_whatever_the_models_and_its_example_is_the_smallest() -> None:
    found = behaviour(
        only(
            run("0.9.0", finding("r", case=text_case("abcdef", "o"), count=2), finding("r", "n"), models=("m", "n")),
            run("0.10.0", finding("r", "n", case=text_case("a", "o"), count=3), finding("r"), models=("m", "n")),
        ),
        "r",
    )
    assert (found.models, found.seen, dict(found.mismatches)) == (
        ("m", "n"),
        ("0.9.0", "0.10.0"),
        {"0.9.0": 3, "0.10.0": 4},
    )
    assert found.example.example.case.text == "a"


def test_of_examples_of_one_size_a_text_is_shown_rather_than_ids() -> None:
    library = only(
        run("0.9.0", finding("r", case=ids_case((7,), "o"))), run("0.10.0", finding("r", case=text_case("a", "o")))
    )
    assert behaviour(library, "r").example.example.case.kind == "text"


def test_what_one_expectation_lists_and_another_run_does_not_is_shown_as_not_listed() -> None:
    library = only(run("0.9.0", finding("known r")), run("0.10.0", finding("r")))
    assert [cell.state for cell in library.rows[0].cells] == ["known", "new"]
    assert [entry.is_known for entry in library.behaviours] == [True, False]


def test_each_library_has_its_own_matrix_with_its_own_models() -> None:
    first, second = matrix([run("0.9.0", finding("r")), run("0.2.0", library="sentencepiece", models=("s",))])
    assert (first.library, second.library) == ("tokenizers", "sentencepiece")
    assert ([row.model for row in first.rows], [row.model for row in second.rows]) == (["m"], ["s"])
    assert not second.behaviours


def test_of_two_runs_under_one_release_the_later_one_counts() -> None:
    library = only(run("0.9.0", finding("r")), run("0.9.0"))
    assert (library.releases, library.behaviours) == (("0.9.0",), ())


@given(st.lists(st.sets(st.sampled_from(["a", "b", "known c"])), min_size=1, max_size=5))
def test_each_cell_and_each_behaviour_say_what_the_runs_say(rules: list[set[str]]) -> None:
    library = only(*(run(name, *map(finding, sorted(found))) for name, found in zip(RELEASES, rules, strict=False)))
    seen = {entry.rule: set(entry.seen) for entry in library.behaviours}
    assert seen == {
        rule: {name for name, found in zip(RELEASES, rules, strict=False) if rule in found}
        for rule in set().union(*rules)
    }
    assert [cell.mismatched for cell in library.rows[0].cells] == list(map(len, rules))
    assert [entry.has_changed for entry in library.behaviours] == sorted(
        (entry.has_changed for entry in library.behaviours), reverse=True
    )


@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_spans_name_each_release_once_and_no_other(flags: list[bool]) -> None:
    releases = tuple(f"0.{number}" for number in range(len(flags)))
    named = [name for name, flag in zip(releases, flags, strict=True) if flag]
    listed: list[str] = []
    for part in filter(None, spans(releases, named).split(", ")):
        first, _, last = part.partition(" to ")
        listed += releases[releases.index(first) : releases.index(last or first) + 1]
    assert listed == named


def test_what_reftok_does_with_a_model_that_a_release_does_not_read_is_no_behaviour_of_it() -> None:
    library = only(run("0.9.0", finding("r"), refused={"m": "no"}), run("0.10.0"), run("0.21.4", finding("other")))
    assert [entry.rule for entry in library.behaviours] == ["other"]


def test_models_with_which_a_behaviour_came_at_other_times_are_told_apart() -> None:
    both = ("m", "n")
    runs = [
        run("0.9.0", finding("r"), models=both, refused={"o": "no"}),
        run("0.10.0", finding("r"), finding("r", "n"), models=(*both, "o")),
        run("0.21.4", finding("r"), finding("r", "n"), finding("r", "o"), models=(*both, "o")),
    ]
    found = {entry.models: entry.turns for entry in only(*runs).behaviours}
    assert found == {("m",): (), ("n",): (("0.10.0", True),), ("o",): (("0.21.4", True),)}
