"""What every form of a matrix of releases says in the same words."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.matrix import Behaviour, Gap, LibraryMatrix, MatrixRow, ReleaseCell, State, history, spans
from conformance.report.view import plural

SIGNS: dict[State, str] = {"equal": "✓", "known": "≈", "new": "✗", "none": "–", "refused": "∅"}
MEANINGS: dict[State, str] = {
    "equal": "as the newest release, and as documented",
    "known": "differs from that, as an expectation for this release says",
    "new": "differs from that, and no expectation says so",
    "none": "nothing to compare",
    "refused": "the release does not read the model",
}
CLASSES: dict[State, str] = {
    "equal": "same",
    "known": "explained",
    "new": "differs",
    "none": "none",
    "refused": "none",
}


def headline(library: LibraryMatrix) -> str:
    """What was found, in one line."""
    changes = plural(len(library.changes), "behaviour")
    unlisted = sum(not behaviour.is_known for behaviour in library.behaviours)
    end = f", {unlisted:,} that no expectation lists" if unlisted else ""
    return f"{library.library}: {plural(len(library.releases), 'release')}, {changes} came or went{end}"


def shown_cell(cell: ReleaseCell, signs: Mapping[State, str] = SIGNS) -> str:
    """A cell in as few characters as tell what matters: its sign, and how many answers differ."""
    sign = signs[cell.state]
    return f"{sign} {cell.mismatched:,}" if cell.state in ("known", "new") else sign


def cell_sentence(cell: ReleaseCell) -> str:
    """A cell in words."""
    if cell.refused:
        return f"does not read the model: {cell.refused}"
    if not cell.compared:
        return "nothing to compare"
    if not cell.mismatched:
        return f"{plural(cell.compared, 'answer')} compared, all equal"
    return f"{cell.mismatched:,} of {plural(cell.compared, 'answer')} differ, {cell.known:,} of them as listed"


def telling_rows(library: LibraryMatrix) -> tuple[MatrixRow, ...]:
    """The rows in which not every release that was asked is equal."""
    return tuple(row for row in library.rows if any(cell.state in ("known", "new") for cell in row.cells))


def equal_line(library: LibraryMatrix) -> str:
    """How much is equal in every release, in a sentence."""
    equal = len(library.rows) - len(telling_rows(library))
    return f"{plural(equal, 'row')} of model and check where every release gives the same" if equal else ""


def gap_line(library: LibraryMatrix, gap: Gap) -> str:
    """What a release was not asked, in a sentence."""
    return f"{gap.what}, {spans(library.releases, gap.releases)}: {gap.reason or 'there is nothing to compare'}"


def title(behaviour: Behaviour) -> str:
    """A behaviour in one line: the stage and what it does otherwise."""
    return (f"{behaviour.stage}: " if behaviour.stage else "") + behaviour.rule


def facts(library: LibraryMatrix, behaviour: Behaviour) -> tuple[tuple[str, str], ...]:
    """What there is to say of a behaviour beside its example, by name."""
    counts = ", ".join(f"{version}: {behaviour.mismatches[version]:,}" for version in behaviour.seen)
    example = behaviour.example
    found = (
        ("when", history(behaviour)),
        ("seen in", spans(library.releases, behaviour.seen)),
        ("asked", spans(library.releases, behaviour.asked)),
        ("mismatches", counts),
        ("models", ", ".join(behaviour.models)),
        ("because", example.reason or "(no expectation lists it)"),
        ("upstream", example.upstream),
    )
    return tuple((name, value) for name, value in found if value)


def who(library: LibraryMatrix, behaviour: Behaviour) -> tuple[str, str]:
    """Whose answers the two of the example are: what was expected, and what was observed."""
    if behaviour.subject == library.library:
        return "due", f"given by {library.library}"
    return f"given by {library.library}", f"given by {behaviour.subject}, as the newest release does"
