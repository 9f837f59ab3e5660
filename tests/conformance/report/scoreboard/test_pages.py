"""The scoreboard from a small one made by hand: its form as JSON, its table, its pages, what is set apart, badges."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.core.case import ids_case, text_case
from conformance.core.errors import InputError
from conformance.core.finding import Finding
from conformance.report.scoreboard import view
from conformance.report.scoreboard.board import Board, Entry, Kind, Library, Placed, Seen, board_from_json, board_json
from conformance.report.scoreboard.folder import BOARD, INDEX, read_board, write_board
from conformance.report.scoreboard.html import index_html, library_html
from tests.conformance.report.run.browsers import needs_browser
from tests.conformance.report.run.pages import PHONE, Opened
from tests.conformance.report.sample_run import BIDI, LONG, SCRIPT, finding

MODELS = ("one/tokenizer.json", "two/tokenizer.model")
GOOD = Library("good", "@good/tokenizer", "javascript", "1.2.0", "https://example.com/good", "npm ci")
BAD = Library("bad", f"bad {SCRIPT}", "Rust", f"0.1{SCRIPT}", "javascript:alert(1)", SCRIPT)
BROKEN = Library("broken", "broken", "C", build="make", failure=f"exit code 2: {SCRIPT}")


def placed(found: Finding, weight: Seen = "natural text", kind: Kind = "wrong", confirmed: bool = True) -> Placed:
    return Placed(weight, kind, confirmed, f"python tools/both_answers.py {SCRIPT}", found)


def entry(library: str, model: str = MODELS[0], **changes: object) -> Entry:
    made = Entry(library, model, "tokenizers 0.23.3", "the plan", "asked", compared=789, right=789)
    return replace(made, started="2026-11-24T02:24:48+00:00", **changes)  # type: ignore[arg-type]


FINDINGS = (
    placed(finding(text_case("\u1369", "made"), "newer digits"), "other", "Unicode version"),
    placed(finding(ids_case((99,), "made"), "unknown ids are left out"), "other", "choice", confirmed=False),
    placed(finding(text_case("b", "made"), "seen in made inputs", "special-token injection"), "other"),
    placed(finding(text_case(SCRIPT, "made"), f"rule {BIDI}", expected=SCRIPT, observed=LONG)),
)
BOARD_OF_ALL = Board(
    "the edge cases and the plan",
    ("de-Latn",),
    {"tokenizers": "0.23.3"},
    MODELS,
    (BAD, BROKEN, GOOD),
    (
        entry("bad", right=788, findings=FINDINGS, untested=("offsets",), problems=(SCRIPT,), unconfirmed=2),
        entry("bad", MODELS[1], state="not read", reason=f"no Unigram {SCRIPT}", compared=0, right=0),
        entry("good", untested=("streams",)),
    ),
)


def words(page: str) -> str:
    """What a page says, without its markup."""
    body = page[page.index("<body>") :]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def index(board: Board = BOARD_OF_ALL) -> str:
    return words(index_html(board))


def test_the_scoreboard_is_read_back_from_its_json_as_it_was() -> None:
    assert board_from_json(board_json(BOARD_OF_ALL)) == BOARD_OF_ALL


def test_a_row_has_the_share_and_the_findings_by_weight_and_what_is_set_apart() -> None:
    good, bad, _ = (row for row in view.rows(BOARD_OF_ALL))
    assert (bad.counts, bad.apart) == (("1", "0", "1"), 2)
    assert [(cell.sign, cell.share, cell.counts) for cell in bad.cells] == [
        ("new", "99.8%", "1 · 0 · 1"),
        ("none", "not read", ""),
    ]
    assert [(cell.sign, cell.share) for cell in good.cells] == [("equal", "100%"), ("none", "")]


def test_rows_are_ranked_by_natural_texts_and_findings_and_what_could_not_be_asked_is_last() -> None:
    board = BOARD_OF_ALL.with_library(replace(GOOD, folder="best", name="z")).with_entry(entry("best"))
    better = board.with_entry(entry("good", findings=FINDINGS[2:3]))
    assert [row.library.folder for row in view.rows(board)] == ["good", "best", "bad", "broken"]
    assert [row.library.folder for row in view.rows(better)] == ["best", "good", "bad", "broken"]
    assert index().index("1 tokenizer that could be asked about none") < index().index("broken C")


def test_nothing_is_counted_where_nothing_was_asked() -> None:
    _, bad, broken = view.rows(replace(BOARD_OF_ALL, plan="the corpora of 20 languages"))
    assert bad.counts == ("1", "–", "1")
    assert bad.cells[0].counts == "1 · – · 1"
    assert broken.counts == ("–", "–", "–")


def test_what_is_wrong_in_made_inputs_only_is_not_shown_as_wrong_natural_text() -> None:
    board = BOARD_OF_ALL.with_entry(entry("good", findings=FINDINGS[:3]))
    row = view.rows(board)[0]
    assert (row.cells[0].sign, row.cells[0].share, row.cells[0].counts) == ("known", "100%", "0 · 0 · 1")


def test_a_library_that_cannot_be_built_is_a_row_with_the_reason() -> None:
    assert "broken C cannot be built: exit code 2:" in index()


def test_what_a_library_has_not_and_does_not_read_is_told() -> None:
    text = index()
    assert "@good/tokenizer streams" in text
    assert "It does not read this model: no Unigram" in text


def test_what_one_model_alone_lacks_is_told_of_that_model() -> None:
    board = BOARD_OF_ALL.with_entry(entry("good", MODELS[1], untested=("streams", "offsets")))
    told = {library.folder: lacking for library, lacking in view.capabilities(board)}
    assert told["good"] == f"streams, offsets (with {MODELS[1]})"


def test_the_page_names_the_official_libraries_the_day_and_the_plan() -> None:
    assert (
        "held against tokenizers 0.23.3, on 2026-11-24. Each was given the edge cases and the plan; not, this time,"
        in index()
    )


def test_the_page_tells_what_was_left_out_of_a_short_plan() -> None:
    short = replace(BOARD_OF_ALL, plan="the corpora of 20 languages, 10s of fuzzing")
    assert "10s of fuzzing; not, this time, the edge cases or the vocab." in index(short)
    whole = replace(BOARD_OF_ALL, plan="the corpora of 20 languages, the edge cases, the vocab, 60s of fuzzing")
    assert "60s of fuzzing." in index(whole)


def test_the_page_of_a_library_shows_what_is_wrong_the_heaviest_first_and_the_rest_with_its_reason() -> None:
    text = words(library_html(BOARD_OF_ALL, BAD))
    order = [
        "natural text · ids",
        "seen in made inputs",
        view.APART["Unicode version"][:40],
        "newer digits",
        "A choice that no",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "2 findings did not come again, and are not shown." in text
    assert "not on its own: it may depend on what was asked before" in text


@pytest.mark.parametrize("page", [index_html(BOARD_OF_ALL), library_html(BOARD_OF_ALL, BAD)], ids=["index", "library"])
def test_nothing_that_others_wrote_is_markup_on_a_page(page: str) -> None:
    assert "&lt;/code&gt;&lt;/script&gt;" in page
    shown = page.rpartition("<script>")[0] or page  # but for its own script, at the end
    assert "<script" not in shown
    assert "<img" not in page
    assert "\u202e" not in page
    assert 'href="javascript' not in page


def test_a_folder_has_a_page_for_each_library_and_a_badge_for_each_that_was_asked(tmp_path: Path) -> None:
    write_board(BOARD_OF_ALL, tmp_path)
    names = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    badges = {"badges/bad--one-tokenizer.json.svg", "badges/good--one-tokenizer.json.svg"}
    assert names == {BOARD, INDEX, "bad.html", "broken.html", "good.html"} | badges
    assert "99.8% of natural texts" in (tmp_path / "badges/bad--one-tokenizer.json.svg").read_text("utf-8")
    assert "<script" not in (tmp_path / "badges/bad--one-tokenizer.json.svg").read_text("utf-8")
    assert read_board(tmp_path) == BOARD_OF_ALL


def test_every_link_of_the_index_leads_to_a_page_and_a_place_on_it(tmp_path: Path) -> None:
    write_board(BOARD_OF_ALL, tmp_path)
    links = re.findall(r'href="([^"#]+)(?:#([^"]+))?"', (tmp_path / INDEX).read_text("utf-8"))
    assert links
    for file, anchor in links:
        assert not anchor or f'id="{anchor}"' in (tmp_path / file).read_text("utf-8")
        assert (tmp_path / file).exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 9}', '{"schema": 1, "entries": 3}'])
def test_a_scoreboard_of_another_form_is_refused_by_its_name(tmp_path: Path, text: str) -> None:
    (tmp_path / BOARD).write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"scoreboard\.json: does not have the form of a scoreboard"):
        read_board(tmp_path)


@needs_browser
@pytest.mark.parametrize("name", [INDEX, "bad.html"])
def test_a_page_never_scrolls_sideways(browser: Any, tmp_path: Path, name: str) -> None:
    write_board(BOARD_OF_ALL, tmp_path)
    with Opened(browser, tmp_path / name, PHONE) as page:
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@needs_browser
def test_the_rows_of_a_language_or_a_model_are_shown_alone(browser: Any, tmp_path: Path) -> None:
    write_board(BOARD_OF_ALL.with_entry(entry("good", MODELS[1])), tmp_path)
    with Opened(browser, tmp_path / INDEX) as page:
        shown = "[...document.querySelectorAll('tr[data-finding]:not([hidden]) th a')].map((one) => one.textContent)"
        page.select_option("select[name=model]", MODELS[1])
        assert page.evaluate(shown) == [GOOD.name]
        page.select_option("select[name=model]", MODELS[0])
        assert len(page.evaluate(shown)) == 2
        page.select_option("select[name=language]", GOOD.language)
        assert page.evaluate(shown) == [GOOD.name]
