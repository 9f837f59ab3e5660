"""The report of a matrix of releases: what changed in words, the table, every cause, and what was not asked."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from conformance.comparing.matrix import LibraryMatrix, matrix
from conformance.core.case import text_case
from conformance.core.finding import Mismatch
from conformance.report.matrix import headline, matrix_json, matrix_report, period, summary
from tests.conformance.comparing.test_matrix import RELEASES, finding, run
from tests.conformance.report.drawn import drawn, said
from tests.conformance.report.sample_run import BIDI, SCRIPT

LIBRARIES = matrix(
    [
        run("0.9.0", refused={"m": f"tokenizers refuses the model: {SCRIPT}"}),
        run("0.10.0", finding("known came first"), finding("always")),
        run("0.21.4", finding("always"), finding(BIDI, case=text_case(SCRIPT, "o"), check="decode")),
        run("0.2.0", library="sentencepiece", models=("s",)),
    ]
)


def words(libraries: tuple[LibraryMatrix, ...]) -> str:
    return said(matrix_report(libraries))


def test_what_changed_stands_first_then_the_causes_and_last_what_was_not_asked() -> None:
    text = words(LIBRARIES)
    order = [
        "reftok is the reference. It follows the newest release",
        "In the examples ␣ is a space.",
        "tokenizers: 3 releases, 1 change, 2 behaviours unexplained",
        "0.21.4: ended: Model: known came first (ids of m)",
        "0.21.4: first with something to compare: decode",
        "0.10.0: first to read: m",
        "nothing differs",
        "In 0.10.0 (gone in 0.21.4): Model: known came first",
        "In every release asked: Model: always",
        "Not asked",
        "0.9.0: m: tokenizers refuses the model",
        "sentencepiece: 1 release, no change seen",
    ]
    places = [*map(text.index, order[:-1]), text.rindex(order[-1])]
    assert places == sorted(places)


def test_releases_without_a_change_are_named_in_one_line() -> None:
    libraries = matrix([run("0.9.0", finding("r")), run("0.10.0"), run("0.21.4"), run("0.22.2")])
    assert "0.21.4, 0.22.2: no change seen" in words(libraries)


def test_the_headline_counts_changes_and_the_releases_in_which_they_are() -> None:
    (library,) = matrix([run("0.9.0", finding("known r"), finding("known s")), run("0.10.0"), run("0.21.4")])
    assert headline(library) == "tokenizers: 3 releases, 2 changes in 1 of them"


def test_behaviours_with_one_upstream_are_one_change_with_every_rule_and_example() -> None:
    found = [
        replace(finding("known one", count=3), upstream="https://example.org/1"),
        replace(finding("known other", check="decode"), upstream="https://example.org/1", reason="another reason"),
    ]
    text = words(matrix([run("0.9.0", *found), run("0.10.0", checks=("ids", "decode"))]))
    assert "2 releases, 1 change" in text
    assert "0.10.0: ended: Model: known one; known other (ids, decode of m)" in text
    assert "why another reason" in text
    assert re.search(r"ids of reftok:? known one: 3 answers in 0\.9\.0, seen on m", text)
    assert re.search(r"decode of reftok:? known other: 1 answer in 0\.9\.0, seen on m", text)


def test_what_is_in_every_release_has_its_count_its_models_and_its_upstream() -> None:
    always = replace(finding("known always", count=7), upstream="https://example.org/2")
    text = words(matrix([run("0.9.0", always), run("0.10.0", always)]))
    assert "0.10.0: no change seen" in text
    assert "In every release asked: Model: known always" in text
    assert "7 answers in 0.10.0, seen on m" in text
    assert "https://example.org/2" in text


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ((0, 1), "Until 0.10.0 (gone in 0.21.4)"),
        ((1,), "In 0.10.0 (gone in 0.21.4)"),
        ((2, 3), "Since 0.21.4"),
        ((1, 2), "In 0.10.0, 0.21.4 (gone in 0.22.2)"),
        ((0, 2, 3), "In 0.9.0, 0.21.4, 0.22.2"),
        ((0, 1, 2, 3), "In every release asked"),
    ],
)
def test_a_title_says_in_which_releases_it_was_so(seen: tuple[int, ...], expected: str) -> None:
    runs = [run(name, *([finding("r")] if index in seen else [])) for index, name in enumerate(RELEASES[:4])]
    (library,) = matrix(runs)
    assert period(library.causes[0]) == expected


def test_a_space_has_one_form_in_texts_and_none_in_lists_of_ids() -> None:
    case = text_case(" a b\u2423", "o")
    example = Mismatch("m", "tokenizers", "round trip", "raw", "other text", case, "x a  b", "x a b ")
    ids = Mismatch("m", "reftok", "ids", "raw", "other ids", case, "1 'a', 2", "1 'a', 3")
    found = [replace(finding(rule), example=each) for rule, each in (("r", example), ("s", ids))]
    text = words(matrix([run("0.9.0", *found)]))
    assert all(part in text for part in (r"␣a␣b\u{2423}", "x␣a␣␣b", "x␣a␣b␣", "1 'a', 2", "1 'a', 3")), text


def test_models_that_a_release_refuses_for_one_reason_are_one_line() -> None:
    refused = {"m": "no variant at column 12", "n": "no variant at column 34", "o": "no model at line 5"}
    models = ("m", "n", "o")
    text = words(matrix([run("0.9.0", refused=refused, models=models), run("0.10.0", models=models)]))
    assert "0.9.0: m, n: no variant at column N" in text
    assert "0.9.0: o: no model at line 5" in text
    assert "0.10.0: first to read: m, n, o" in text


def test_that_a_run_is_incomplete_is_said_at_the_top() -> None:
    libraries = matrix([replace(run("0.9.0"), verdict="incomplete"), run("0.10.0", finding("r"))])
    text = words(libraries)
    assert json.loads(matrix_json(libraries))["libraries"][0]["summary"][0].startswith("0.9.0: the run is incomplete")
    assert text.index("0.9.0: the run is incomplete") < text.index("0.10.0: new: Model: r")


def test_cells_that_differ_link_to_what_explains_them_and_every_link_has_its_place() -> None:
    page = drawn(matrix_report(LIBRARIES), "html")
    (library, _) = LIBRARIES
    first = next(entry for entry in library.behaviours if entry.rule == "known came first")
    cells = re.findall(r'<td class="number (\w+)"[^>]*><span[^>]*>.</span>\s*(?:<a href="#(\w+)">)?', page)
    assert cells[:3] == [("none", ""), ("new", first.example.fingerprint), ("new", cells[2][1])]
    assert all(bool(target) == (kind in ("new", "known")) for kind, target in cells)
    fingerprints = [behaviour.example.fingerprint for behaviour in library.behaviours]
    assert [page.count(f'id="{fingerprint}"') for fingerprint in fingerprints] == [1] * len(fingerprints)
    assert set(re.findall(r'href="#(\w+)"', page)) <= set(re.findall(r'id="(\w+)"', page))


def test_a_cell_links_to_a_behaviour_of_its_own_release_and_only_where_it_differs() -> None:
    models = ("m", "n")
    older = run("0.9.0", finding("known older", "m"), models=models, refused={"n": "no"})
    between = run("0.10.0", finding("known older", "n"), models=models)
    libraries = matrix([older, between, run("0.21.4", finding("known newer", "m"), models=models)])
    shown_in = {(entry.rule, entry.models): entry.example.fingerprint for entry in libraries[0].behaviours}
    page = drawn(matrix_report(libraries), "html")
    cells = re.findall(r'<td class="number \w+"[^>]*><span[^>]*>.</span>\s*(?:<a href="#(\w+)">)?', page)
    of_m, of_n = (("m",), ("n",))
    first_row = [shown_in["known older", of_m], "", shown_in["known newer", of_m]]
    assert cells == [*first_row, "", shown_in["known older", of_n], ""]


def test_a_release_is_the_first_to_read_a_model_though_a_later_one_does_not() -> None:
    (library,) = matrix([run("0.9.0", refused={"m": "no"}), run("0.10.0"), run("0.21.4", refused={"m": "no"})])
    assert [str(line) for line in summary(library)] == ["0.10.0: first to read: m"]


def test_json_is_ascii_and_whole() -> None:
    text = matrix_json(LIBRARIES)
    assert text.isascii()
    first = json.loads(text)["libraries"][0]
    assert first["releases"] == ["0.9.0", "0.10.0", "0.21.4"]
    histories = {entry["rule"]: entry["history"] for entry in first["behaviours"]}
    assert "0.21.4: ended: Model: known came first (ids of m)" in first["summary"]
    assert histories["known came first"] == "In 0.10.0 (gone in 0.21.4)"
    assert histories["always"] == "In every release asked"
