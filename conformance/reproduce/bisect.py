"""The release of a library in which a finding came or went: its example is put to releases, half of them left out."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias

from packaging.version import InvalidVersion, Version

from conformance.checks import CHECKS
from conformance.checks.base import Answers, Difference
from conformance.core.errors import InputError, UsageError
from conformance.core.finding import Finding
from conformance.core.observation import Failure
from conformance.core.run import UNCOMMITTED
from conformance.engine.bench import Bench
from conformance.engine.benches import bench_of, close_benches
from conformance.engine.collecting import answers_of
from conformance.engine.naming import named_difference
from conformance.engine.plan import Plan
from conformance.report.run.folder import read_run_folder
from conformance.reproduce.registries import NotInstalledError, Npm, PyPi, Registry, in_order
from conformance.reproduce.replay import check_finding, named_finding
from conformance.runs.plan_file import read_trusted_plan
from conformance.subjects import released
from conformance.subjects.adapters import BUILT_IN, model_to_load, subject_label
from conformance.subjects.base import Subject, UnavailableError
from conformance.subjects.definition import Definition, definition
from conformance.subjects.isolated import IsolatedSubject
from conformance.subjects.reftok_spec_subject import NAME as PLAIN
from conformance.subjects.reftok_subject import REFERENCE
from conformance.subjects.special_tokens import special_tokens

_INSTALLED = re.compile(r"pip install ([^&|;]+)")
State: TypeAlias = Literal["as expected", "differs", "differs otherwise", "skipped"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A release that was asked.

    state: "differs" where it answers as in the finding, "differs otherwise" where it is wrong in another way.
    said: its answer in words, or why it has none.
    """

    version: str
    state: State
    said: str = ""


@dataclass(frozen=True, slots=True)
class Bisected:
    """The releases of a library that were asked, the oldest first, of so many that there are within the bounds."""

    library: str
    asked: tuple[Asked, ...]
    of: int

    @property
    def sentence(self) -> str:
        """What they show.

        >>> Bisected("x", (Asked("1", "as expected"), Asked("2", "skipped"), Asked("3", "differs")), 9).sentence
        'came in 3 or in one skipped before it (1 is as expected)'
        """
        told = [one for one in self.asked if one.state != "skipped"]
        if not told:
            return f"none of the {len(self.asked)} releases asked could answer"
        if len(told) == 1:
            return f"only {told[0].version} could answer: it {_does(told[0])}"
        turn = next((pair for pair in pairwise(told) if pair[0].state != pair[1].state), None)
        if turn is None:
            return f"it is the same in all {len(told)} releases asked: each {_does(told[0])}"
        before, after = turn
        between = self.asked[self.asked.index(before) + 1 : self.asked.index(after)]
        place = f"in {after.version}{' or in one skipped before it' if between else ''}"
        if after.state == "differs":
            return f"came {place} ({before.version} {_does(before)})"
        if before.state == "differs":
            return f"went {place}, which {_does(after)} ({before.version} still differs)"
        return f"no release asked answers so; another answer came {place} ({before.version} {_does(before)})"


def _does(asked: Asked) -> str:
    return "is as expected" if asked.state == "as expected" else asked.state


@dataclass(frozen=True, slots=True)
class Target:
    """A library whose releases are asked. asking: the subject that asks it, in whatever release stands beside it."""

    registry: Registry
    asking: Definition


def bisect(
    folder: Path,
    fingerprint: str,
    cache: Path,
    library: str = "",
    bounds: tuple[str, str] = ("", ""),
    trusts: bool = False,
    told: Callable[[str], None] = lambda sentence: None,
    target_of: Callable[[Plan, Finding, str, Path], Target] | None = None,
) -> Bisected:
    """Ask releases about the example of a finding.

    folder: of a run. cache: where releases are installed. library: "" for the one that the subject is, or is made with.
    bounds: the oldest and the newest release to ask, "" for all. trusts: as of `read_trusted_plan`.
    told: what is done next. target_of: gives the releases and who asks them; None for those of the registries.
    Raises InputError where there is no such finding, and where the releases cannot be listed; UsageError for a library
    or bounds that there are not.
    """
    finding = named_finding(folder, fingerprint)
    plan, *_ = read_trusted_plan(folder, trusts)
    check_finding(finding, plan, folder)
    target = (target_of or registered)(plan, finding, library, cache)
    told(f"{target.registry.library}: asking {target.registry.kind} which releases there are")
    versions = _within(in_order(target.registry.versions()), bounds, target.registry.library)
    try:
        asker = _Asker(plan, finding, target)
        asked = bisected(versions, asker.ask, lambda version: told(f"{target.registry.library} {version}: asking"))
    finally:
        close_benches()
    return Bisected(target.registry.library, tuple(asked), len(versions))


def bisection_by_git(folder: Path, fingerprint: str, trusts: bool = False) -> tuple[str, ...]:
    """How git finds the commit of the subject in which a finding came: a sentence and two commands.

    Arguments and errors are those of `bisect`. Empty where the subject is not the one that is wrong, and where the run
    has not recorded its commit, without which `replay` does not know that another one is checked out.
    """
    finding = named_finding(folder, fingerprint)
    plan, *_ = read_trusted_plan(folder, trusts)
    subject = finding.example.subject
    name = next((name for name in plan.subjects if name not in BUILT_IN and subject_label(name) == subject), "")
    is_wrong = finding.verdict.partition(":")[0] in ("", "the subject")
    then = next((one.version for one in read_run_folder(folder).subjects if one.name == subject), "")
    if not name or not is_wrong or not then.startswith("git "):
        return ()
    bad = "BAD" if then.endswith(UNCOMMITTED) else then.removeprefix("git ")
    run = ["conformance", "replay", os.path.abspath(folder), finding.fingerprint, *(["--trust"] if trusts else [])]
    about = definition(name).about
    if about is not None and about.build:
        build = f"(cd {shlex.quote(str(definition(name).folder))} && {about.build}) || exit 125"
        run = ["sh", "-c", f"{build}; {shlex.join(run)}"]
    names = "GOOD is a commit without it" if bad != "BAD" else "BAD is a commit with it, GOOD one without it"
    return (
        f"{subject}: git finds the commit in which it came; in the repository of the subject ({names}):",
        f"  git bisect start {bad} GOOD",
        f"  git bisect run {shlex.join(run)}",
    )


def bisected(
    versions: Sequence[str], ask: Callable[[str], Asked], told: Callable[[str], None] = lambda version: None
) -> list[Asked]:
    """The releases that were asked until a turn has no release between, the oldest first.

    versions: the oldest first. One that is skipped counts as not there. Of several turns one is found.

    >>> found = bisected("abcdefgh", lambda one: Asked(one, "differs" if one >= "f" else "as expected"))
    >>> [(one.version, one.state) for one in found]
    [('a', 'as expected'), ('d', 'as expected'), ('e', 'as expected'), ('f', 'differs'), ('h', 'differs')]
    """
    heard: dict[int, Asked] = {}

    def first(places: Sequence[int]) -> int | None:
        for place in places:
            if place not in heard:
                told(versions[place])
                heard[place] = ask(versions[place])
            if heard[place].state != "skipped":
                return place
        return None

    low = first(range(len(versions)))
    high = first(range(len(versions) - 1, -1 if low is None else low, -1))
    if low is not None and high is not None and heard[low].state != heard[high].state:
        while between := [place for place in range(low + 1, high) if place not in heard]:
            middle = (low + high) // 2
            place = first(sorted(between, key=lambda one: abs(one - middle)))
            if place is None:
                break
            low, high = (place, high) if heard[place].state == heard[low].state else (low, place)
    return [heard[place] for place in sorted(heard)]


def _within(versions: Sequence[str], bounds: tuple[str, str], library: str) -> list[str]:
    if not versions:
        raise InputError(f"{library}: no release is published")
    limits = []
    for option, text in zip(("--from", "--to"), bounds, strict=True):
        try:
            limits.append(Version(text) if text else None)
        except InvalidVersion:
            raise UsageError(f"{option} {text}: is no version") from None
    low, high = limits
    kept = [one for one in versions if (low is None or Version(one) >= low) and (high is None or Version(one) <= high)]
    if not kept:
        raise UsageError(f"{library}: has no release within --from and --to; there are {versions[0]} to {versions[-1]}")
    return kept


# --- which library, and who asks it


def registered(plan: Plan, finding: Finding, library: str, cache: Path) -> Target:
    """The library of a finding's subject, or the one named, at the registry that has it."""
    subject = finding.example.subject
    model = next(model for model in plan.models if model.name == finding.example.model)
    if subject in BUILT_IN:
        name = library or (model.oracle if subject in (REFERENCE, PLAIN) else subject)
        return _official(name, cache)
    own = definition(next(name for name in plan.subjects if subject_label(name) == subject))
    dependencies = _npm_dependencies(own.folder)
    if dependencies and library not in released.RELEASED:
        return Target(Npm(_chosen(library, [*dependencies], subject), cache, own.folder), own)
    requirements = _pip_requirements(own)
    if requirements and (not library or library in requirements):
        name = library or next(iter(requirements))
        beside = [f"{other}=={version}" for other, version in requirements.items() if other != name]
        return Target(PyPi(name, cache, beside), own)
    if library in released.RELEASED or (not library and model.oracle in released.RELEASED):
        return _official(library or model.oracle, cache)
    if library and own.ends_by_itself:
        return Target(PyPi(library, cache), own)
    raise UsageError(f"{subject}: which library is to be asked? --library names one of PyPI or of its package.json")


def _official(name: str, cache: Path) -> Target:
    if name not in released.RELEASED:
        raise UsageError(f"--library {name}: releases are asked of {' and '.join(released.RELEASED)}")
    return Target(PyPi(name, cache), definition(f"{Path(released.__file__).resolve()}:{released.RELEASED[name]}"))


def _chosen(library: str, names: Sequence[str], subject: str) -> str:
    if library and library not in names:
        raise UsageError(f"--library {library}: {subject} is made with {', '.join(names)}")
    if not library and len(names) > 1:
        raise UsageError(f"{subject} is made with {', '.join(names)}: --library says which")
    return library or names[0]


def _npm_dependencies(folder: Path) -> Mapping[str, str]:
    try:
        found = json.loads((folder / "package.json").read_text("utf-8"))["dependencies"]
    except (OSError, ValueError, LookupError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def _pip_requirements(subject: Definition) -> dict[str, str]:
    """What the `build` of a subject.toml installs in a version, in its order."""
    build = subject.about.build if subject.about is not None else ""
    installed = _INSTALLED.search(build)
    words = installed[1].split() if installed and subject.ends_by_itself else []
    return dict(word.split("==", 1) for word in words if "==" in word)


# --- asking


class _Asker:
    """Puts the example to releases, one after another. expected: the answers of all who were there in the run."""

    def __init__(self, plan: Plan, finding: Finding, target: Target) -> None:
        self._plan, self._finding, self._target = plan, finding, target
        self._bench: Bench = bench_of(plan, finding.example.model)

    def ask(self, version: str) -> Asked:
        """What a release says; where it does not install or load, or does not answer, it is skipped."""
        try:
            place = self._target.registry.place(version)
            subject = self._subject(self._target.registry.subject(self._target.asking, place))
        except NotInstalledError as error:
            return Asked(version, "skipped", f"does not install: {error}")
        except UnavailableError as error:
            return Asked(version, "skipped", f"does not load: {error}")
        try:
            return self._judged(version, subject)
        finally:
            subject.close()

    def _subject(self, asking: Definition) -> Subject:
        model = self._bench.model
        loaded = model_to_load(model.path, model.format, model.encoding, asking.is_own_model)
        tokens = special_tokens(self._bench.reference.tokenizer)
        return IsolatedSubject(asking, loaded, self._plan.timeout, self._plan.memory, tokens)

    def _judged(self, version: str, subject: Subject) -> Asked:
        example = self._finding.example
        check = CHECKS[example.check]
        asked: dict[str, Subject] = {"the release": subject}
        if example.subject in (REFERENCE, PLAIN):
            asked[REFERENCE] = self._bench.reference
        depth = self._plan.inputs.closest_depth
        heard = answers_of(self._bench, asked, [example.case], (check.name,), depth)
        answers = heard["the release"][0]
        expected = heard[self._bench.oracle][0]
        if answers.adapter_error or _is_silent(answers):
            return Asked(version, "skipped", f"gives no answer: {answers.adapter_error or 'it cannot be asked this'}")
        observed = check.of_rule(answers, example.rule)
        if check.of_oracle:
            outcome = check(example.case, observed, observed)
        elif REFERENCE in asked:  # what is wrong then is that the release and the reference differ
            outcome = check(example.case, answers, heard[REFERENCE][0])
        else:
            outcome = check(example.case, expected, observed)
        if outcome == "not applicable":
            return Asked(version, "skipped", "says nothing of it: it lacks what the check compares")
        if not isinstance(outcome, Difference):
            return Asked(version, "as expected")
        named = named_difference(self._bench.reference.tokenizer, outcome, expected, observed)
        if REFERENCE in asked:
            is_same, said = example.expected in (outcome.expected, named.expected), outcome.expected
        else:
            is_same, said = example.observed in (outcome.observed, named.observed), named.observed
        return Asked(version, "differs" if is_same else "differs otherwise", said)


def _is_silent(answers: Answers) -> bool:
    """Whether nothing of it is an answer."""
    given = [one for one in (answers.encoding, answers.decoding) if one is not None]
    return not given or all(isinstance(one, Failure) and one.kind == "not asked" for one in given)


def default_cache() -> Path:
    """Where releases are kept between commands."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "conformance" / "releases"
