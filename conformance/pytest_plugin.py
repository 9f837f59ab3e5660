"""The plugin of pytest: `*.conformance.toml` files, the decorator `conforms`, the fixture `tokenizer_conformance`.

pytest imports it wherever the package is installed, so that nothing but pytest and the standard library is imported at
its top; the harness is, where a test of it is collected.

A test is a model × check, but a subject is asked once a model: the first test that needs the answers asks, under a lock
in a folder that all workers of pytest-xdist share, and the others read what it found.
"""

from __future__ import annotations

import inspect
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from conformance.core.finding import Finding
    from conformance.core.run import Run

ENDING = ".conformance.toml"
_DEFAULT_TIER = "core"
_MOST_MADE = 10_000_000
"""Inputs, where it is the time that ends them."""
_MARK = "__conforms__"
"""The attribute in which `conforms` keeps what it was told."""
_FOLDER = pytest.StashKey[Path]()
_SHARED = "conformance_folder"

Made = TypeVar("Made", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Asked:
    """What a subject is asked.

    model: a file, a folder with one model, or the name of an embedded one. tier: its name, "" for the usual one.
    given: arguments of `conformance.run` that stand in the place of the tier's. checks: by name, none for all.
    """

    model: str
    tier: str = ""
    checks: tuple[str, ...] = ()
    given: Mapping[str, Any] = field(default_factory=dict)


def conforms(
    model: str | os.PathLike[str], *, tier: str = "", checks: Sequence[str] = (), **given: Any
) -> Callable[[Made], Made]:
    """Make a factory or an `encode` function of a test module tests: one a check. Repeated, on several models.

    A factory is a class or function without arguments, or with the path of the model; what it returns is a subject as
    `conformance.run` takes it. An `encode` function is one whose first argument is called `text`: it gives ids, and
    takes `add_special_tokens` as well or adds them always; it is asked for ids alone.

    model: a file, beside that of the test or from the working folder, a folder with one model, or the name of an
        embedded one. tier: "smoke", "core" or "full". checks: as reports or the command line name them; none means all.
    given: `corpora`, `inputs`, `fuzz`, `seed` and `encoding` of `conformance.run`.

    >>> @conforms("bpe-qwen", tier="smoke")
    ... def mine():
    ...     return load_my_tokenizer()
    """

    def marked(made: Made) -> Made:
        asked = Asked(str(model), tier, tuple(checks), given)
        setattr(made, _MARK, (*vars(made).get(_MARK, ()), asked))
        return made

    return marked


# --- hooks


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("conformance", "conformance of tokenizers")
    group.addoption(
        "--conformance-tier",
        metavar="TIER",
        help="How much tokenizers are asked: smoke (published bugs), core (edge cases and 500 made inputs as well; the "
        "default) or full (all languages, the whole vocab). Goes before what a file or a test says.",
    )
    group.addoption(
        "--conformance-time",
        metavar="TIME",
        help="For how long inputs are made, of each subject on each model, in the place of a number: 30s, 10m, 1h30m.",
    )
    group.addoption(
        "--conformance-out", metavar="FOLDER", type=Path, help="Keep a run folder (report.html and so on) a run there."
    )


def pytest_configure(config: pytest.Config) -> None:
    """Name the folder that the workers share; raises pytest.UsageError for options that say nothing."""
    config.addinivalue_line("markers", "conformance: a tokenizer is held against the official library")
    given = getattr(config, "workerinput", {}).get(_SHARED)
    folder = Path(given) if given else Path(tempfile.gettempdir()) / f"conformance-{os.urandom(16).hex()}"
    config.stash[_FOLDER] = folder
    if config.getoption("conformance_tier") or config.getoption("conformance_time"):
        from conformance.core.errors import UsageError

        try:
            _arguments(config, Asked(""))
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist the folder. node: of a type of that plugin, which need not be there."""
    node.workerinput[_SHARED] = str(node.config.stash[_FOLDER])


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder, when all workers are done."""
    if not hasattr(config, "workerinput") and _FOLDER in config.stash:
        shutil.rmtree(config.stash[_FOLDER], ignore_errors=True)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a *.conformance.toml."""
    is_asked = file_path.name.endswith(ENDING) and file_path.name != ENDING
    return ConformanceFile.from_parent(parent, path=file_path) if is_asked else None


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> pytest.Collector | None:
    """Collect what `conforms` has marked, whatever its name."""
    marked = vars(obj).get(_MARK) if inspect.isclass(obj) or inspect.isfunction(obj) else None
    return MarkedSubject.from_parent(collector, name=name, made=obj, every=marked) if marked else None


@pytest.fixture
def tokenizer_conformance(request: pytest.FixtureRequest) -> Callable[..., Run]:
    """A function `(subject, model, *, tier="", checks=(), **given)` that fails the test where the subject is wrong.

    subject: an object with `encode` and `decode`, or what `--subject` takes. The other arguments are those of
        `conforms`. It returns the `Run`.
    """
    node = request.node

    def held(
        subject: object, model: str | os.PathLike[str], *, tier: str = "", checks: Sequence[str] = (), **given: Any
    ) -> Run:
        from conformance.core.errors import ConformanceError
        from reftok import ReftokError

        asked = Asked(_beside(node.path.parent, str(model)), tier, tuple(checks), given)
        try:
            run = _run(node.config, asked, lambda: subject)
        except (ConformanceError, ReftokError) as error:
            pytest.fail(str(error), pytrace=False)
        _keep(node.config, f"{node.nodeid} {model}", run)
        found = _findings(run)
        _tell(node.user_properties, run, found)
        if wrong := _failure(run, found):
            pytest.fail(wrong, pytrace=False)
        return run

    return held


# --- what is collected


class ConformanceFile(pytest.File):
    """A *.conformance.toml: a subject, its models, and what it is asked."""

    def collect(self) -> Iterator[pytest.Item]:
        """A test a model × check. Raises CollectError for a file of another form."""
        settings = self._settings()
        folder = self.path.parent
        subject = _named_beside(folder, settings["subject"])
        given = {name: settings[name] for name in ("inputs", "fuzz", "seed", "encoding") if name in settings}
        if "corpora" in settings:
            given["corpora"] = [_beside(folder, name) for name in settings["corpora"]]
        for model in settings["models"]:
            asked = Asked(_beside(folder, model), settings.get("tier", ""), tuple(settings.get("checks", ())), given)
            yield from _items(self, model, asked, lambda: subject)

    def _settings(self) -> Mapping[str, Any]:
        import tomllib

        from conformance.core.errors import FORM_ERRORS, form_problem

        try:
            settings = tomllib.loads(self.path.read_text("utf-8"))
        except (OSError, *FORM_ERRORS) as error:
            raise self.CollectError(f"{self.path}: {form_problem(error)}") from None
        lists, numbers = ("models", "corpora", "checks", "inputs"), ("fuzz", "seed")
        known = ("subject", "tier", "encoding", *lists, *numbers)
        for name, value in settings.items():
            if name not in known:
                raise self.CollectError(f"{self.path}: {name!r:.100} is none of {', '.join(known)}")
            is_right = (
                isinstance(value, list) and all(isinstance(item, str) for item in value)
                if name in lists
                else type(value) is (int if name in numbers else str)
            )
            if not is_right:
                kind = "a list of strings" if name in lists else "a whole number" if name in numbers else "a string"
                raise self.CollectError(f"{self.path}: `{name}` is {kind}")
        if not settings.get("subject") or not settings.get("models"):
            raise self.CollectError(f"{self.path}: wants a `subject` and `models`")
        return settings


class MarkedSubject(pytest.Collector):
    """A factory or an `encode` function that `conforms` has marked."""

    def __init__(self, *, made: Callable[..., Any], every: Iterable[Asked], **given: Any) -> None:
        super().__init__(**given)
        self._made, self._every = made, every

    def collect(self) -> Iterator[pytest.Item]:
        """A test a model × check."""
        is_encode = next(iter(inspect.signature(self._made).parameters), "") == "text"
        for asked in self._every:
            model = _beside(self.path.parent, asked.model)
            checks = asked.checks or (("ids",) if is_encode else ())
            whole = Asked(model, asked.tier, checks, asked.given)
            make = _encoder if is_encode else _from_factory
            yield from _items(self, asked.model, whole, partial(make, self._made, model))


def _items(parent: pytest.Collector, name: str, asked: Asked, subject: Callable[[], object]) -> Iterator[pytest.Item]:
    """The tests of a subject on a model. name: of the model, as the user has it.

    Raises CollectError for checks that there are not.
    """
    from conformance.checks import CHECKS
    from conformance.core.slugs import named, slug

    unknown = [check for check in asked.checks if named(check, CHECKS) is None]
    if unknown:
        raise parent.CollectError(f"{parent.nodeid}: there is no check {unknown[0]!r:.100}, but {', '.join(CHECKS)}")
    wanted = {named(check, CHECKS) for check in asked.checks} or {*CHECKS}
    for check in CHECKS:
        if check in wanted:
            question = Question(f"{parent.nodeid} {name}", asked, subject)
            yield ConformanceItem.from_parent(parent, name=f"{name}[{slug(check)}]", question=question, check=check)


@dataclass(frozen=True, slots=True)
class Question:
    """What several tests want to know, and only one asks. name: the same in each worker, and of no other question."""

    name: str
    asked: Asked
    subject: Callable[[], object]


class Differs(Exception):
    """What is wrong with a subject, in words."""


class ConformanceItem(pytest.Item):
    """A check of a subject on a model."""

    def __init__(self, *, question: Question, check: str, **given: Any) -> None:
        super().__init__(**given)
        self._question, self._check = question, check
        self.add_marker("conformance")

    def runtest(self) -> None:
        """Raises Differs where something is wrong, ConformanceError or ReftokError where it cannot be asked."""
        from conformance.report.run import view

        run = _answer(self.config, self._question)
        found = [finding for finding in _findings(run) if finding.example.check == self._check]
        _tell(self.user_properties, run, found)
        tested = _tested(run)
        cells = [cell for cell in run.cells if cell.check == self._check and cell.subject in tested]
        if wrong := _failure(run, found):
            raise Differs(wrong)
        for cell in cells:
            if view.state(cell) == "new":
                raise Differs(f"{view.sentence(cell)}; the cause is told by the test of another check")
        if not sum(cell.compared for cell in cells):
            # A check that nothing was compared by has not passed: pytest counts it, and shows why nothing was.
            pytest.skip("; ".join(map(view.sentence, cells)) or "nothing was compared")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Its own words where it has some, and no traceback through the harness. style, result: as pytest has them."""
        from conformance.core.errors import ConformanceError
        from reftok import ReftokError

        if isinstance(excinfo.value, Differs | ConformanceError | ReftokError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it is, for reports: in words, since pytest would split a name at its dots."""
        return self.path, None, f"{self.parent.name if self.parent else ''}: {self.name.replace('[', ' [')}"


# --- asking and telling


def _answer(config: pytest.Config, question: Question) -> Run:
    """The run that answers a question; the first test of a session that wants it, in whichever worker, does it."""
    from filelock import FileLock

    from conformance.report.run.folder import RUN, read_run_folder, write_run_folder

    shared = config.stash[_FOLDER]
    shared.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = shared / _folder_name(question.name)
    with FileLock(f"{folder}.lock"):
        if (folder / RUN).exists():
            return read_run_folder(folder)
        run = _run(config, question.asked, question.subject)
        write_run_folder(run, folder)
        _keep(config, question.name, run)
    return run


def _run(config: pytest.Config, asked: Asked, subject: Callable[[], object]) -> Run:
    from conformance.api import run

    return run(subject(), asked.model, checks=asked.checks, **_arguments(config, asked))


def _arguments(config: pytest.Config, asked: Asked) -> dict[str, Any]:
    """The arguments of `conformance.run`. Raises UsageError for a tier or a time that is none."""
    from conformance.core.durations import seconds_of
    from conformance.core.errors import UsageError
    from conformance.inputs.tiers import tier_named

    tier = tier_named(config.getoption("conformance_tier") or asked.tier or _DEFAULT_TIER)
    arguments = {"corpora": tier.corpora, "inputs": tier.sources, "fuzz": tier.fuzz, **asked.given}
    if time := config.getoption("conformance_time"):
        seconds = seconds_of(time)
        if seconds is None:
            raise UsageError(f"--conformance-time {time}: is no time: write 90s, 10m or 1h30m")
        sources = tuple(dict.fromkeys((*arguments["inputs"], "fuzz")))
        arguments |= {"inputs": sources, "fuzz": _MOST_MADE, "seconds": seconds}
    return arguments


def _keep(config: pytest.Config, name: str, run: Run) -> None:
    """Write the run folder where one is asked for."""
    from conformance.report.run.folder import write_run_folder

    if out := config.getoption("conformance_out"):
        write_run_folder(run, out / _folder_name(name))


def _folder_name(name: str) -> str:
    """A name of a folder that is legible, and of this name alone.

    >>> _folder_name("tests/mine.conformance.toml bpe-qwen")
    'tests-mine.conformance.toml-bpe-qwen-c1068f50'
    """
    from hashlib import sha256

    digest = sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:8]
    return f"{re.sub(r'[^0-9A-Za-z._-]+', '-', name)[-80:].lstrip('.-')}-{digest}"


def _tested(run: Run) -> set[str]:
    """The names of what is under test: of the official library's own contradictions a user's test says nothing."""
    return {subject.name for subject in run.subjects if subject.role != "oracle"}


def _findings(run: Run) -> list[Finding]:
    tested = _tested(run)
    return [finding for finding in run.findings if run.is_failed_by(finding) and finding.example.subject in tested]


def _failure(run: Run, found: Sequence[Finding]) -> str:
    """What is wrong, in words: the findings, or else why they prove nothing; "" where nothing is."""
    from conformance.api import describe
    from conformance.report.run.aligned_text import aligned_lines
    from conformance.report.text import harmless

    lines = []
    for finding in found:
        lines += [describe([finding]), *(f"  {line}" for line in aligned_lines(finding))]
    return "\n".join(lines) or harmless("\n".join(run.problems))


def _tell(properties: list[tuple[str, object]], run: Run, found: Iterable[Finding]) -> None:
    """Findings as properties, which pytest writes into its JUnit report."""
    from conformance.report.run import view

    properties.append(("conformance.answers", f"{run.answers}"))
    for finding in found:
        shown = f"{finding.example.severity}: {view.cause(finding)} on {view.shown_input(finding.example.case, 80)}"
        properties.append((f"conformance.finding.{finding.fingerprint}", shown))


# --- subjects and models as they are named


def _beside(folder: Path, name: str) -> str:
    """A file or folder beside the test, where there is one; else the name as it is."""
    return str(folder / name) if (folder / name).exists() else name


def _named_beside(folder: Path, name: str) -> str:
    """FILE.py:FACTORY or a subject.toml beside the test, where there is one; else the name as it is."""
    file, colon, factory = name.rpartition(":")
    return f"{_beside(folder, file)}:{factory}" if colon and file.endswith(".py") else _beside(folder, name)


def _from_factory(made: Callable[..., Any], model: str) -> object:
    """What a factory makes, of the path of the model where it takes one."""
    from conformance.core.errors import UsageError
    from conformance.runs.models import plan_models

    takes_path = bool(inspect.signature(made).parameters)
    subject = made(str(plan_models((model,))[0].path)) if takes_path else made()
    if not callable(getattr(subject, "encode", None)) and not callable(getattr(subject, "chat", None)):
        name, kind = getattr(made, "__name__", "it"), type(subject).__name__
        raise UsageError(
            f"{name} gave a {kind}, which has no method encode: a factory gives an object with encode and decode, and "
            "the first argument of a function that encodes is called text"
        )
    return subject


def _encoder(encode: Callable[..., Any], model: str) -> object:
    """A subject that only encodes, with the name of its function."""
    takes_choice = len(inspect.signature(encode).parameters) > 1

    def encoded(self: object, text: str, add_special_tokens: bool) -> Any:
        return encode(text, add_special_tokens) if takes_choice else encode(text)

    def decoded(self: object, ids: Sequence[int], skip_special_tokens: bool) -> str:
        # Asked for ids alone, it is never called: a subject has to have it.
        raise NotImplementedError("it is a function that only encodes")

    return type(encode.__name__, (), {"encode": encoded, "decode": decoded})()
