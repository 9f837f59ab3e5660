"""Vectors put to planted defects: which of them fail, and whether their flags name what is wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from conformance.inputs.vector_file import VectorFile
from conformance.subjects.in_process import InProcessSubject
from conformance.subjects.serve import load_factory
from conformance.vectors.killing import without_limit
from conformance.vectors.running import Outcome, run_vectors
from tests.planted_defects.catalogue import DEFECTS, OF_STREAMS, Defect
from tests.planted_defects.second.catalogue import SECOND

PLANTED = Path(__file__).parent
KILLS_A_PROCESS = {"wrong_stacks.py:SmallStack"}
"""Not asked here: it would take this process along."""


@dataclass(frozen=True, slots=True)
class Planted:
    """A defect of a catalogue, and the folder of its subject."""

    defect: Defect
    folder: Path = PLANTED

    @property
    def name(self) -> str:
        """The subject as seen from the first folder, and the model."""
        inner = self.folder.relative_to(PLANTED) / self.defect.subject
        return f"{inner} on {self.defect.model}"


ALL = (
    *(Planted(one) for one in (*DEFECTS, *OF_STREAMS) if one.subject not in KILLS_A_PROCESS),
    *(Planted(one, PLANTED / "second") for one in SECOND),
)
"""All that are planted: of both catalogues and of streams."""


def failed(planted: Planted, model: Path, vectors: VectorFile) -> list[Outcome]:
    """The vectors that a defect fails. model: the file that it loads.

    Raises what the subject does where it cannot be planted in that model.
    """
    file, _, factory = planted.defect.subject.partition(":")
    with _same_path():
        subject = InProcessSubject(load_factory(str(planted.folder / file), factory)(str(model)))
        return [one for one in run_vectors(vectors, subject) if one.verdict == "fail"]


@contextmanager
def _same_path() -> Iterator[None]:
    """What is loaded may put its folder before the path of this process; afterwards the path is as before."""
    before = list(sys.path)
    try:
        yield
    finally:
        sys.path[:] = before


def is_named(defect: Defect, outcomes: Sequence[Outcome]) -> bool:
    """Whether a flag of the vectors that failed is the rule of the defect."""
    flags = {flag.partition(": ")[2] for one in outcomes for flag in one.test.flags}
    return any(fnmatchcase(told, defect.rule) or told == without_limit(defect.rule) for told in flags)
