"""The inputs two runs share, so that what one has seen and the other has not can be judged."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePosixPath
from typing import Literal

from conformance.core.finding import Finding
from conformance.core.run import Run


class SharedInputs:
    """The inputs two runs share.

    corpora: the files that both asked line by line; that a session mutates them, or a run makes inputs from them, is
    another thing. cells: of each run by place; compared: the places in which it compared something.
    """

    def __init__(self, before: Run, after: Run) -> None:
        self.before, self.after = before, after
        both = before.corpora.items() & after.corpora.items()
        self.corpora = dict(both) if self.has_source("corpora") else {}
        self.cells = {run: {cell.place: cell for cell in side.cells} for run, side in self}
        self.compared = {
            run: {place for place, cell in cells.items() if cell.compared} for run, cells in self.cells.items()
        }

    def __iter__(self) -> Iterator[tuple[Literal["before", "after"], Run]]:
        yield "before", self.before
        yield "after", self.after

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The shared corpora as the origins of cases name them: folder and file."""
        return tuple("/".join(PurePosixPath(name).parts[-2:]) for name in self.corpora)

    @cached_property
    def languages(self) -> frozenset[str]:
        """The languages of the shared corpora."""
        return frozenset(PurePosixPath(name).stem for name in self.corpora)

    @cached_property
    def models_changed(self) -> tuple[str, ...]:
        """Models of the same name whose files differ."""
        hashes = {model.name: model.sha256 for model in self.before.models}
        return tuple(m.name for m in self.after.models if hashes.get(m.name, m.sha256) != m.sha256)

    @property
    def made_alike(self) -> bool:
        """Whether made inputs are the same, as far as both runs made some: they are made from the corpora too."""
        return self.before.seed == self.after.seed and self.before.corpora == self.after.corpora

    @property
    def asked_alike(self) -> bool:
        """Whether both runs asked every model the same."""
        same = all(getattr(self.before, name) == getattr(self.after, name) for name in ("sources", "fuzz"))
        return same and self.made_alike and not self.models_changed

    def has_source(self, source: str) -> bool:
        """Whether both runs used the source; of a run that does not say it is believed."""
        return all(source in run.sources or not run.sources for _, run in self)

    def is_seen_by(self, run: Literal["before", "after"], finding: Finding) -> bool:
        """Whether a run asked what shows this finding in the other one."""
        if finding.example.place not in self.compared[run]:
            return False
        return self._has_origin(finding.example.case.origin) or not self.languages.isdisjoint(finding.languages)

    def _has_origin(self, origin: str) -> bool:
        """Whether both runs asked the case with this origin."""
        source, *rest = origin.split(":")
        if source == "fuzz":
            return self.has_source(source) and self.made_alike and self._is_made(rest)
        if source == "chats":
            return self.has_source("corpora")
        if source in ("vocab", "seams", "scalars", "cuts"):
            return self.has_source(source)
        return any(origin == name or origin.startswith((f"{name}:", f"{name}[")) for name in self.names)

    def _is_made(self, origin: list[str]) -> bool:
        """origin: what follows "fuzz:": the seed and the number of the case."""
        number = origin[1] if len(origin) > 1 else ""
        fewest = min(self.before.fuzz, self.after.fuzz)
        return not number.isdecimal() or int(number) < fewest or self.before.fuzz == self.after.fuzz
