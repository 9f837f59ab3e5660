"""A scoreboard as pages that need nothing else: one of all libraries, and one for each."""

from __future__ import annotations

from conformance.report.scoreboard import view
from conformance.report.scoreboard.board import Board, Library
from conformance.report.templates import page

_STYLES = ("report.css", "scoreboard.css")


def index_html(board: Board) -> str:
    """The page of all libraries."""
    return page("scoreboard.html.jinja", _STYLES, "report.js", board=board, words=view)


def library_html(board: Board, library: Library) -> str:
    """The page of a library, with its findings."""
    entries = board.of_library(library.folder)
    return page("scoreboard_library.html.jinja", _STYLES, board=board, library=library, entries=entries, words=view)
