"""The words of the scoreboard: shares, cells, and what is set apart, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from conformance.checks import by_weight
from conformance.report.run.view import State as Sign
from conformance.report.run.view import plural
from conformance.report.scoreboard.board import Board, Entry, Kind, Library, Placed, Seen

NONE = "–"
BADGES = "badges"
"""The folder of the badges, in that of the scoreboard."""

WEIGHTS: tuple[Seen, ...] = get_args(Seen)

APART: dict[Kind, str] = {
    "Unicode version": "By the tables of another version of Unicode: the input has characters that were assigned after "
    "Unicode 13, of 2020, or tables that differ from version to version",
    "choice": "A choice that no format makes: what becomes of ids that the model does not have, how many U+FFFD stand "
    "for bytes that are no UTF-8, alone or around control pieces, or how long a stream waits whose text is right",
    "listed": "Known and listed, with the reason",
}
"""What is no fault of a library by itself; a reason for each kind but "wrong"."""

FAIRNESS = (
    "Each library is held against the official library of the format, by its own adapter, on the same model file. What "
    "it says it does not do is not asked, and stands below.",
    "A natural text is right where its ids are those of the official library. A finding is one cause, however many "
    "texts show it; its input was shrunk by the harness.",
    "Whatever is called wrong was asked again, of the official library alone in a process that knows nothing of the "
    "harness, and of the library in a fresh one; what did not differ again is not published. Where a library is held "
    "against itself, as in streams, it alone was asked again.",
    "What is only another version of Unicode, or a choice that no format makes, is set apart and takes nothing from a "
    "share.",
    "Nothing here says how fast a library is.",
)


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell of the table: its sign, the share, the numbers of findings by weight, and a sentence that says it all."""

    sign: Sign
    share: str
    counts: str
    sentence: str
    target: str


@dataclass(frozen=True, slots=True)
class RowView:
    """A row: a library, its page, its findings by weight and those set apart, and a cell for each model.

    counts: "–" where nothing was asked that could show such a finding. asked: the models that it was asked with.
    """

    library: Library
    page: str
    counts: tuple[str, ...]
    apart: int
    cells: tuple[CellView, ...]
    asked: tuple[str, ...]


def share(entry: Entry) -> str:
    """The share of natural texts that are right; 100% only where all are, "" where none was compared.

    >>> [share(Entry("a", "m", "o", "p", "asked", compared=n, right=r)) for n, r in ((789, 789), (789, 788), (0, 0))]
    ['100%', '99.8%', '']
    """
    if not entry.compared:
        return ""
    if entry.right == entry.compared:
        return "100%"
    return f"{entry.right * 1000 // entry.compared / 10}%"


def slug(name: str) -> str:
    """A name as a file or an anchor has it.

    >>> slug("llama2/tokenizer.model")
    'llama2-tokenizer.model'
    """
    return "-".join(re.findall(r"[A-Za-z0-9._]+", name))


def page_of(library: Library) -> str:
    """The name of a library's page."""
    return f"{slug(library.folder)}.html"


def badge_of(entry: Entry) -> str:
    """The name of the badge of a library with a model, in the folder of the scoreboard."""
    return f"{BADGES}/{slug(entry.library)}--{slug(entry.model)}.svg"


def rows(board: Board) -> list[RowView]:
    """A row for each library, ranked by the share of natural texts that are right, then by the number of findings.

    Libraries that could be asked about no model come last.
    """
    found = []
    for library in sorted(board.libraries, key=lambda item: _rank(board.of_library(item.folder), item)):
        entries = board.of_library(library.folder)
        counts = _counts(board, entries)
        apart = sum(len(entry.findings) - len(entry.of("wrong")) for entry in entries)
        cells = tuple(_cell(board, library, board.entry(library.folder, model)) for model in board.models)
        asked = tuple(entry.model for entry in entries if entry.state == "asked")
        found.append(RowView(library, page_of(library), counts, apart, cells, asked))
    return found


def _rank(entries: Sequence[Entry], library: Library) -> tuple[object, ...]:
    asked = [entry for entry in entries if entry.state == "asked"]
    compared = sum(entry.compared for entry in asked)
    share_of_wrong = 1 - sum(entry.right for entry in asked) / compared if compared else 0.0
    counts = [sum(len(entry.of("wrong", weight)) for entry in asked) for weight in WEIGHTS]
    return (not asked, share_of_wrong, *counts, -len(asked), library.name.casefold().lstrip("@"))


def _counts(board: Board, entries: Sequence[Entry]) -> tuple[str, ...]:
    """How many findings are wrong, by weight."""
    asked = [entry for entry in entries if entry.state == "asked"]
    unasked = {"edge cases"} if asked and "the edge cases" in not_asked(board) else set(WEIGHTS) if not asked else set()
    return tuple(
        NONE if weight in unasked else f"{sum(len(entry.of('wrong', weight)) for entry in asked):,}"
        for weight in WEIGHTS
    )


def _cell(board: Board, library: Library, entry: Entry | None) -> CellView:
    if entry is None:
        return CellView("none", "", "", "not of a format that it reads, or not the model that it brings along", "")
    target = f"{page_of(library)}#{slug(entry.model)}"
    if entry.state == "not read":
        return CellView("none", "not read", "", f"does not read this model: {entry.reason}", target)
    if entry.state == "failed":
        return CellView("silent", "not asked", "", f"could not be asked: {entry.reason}", target)
    wrong_natural, any_wrong = entry.of("wrong", "natural text"), entry.of("wrong")
    sign: Sign = "new" if entry.right < entry.compared or wrong_natural else "known" if any_wrong else "equal"
    numbers = " · ".join(_counts(board, [entry])) if any_wrong else ""
    return CellView(sign, share(entry) or "asked", numbers, sentence(entry), target)


def sentence(entry: Entry) -> str:
    """An entry in words."""
    if entry.state == "not read":
        return f"It does not read this model: {entry.reason}"
    if entry.state == "failed":
        return f"It could not be asked: {entry.reason}"
    counts = {weight: len(entry.of("wrong", weight)) for weight in WEIGHTS}
    told = [
        f"{number} in {weight}" if weight != "other" else f"{number} in other inputs"
        for weight, number in counts.items()
        if number
    ]
    texts = (
        f"{entry.right:,} of {plural(entry.compared, 'natural text')} right"
        if entry.compared
        else "no natural text asked"
    )
    return f"{texts}; findings: {', '.join(told) or 'none'}"


def wrong(entry: Entry) -> list[Placed]:
    """What is wrong, the heaviest first."""
    return sorted(entry.of("wrong"), key=lambda item: (WEIGHTS.index(item.weight), by_weight(item.finding)))


def apart(entry: Entry) -> list[tuple[str, list[Placed]]]:
    """What is set apart, by the reason."""
    found = [
        (reason, sorted(entry.of(kind), key=lambda item: by_weight(item.finding))) for kind, reason in APART.items()
    ]
    return [(reason, items) for reason, items in found if items]


def capabilities(board: Board) -> list[tuple[Library, str]]:
    """What each library does not have, of those that lack something, on the models that it was asked with."""
    found = []
    for row in rows(board):
        entries = [entry for entry in board.of_library(row.library.folder) if entry.state == "asked"]
        lacking = dict.fromkeys(name for entry in entries for name in entry.untested)
        told = [f"{name}{_only_of(name, entries)}" for name in lacking]
        if told:
            found.append((row.library, ", ".join(told)))
    return found


def _only_of(name: str, entries: list[Entry]) -> str:
    """Of which models it is lacking, "" where of all."""
    of = [entry.model for entry in entries if name in entry.untested]
    return "" if len(of) == len(entries) else f" (with {', '.join(of)})"


def unread(board: Board) -> list[tuple[Library, str, str]]:
    """The libraries that could not be asked with a model, which, and why."""
    names = {library.folder: library for library in board.libraries}
    return [
        (names[entry.library], entry.model, sentence(entry))
        for entry in board.entries
        if entry.state != "asked" and entry.library in names
    ]


def official(board: Board) -> str:
    """The official libraries and their releases, of which an entry tells."""
    return ", ".join(sorted({entry.oracle for entry in board.entries if " " in entry.oracle}))


def not_asked(board: Board) -> list[str]:
    """What the plan of a whole scoreboard has, and this one has not."""
    return [
        part for part in ("the edge cases", "the vocab", "made inputs by fuzzing") if part.split()[-1] not in board.plan
    ]


def days(board: Board) -> str:
    """The day on which it was made, or the first and the last."""
    found = sorted({entry.started[:10] for entry in board.entries if entry.started})
    return " to ".join(dict.fromkeys((found[0], found[-1]))) if found else ""
