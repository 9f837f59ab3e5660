"""The folder of a scoreboard: scoreboard.json, the pages, and a badge for each library with each model."""

from __future__ import annotations

from pathlib import Path

from conformance.core.errors import FORM_ERRORS, InputError, form_problem
from conformance.files.atomic import write_atomically
from conformance.report.run.badge import BAD, GOOD, labelled_svg
from conformance.report.scoreboard import view
from conformance.report.scoreboard.board import Board, Entry, board_from_json, board_json
from conformance.report.scoreboard.html import index_html, library_html
from conformance.report.text import visible

BOARD, INDEX = "scoreboard.json", "index.html"


def write_board(board: Board, folder: Path) -> None:
    """Write every file; scoreboard.json first, for it is what others are made from."""
    texts = {BOARD: board_json(board), INDEX: index_html(board)}
    texts |= {view.page_of(library): library_html(board, library) for library in board.libraries}
    texts |= {view.badge_of(entry): _badge(board, entry) for entry in board.entries if entry.compared}
    (folder / view.BADGES).mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_atomically(folder / name, text)


def _badge(board: Board, entry: Entry) -> str:
    name = next((item.name for item in board.libraries if item.folder == entry.library), entry.library)
    label = f"{visible(name)} on {visible(entry.model)}"
    colour = BAD if entry.right < entry.compared else GOOD
    return labelled_svg(label, f"{view.share(entry)} of natural texts", colour)


def read_board(folder: Path) -> Board | None:
    """The scoreboard of a folder, None where there is none; raises InputError for a file of another form."""
    path = folder / BOARD
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return None
    try:
        return board_from_json(text)
    except FORM_ERRORS as error:
        raise InputError(f"{path}: does not have the form of a scoreboard: {form_problem(error)}") from None
