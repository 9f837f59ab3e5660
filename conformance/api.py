"""The harness for a user's own tests: an object of this process against the official library of a model.

`import conformance` gives these functions, and loads this module when the first of them is used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cache, lru_cache
from os import PathLike
from pathlib import Path
from threading import RLock
from typing import TypeAlias

from conformance.causes.findings import Known, with_known_causes
from conformance.causes.smallest import whole_example
from conformance.checks import CHECKS
from conformance.core.case import Case, bytes_case, ids_case, text_case
from conformance.core.errors import InputError, UsageError
from conformance.core.finding import Finding
from conformance.core.run import Run
from conformance.core.slugs import named
from conformance.engine.bench import Bench, load_reference
from conformance.engine.collecting import collect_answers
from conformance.engine.plan import ModelPlan, Plan
from conformance.engine.questions import as_asked
from conformance.engine.result import ShardResult
from conformance.inputs.corpora import QUICK_PARTS, corpus_files
from conformance.inputs.shards import MOST_FUZZ, SOURCES, Inputs, Shard, corpus_cases
from conformance.report.run.folder import write_run_folder
from conformance.report.run.view import fields, place
from conformance.runs.execute import execute_here
from conformance.runs.gather import Steps, as_it_came, cells, methods_of, unchecked
from conformance.runs.gather import findings as findings_of
from conformance.runs.job import Job, attending, model_info
from conformance.runs.models import plan_models
from conformance.runs.new_folder import check_free
from conformance.runs.shard_work import judged
from conformance.subjects.adapters import check_subject_name
from conformance.subjects.definition import SECONDS_FOR_AN_ANSWER
from conformance.subjects.in_process import InProcessSubject
from conformance.subjects.protocol import About
from conformance.subjects.values import NonsenseError, ids_of
from reftok.formats.model_files import files_beside

FilePath: TypeAlias = "str | PathLike[str]"

INPUTS = ("corpora", "seams", "fuzz")
FUZZ = 500
_NO_TIMEOUT = 0.0
"""Nothing can bound an answer of an object in this process."""
_GIVEN = "given"
_ONE_AT_A_TIME = RLock()
"""A bench is for one run or comparison at a time, in whichever thread."""


def run(
    subject: object,
    model: FilePath,
    *,
    corpora: Sequence[FilePath] = QUICK_PARTS,
    inputs: Sequence[str] = INPUTS,
    checks: Sequence[str] = (),
    fuzz: int = FUZZ,
    seed: int = 0,
    encoding: str = "",
    seconds: float = math.inf,
    out: FilePath | None = None,
) -> Run:
    """A run of one subject on one model: what reports are made of.

    subject: the name of one as `conformance run --subject` takes it (FILE.py:FACTORY, a subject.toml, a command), which
        is asked in a process of its own; or an object with `encode(text, add_special_tokens)` that gives ids,
        `decode(ids, skip_special_tokens)` that gives text, and, where it likes, the other methods that
        docs/subjects.md lists. What hangs or dies as an object takes this process along.
    model: a file, a folder with one model, or the name of an embedded model.
    corpora: files, folders, or parts of the project's own: "languages", "domains", "forms", "edge_cases", "known_bugs".
    inputs: what the model is given: "corpora", "vocab", "seams", "fuzz", "scalars", "cuts", as `conformance run
        --inputs` takes them.
    checks: some of the names that reports use, such as "ids" and "batch = single", or of those that the command line
        takes, such as "batch-single"; none means all.
    fuzz: how many made inputs. seed: what these are made from.
    encoding: the pattern and special tokens of a rank file of tiktoken, "" to recognise it.
    seconds: from which on no more inputs are made; what was begun is ended, and what is found is shrunk.
    out: a folder for report.html, run.json and the other files of a run, new or empty; nothing is written without.
    Raises UsageError or InputError for what cannot be done, and ReftokError for a model that cannot be read.

    >>> import conformance, reftok
    >>> class Mine:
    ...     def __init__(self):
    ...         self.tokenizer = reftok.load("bpe-qwen")
    ...     def encode(self, text, add_special_tokens):
    ...         return self.tokenizer.encode_ids(text, add_special_tokens=add_special_tokens)
    ...     def decode(self, ids, skip_special_tokens):
    ...         return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
    >>> conformance.run(Mine(), "bpe-qwen", corpora=["known_bugs"], fuzz=100).verdict
    'as expected'
    """
    plan = _plan(model, encoding, checks, _inputs(corpora, inputs, fuzz, seed))
    asked = subject if isinstance(subject, str) else InProcessSubject(subject)
    if out is not None:
        _make_free(Path(out))
    (entry,) = plan.models
    with _named_bench(asked, plan) if isinstance(asked, str) else _own_bench(asked, plan) as (plan, bench, about):
        info = model_info(entry, bench.reference.tokenizer)
        command = f"conformance.run({', '.join(plan.labels)}, {entry.name!r})"
        done = execute_here(Job(plan, (info,), Path(), command, 1, False, about), bench, seconds)
    if out is not None:
        write_run_folder(done, Path(out))
    return done


def findings(
    subject: object,
    model: FilePath,
    *,
    corpora: Sequence[FilePath] = QUICK_PARTS,
    inputs: Sequence[str] = INPUTS,
    checks: Sequence[str] = (),
    fuzz: int = FUZZ,
    seed: int = 0,
    encoding: str = "",
) -> tuple[Finding, ...]:
    """The findings of `run` on the subject, the worst first, each with a shrunk example; empty where nothing is wrong.

    The arguments are those of `run`. What the official library does against its own documentation is not the subject's,
    and left out. Raises UsageError, besides what `run` raises, where nothing is found because nothing was proved: there
    was no official library, or nothing to compare.
    """
    done = run(subject, model, corpora=corpora, inputs=inputs, checks=checks, fuzz=fuzz, seed=seed, encoding=encoding)
    (name,) = (info.name for info in done.subjects if info.role == "subject")
    found = tuple(item for item in done.findings if item.example.subject == name and item.status == "new")
    if not found and done.problems:
        raise UsageError("; ".join(done.problems))
    return found


def compare(
    subject: object,
    model: FilePath,
    given: str | bytes | Sequence[int],
    *,
    checks: Sequence[str] = (),
    encoding: str = "",
) -> tuple[Finding, ...]:
    r"""The findings on one input, with stage and rule: a text or bytes to encode, ids to decode; empty where none.

    The input is not shrunk. Bytes that are not UTF-8 are given to the subject as text with U+FFFD. The other arguments
    are those of `run`; a model that was just used is not loaded again. Raises what `run` raises, and UsageError where
    nothing is proved: there was no official library, or nothing to compare.

    >>> import conformance, reftok
    >>> class Mine:
    ...     def __init__(self):
    ...         self.tokenizer = reftok.load("bpe-qwen")
    ...     def encode(self, text, add_special_tokens):
    ...         return self.tokenizer.encode_ids(text.replace("\r\n", "\n"))
    ...     def decode(self, ids, skip_special_tokens):
    ...         return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
    >>> conformance.compare(Mine(), "bpe-qwen", "one line\n")
    ()
    >>> for finding in conformance.compare(Mine(), "bpe-qwen", "two\r\nlines"):
    ...     print(finding.stage, "|", finding.rule)
    Input | CR LF is converted to \n
    """
    plan = _plan(model, encoding, checks, _own_inputs())
    asked = InProcessSubject(subject)
    (entry,) = plan.models
    with _bench_with(asked, plan) as bench:
        cases = as_asked([_case(given)], bench.subjects[bench.oracle])
        answered = collect_answers(bench, cases, plan.checks, depth=plan.inputs.closest_depth)
        result = judged(plan, Shard(entry.name, "corpora", 0, len(cases)), bench, cases, answered, asked.name)
        _check_compared(result, plan, bench, asked.name)
        known = _known(bench, subject)
        steps = Steps(
            shrunk=lambda found: (whole_example(plan, bench, *as_it_came(one)) for one in found),
            merged=lambda found, witnesses: with_known_causes(known, plan, bench, found, witnesses),
        )
        return findings_of([result], {entry.name: bench.oracle}, (), lambda _: "", lambda *_: steps)


def _check_compared(result: ShardResult, plan: Plan, bench: Bench, subject: str) -> None:
    """Raise UsageError where no answer of a subject was compared, or none with the official library."""
    model = bench.model
    if model.oracle in bench.unavailable:
        why = bench.unavailable[model.oracle].message
        raise UsageError(f"{model.name} was not compared with its official library: {why}")
    if not any(result.counts[subject, check].compared for check in plan.checks):
        by_model = {model.name: result}
        table = cells(by_model, ())
        raise UsageError("; ".join(unchecked(table, plan.checks, [(model.name, subject)], methods_of(by_model), True)))


def describe(found: Iterable[Finding]) -> str:
    """Findings in words, for the message of an assertion: what is wrong where, on which input, and both answers.

    What cannot be seen is spelled out, and a long input or answer is cut.
    """
    return "\n".join(line for finding in found for line in _described(finding))


def _described(finding: Finding) -> Iterator[str]:
    times = f"  ({finding.count:,} x)" if finding.count > 1 else ""
    yield f"✗ {finding.example.severity}  {place(finding)}{times}"
    yield from (f"  {name:8}  {value}" for name, value in fields(finding))


def _plan(model: FilePath, encoding: str, checks: Sequence[str], inputs: Inputs) -> Plan:
    """The plan, but for its subject. Raises UsageError where the model is several, and for names that are unknown."""
    models = plan_models((str(model),), encoding)
    if len(models) != 1:
        raise UsageError(f"{model}: holds {len(models)} models, {', '.join(entry.name for entry in models)}; name one")
    if not isinstance(checks, str):
        checks = [named(name, CHECKS) or name for name in checks]
    named_checks = _named("checks", checks or tuple(CHECKS), tuple(CHECKS))
    return Plan(models, (), named_checks, inputs, _NO_TIMEOUT, require=True)


def _inputs(corpora: Sequence[FilePath], sources: Sequence[str], fuzz: int, seed: int) -> Inputs:
    """Raises UsageError for names that are unknown and numbers out of range, InputError for what is no corpus."""
    if isinstance(corpora, str | PathLike):
        raise UsageError(f"corpora={corpora!r}: is no list")
    if not isinstance(fuzz, int) or not 0 <= fuzz <= MOST_FUZZ:
        raise UsageError(f"fuzz={fuzz!r}: is no whole number between 0 and {MOST_FUZZ:,}")
    files = tuple(path.resolve() for path in corpus_files(tuple(map(str, corpora))))
    corpus_cases(files)
    return Inputs(files, _named("inputs", sources, SOURCES), fuzz, seed)


def _make_free(folder: Path) -> None:
    """Make a folder; raises InputError where it is not empty, or cannot be made."""
    check_free(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror}") from None


@cache
def _own_inputs() -> Inputs:
    """Those of a run that is not told otherwise."""
    return _inputs(QUICK_PARTS, INPUTS, FUZZ, 0)


def _named(what: str, names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """In the order of those that are known."""
    if isinstance(names, str) or not all(name in known for name in names):
        raise UsageError(f"{what}={names!r}: is no list of some of {', '.join(known)}")
    return tuple(name for name in known if name in names)


@contextmanager
def _bench_with(subject: InProcessSubject, plan: Plan) -> Iterator[Bench]:
    """The bench of the plan's model, with the subject for a while."""
    (model,) = plan.models
    paths = (model.path, *files_beside(model.path))
    state = tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in paths)
    with _ONE_AT_A_TIME:
        bench = _bench(model, plan.inputs.files, state)
        with bench.asking(subject):
            yield bench


@contextmanager
def _own_bench(subject: InProcessSubject, plan: Plan) -> Iterator[tuple[Plan, Bench, Mapping[str, About]]]:
    """The plan for an object of this process, its bench, and what it says of itself."""
    with _bench_with(subject, plan) as bench:
        yield replace(plan, subjects=(subject.name,)), bench, {subject.name: subject.about}


@contextmanager
def _named_bench(subject: str, plan: Plan) -> Iterator[tuple[Plan, Bench, Mapping[str, About]]]:
    """The same for a subject with a name, whose process ends with it. Raises UsageError where it is not there."""
    check_subject_name(subject)
    plan, about = attending(replace(plan, subjects=(subject,), timeout=SECONDS_FOR_AN_ANSWER))
    (entry,) = plan.models
    with closing(Bench(plan, entry)) as bench:
        yield plan, bench, about


@lru_cache(maxsize=2)
def _bench(model: ModelPlan, files: tuple[Path, ...], state: object) -> Bench:
    """The official library and the reference with a model. state: of its files, so that a changed one is read anew."""
    load_reference.cache_clear()
    inputs = Inputs(files, INPUTS, 0, 0)
    return Bench(Plan((model,), (), tuple(CHECKS), inputs, _NO_TIMEOUT), model)


class _Same:
    """An object, equal to itself alone: what is remembered of it is of no other."""

    def __init__(self, it: object) -> None:
        self.it = it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.it is other.it

    def __hash__(self) -> int:
        return id(self.it)


def _known(bench: Bench, subject: object) -> Known:
    """What earlier comparisons showed of the causes: tests compare one object hundreds of times."""
    return _known_of(_Same(bench), _Same(subject))


@lru_cache(maxsize=2)
def _known_of(bench: _Same, subject: _Same) -> Known:
    return Known()


def _case(given: str | bytes | Sequence[int]) -> Case:
    if isinstance(given, str):
        try:
            given.encode("utf-8")
        except UnicodeEncodeError as error:
            raise UsageError(f"character {error.start} is a lone surrogate, which no tokenizer takes") from None
        return text_case(given, _GIVEN)
    if isinstance(given, bytes | bytearray):
        return bytes_case(bytes(given), _GIVEN)
    try:
        return ids_case(tuple(ids_of(given)), _GIVEN)
    except NonsenseError as error:
        raise UsageError(str(error)) from None
