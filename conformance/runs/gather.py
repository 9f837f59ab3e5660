"""From finished shards to findings and tables: pure functions, so that a resumed run ends like an unbroken one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from conformance.causes.attribution import DESCRIPTIONS, Attribution
from conformance.causes.verdict import RIGHT_AGAIN
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

Place: TypeAlias = "tuple[str, str]"
"""A model and a subject."""
Shrunk: TypeAlias = "tuple[Mismatch, Attribution]"
"""A smaller mismatch of the same kind, and the cause that stands after that."""


@dataclass(frozen=True, slots=True)
class Steps:
    """What is done with the findings of one subject on one model, in this order; nothing, where nothing is said.

    explained: those of one cause as one, given the cases on which the subject differed, too. shrunk: the example of
    each, and the cause that it shows. merged: to the fewest causes, given what `explained` is given; what an
    expectation lists stays as it is. weighed: with their weights in place of the counted shares.
    """

    explained: Callable[[Sequence[Finding], Sequence[Case]], Sequence[Finding]] = lambda found, _: found
    shrunk: Callable[[Sequence[Finding]], Iterable[Shrunk]] = lambda found: map(as_it_came, found)
    merged: Callable[[Sequence[Finding], Sequence[Case]], Sequence[Finding]] = lambda found, _: found
    weighed: Callable[[Sequence[Finding]], Sequence[Finding]] = lambda found: found


def as_it_came(finding: Finding) -> Shrunk:
    """The example of a finding, and its cause."""
    return finding.example, Attribution(finding.stage, finding.rule)


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
    replay: Callable[[Finding], str],
    steps_of: Callable[[Place, int, int], Steps] = lambda place, number, total: Steps(),
    natural: Mapping[str, int] = _NOTHING,
    accepted: Sequence[Expectation] = (),
) -> tuple[Finding, ...]:
    """One finding a cause, shrunk, the worst first.

    results: one a model. natural: as of `unshrunk`. Causes that turn out the same after shrinking are joined, and so
    are those that are left with the same example.
    steps_of: what is done with the findings of a subject on a model, given which of how many places it is, from 1. All
        steps of one are done before those of the next: what is known of its causes, and its model, leave the memory.
    accepted: the entries of baselines. They list what comes out at the end, which is then what came out where it was
        accepted: what is accepted changes no finding but its status.
    """
    results = [*results]
    witnesses = witnesses_of(results)
    places = by_place(results, oracles, natural)
    found: list[Finding] = []
    for number, (place, came) in enumerate(places.items(), 1):
        found += _finished(came, witnesses[place], expectations, replay, steps_of(place, number, len(places)))
    return tuple(sorted((_listed(one, accepted) for one in found), key=by_weight))


def _finished(
    came: Sequence[Finding],
    witnesses: Sequence[Case],
    expectations: Sequence[Expectation],
    replay: Callable[[Finding], str],
    steps: Steps,
) -> Sequence[Finding]:
    """The findings of one subject on one model, after all steps."""
    came = sorted(explained(came, witnesses, expectations, steps.explained), key=_place)
    found = []
    for one, (example, cause) in zip(came, steps.shrunk(came), strict=True):
        confidence = None if cause.rule in UNREPEATED else one.confidence
        if confidence is not None:  # its cause is known, whatever a smaller input looks like
            cause = Attribution(one.stage, one.rule)
        found.append(replace(one, example=example, stage=cause.stage, rule=cause.rule, confidence=confidence))
    found = [_listed(one, expectations) for one in _unrepeated_alike(found)]
    if any(one.status == "new" for one in found):
        found = [*steps.merged(found, witnesses)]
    found = [_listed(replace(one, replay=replay(one)), expectations) for one in found]
    found = _joined(sorted(found, key=lambda finding: telling(finding.example)), lambda finding: finding.fingerprint)
    found = _joined(sorted(found, key=_explains_less), _shown)
    found = _joined(sorted(found, key=lambda finding: [*CHECKS].index(finding.example.check)), _named_cause)
    return steps.weighed(found)


def by_place(
    results: Iterable[ShardResult], oracles: Mapping[str, str], natural: Mapping[str, int] = _NOTHING
) -> dict[Place, list[Finding]]:
    """The findings as they came, by place. oracles: by model."""
    places: dict[Place, list[Finding]] = defaultdict(list)
    for one in unshrunk(results, natural):
        places[one.example.model, one.example.subject].append(replace(one, oracle=oracles[one.example.model]))
    return places


def explained(
    came: Sequence[Finding],
    witnesses: Sequence[Case],
    expectations: Sequence[Expectation],
    explainer: Callable[[Sequence[Finding], Sequence[Case]], Sequence[Finding]],
) -> list[Finding]:
    """The findings of one subject on one model: those that an expectation lists as they are, the others explained."""
    known = [one for one in came if matching(expectations, one) is not None]
    others = [one for one in came if one not in known]
    return [*known, *(explainer(others, witnesses) if others else ())]


def _unrepeated_alike(found: Sequence[Finding]) -> list[Finding]:
    """What a subject does not repeat goes by the rule that says most: what changes by chance may come again by chance.

    So does a batch of it that differs from its texts.
    """
    rules = {one.rule for one in found}
    named = next((rule for rule in UNREPEATED if rule in rules), None)
    if named is None:
        return [*found]
    return [
        replace(one, stage="", rule=named)
        if one.rule in UNREPEATED or CHECKS[one.example.check].compares == "batch"
        else one
        for one in found
    ]


def with_unrepeated_joined(found: Sequence[Finding]) -> list[Finding]:
    """The findings; one without a rule joins the unrepeated one, if the subject is right when asked again.

    found: of one subject on one model, with their verdicts.
    """
    unrepeated = next((one for one in found if one.rule in UNREPEATED), None)
    if unrepeated is None:
        return [*found]
    alike = [one for one in found if not one.stage and one.verdict.endswith(RIGHT_AGAIN)]
    for one in alike:
        unrepeated = unrepeated.joined(one)
    return [unrepeated if one.rule == unrepeated.rule else one for one in found if one not in alike]


def witnesses_of(results: Iterable[ShardResult]) -> Mapping[tuple[str, str], Sequence[Case]]:
    """By model and subject, the cases on which it differed that were kept."""
    found: dict[tuple[str, str], list[Case]] = defaultdict(list)
    for result in results:
        for group in result.groups.values():
            for example in group.examples:
                found[example.model, example.subject].append(example.case)
    return found


def _place(finding: Finding) -> tuple[str, ...]:
    return finding.example.check, finding.stage, finding.rule


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
    is_named = finding.stage or finding.rule in UNREPEATED
    return (finding.stage, finding.rule) if finding.status == "new" and is_named else None


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
