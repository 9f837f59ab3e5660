"""A finding of a run as one small Python file that shows it without the harness."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from conformance.core.case import Case
from conformance.core.errors import InputError
from conformance.core.finding import Finding
from conformance.core.observation import NO_ANSWER_IN_TIME
from conformance.diagnosis.causes import Attribution
from conformance.engine.plan import ModelPlan, Plan
from conformance.engine.repeating import UNREPEATED
from conformance.files.atomic import write_atomically
from conformance.files.lock import check_no_links
from conformance.reproduce.replay import check_finding, named_finding
from conformance.reproduce.script import Reproduction, comparison
from conformance.runs.plan_file import read_trusted_plan
from conformance.shrinking.rank_file import encoding_for, encoding_toml
from conformance.shrinking.together import MOST_ATTEMPTS, shrink_together
from conformance.shrinking.trials import Trials
from conformance.subjects.adapters import BUILT_IN, FORMATS, REPRODUCIBLE, subject_label
from reftok.formats.tiktoken import rank_encoding

SLOW_ATTEMPTS = 40
"""The most models that are tried with a subject that hangs or dies."""
SECONDS = 120


@dataclass(frozen=True, slots=True)
class Written:
    """A reproduction on disk.

    finding: what it shows. arguments: what it is run with. case: its input; model_bytes: the size of its model.
    """

    finding: Finding
    path: Path
    arguments: tuple[str, ...]
    case: Case
    model_bytes: int


def reproduce(folder: Path, fingerprint: str, out: Path | None, shrinks_model: bool, trusts: bool = False) -> Written:
    """Write the file, once it has been seen to show the mismatch in a process of its own.

    out: where to; None for a name in the run folder. shrinks_model: whether model and case are made smaller together.
    trusts: as of `read_trusted_plan`.
    Raises InputError where there is no such finding, it differs no more, or it has no form without the harness.
    """
    finding = named_finding(folder, fingerprint)
    plan, *_ = read_trusted_plan(folder, trusts)
    check_finding(finding, plan, folder)
    made = reproduction(plan, finding, shrinks_model)
    subject = _named_subject(plan, finding.example.subject)
    arguments = () if subject is None else (subject,)
    _prove(made.text, arguments)
    path = out or folder / f"reproduction-{finding.fingerprint}.py"
    if out is None:
        check_no_links(folder)
    try:
        write_atomically(path, made.text)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    return Written(finding, path, arguments, made.case, len(made.model))


def reproduction(plan: Plan, finding: Finding, shrinks_model: bool) -> Reproduction:
    """The finding on the model and case that it is written down with. Raises InputError where it cannot be."""
    example = finding.example
    model = next(model for model in plan.models if model.name == example.model)
    if model.format not in REPRODUCIBLE:
        raise InputError(f"{model.name}: a reproduction holds models of the formats {', '.join(REPRODUCIBLE)} only")
    if finding.rule in UNREPEATED:
        raise InputError(f"{finding.fingerprint}: {example.subject} does not repeat it; a file cannot show that")
    if example.rule in NO_ANSWER_IN_TIME:
        raise InputError(f"{finding.fingerprint}: what gives no answer in time has no reproduction")
    data, case = model.path.read_bytes(), example.case
    encoding = _encoding(model, data, case if shrinks_model else None)
    with Trials(plan, example, Attribution(finding.stage, finding.rule), encoding) as trials:
        shown = trials.shown(data, case)
        if shown is not None:
            comparison(finding, case, shown)
            if shrinks_model:
                attempts = SLOW_ATTEMPTS if example.severity == "no answer" else MOST_ATTEMPTS
                data, case = shrink_together(trials, model.format, data, case, attempts)
                shown = trials.shown(data, case)
    if shown is None and trials.refused:
        alone = f"cannot take part with a copy of {model.path.name} alone: {trials.refused}"
        raise InputError(f"{finding.fingerprint}: {example.subject} {alone}")
    if shown is None and trials.differs_otherwise:
        now = f"fails in another way now ({trials.differs_otherwise}): {example.check} is to be run again"
        raise InputError(f"{finding.fingerprint}: {example.subject} {now}")
    if shown is None:
        raise InputError(f"{finding.fingerprint}: {example.subject} differs no more; there is nothing to reproduce")
    is_file = _named_subject(plan, example.subject) is not None
    return Reproduction(finding, model.format, data, case, shown, is_file, encoding)


def _encoding(model: ModelPlan, data: bytes, case: Case | None) -> str:
    """The .toml of a rank file, "" for other formats. case: what it has the special tokens for, None for all."""
    if not FORMATS[model.format].encodings:
        return ""
    encoding = rank_encoding(data, model.path, model.encoding or None)
    return encoding_toml(encoding if case is None else encoding_for(encoding, case))


def _named_subject(plan: Plan, label: str) -> str | None:
    """FILE.py:FACTORY of a subject of the user's; None for a built-in one."""
    return None if label in BUILT_IN else next(name for name in plan.subjects if subject_label(name) == label)


def _prove(text: str, arguments: tuple[str, ...]) -> None:
    """Run the file; raises InputError where it shows no difference."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "reproduction.py"
        path.write_text(text, "ascii")
        try:
            ended = subprocess.run(
                [sys.executable, str(path), *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise InputError(f"the reproduction gives no answer within {SECONDS} s") from None
    if ended.returncode != 1 and ended.returncode >= 0:
        said = ended.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        why = said[0] if said else "both answers are the same there"
        raise InputError(f"the mismatch shows only within the harness (`conformance replay` shows it): {why}")
