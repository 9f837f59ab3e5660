"""Which mismatches of a run are put down to which cause: those that it would make by itself.

Of two mistakes in one text each counts, so that either weighs beside the other what it weighs alone. A run keeps the
digest of each wrong answer: what causes, alone or at once, do not foretell, has another cause besides.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from conformance.causes.catalogue import Sample
from conformance.causes.edits import predicted
from conformance.causes.fewest import BELIEVED
from conformance.causes.loop import Trial
from conformance.causes.witnesses import Family
from conformance.checks import CHECKS
from conformance.core.case import Case
from conformance.core.observation import Decoded, Encoded
from conformance.engine.plan import Plan
from conformance.engine.questions import shard_questions
from conformance.engine.result import ShardResult, digest
from reftok.formats.collection import collecting_later

MOST_CLAIMED = 10_000
"""So many mismatches of a check are looked at one by one; of more, every second, third, ... stands for those after it.
Natural texts are all looked at."""

MOST_BESIDE = 1 - BELIEVED
"""The share of the mismatches in the scope of causes that these need not foretell."""


@dataclass(slots=True)
class Tally:
    """How many mismatches there are, and how many of each language."""

    count: int = 0
    languages: Counter[str] = field(default_factory=Counter)

    def add(self, case: Case, times: int) -> None:
        self.count += times
        self.languages[case.language] += times

    def joined(self, other: Tally) -> Tally:
        """Both together."""
        return Tally(self.count + other.count, self.languages + other.languages)


@dataclass(slots=True)
class Claims:
    """The mismatches of one check.

    of_causes: by cause. beside: those among them that no causes foretell. unclaimed: those that no cause would make.
    cases: of both, as they came.
    """

    of_causes: dict[Any, Tally] = field(default_factory=lambda: defaultdict(Tally))
    beside: Tally = field(default_factory=Tally)
    unclaimed: Tally = field(default_factory=Tally)
    cases: list[Case] = field(default_factory=list)

    @property
    def left(self) -> Sequence[Case]:
        """The cases that show another cause: a cause foretells most of what it would make, and not all."""
        most = MOST_BESIDE * sum(tally.count for tally in self.of_causes.values())
        return self.cases if self.unclaimed.count or self.beside.count > most else ()


def claims_of(plan: Plan, trial: Trial, results: Iterable[ShardResult]) -> dict[str, Claims]:
    """By check, what the causes of a trial claim of the wrong answers that a run has kept.

    results: of the shards of the trial's model, none joined.
    """
    wrong: dict[str, list[tuple[Case, str]]] = defaultdict(list)
    for result in results:
        kept = {check: found for (subject, check), found in result.wrong.items() if subject == trial.subject}
        if kept:
            with collecting_later():
                cases = shard_questions(plan, result.shard, trial.bench)
            for check, found in kept.items():
                wrong[check] += [(cases[place], answer) for place, answer in found]
    claims: dict[str, Claims] = {}
    for check, answers in wrong.items():
        family: Family[Any, Any, Any] = trial.ids if CHECKS[check].diagnosis == "decoding" else trial.texts
        claims[check] = Claims()
        for case, answer, times in _looked_at(answers):
            _claim(claims[check], trial, family, case, answer, times)
    return claims


def _looked_at(answers: Sequence[tuple[Case, str]]) -> Iterator[tuple[Case, str, int]]:
    """The mismatches that are looked at, each with the number of those for which it stands."""
    others = [one for one in answers if not one[0].language]
    step = 1 + len(others) // MOST_CLAIMED
    yield from ((*one, 1) for one in answers if one[0].language)
    yield from ((*one, min(step, len(others) - place)) for place, one in list(enumerate(others))[::step])


def _claim(claims: Claims, trial: Trial, family: Family[Any, Any, Any], case: Case, answer: str, times: int) -> None:
    sample = trial.due(family, case)
    if sample is None:
        return
    in_scope = [cause for cause in family.believed if family.is_in_scope(cause, sample)]
    for cause in in_scope:
        claims.of_causes[cause].add(case, times)
    if not in_scope or not _is_foretold(family, sample, answer):
        (claims.beside if in_scope else claims.unclaimed).add(case, times)
        claims.cases.append(case)


def _is_foretold(family: Family[Any, Any, Any], sample: Sample[Any, Any], answer: str) -> bool:
    """Whether causes, alone or at once, give the answer with this digest."""
    answers = (predicted(partial(give, sample.asked)) for _, give in family.at_once([*family.believed]))
    return any(given is not None and answer in _digests(given) for given in answers)


def _digests(given: tuple[int, ...] | Decoded) -> set[str]:
    """The digests of an answer, as subjects give it: not every one can keep special tokens."""
    if isinstance(given, Decoded):
        return {digest(given), digest(Decoded(given.text))}
    return {digest(Encoded(given))}
