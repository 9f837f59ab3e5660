"""The result of a shard: counts, and mismatches in groups that look alike."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from hashlib import blake2b
from heapq import nsmallest
from typing import TypeAlias
from zlib import crc32

from conformance.checks.base import END
from conformance.checks.methods import add_methods
from conformance.core.finding import MOST_EXAMPLES, SEVERITIES, Mismatch
from conformance.core.observation import Decoded, Encoded, Failure
from conformance.core.records import Count
from conformance.inputs.shards import Shard

WITNESSES = 3
"""So many examples of a group are asked again, to tell whether it is still there."""
OF_EACH_STRATUM = 2
"""So many examples of each stratum are kept: one mistake may own all the short inputs, or all texts of the corpora."""
DRAWN = 48
"""So many examples are kept besides, drawn from all: a mistake that owns no stratum has its share of these."""

GroupKey: TypeAlias = tuple[str, str, str, str]
"""Subject, check, stage and rule: what mismatches of one model are grouped by."""
Wrong: TypeAlias = dict[tuple[str, str], list[tuple[int, str]]]
"""By subject and check, the place of each case of a shard that differs, and the digest of its answer."""


@dataclass(slots=True)
class Group:
    """Mismatches that look alike.

    languages: how many are of each. examples: the smallest few, of other cases, a few of each stratum, a few of all.
    """

    count: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    examples: list[Mismatch] = field(default_factory=list)

    def add(self, examples: Sequence[Mismatch], others: Sequence[Mismatch] = ()) -> None:
        """Count mismatches. others: those that may be no examples."""
        languages = Counter(one.case.language for one in (*examples, *others) if one.case.language)
        self.join(Group(len(examples) + len(others), languages, [*examples]))

    def join(self, part: Group) -> None:
        """Count a part in."""
        self.count += part.count
        self.languages += part.languages
        if part.examples:
            each = {
                one.case.content: one for one in sorted([*self.examples, *part.examples], key=telling, reverse=True)
            }
            self.examples = [*_kept(sorted(each.values(), key=telling))]

    @property
    def witnesses(self) -> list[Mismatch]:
        """The first few of the examples."""
        return self.examples[:WITNESSES]


def _kept(examples: Sequence[Mismatch]) -> Iterator[Mismatch]:
    """The first few, the first few of each stratum, and a few of all, which are the same in any order of the parts."""
    of_stratum: Counter[object] = Counter()
    drawn = {id(example) for example in nsmallest(DRAWN, examples, key=lambda one: _lot(one.case.content))}
    for number, example in enumerate(examples):
        strata = _strata(example)
        of_stratum.update(strata)
        is_early = any(of_stratum[stratum] <= OF_EACH_STRATUM for stratum in strata)
        if number < MOST_EXAMPLES or is_early or id(example) in drawn:
            yield example


def _strata(example: Mismatch) -> tuple[object, object]:
    """What an example is like: how the answers differ, with the length and the source; and of a session the generator.

    How the answers differ: where they part, and whether one of them ends there. Of lengths, the next is four times as
    long.
    """
    expected, observed, case = example.expected, example.observed, example.case
    ends = expected.endswith(END), observed.endswith(END)
    source, *rest = case.origin.split(":")
    return (expected[:1] == "…", ends, case.kind, case.size.bit_length() // 2, source), (source, *rest[2:3])


@lru_cache(4_096)
def _lot(content: object) -> int:
    """A number by which examples are drawn, whatever they are."""
    return crc32(repr(content).encode("utf-8", "surrogatepass"))


@dataclass(slots=True)
class Counts:
    """Of one subject and check: answers compared, mismatched, left out by rule, and not given at all.

    explained: how many of those that were left out differ, as another check has told.
    """

    compared: Count = 0
    mismatched: Count = 0
    not_applicable: Count = 0
    failures: Count = 0
    explained: Count = 0

    def join(self, part: Counts) -> None:
        """Count a part in."""
        self.compared += part.compared
        self.mismatched += part.mismatched
        self.not_applicable += part.not_applicable
        self.failures += part.failures
        self.explained += part.explained


@dataclass(frozen=True, slots=True)
class AdapterErrors:
    """The cases to which an adapter answered with an error of its own. message: one of them, the same in any order."""

    cases: Count
    message: str

    def joined(self, part: AdapterErrors) -> AdapterErrors:
        """Both together."""
        return AdapterErrors(self.cases + part.cases, min(self.message, part.message))


@dataclass(slots=True)
class ShardResult:
    """The result of a shard.

    answers: how many answers of subjects were compared. languages: by language and subject, how many answers were
    compared, and how many mismatched. unavailable: by subject, why it takes no part with the model. methods: by
    subject, the methods and parts of answers that it was asked for, and whether it has them. adapter_errors: by
    subject, those of what stands between it and the harness. noise: by subject, the first line that it said in the
    place of an answer; not kept in the journal. wrong: what causes are held against at the end; it is of this shard
    alone, and not joined.
    """

    shard: Shard
    cases: int = 0
    answers: int = 0
    seconds: float = 0.0
    counts: dict[tuple[str, str], Counts] = field(default_factory=partial(defaultdict, Counts))
    languages: dict[tuple[str, str], list[int]] = field(default_factory=partial(defaultdict, partial(list, (0, 0))))
    groups: dict[GroupKey, Group] = field(default_factory=partial(defaultdict, Group))
    unavailable: dict[str, Failure] = field(default_factory=dict)
    methods: dict[str, dict[str, bool]] = field(default_factory=partial(defaultdict, dict))
    adapter_errors: dict[str, AdapterErrors] = field(default_factory=dict)
    noise: dict[str, str] = field(default_factory=dict, compare=False)
    wrong: Wrong = field(default_factory=partial(defaultdict, list))

    def join(self, part: ShardResult) -> None:
        """Count a part in, which stays as it is."""
        self.cases += part.cases
        self.answers += part.answers
        self.seconds += part.seconds
        self.unavailable |= part.unavailable
        for subject, asked in part.methods.items():
            add_methods(self.methods[subject], asked)
        for subject, errors in part.adapter_errors.items():
            before = self.adapter_errors.get(subject)
            self.adapter_errors[subject] = errors if before is None else before.joined(errors)
        for key, counts in part.counts.items():
            self.counts[key].join(counts)
        for language, (compared, mismatched) in part.languages.items():
            pair = self.languages[language]
            self.languages[language] = [pair[0] + compared, pair[1] + mismatched]
        for group_key, group in part.groups.items():
            self.groups[group_key].join(group)


def empty_result(model: str) -> ShardResult:
    """A result of a model for others to be counted into."""
    return ShardResult(Shard(model, "fuzz", 0, 1))


def by_model(results: Iterable[ShardResult], models: Iterable[str]) -> dict[str, ShardResult]:
    """All results of each model as one, in the order of the models; the parts stay as they are."""
    whole = {model: empty_result(model) for model in models}
    for result in results:
        whole[result.shard.model].join(result)
    return whole


def digest(answer: Encoded | Decoded) -> str:
    """The digest of ids, or of a text, by which an answer is known again.

    >>> digest(Encoded((1, 2))) == digest(Encoded((1, 2), tokens=("a", "b"))) != digest(Encoded((12,)))
    True
    """
    said = answer.ids if isinstance(answer, Encoded) else (answer.text, answer.with_special)
    return blake2b(repr(said).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def telling(mismatch: Mismatch) -> tuple[int, bool, int, str]:
    """The order of examples: the worst first, of equals a text or ids, then the smallest case, then by origin.

    Of bytes no cause is sought.
    """
    case = mismatch.case
    return SEVERITIES.index(mismatch.severity), case.kind == "bytes", case.size, case.origin
