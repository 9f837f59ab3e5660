"""The weight of findings: a subject is asked natural texts, and each that is changed is put down to a finding.

What a run has counted on its corpora is not asked again.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

from conformance.causes.attribution import DESCRIPTIONS, Attribution
from conformance.causes.edits import predicted
from conformance.causes.edits.together import orders, together
from conformance.causes.one_answer import attributor_of
from conformance.causes.weight_class import weight_class
from conformance.checks import CHECKS
from conformance.checks.base import Answers, Difference
from conformance.core.case import Case, text_case
from conformance.core.finding import Finding
from conformance.core.observation import Encoded, Failure
from conformance.core.weight import ALL, Share, Weight
from conformance.engine.bench import Bench
from conformance.engine.collecting import collect_answers
from conformance.inputs.corpora import corpus_names, natural_lines

LINES, LINES_IN_STREAMS = 6, 1
"""Of each language and domain, so many lines are asked; those in streams are cut in many ways."""
MOST_WORDS, MOST_LANGUAGES = 150, 12
"""So many words of a language are asked alone, of so many languages, those with the most changed texts."""
FIRST_AT_ONCE, MOST_AT_ONCE, SECONDS_AT_ONCE = 16, 128, 0.25
"""Questions are put in batches that double; where there is a deadline, in such as are answered in so many seconds."""
MOST_UNANSWERED = 60
"""So many texts without an answer are enough, and no words are asked after them: it may take seconds each time."""
_ORIGIN = "weight"


@dataclass(slots=True)
class _Tally:
    """What was asked, by language or domain, and what each finding changed of it."""

    asked: Counter[str] = field(default_factory=Counter)
    changed: dict[Finding, Counter[str]] = field(default_factory=dict)
    shortest: dict[Finding, Case] = field(default_factory=dict)

    def shows(self, finding: Finding, case: Case) -> None:
        """Count a text that a finding changes; the shortest is kept."""
        self.counted({}, {finding: {case.language: 1}})
        self.shortest[finding] = min(self.shortest.get(finding, case), case, key=lambda one: len(one.text))

    def counted(self, asked: Mapping[str, int], changed: Mapping[Finding, Mapping[str, int]]) -> None:
        """Count in what was asked elsewhere."""
        self.asked.update(asked)
        for finding, counts in changed.items():
            self.changed.setdefault(finding, Counter()).update(counts)

    def shares(self, finding: Finding) -> dict[str, tuple[int, int]]:
        """How much is changed, of how many that were asked."""
        counts = self.changed.get(finding, Counter())
        return {name: (min(counts[name], asked), asked) for name, asked in self.asked.items() if counts[name]}


def weighed(
    bench: Bench, findings: Sequence[Finding], counted: Mapping[str, int], deadline: float = math.inf
) -> list[Finding]:
    """The findings of one subject on one model, each with its weight.

    findings: all of this subject, the known ones too, which may be the cause of what a text shows; each with the shares
        that the run itself has counted, by the names of corpus files. Where none is new, nothing is asked.
    counted: how many natural texts the run has asked, by the names of corpus files.
    deadline: of `time.monotonic`, from which on nothing more is asked. Without one, what is asked hangs on no clock.
    """
    is_there = all(finding.example.subject in bench.subjects for finding in findings)
    is_asked = is_there and any(finding.status == "new" for finding in findings)
    is_asked = is_asked and time.monotonic() < deadline
    if is_asked:
        bench.renew()
    of_texts = [one for one in findings if CHECKS[one.example.check].compares != "chat"]  # no natural text is a chat
    by_stream = {
        is_much: [one for one in of_texts if CHECKS[one.example.check].asks_much == is_much]
        for is_much in (False, True)
    }
    weights = {one: Weight() for one in findings}
    shortest: dict[Finding, Case] = {}
    for is_stream, some in by_stream.items():
        texts, words = _Tally(), _Tally()
        if not is_stream:
            texts.counted(counted, {one: {part.of: part.changed for part in one.weight.parts} for one in some})
        if is_asked and some:
            later = 0 if is_stream else 1 + bool(by_stream[True])
            lines = _lines(LINES_IN_STREAMS if is_stream else LINES, texts.asked)
            answers = _ask(bench, some, texts, lines, _share_of_time(deadline, later))
            if not is_stream and answers:
                _ask(bench, some, words, _words(_most_changed(texts)), _share_of_time(deadline, later - 1))
        weights |= {one: _weight(bench, one, texts, words) for one in some}
        shortest |= texts.shortest | words.shortest
    return [_with_natural(replace(one, weight=weights[one]), shortest.get(one)) for one in findings]


def _with_natural(finding: Finding, natural: Case | None) -> Finding:
    """The finding with a natural text that shows it, where its own example is none."""
    example = finding.example
    if natural is None or natural.text == example.case.text:
        return finding
    return replace(finding, example=replace(example, evidence=replace(example.evidence, natural=natural)))


def _share_of_time(deadline: float, later: int) -> float:
    """When to end, so that as much is left for each of so many that come later."""
    now = time.monotonic()
    return now + (deadline - now) / (1 + later)


def _weight(bench: Bench, finding: Finding, texts: _Tally, words: _Tally) -> Weight:
    whole = None
    found = texts.shares(finding), words.shares(finding)
    if texts.asked:
        whole = Share(ALL, "texts", sum(changed for changed, _ in found[0].values()), texts.asked.total())
    kind = weight_class(finding, whole, bench.reference.tokenizer)
    if kind == "not weighed":
        return Weight()
    names = corpus_names()
    of_words = [Share(names.get(name, name), "words", *counts) for name, counts in found[1].items()]
    of_texts = [Share(names.get(name, name), "texts", *counts) for name, counts in found[0].items()]
    shares = sorted(
        (*of_words, *of_texts), key=lambda share: (share.what == "texts", -share.rate, -share.asked, share.of)
    )
    return Weight(kind, (*([whole] if whole else []), *shares))


# --- what is asked


def _lines(count: int, known: Mapping[str, int]) -> list[Case]:
    """So many lines of each language and domain from all over it, by turns, but for those that are known."""
    sampled = {name: _spread(lines, count) for name, lines in natural_lines().items() if name not in known}
    return [
        text_case(lines[number], _ORIGIN, name)
        for number in range(count)
        for name, lines in sampled.items()
        if number < len(lines)
    ]


def _words(languages: Sequence[str]) -> list[Case]:
    """Words of these languages, each once."""
    of_each = {
        name: _spread([*dict.fromkeys(chain.from_iterable(map(str.split, natural_lines()[name])))], MOST_WORDS)
        for name in languages
    }
    return [text_case(word, _ORIGIN, name) for name, words in of_each.items() for word in words]


def _spread(items: Sequence[str], count: int) -> list[str]:
    """So many of the items, from all over them.

    >>> _spread("abcdefghi", 3), _spread("ab", 3)
    (['b', 'e', 'h'], ['a', 'b'])
    """
    if len(items) <= count:
        return list(items)
    return [items[(2 * number + 1) * len(items) // (2 * count)] for number in range(count)]


def _most_changed(texts: _Tally) -> list[str]:
    """The languages with the most changed texts; of each finding the first, then of each the second, and so on."""
    ranked = []
    for finding in texts.changed:
        shares = texts.shares(finding)
        names = [name for name in shares if name in corpus_names() and name in natural_lines()]
        ranked.append(sorted(names, key=lambda name: (-shares[name][0] / shares[name][1], name)))
    longest = max(map(len, ranked), default=0)
    turns = (names[number] for number in range(longest) for names in ranked if number < len(names))
    return list(dict.fromkeys(turns))[:MOST_LANGUAGES]


# --- asking


def _ask(bench: Bench, findings: Sequence[Finding], tally: _Tally, cases: Sequence[Case], until: float) -> bool:
    """Count what the cases show, as far as there is time. Whether the subject has answered enough to ask it more."""
    subject = findings[0].example.subject
    checks = _checks(findings)
    unanswered = 0
    for part in _parts(cases, until):
        if unanswered >= MOST_UNANSWERED:
            return False
        answers = collect_answers(bench, part, checks, subject)
        if bench.is_over():
            return False
        for case, expected, observed in zip(part, answers[bench.oracle], answers[subject], strict=True):
            if isinstance(observed.encoding, Failure) and observed.encoding.kind == "not asked":
                return False
            changed = _causes(bench, findings, checks, case, expected, observed)
            tally.counted({case.language: 1}, {})
            unanswered += any(finding.example.severity == "no answer" for finding in changed)
            for finding in changed:
                tally.shows(finding, case)
    return unanswered < MOST_UNANSWERED


def _parts(cases: Sequence[Case], until: float) -> Iterator[Sequence[Case]]:
    start, size = 0, FIRST_AT_ONCE if until == math.inf else 1
    while start < len(cases) and (begun := time.monotonic()) < until:
        yield cases[start : start + size]
        start += size
        is_quick = until == math.inf or time.monotonic() - begun < SECONDS_AT_ONCE
        size = min(2 * size, MOST_AT_ONCE) if is_quick else max(1, size // 2)


def _checks(findings: Sequence[Finding]) -> list[str]:
    """The checks that these findings fail, and those whose difference would be the cause; causes come first."""
    failed = {finding.example.check for finding in findings}
    failed |= {cause for check in failed for cause in CHECKS[check].follows}
    return [name for name in CHECKS if name in failed]


def _causes(
    bench: Bench, findings: Sequence[Finding], checks: Sequence[str], case: Case, expected: Answers, observed: Answers
) -> set[Finding]:
    """The findings that a case shows."""
    differing: set[str] = set()
    found: set[Finding] = set()
    for check in map(CHECKS.__getitem__, checks):
        if differing.intersection(check.follows) or not isinstance(check(case, expected, observed), Difference):
            continue
        differing.add(check.name)
        suspects = [finding for finding in findings if finding.example.check == check.name]
        for one in check.by_rule(observed) if suspects else ():
            difference = check(case, expected, one)
            assert isinstance(difference, Difference)
            found |= _shown(bench, suspects, case, difference, expected, one)
    return found


def _shown(
    bench: Bench, suspects: Sequence[Finding], case: Case, difference: Difference, expected: Answers, observed: Answers
) -> set[Finding]:
    """The findings of a check that a difference shows: of ids, those whose causes change the ids of this text.

    What no cause explains is put down to what has no known rule as well.
    """
    alike = [finding for finding in suspects if finding.example.rule == difference.rule]
    named = {one: Attribution(one.stage, one.rule) for one in alike if one.stage and one.rule not in DESCRIPTIONS}
    explaining = (
        finding
        for finding, cause in named.items()
        if attributor_of(bench).explains(
            cause, finding.example.subject, finding.example.check, case, expected, observed
        )
    )
    first = next(explaining, None)
    right, given = expected.encoding, observed.encoding
    is_of_ids = CHECKS[suspects[0].example.check].diagnosis == "ids"
    if not is_of_ids or not isinstance(right, Encoded) or not isinstance(given, Encoded):
        others = chain((one for one in alike if one not in named), alike, suspects)
        return {first or next(others)}
    search, text = attributor_of(bench).encoding, case.readable_text
    faults = {one: search.of_rule(cause.stage, cause.rule) for one, cause in named.items()}
    in_scope = {*filter(None, [first])}
    for one, some in faults.items():
        if any(search.remembered(fault, text) not in (None, right.ids) for fault in some):
            in_scope.add(one)
    at_once = orders([some[0] for some in faults.values() if some])
    all_together = (together(bench.reference.tokenizer, several) for several in at_once)
    if first or any(one is not None and predicted(partial(one.ids, text)) == given.ids for one in all_together):
        return in_scope
    return in_scope | {one for one in alike if not faults.get(one)}
