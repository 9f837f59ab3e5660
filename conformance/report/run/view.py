"""The words that every report shares: order, states of a cell, headline, the input and the two answers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice, zip_longest
from typing import Literal

from conformance.checks import CHECKS, by_weight
from conformance.core.case import Case
from conformance.core.finding import Example, Finding, Mismatch, Severity, Status
from conformance.core.rule_table import rule_row, usual_cause
from conformance.core.run import MENDED, Absence, Cell, Run
from conformance.report.run.weight_words import in_natural_text, weight_words, worst_words
from conformance.report.text import character_names, visible, visible_part

State = Literal["equal", "new", "known", "follows", "silent", "none"]
"""Of a cell: all answers equal, some unexpected, some known to differ, some that differ only where another check does,
most not given, nothing compared."""

SYMBOLS: dict[State, str] = {"equal": "✓", "new": "✗", "known": "≈", "follows": "↳", "silent": "!", "none": "–"}
MEANINGS: dict[State, str] = {
    "equal": "all equal",
    "new": "unexpected mismatches",
    "known": "only known mismatches",
    "follows": "differs only where another check does",
    "silent": "no answer to compare",
    "none": "not applicable",
}

MOST_NUMBERED = 4
"""Characters of a text of which the numbers stand beside it."""

MOST_OTHERS = 3
"""So many other cases of a finding are shown."""

SHARED = 40
"""The code points shown of what both answers share."""

_DIGITS = "0123456789"
LONG = 40
"""In a text of so many characters it is said where the answers part, and runs are counted."""
_NUMBER = re.compile("#?[0-9]{1,3}")
_RUN = re.compile(r"(.{1,16}?)\1{19,}", re.DOTALL)

_DEEDS: dict[Severity, str] = {
    "special-token injection": "lets text make special tokens",
    "other text": "gives other text",
    "other ids": "gives other ids",
    "no answer": "gives no answer",
    "offsets only": "gives other offsets",
}
_UNITS = ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k"))
_COMPARED = ("other text", "other ids", "offsets only")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the matrix: one subject on one model, a cell for every check (None where there is none).

    absence: why the subject took no part with the model; None where it did.
    """

    model: str
    subject: str
    cells: tuple[Cell | None, ...]
    absence: Absence | None = None

    @property
    def compared(self) -> int:
        return sum(cell.compared for cell in self.cells if cell)

    @property
    def mismatched(self) -> int:
        return sum(cell.mismatched for cell in self.cells if cell)

    @property
    def known(self) -> int:
        return sum(cell.known for cell in self.cells if cell)

    @property
    def state(self) -> State:
        """The worst of its cells; of what took no part, whether that is a result."""
        if self.absence:
            return "none" if self.absence.kind == "refused" else "silent"
        states = {state(cell) for cell in self.cells}
        order: tuple[State, ...] = ("new", "silent", "known", "follows", "equal")
        return next((item for item in order if item in states), "none")


@dataclass(frozen=True, slots=True)
class Answers:
    """Two answers made visible, cut where they part; of what they share, only the end."""

    shared: str
    expected: str
    observed: str

    @property
    def lines(self) -> tuple[str, str]:
        """Both in one piece each."""
        return self.shared + self.expected or "(empty)", self.shared + self.observed or "(empty)"


def checks(run: Run) -> tuple[str, ...]:
    """The columns of the matrix."""
    return tuple(dict.fromkeys((*run.checks, *(cell.check for cell in run.cells))))


def rows(run: Run) -> list[Row]:
    """The lines of the matrix, by model; subjects in the order in which the cells name them, then who took no part."""
    found: dict[str, dict[str, dict[str, Cell]]] = {model.name: {} for model in run.models}
    for cell in run.cells:
        found.setdefault(cell.model, {}).setdefault(cell.subject, {})[cell.check] = cell
    absent = {(absence.model, absence.subject): absence for absence in run.absences}
    for model, subject in absent:
        found.setdefault(model, {}).setdefault(subject, {})
    columns = checks(run)
    return [
        Row(model, subject, tuple(map(cells.get, columns)), absent.get((model, subject)))
        for model, subjects in found.items()
        for subject, cells in subjects.items()
    ]


def absence_sentence(absence: Absence, model: str = "this model") -> str:
    """Why a subject took no part.

    >>> absence_sentence(Absence("m", "s", "refused", "no Precompiled"))
    'does not read this model: no Precompiled'
    """
    deed = "does not read" if absence.kind == "refused" else "took no part with"
    return f"{deed} {model}: {absence.message}"


def state(cell: Cell | None) -> State:
    """The state a cell amounts to.

    >>> state(Cell("m", "s", "ids", compared=9, mismatched=2, known=1)), state(Cell("m", "s", "ids", compared=0))
    ('new', 'none')
    """
    if cell is None:
        return "none"
    if cell.mismatched > cell.known:
        return "new"
    if cell.compared <= cell.failures and not cell.explained:
        return "silent" if cell.failures else "none"
    if cell.mismatched:
        return "known"
    return "follows" if cell.explained else "equal"


def differing(cell: Cell | None) -> int:
    """The answers that make the state of a cell what it is; 0 where all are equal, or none were compared.

    >>> differing(Cell("m", "s", "ids", compared=9, mismatched=2, known=1)), differing(Cell("m", "s", "ids", 9))
    (1, 0)
    """
    if cell is None:
        return 0
    numbers = {"known": cell.known, "follows": cell.explained, "silent": cell.failures}
    return numbers.get(state(cell), cell.mismatched - cell.known)


def sentence(cell: Cell | None) -> str:
    """A cell in words, for those who do not see its colour and sign.

    >>> sentence(Cell("m", "s", "ids", compared=12345, mismatched=3, known=1, failures=2))
    '12,345 answers compared, 3 differ (1 of them known), 2 did not come'
    """
    if cell is None:
        return "not applicable"
    parts = [f"{plural(cell.compared, 'answer')} compared"] if cell.compared else []
    if cell.mismatched:
        parts.append(f"{cell.mismatched:,} differ" + (f" ({cell.known:,} of them known)" if cell.known else ""))
    elif cell.compared:
        parts.append("all equal")
    if cell.explained:
        parts.append(f"{cell.explained:,} differ as another check tells")
    if cell.failures:
        parts.append(f"{cell.failures:,} did not come")
    if left_out := cell.not_applicable - cell.explained:
        parts.append(f"not applicable to {plural(left_out, 'case')}")
    return ", ".join(parts) or "not applicable"


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """As they weigh."""
    return sorted(findings, key=by_weight)


def new_findings(run: Run) -> list[Finding]:
    """The findings that no expectation lists."""
    return _of_status("new", run.findings)


def known_findings(run: Run) -> list[Finding]:
    """The findings that an expectation lists."""
    return _of_status("known", run.findings)


def numbered(run: Run, findings: Iterable[Finding]) -> list[tuple[int, Finding]]:
    """Some findings of a run with their numbers, by which commands know them: their places in `ordered`."""
    numbers = {finding.fingerprint: number for number, finding in enumerate(ordered(run.findings), 1)}
    return [(numbers[finding.fingerprint], finding) for finding in findings]


def called(run: Run, name: str) -> list[Finding]:
    """The findings that a name may mean: a number such as 1 or #1, or the first digits of a fingerprint."""
    if _NUMBER.fullmatch(name):
        return [finding for number, finding in numbered(run, run.findings) if number == int(name.removeprefix("#"))]
    return [finding for finding in run.findings if finding.fingerprint.startswith(name)]


def _of_status(status: Status, findings: Iterable[Finding]) -> list[Finding]:
    return ordered(finding for finding in findings if finding.status == status)


def headline(run: Run) -> str:
    """The verdict in a few words."""
    if run.verdict == "as expected":
        return "As expected"
    what = [] if run.answers or run.verdict == "incomplete" else ["Nothing was compared"]
    if run.unexpected:
        natural = in_natural_text(new_findings(run))
        what.append(plural(run.unexpected, "unexpected finding") + (f" ({natural})" if natural else ""))
    what += [f"{mended:,} {MENDED}"] if (mended := len(run.mended)) else []
    what += [plural(others, "problem")] if (others := len(run.problems) - mended) else []
    if run.verdict == "incomplete":
        what.insert(0, "Incomplete")
    return ", ".join(what) or "Unexpected findings"


def worst_line(run: Run) -> str:
    """The worst of what is unexpected, in words, "" where nothing is, or nothing was weighed.

    >>> from conformance.core.case import text_case
    >>> from conformance.core.weight import Share, Weight
    >>> from types import SimpleNamespace
    >>> from conformance.core.run import LanguageCell
    >>> example = Mismatch("bpe", "mine", "ids", "r", "other ids", text_case("a", ""), "", "")
    >>> weight = Weight("natural text", (Share("", "texts", 9, 900), Share("Arabic", "words", 6, 192)))
    >>> worst_line(SimpleNamespace(findings=[Finding(example, 1, (), "", "r", "tokenizers", weight=weight)]))
    'mine on bpe: wrong on 3.1 % of Arabic words'
    """
    for finding in new_findings(run)[:1]:
        if words := worst_words(finding.weight):
            return f"{finding.example.subject} on {finding.example.model}: {words}"
    return ""


def accusation(finding: Finding) -> str:
    """The deed of the subject, in words; a stream or a round trip is held against the subject's own answers.

    >>> from conformance.core.case import text_case
    >>> example = Mismatch("m", "s", "ids", "r", "other ids", text_case("a", ""), "", "")
    >>> accusation(Finding(example, 1, (), "", "r", "tokenizers"))
    'gives other ids than tokenizers'
    """
    than = f" than {finding.oracle}" if finding.oracle == expected_by(finding) != "" else ""
    return _DEEDS[finding.example.severity] + (than if finding.example.severity in _COMPARED else "")


def cause(finding: Finding) -> str:
    """The stage at fault, as far as it could be told, and what is wrong there; "perhaps" where that was not tested."""
    is_tested = finding.confidence is None or finding.confidence.tried
    return ("" if is_tested else "perhaps ") + cause_words(finding.stage, finding.rule)


def cause_words(stage: str, rule: str) -> str:
    """The stage, as far as it could be told, and the rule."""
    return f"{stage}: {rule}" if stage else rule


def place(finding: Finding) -> str:
    """The model, the subject and the check, made visible."""
    return " / ".join(visible(name, 80) for name in finding.example.place)


def seen(finding: Finding) -> str:
    """How often it was seen, and whether expectations list it.

    >>> from conformance.core.case import text_case
    >>> example = Mismatch("m", "s", "ids", "r", "other ids", text_case("a", ""), "", "")
    >>> seen(Finding(example, 1234, (), "", "r", "tokenizers", "known"))
    '(1,234 x, known)'
    """
    return f"({finding.count:,} x{', known' if finding.status == 'known' else ''})"


def fields(finding: Finding, limit: int = 200) -> tuple[tuple[str, str], ...]:
    """The cause, verdict, weight, scope, shrunk input and both answers by name, made visible; those there are."""
    expected, observed = answers(finding.example, limit).lines
    nearest, natural = finding.example.evidence.nearest, finding.example.evidence.natural
    every = {
        "rule": f"{visible(cause(finding))} ({rule_row(finding.stage, finding.rule).code})",
        "usually": usual_cause(finding.stage, finding.rule),
        "wrong": visible(finding.verdict, 400),
        "weight": visible(weight_words(finding.weight), 400),
        "scope": visible(finding.scope),
        "foretold": confidence(finding),
        "input": shown_input(finding.example.case, limit),
        "unicode": character_names(finding.example.case.text),
        "natural": "" if natural is None else f"{shown_input(natural, limit)} ({visible(natural.language)})",
        "also": ", ".join(shown_input(one.case, 40) for one in other_examples(finding)),
        "right": "" if nearest is None else f"the nearest input: {shown_input(nearest, limit)}",
        "parts": where_answers_part(finding.example),
        "expected": expected,
        "observed": observed,
    }
    return tuple((name, value) for name, value in every.items() if value)


def other_examples(finding: Finding) -> list[Example]:
    """Some more cases of a finding, besides the one that is shown."""
    others = (one for one in finding.examples if one.case.content != finding.example.case.content)
    return [*islice(others, MOST_OTHERS)]


def where_answers_part(example: Mismatch) -> str:
    """The place in a long text from which on the tokens differ, "" where the text is short or the place is not known.

    >>> from conformance.core.case import text_case
    >>> from conformance.core.evidence import Evidence, SeenToken
    >>> seen = Evidence(expected=(SeenToken(1, "a", (64, 65)),), skipped=64)
    >>> where_answers_part(Mismatch("m", "s", "ids", "r", "other ids", text_case("a" * 90, ""), "", "", seen))
    'the answers are equal up to character 64 of 90'
    """
    evidence, length = example.evidence, len(example.case.text)
    pairs = zip_longest(evidence.expected, evidence.observed)
    first = next((one for one, other in pairs if one is None or other is None or one.id != other.id), None)
    if first is None or first.span is None or length < LONG:
        return ""
    return f"the answers are equal up to character {first.span[0]:,} of {length:,}"


def confidence(finding: Finding) -> str:
    """How well the rule foretells what the subject does, "" where that is not asked.

    >>> from conformance.core.case import text_case
    >>> from conformance.core.finding import Confidence
    >>> example = Mismatch("m", "s", "ids", "r", "other ids", text_case("a", ""), "", "")
    >>> confidence(Finding(example, 1, (), "", "r", "tokenizers", confidence=Confidence(24, 23)))
    '23 of 24 other answers, on inputs that the rule was not chosen by'
    """
    known = finding.confidence
    if known is None:
        return ""
    if not known.tried:
        return "not tested: the time ended before"
    if known.tried == 1:
        return "the one answer that it changes"
    return f"{known.foretold:,} of {known.tried:,} other answers, on inputs that the rule was not chosen by"


def expected_by(finding: Finding) -> str:
    """The source of the expected answer."""
    check = CHECKS.get(finding.example.check)
    return (check and check.expected_by) or finding.oracle


def share_of(run: Run, finding: Finding) -> str:
    """The number of answers that show a finding, of how many."""
    compared = next((cell.compared for cell in run.cells if cell.place == finding.example.place), 0)
    return f"{finding.count:,} of {plural(compared, 'answer')}" if compared else plural(finding.count, "answer")


def known_line(run: Run) -> str:
    """The known findings in one line, "" where there are none."""
    known = known_findings(run)
    mismatches = sum(finding.count for finding in known)
    aside = [visible(one.example.subject) for one in known if is_aside(run, one)]
    some = f"{len(aside):,} of them " if len(aside) < len(known) else ""
    of_others = f", {some}of {' and '.join(dict.fromkeys(aside))} itself" if aside else ""
    return f"{plural(len(known), 'known finding')} ({plural(mismatches, 'mismatch', 'es')}){of_others}" if known else ""


def is_aside(run: Run, finding: Finding) -> bool:
    """Whether a known finding is the official library's or the reference's, in a run about somebody else's subject."""
    tested = {one.name for one in run.subjects if one.role == "subject"}
    return finding.status == "known" and bool(tested) and finding.example.subject not in tested


def not_done(run: Run) -> dict[str, list[str]]:
    """What a subject does not do, by its name, in sentences: models that it does not read, methods that it has not.

    Of an official library, what it has not is left out: it is what others are held against.

    >>> from conformance.core.run import SubjectInfo
    >>> from types import SimpleNamespace
    >>> from conformance.core.run import LanguageCell
    >>> subjects = [SubjectInfo("s", "1", "subject", untested=("offsets", "decode_with_callback"))]
    >>> absences = [Absence("a", "s", "refused", "no Unigram"), Absence("b", "s", "refused", "no Unigram")]
    >>> not_done(SimpleNamespace(subjects=subjects, absences=absences))
    {'s': ['does not read a, b: no Unigram', 'not asked: it has no offsets, no decode_with_callback']}
    """
    found: dict[str, list[str]] = {}
    for subject in run.subjects:
        alike: dict[Absence, list[str]] = {}
        for absence in run.absences:
            if absence.subject == subject.name:
                alike.setdefault(replace(absence, model=""), []).append(absence.model)
        sentences = [absence_sentence(absence, ", ".join(models)) for absence, models in alike.items()]
        if subject.unavailable and not sentences:  # of a run before absences were told
            sentences.append(f"took no part: {subject.unavailable}")
        if subject.untested and subject.role != "oracle":
            sentences.append(f"not asked: it has {', '.join(f'no {method}' for method in subject.untested)}")
        if sentences:
            found[subject.name] = sentences
    return found


def about_subjects(run: Run) -> list[str]:
    """The subjects that say more of themselves than a name: version, language, what runs them, home."""
    return [
        " · ".join(filter(None, (f"{one.name} {one.version}".strip(), one.language, one.runtime, one.homepage)))
        for one in run.subjects
        if one.language or one.runtime or one.homepage
    ]


def not_done_lines(run: Run) -> list[str]:
    """The same, a line a subject."""
    return [f"{name}: {'; '.join(sentences)}" for name, sentences in not_done(run).items()]


def folder(run: Run) -> str:
    """The folder of the run as the commands of its findings name it."""
    commands = [shlex.split(finding.replay) for finding in run.findings if finding.replay]
    return next((shlex.quote(words[2]) for words in commands if len(words) > 2), "THIS-RUN")


def seconds(run: Run) -> float:
    """The seconds of a run: its total where it says so, else the sum of its parts."""
    return run.times.get("total", sum(run.times.values()))


def shown_time(started: str) -> str:
    """The start of a run, to the minute; what is not a time stays as it is.

    >>> shown_time("2026-01-02T05:04:05.5+02:00"), shown_time("today")
    ('2026-01-02 03:04 UTC', 'today')
    """
    try:
        return datetime.fromisoformat(started).astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError):
        return started


def plural(number: int, noun: str, ending: str = "s") -> str:
    """A number with its noun.

    >>> plural(1, "case"), plural(1234, "mismatch", "es")
    ('1 case', '1,234 mismatches')
    """
    return f"{number:,} {noun}{'' if number == 1 else ending}"


def rounded(number: int) -> str:
    """A number in at most four characters, rounded down.

    >>> rounded(999), rounded(12_345), rounded(999_999), rounded(1_234_567)
    ('999', '12k', '999k', '1M')
    """
    return next((f"{number // size:,}{unit}" for size, unit in _UNITS if number >= size), f"{number}")


def language_names(run: Run) -> dict[str, str]:
    """The English names of the languages of a run by their file, which is its own name where there is none.

    >>> from types import SimpleNamespace
    >>> from conformance.core.run import LanguageCell
    >>> cells = [LanguageCell("de-Latn", "s", 9, 0, "m", "German"), LanguageCell("sql", "s", 9, 0, "m")]
    >>> language_names(SimpleNamespace(languages=cells))
    {'de-Latn': 'German', 'sql': 'sql'}
    """
    return {cell.language: cell.name or cell.language for cell in run.languages}


def shown_input(case: Case, limit: int = 200) -> str:
    r"""The input on one line: text as it is, bytes in hexadecimal, ids as a list.

    >>> from conformance.core.case import bytes_case, ids_case, text_case
    >>> print(shown_input(text_case("a\u200b", "")), shown_input(bytes_case(b"\xff\x41", "")), sep=", ")
    a\u{200b}, ff 41
    >>> shown_input(ids_case(tuple(range(9)), ""), limit=3), shown_input(text_case("", ""))
    ('[0, 1, 2, …(+6)]', '(empty)')
    >>> shown_input(text_case("x" + "ab " * 300 + "y", ""))
    'x…(“ab␠” 300 times)…y'
    """
    if case.kind == "text":
        return _shown_runs(case.text, limit) or "(empty)"
    items = [str(item) for item in case.ids[:limit]] if case.kind == "ids" else case.data[:limit].hex(" ").split()
    left = len(case.ids or case.data) - len(items)
    items += [f"…(+{left})"] if left else []
    joined = f"[{', '.join(items)}]" if case.kind == "ids" else " ".join(items)
    return joined or "(empty)"


def numbered_input(case: Case, limit: int = 200) -> str:
    r"""The same, with the code points of a short text that is not ASCII.

    >>> from conformance.core.case import text_case
    >>> print(numbered_input(text_case("e\u0301", "")))
    e\u0301 (U+0065 U+0301)
    """
    numbers = " ".join(f"U+{ord(item):04X}" for item in case.text)
    is_telling = not case.text.isascii() and len(case.text) <= MOST_NUMBERED
    return shown_input(case, limit) + (f" ({numbers})" if is_telling else "")


def _shown_runs(text: str, limit: int) -> str:
    """A text as `visible` shows it, but for long runs of the same, which are counted."""
    shown, left, end = "", limit, 0
    for run in _RUN.finditer(text) if len(text) >= LONG else ():
        if run.start() - end > left:
            break
        times = len(run[0]) // len(run[1])
        shown += f"{visible_part(text, end, run.start())}…(“{visible(run[1])}” {times:,} times)…"
        left, end = max(1, left - (run.start() - end)), run.end()
    more = len(text) - end - left
    return shown + visible_part(text, end, min(len(text), end + left)) + (f"…(+{more})" if more > 0 else "")


def answers(mismatch: Mismatch, limit: int = 200) -> Answers:
    """The expected and the observed answer, at most `limit` code points of each after the place where they part."""
    expected, observed = mismatch.expected, mismatch.observed
    cut = parting(expected, observed)
    start = max(0, cut - SHARED)
    shared = visible_part(max(expected, observed, key=len), start, cut)
    return Answers((f"(+{start})…" if start else "") + shared, _tail(expected, cut, limit), _tail(observed, cut, limit))


def _tail(text: str, start: int, limit: int) -> str:
    left = len(text) - start - limit
    return visible_part(text, start, start + limit) + (f"…(+{left})" if left > 0 else "")


def parting(expected: str, observed: str) -> int:
    """The place where two answers part, but not inside a number.

    >>> parting("[1, 234]", "[1, 235]"), parting("abc", "abd"), parting("12", "123")
    (4, 2, 0)
    """
    pairs = enumerate(zip(expected, observed, strict=False))
    cut = next((index for index, (one, other) in pairs if one != other), min(len(expected), len(observed)))
    if expected[cut : cut + 1].isdecimal() or observed[cut : cut + 1].isdecimal():
        cut = len(expected[:cut].rstrip(_DIGITS))
    return cut
