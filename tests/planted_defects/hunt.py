"""Hunt every planted defect with a fuzzing session of its own, and say what was found.

    python -m tests.planted_defects.hunt --seconds 60 --out reports/published/planted_defects.md
    python -m tests.planted_defects.hunt --catalogue second --cases 5000

With a number of cases a session says the same on a slow machine as on a fast one. Each session has one worker and no
corpus. A defect survives if no finding is its own; it is named rightly if the finding says the stage and the rule of
the catalogue.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from conformance.fuzzing.folder import SHARDS, STATE
from tests.planted_defects.catalogue import DEFECTS, Defect
from tests.planted_defects.second.catalogue import SECOND
from tests.planted_defects.third.catalogue import THIRD

PLANTED = Path(__file__).parent
CATALOGUES = {
    "first": (PLANTED, DEFECTS),
    "second": (PLANTED / "second", SECOND),
    "third": (PLANTED / "third", THIRD),
}
"""Each with the folder of its subjects."""
SECONDS_BETWEEN_LOOKS = 0.1
ENVIRONMENT = os.environ | {"PYTHONPATH": str(PLANTED.parents[1])}
"""Subjects import from this package, and no process of theirs has the working folder on its path."""


@dataclass(frozen=True, slots=True)
class Hunted:
    """What a session says of one defect.

    cases: how many it had. seconds: until the first mismatch was on disk, from the start of the process; None where
    there was none. findings: of the defect, the best first.
    """

    defect: Defect
    cases: int
    seconds: float | None
    findings: tuple[dict[str, Any], ...]

    @property
    def best(self) -> dict[str, Any] | None:
        """The finding that names the stage, else the first."""
        right = (finding for finding in self.findings if finding["stage"] == self.defect.stage)
        return next(right, self.findings[0] if self.findings else None)

    @property
    def size(self) -> int:
        """Characters or ids of the shrunk example."""
        case = self.best["example"]["case"] if self.best else {}
        return len(case.get("text", "")) + len(case.get("data", "")) // 2 + len(case.get("ids", ()))

    @property
    def has_stage(self) -> bool:
        """Whether the stage is right."""
        return self.best is not None and self.best["stage"] == self.defect.stage

    @property
    def has_rule(self) -> bool:
        """Whether stage and rule are right."""
        return self.has_stage and self.best is not None and fnmatchcase(self.best["rule"], self.defect.rule)


def hunt(defect: Defect, planted: Path, bound: Sequence[str]) -> Hunted:
    """One session. planted: the folder of the subject. bound: the options of `fuzz` by which the session ends.

    Raises RuntimeError where it does not end as sessions do.
    """
    with TemporaryDirectory() as folder:
        session = Path(folder) / "s"
        command = session_command(defect, planted, bound, session)
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
        ) as process:
            first = _seconds_until_found(process, session, defect)
            _, errors = process.communicate()
        if process.returncode not in (0, 1):
            raise RuntimeError(f"{defect.name}: exit code {process.returncode}: {errors[-2000:]}")
        found = findings_of(session, defect)
        cases = json.loads((session / "run.json").read_text("utf-8"))["cases"]
    return Hunted(defect, cases, first, tuple(found))


def session_command(defect: Defect, planted: Path, bound: Sequence[str], out: Path) -> list[str]:
    """The command of a session with one defect. planted: the folder of the subject. bound: options that end it."""
    command = [sys.executable, "-m", "conformance", "fuzz", "--model", defect.model, "--quiet", "--jobs", "1"]
    return [*command, "--subject", str(planted / defect.subject), *bound, "--out", str(out)]


def findings_of(session: Path, defect: Defect) -> list[dict[str, Any]]:
    """The findings of a defect in the folder of its session."""
    lines = (session / "findings.jsonl").read_text("utf-8").splitlines()
    return [finding for line in lines if (finding := json.loads(line))["example"]["subject"] == defect.subject]


def _seconds_until_found(process: subprocess.Popen[str], session: Path, defect: Defect) -> float | None:
    """Watches the folder of a session until it holds a mismatch of the defect; None where the session ends before."""
    started = time.monotonic()
    group = f'"key": [{json.dumps(defect.subject)}'
    while process.poll() is None:
        for file in (session / SHARDS, session / STATE):
            if file.exists() and group in file.read_text("utf-8"):
                return time.monotonic() - started
        time.sleep(SECONDS_BETWEEN_LOOKS)
    return None


def table(hunted: Sequence[Hunted], bound: str) -> Iterator[str]:
    """Markdown. bound: how long each session was."""
    found = [one for one in hunted if one.best]
    right, named = (sum(getattr(one, name) for one in hunted) for name in ("has_stage", "has_rule"))
    few = sum(0 < len(one.findings) <= one.defect.findings for one in hunted)
    small = sum(one.size <= one.defect.most for one in found)
    yield "# Planted defects\n"
    yield f"{len(hunted)} defects, each hunted for {bound} on one core, without a corpus.\n"
    yield "| | | |\n|---|--:|--:|"
    for what, count in (
        ("found", len(found)),
        ("as one finding, or as the few that follow", few),
        ("shrunk to 12 characters, or to what the defect needs", small),
        ("the right stage", right),
        ("the right rule", named),
    ):
        yield f"| {what} | {count} | {100 * count / max(1, len(hunted)):.3g} % |"
    if found:
        times = [one.seconds for one in found if one.seconds is not None]
        yield f"\nMedian of the time until the first mismatch: {median(times):.1f} s, at most {max(times):.1f} s;"
        yield f"of the cases that a session had: {median(one.cases for one in found):,.0f}.\n"
    yield "| subject | model | found after | findings | shrunk to | stage | rule |\n|---|---|--:|--:|--:|---|---|"
    for one in hunted:
        best = one.best
        stage = "not found" if best is None else best["stage"] or "(none)"
        rule = "" if best is None else best["rule"]
        marks = "" if one.has_rule else f" (planted: {one.defect.stage}, {one.defect.rule})"
        after = "" if one.seconds is None else f"{one.seconds:.1f} s"
        cells = (one.defect.subject, one.defect.model, after, len(one.findings), one.size, stage, f"{rule}{marks}")
        yield "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def main() -> int:
    """0 where every defect was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--catalogue", choices=CATALOGUES, default="first", help="which defects (default: first)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each session (default: 60)")
    parser.add_argument("--cases", type=int, help="of each session, instead of seconds")
    parser.add_argument("--at-once", type=int, default=1, help="how many sessions run beside each other (default: 1)")
    parser.add_argument("--only", default="", help="defects whose name has this in it")
    parser.add_argument("--out", type=Path, help="where the table goes, instead of standard output")
    options = parser.parse_args()
    planted, defects = CATALOGUES[options.catalogue]
    chosen = [defect for defect in defects if options.only in defect.name]
    bound = ["--time", f"{options.seconds:g}s"] if options.cases is None else ["--cases", str(options.cases)]
    said = f"{options.seconds:g} s" if options.cases is None else f"{options.cases:,} cases"
    hunted: list[Hunted] = []
    with ThreadPoolExecutor(options.at_once) as pool:
        for one in pool.map(lambda defect: hunt(defect, planted, bound), chosen):
            hunted.append(one)
            said_of = "; ".join(f"{found['stage'] or '(none)'}: {found['rule']}" for found in one.findings)
            print(f"{len(hunted)}/{len(chosen)} {one.defect.name}: {said_of or 'not found'}", file=sys.stderr)
    text = "\n".join(table(hunted, said)) + "\n"
    if options.out:
        options.out.write_text(text, "utf-8")
    else:
        print(text, end="")
    return 0 if all(one.best for one in hunted) and hunted else 1


if __name__ == "__main__":
    sys.exit(main())
