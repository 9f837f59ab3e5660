"""A finding of a run as one small Python file that shows it without the harness."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from conformance.causes.attribution import Attribution
from conformance.causes.shrinking.rank_file import encoding_for
from conformance.causes.shrinking.together import MOST_ATTEMPTS, shrink_together
from conformance.causes.shrinking.trials import Trials
from conformance.core.case import Case
from conformance.core.errors import InputError
from conformance.core.finding import Finding
from conformance.core.observation import NO_ANSWER_IN_TIME
from conformance.engine.plan import ModelPlan, Plan
from conformance.engine.repeating import UNREPEATED
from conformance.files.atomic import write_atomically
from conformance.files.lock import check_no_links
from conformance.reproduce.replay import check_finding, named_finding
from conformance.reproduce.script import ProgramParts, Reproduction, comparison
from conformance.runs.plan_file import read_trusted_plan
from conformance.subjects.adapters import BUILT_IN, FORMATS, ORACLES, REPRODUCIBLE, subject_label
from conformance.subjects.definition import Definition, definition
from conformance.subjects.special_tokens import SpecialTokens
from reftok.formats.tiktoken.encodings import RankEncoding
from reftok.formats.tiktoken.rank_file import rank_encoding

SLOW_ATTEMPTS = 40
"""The most models that are tried with a subject that hangs or dies."""
SECONDS = 120


@dataclass(frozen=True, slots=True)
class Written:
    """A reproduction on disk.

    finding: what it shows. arguments: what it is run with. case: its input; model_bytes: the size of its model.
    refusal: as of `Reproduction`.
    """

    finding: Finding
    path: Path
    arguments: tuple[str, ...]
    case: Case
    model_bytes: int
    refusal: str = ""


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
    subject = _definition(plan, finding.example.subject)
    arguments = () if subject is None or not subject.python_file else (subject.python_file,)
    _prove(made.text, arguments)
    path = out or folder / f"reproduction-{finding.fingerprint}.py"
    if out is None:
        check_no_links(folder)
    try:
        write_atomically(path, made.text)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    return Written(finding, path, arguments, made.case, len(made.model), made.refusal)


def reproduction(plan: Plan, finding: Finding, shrinks_model: bool) -> Reproduction:
    """The finding on the model and case that it is written down with. Raises InputError where it cannot be."""
    example = finding.example
    model = next(model for model in plan.models if model.name == example.model)
    if model.format not in REPRODUCIBLE:
        raise InputError(f"{model.name}: a reproduction holds models of the formats {', '.join(REPRODUCIBLE)} only")
    if model.oracle != ORACLES[model.format]:
        raise InputError(
            f"{model.name}: a reproduction asks {ORACLES[model.format]}, and here {model.oracle} is official"
        )
    if finding.rule in UNREPEATED:
        raise InputError(f"{finding.fingerprint}: {example.subject} does not repeat it; a file cannot show that")
    if example.rule in NO_ANSWER_IN_TIME:
        raise InputError(f"{finding.fingerprint}: what gives no answer in time has no reproduction")
    subject = _definition(plan, example.subject)
    if subject is not None:
        _check_form(finding, model, subject)
        shrinks_model = shrinks_model and not subject.is_own_model
    refused: list[_NotShownError] = []
    for encoding, is_shrunk, kept in _copies(_encoding(model), example.case, shrinks_model):
        try:
            made = _made(plan, finding, model, encoding, is_shrunk)
        except _NotShownError as error:
            refused.append(error)
        else:
            return replace(made, refusal=f"{refused[0].problem}; so {kept}") if refused else made
    raise refused[-1]


def _copies(
    encoding: RankEncoding | None, case: Case, shrinks_model: bool
) -> list[tuple[RankEncoding | None, bool, str]]:
    """The encodings of the copies to ask about, one after another, whether the copy is made smaller, and what it keeps.

    A subject may need what the case does not: some special token, or all ranks of the encoding that it knows by name.
    """
    if encoding is None or not shrinks_model:
        return [(encoding, shrinks_model, "")]
    smallest, nameless = encoding_for(encoding, case), replace(encoding, name="")
    copies = [(smallest, True, ""), (nameless, True, "this one has all special tokens")]
    return [*copies[smallest == nameless :], (encoding, False, "this is the whole one, as with --no-shrink-model")]


class _NotShownError(InputError):
    """The mismatch does not show with a copy of the model. problem: why, of the subject."""

    def __init__(self, finding: Finding, problem: str, cure: str = "") -> None:
        super().__init__(f"{finding.fingerprint}: {finding.example.subject} {problem}{cure}")
        self.problem = problem


def _made(
    plan: Plan, finding: Finding, model: ModelPlan, encoding: RankEncoding | None, shrinks_model: bool
) -> Reproduction:
    """The finding on a copy of the model with an encoding; raises _NotShownError."""
    example = finding.example
    subject = _definition(plan, example.subject)
    data, case = model.path.read_bytes(), example.case
    with Trials(plan, example, Attribution(finding.stage, finding.rule), encoding) as trials:
        shown = trials.shown(data, case)
        if shown is not None:
            comparison(finding, case, shown)
            if shrinks_model:
                attempts = SLOW_ATTEMPTS if example.severity == "no answer" else MOST_ATTEMPTS
                data, case = shrink_together(trials, model.format, data, case, attempts)
                shown = trials.shown(data, case)
        tokens = SpecialTokens() if subject is None or subject.python_file else trials.special_tokens(data)
    if shown is None and trials.refused:
        problem = f"cannot take part with a copy of {model.path.name} alone: {trials.refused}"
        raise _NotShownError(finding, problem)
    if shown is None and trials.differs_otherwise:
        problem = f"fails in another way now ({trials.differs_otherwise})"
        raise _NotShownError(finding, problem, f": {example.check} is to be run again")
    if shown is None:
        raise _NotShownError(finding, "differs no more", "; there is nothing to reproduce")
    is_file = subject is not None and bool(subject.python_file)
    program = ProgramParts(subject, tokens) if subject is not None and not is_file else None
    return Reproduction(finding, model.format, data, case, shown, is_file, encoding, program)


def _check_form(finding: Finding, model: ModelPlan, subject: Definition) -> None:
    """Raise InputError where the subject cannot be asked without the harness, or not about a model in a file."""
    about = subject.about
    if subject.is_own_model and FORMATS[model.format].encodings:
        why = "takes its own model by the name of the encoding, which a rank file in a reproduction has not"
    elif about is not None and about.factory and not subject.python_file:
        why = "is a factory with a `python`, `env` or `options` in its subject.toml, which takes the harness to start"
    elif more := _required(subject.python_file):
        why = f"wants `{more[0]}` beside the path of the model, which a reproduction has not"
    else:
        return
    raise InputError(f"{finding.fingerprint}: {finding.example.subject} {why} (`conformance replay` shows it)")


def _required(python_file: str) -> list[str]:
    """The parameters of a FILE.py:FACTORY beside the path that have no default, as far as its file shows them."""
    file, _, factory = python_file.rpartition(":")
    try:
        module = ast.parse(Path(file).read_bytes()) if file else ast.Module([], [])
    except (OSError, SyntaxError, ValueError):  # which loading it tells
        return []
    made = next((node for node in module.body if getattr(node, "name", "") == factory), None)
    names = 1
    if isinstance(made, ast.ClassDef):
        made = next((node for node in made.body if getattr(node, "name", "") == "__init__"), None)
        names = 2
    if not isinstance(made, ast.FunctionDef):
        return []
    given = made.args
    placed = [*given.posonlyargs, *given.args][: -len(given.defaults) or None][names:]
    named = [one for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is None]
    return [one.arg for one in (*placed, *named)]


def _encoding(model: ModelPlan) -> RankEncoding | None:
    """The encoding of a rank file, None for other formats."""
    if not FORMATS[model.format].encodings:
        return None
    return rank_encoding(model.path.read_bytes(), model.path, model.encoding or None)


def _definition(plan: Plan, label: str) -> Definition | None:
    """A subject of the user's; None for a built-in one."""
    if label in BUILT_IN:
        return None
    return definition(next(name for name in plan.subjects if subject_label(name) == label))


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
