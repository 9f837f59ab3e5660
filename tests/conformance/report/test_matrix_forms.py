"""The four forms of a matrix of releases: the table, what was not asked, and every change with its example."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from conformance.case import text_case
from conformance.matrix import LibraryMatrix, matrix
from conformance.report.matrix_html import matrix_html
from conformance.report.matrix_json import matrix_json
from conformance.report.matrix_markdown import matrix_markdown
from conformance.report.matrix_terminal import print_matrix
from tests.conformance.report.sample_run import BIDI, SCRIPT
from tests.conformance.test_matrix import finding, run

FORMS = ("terminal", "markdown", "html")
LIBRARIES = matrix(
    [
        run("0.9.0", refused={"m": f"tokenizers refuses the model: {SCRIPT}"}),
        run("0.10.0", finding("known came first"), finding("always")),
        run("0.21.4", finding("always"), finding(BIDI, case=text_case(SCRIPT, "o"), check="decode")),
        run("0.2.0", library="sentencepiece", models=("s",)),
    ]
)


def shown(libraries: tuple[LibraryMatrix, ...], form: str, encoding: str = "utf-8") -> str:
    if form == "markdown":
        return matrix_markdown(libraries)
    if form == "html":
        return matrix_html(libraries)
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    print_matrix(libraries, Console(file=file, width=120, highlight=False))
    file.flush()
    return raw.getvalue().decode(encoding)


@pytest.mark.parametrize("form", FORMS)
def test_the_table_the_gaps_and_the_changes(form: str) -> None:
    text = shown(LIBRARIES, form)
    assert "tokenizers: 3 releases, 1 behaviour came or went, 2 that no expectation lists" in text
    assert "sentencepiece: 1 release, 0 behaviours came or went" in text
    assert "came first" in text
    assert "gone in 0.21.4" in text
    assert "m, 0.9.0: tokenizers refuses the model" in text
    assert text.index("gone in 0.21.4") < text.index("always", text.index("gone in 0.21.4"))


@pytest.mark.parametrize("form", FORMS)
def test_nothing_foreign_is_let_through(form: str) -> None:
    text = shown(LIBRARIES, form)
    assert "\u202e" not in text
    assert form != "html" or "<script" not in text


def test_the_page_needs_nothing_and_runs_nothing() -> None:
    page = matrix_html(LIBRARIES)
    assert "default-src &#39;none&#39;; style-src &#39;sha256-" in page
    assert "<script" not in page
    for library in LIBRARIES:
        for behaviour in library.changes:
            assert page.count(f'id="{behaviour.example.fingerprint}"') == 1


def test_json_is_ascii_and_whole() -> None:
    text = matrix_json(LIBRARIES)
    assert text.isascii()
    first = json.loads(text)["libraries"][0]
    assert first["releases"] == ["0.9.0", "0.10.0", "0.21.4"]
    histories = {entry["rule"]: entry["history"] for entry in first["behaviours"]}
    assert histories["known came first"] == "gone in 0.21.4"
    assert histories["always"] == "in every release that was asked"


def test_a_terminal_that_knows_only_ascii_gets_ascii() -> None:
    assert shown(LIBRARIES, "terminal", "ascii").isascii()
