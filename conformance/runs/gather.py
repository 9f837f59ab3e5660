"""From finished shards to findings and tables: pure functions, so that a resumed run ends like an unbroken one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from conformance.causes.attribution import DESCRIPTIONS, Attribution
from conformance.checks import CHECKS, by_weight
from conformance.core.case import Case
from conformance.core.evidence import NO_EVIDENCE
from conformance.core.finding import MOST_EXAMPLES, Example, Finding, Mismatch
from conformance.core.run import Absence, Cell, LanguageCell
from conformance.core.weight import counted_weight
from conformance.engine.repeating import UNREPEATED
from conformance.engine.result import ShardResult, telling
from conformance.runs.expectations import Expectation, matching

MOST_UNANSWERED = 0.2
"""A subject that gives no answer to more than this share of the questions proves nothing: the run says so and fails."""

_NO_CASE = "the inputs have no case for it"
_HAS_NO, _HAVE_NO = "it has no", "they have no"

Methods: TypeAlias = Mapping[tuple[str, str], Mapping[str, bool]]
"""By model and subject, the methods and parts of answers that it was asked for, and whether it has them."""

Shrinker = Callable[[Mismatch, Attribution], tuple[Mismatch, Attribution]]
"""A smaller mismatch of the same kind, and the cause that stands after that; given the cause that one answer told."""
Merger = Callable[[Sequence[Finding], Sequence[Case], int], Sequence[Finding]]
"""The findings of one subject on one model by the fewest causes, those that an expectation lists as they are; given the
cases on which it differed, too, and how many subjects on models have others."""


Weigher = Callable[[Sequence[Finding]], Sequence[Finding]]
"""The findings with their weights, given those with the shares that were counted."""

_NOTHING: Mapping[str, int] = MappingProxyType({})


def unshrunk(results: Iterable[ShardResult], natural: Mapping[str, int] = _NOTHING) -> list[Finding]:
    """A finding for each group, with its smallest example as it came and without an oracle.

    natural: how many natural texts each model was asked, by the name of the corpus file; the shares of these are
    counted, by that name.
    """
    return [
        Finding(
            group.examples[0],
            group.count,
            tuple(sorted(group.languages)),
            stage,
            rule,
            oracle="",
            weight=counted_weight(group.languages, natural),
            examples=tuple(Example(one.case, one.expected, one.observed) for one in group.examples[:MOST_EXAMPLES]),
        )
        for result in results
        for (_, _, stage, rule), group in result.groups.items()
    ]


def findings(
    results: Iterable[ShardResult],
    oracles: Mapping[str, str],
    expectations: Sequence[Expectation],
    shrinker: Shrinker,
    replay: Callable[[Finding], str],
    merger: Merger = lambda found, *_: found,
    natural: Mapping[str, int] = _NOTHING,
    weigher: Weigher = lambda found: found,
    accepted: Sequence[Expectation] = (),
    explainer: Merger = lambda found, *_: found,
) -> tuple[Finding, ...]:
    """One finding a cause, shrunk, the worst first.

    results: one a model. natural: as of `unshrunk`. Causes that turn out the same after shrinking are joined, and so
    are those that are left with the same example.
    explainer: what is done with the findings of a subject on a model before any is shrunk, so that no two of one cause
    are. What an expectation lists by then is left out.
    accepted: the entries of baselines. They list what comes out at the end, which is then what came out where it was
        accepted: what is accepted changes no finding but its status.
    """
    results = [*results]
    witnesses = _witnesses(results)
    found: list[Finding] = []
    for came in sorted(as_they_came(results, oracles, expectations, explainer, natural), key=_place):
        example, cause = shrinker(came.example, Attribution(came.stage, came.rule))
        if cause.rule in UNREPEATED:
            came = replace(came, confidence=None)
        elif came.confidence is not None:  # its cause is known, whatever a smaller input looks like
            cause = Attribution(came.stage, came.rule)
        found.append(replace(came, example=example, stage=cause.stage, rule=cause.rule))
    found = [_listed(one, expectations) for one in _unrepeated_alike(found)]
    found = _merged(found, witnesses, merger)
    found = [_listed(replace(one, replay=replay(one)), expectations) for one in found]
    found = _joined(sorted(found, key=lambda finding: telling(finding.example)), lambda finding: finding.fingerprint)
    found = _joined(sorted(found, key=_explains_less), _shown)
    found = _joined(sorted(found, key=lambda finding: [*CHECKS].index(finding.example.check)), _named_cause)
    return tuple(sorted((_listed(one, accepted) for one in weigher(found)), key=by_weight))


def as_they_came(
    results: Sequence[ShardResult],
    oracles: Mapping[str, str],
    expectations: Sequence[Expectation],
    explainer: Merger,
    natural: Mapping[str, int] = _NOTHING,
) -> list[Finding]:
    """The findings before any is shrunk: those that an expectation lists as they are, the others by their causes."""
    every = [replace(one, oracle=oracles[one.example.model]) for one in unshrunk(results, natural)]
    known = [one for one in every if matching(expectations, one) is not None]
    return [*known, *_merged((one for one in every if one not in known), _witnesses(results), explainer)]


def _unrepeated_alike(found: Sequence[Finding]) -> list[Finding]:
    """What a subject does not repeat goes by the rule that says most: what changes by chance may come again by chance.

    So does a batch of it that differs from its texts.
    """
    rules: dict[tuple[str, str], set[str]] = defaultdict(set)
    for finding in found:
        rules[finding.example.model, finding.example.subject].add(finding.rule)

    def alike(finding: Finding) -> Finding:
        of_subject = rules[finding.example.model, finding.example.subject]
        is_unrepeated = finding.rule in UNREPEATED or CHECKS[finding.example.check].compares == "single"
        named = next((rule for rule in UNREPEATED if rule in of_subject), None)
        return replace(finding, stage="", rule=named) if named and is_unrepeated else finding

    return [alike(finding) for finding in found]


def _witnesses(results: Iterable[ShardResult]) -> Mapping[tuple[str, str], Sequence[Case]]:
    """By model and subject, the cases on which it differed that were kept."""
    found: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for result in results:
        for group in result.groups.values():
            for example in group.examples:
                found[example.model, example.subject].append(example.case)
    return found


def _merged(
    found: Iterable[Finding], witnesses: Mapping[tuple[str, str], Sequence[Case]], merger: Merger
) -> list[Finding]:
    """The findings of each subject on each model by the fewest causes; what an expectation lists stays as it is."""
    apart: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in found:
        apart[finding.example.model, finding.example.subject].append(finding)
    with_new = [place for place, of_place in apart.items() if any(one.status == "new" for one in of_place)]
    merged: list[Finding] = []
    for place, of_place in apart.items():
        if place in with_new:
            merged += merger(of_place, witnesses.get(place, ()), len(with_new))
        else:
            merged += of_place
    return merged


def _place(finding: Finding) -> tuple[str, ...]:
    example = finding.example
    return example.model, example.subject, example.check, finding.stage, finding.rule


def _joined(found: Iterable[Finding], key: Callable[[Finding], Hashable]) -> list[Finding]:
    """Findings with the same key are one, the first of them, for the mismatches of all; one with no key stays alone."""
    whole: dict[Hashable, Finding] = {}
    for finding in found:
        name = key(finding) or finding
        first = whole.get(name)
        whole[name] = finding if first is None else first.joined(finding)
    return list(whole.values())


def _explains_less(finding: Finding) -> tuple[bool, bool, int]:
    return finding.rule in DESCRIPTIONS, not finding.stage, -finding.count


def _shown(finding: Finding) -> Mismatch | None:
    """The input of an unexpected finding and its answers, by which it is the same as another: their cause is one."""
    if finding.status != "new" or finding.confidence is not None or not CHECKS[finding.example.check].is_sampled:
        return None
    case = replace(finding.example.case, origin="", language="")
    return replace(finding.example, case=case, severity="other ids", evidence=NO_EVIDENCE)


def _named_cause(finding: Finding) -> tuple[str, ...] | None:
    """The stage and rule of an unexpected finding: what follows from them in another check is the same."""
    if finding.status != "new" or not finding.stage:
        return None
    return finding.example.model, finding.example.subject, finding.stage, finding.rule


def _listed(finding: Finding, expectations: Sequence[Expectation]) -> Finding:
    entry = matching(expectations, finding) if finding.status == "new" else None
    return finding if entry is None else replace(finding, status="known", reason=entry.reason, upstream=entry.upstream)


def cells(results: Mapping[str, ShardResult], found: Iterable[Finding]) -> tuple[Cell, ...]:
    """The table model × subject × check. results: by model."""
    known: dict[tuple[str, str, str], int] = defaultdict(int)
    for finding in found:
        if finding.status == "known":
            known[finding.example.place] += finding.count
    return tuple(
        Cell(
            model,
            *key,
            part.compared,
            part.mismatched,
            known[model, *key],
            part.not_applicable,
            part.failures,
            part.explained,
        )
        for model, result in results.items()
        for key, part in sorted(result.counts.items(), key=lambda item: item[0][0])
    )


def language_cells(results: Mapping[str, ShardResult], names: Mapping[str, str]) -> tuple[LanguageCell, ...]:
    """The heat map model × language of each subject. names: the English names of languages, by their file."""
    return tuple(
        LanguageCell(language, subject, compared, mismatched, model, names.get(language, ""))
        for model, result in results.items()
        for (language, subject), (compared, mismatched) in sorted(result.languages.items())
        if language
    )


def methods_of(results: Mapping[str, ShardResult]) -> Methods:
    """The methods and parts of answers that subjects were asked for."""
    return {(model, subject): asked for model, result in results.items() for subject, asked in result.methods.items()}


def nothing_compared(rows: Iterable[tuple[str, str]], tested: Sequence[str], absences: Iterable[Absence]) -> list[str]:
    """A sentence where no subject that is to be tested took part with any model, which proves nothing.

    rows: the models and subjects that were to be compared. absences: of subjects, and why.
    """
    whys = dict.fromkeys(f"{absence.subject}: {absence.message}" for absence in absences if absence.subject in tested)
    if not whys or {*tested} & {subject for _, subject in rows}:
        return []
    return [f"nothing was compared: no subject reads any of the models ({'; '.join(whys)})"]


def missing(absences: Iterable[Absence], required: bool) -> list[str]:
    """A sentence for every subject that was not there for a model.

    required: also for one that does not read it, which else is a result.
    """
    return [
        f"{absence.subject} {'does not read' if absence.kind == 'refused' else 'took no part with'} "
        f"{absence.model}: {absence.message}"
        for absence in absences
        if required or absence.kind != "refused"
    ]


def adapter_problems(results: Mapping[str, ShardResult]) -> list[str]:
    """A sentence for every subject whose adapter had errors of its own: what was asked then is not tested."""
    return [
        f"the adapter of {subject} gave errors of its own in the place of answers, in {errors.cases:,} of its cases "
        f"with {model}, which prove nothing: {errors.message}"
        for model, result in results.items()
        for subject, errors in sorted(result.adapter_errors.items())
    ]


def vacuous(
    table: Sequence[Cell], models: Iterable[str], rows: Iterable[tuple[str, str]], methods: Methods
) -> list[str]:
    """A sentence for everything that proved nothing.

    models: each must have been compared with something. rows: the models and subjects that were to be compared; each
    must have been compared on something and have answered most of what it was asked.
    methods: what subjects were asked for, and whether they have it.
    """
    rows = list(rows)
    with_rows = {model for model, _ in rows}
    idle: dict[tuple[str, str], list[str]] = {}
    problems = [
        f"{model} was compared with nothing: name a subject besides its official library"
        for model in models
        if model not in with_rows
    ]
    for model, subject in rows:
        row = _row(table, model, subject)
        asked = [cell for cell in row if CHECKS[cell.check].counts_answers]
        failures, questions = sum(cell.failures for cell in asked), sum(cell.compared for cell in asked)
        if not sum(cell.compared for cell in row):
            checks = dict.fromkeys(cell.check for cell in row)
            whys = dict.fromkeys(_why_nothing(row, check, methods.get((model, subject), {})) for check in checks)
            since = " and ".join(filter(None, whys)) if row else _NO_CASE
            idle.setdefault((model, since), []).append(subject)
        elif failures > MOST_UNANSWERED * questions:
            problems.append(f"{subject} gave no answer to {failures:,} of {questions:,} questions on {model}")
    for (model, since), subjects in idle.items():
        were = f"{' and '.join(subjects)} {'were' if subjects[1:] else 'was'}"
        reason = f", since {since.replace(_HAS_NO, _HAVE_NO) if subjects[1:] else since}" if since else ""
        problems.append(f"{were} compared on nothing with {model}: nothing is proved{reason}")
    return problems


def unchecked(
    table: Sequence[Cell], checks: Iterable[str], rows: Iterable[tuple[str, str]], methods: Methods, required: bool
) -> list[str]:
    """A sentence for each check that was asked for by name and could compare nothing.

    required: also where the subject has not the methods for it, which else is a result.
    """
    checks = list(checks)
    problems: list[str] = []
    for model, subject in rows:
        row = _row(table, model, subject)
        for check in checks:
            if sum(cell.compared for cell in row if cell.check == check):
                continue
            why = _why_nothing(row, check, methods.get((model, subject), {}))
            if why.startswith(_HAS_NO) and not required:
                continue
            what = f"{subject} gives nothing to compare on {model}"
            if why == _NO_CASE:
                what = f"there is nothing to compare on {model}"
            problems.append(f"{check} was asked for, but {what}{': ' if why else ''}{why}")
    return problems


def _why_nothing(row: Sequence[Cell], check: str, asked: Mapping[str, bool]) -> str:
    """The reason why a check compared nothing of one model and subject, "" where that is not known.

    asked: what the subject was asked for, and whether it has it. Where that is nothing, no text or no ids came to it.
    """
    cases = sum(cell.compared + cell.not_applicable for cell in row if cell.check == check)
    names = CHECKS[check].methods
    of_check = [is_there for method, is_there in asked.items() if method.partition(".")[0] in names]
    if not cases or (names and not of_check):
        return _NO_CASE
    if any(of_check) or not names:
        return ""
    return f"{_HAS_NO}ne of {', '.join(names)}" if names[1:] else f"{_HAS_NO} {names[0]}"


def _row(table: Sequence[Cell], model: str, subject: str) -> list[Cell]:
    return [cell for cell in table if (cell.model, cell.subject) == (model, subject)]
