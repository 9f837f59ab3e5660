"""The outcome of a run: a pure value that the reports are functions of, and its form as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from conformance.core.case import Case
from conformance.core.finding import Finding, Mismatch, Place
from conformance.core.observation import FailureKind
from conformance.core.records import Count, Seconds, from_json, to_json
from conformance.core.weight import Gate

Verdict = Literal["as expected", "unexpected findings", "incomplete"]

SCHEMA_VERSION = 1


GONE = "no longer happens on"
MENDED = "mended: prune it"
"""What is said of a known finding that no longer happens."""
"""Of a problem: what is known was not seen."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One place of the table model × subject × check.

    compared: answers that were compared; mismatched: how many differed; known: how many of those an expectation
        lists; not_applicable: cases that are left out, by the check's own rule or since another check has told that
        they differ; explained: how many of these differ here, too; failures: answers that did not come.
    """

    model: str
    subject: str
    check: str
    compared: Count
    mismatched: Count = 0
    known: Count = 0
    not_applicable: Count = 0
    failures: Count = 0
    explained: Count = 0

    @property
    def place(self) -> Place:
        """Its place in the table."""
        return self.model, self.subject, self.check


Role = Literal["oracle", "reference", "subject"]
UNCOMMITTED = " + changes"
"""Ends a version if files differ from the commit: two equal versions that end so need not be the same code."""


@dataclass(frozen=True, slots=True)
class SubjectInfo:
    """A subject and its version; role "reference" is reftok's; unavailable says why it took part with no model.

    version: its own, or "git 1a2b3c4", "git 1a2b3c4 + changes" or "sha256 1a2b3c4d" of its files; "" if none is known.
    untested: methods and parts of answers that it does not have, and so was not asked for. language, runtime, homepage:
        as it or its subject.toml says, "" where nothing does.
    file, line: where it is told what it is: its subject.toml or FILE.py, from the root of its repository where it is in
        one, and the line that names it there, from 1; "" and 0 for what no file tells of.
    """

    name: str
    version: str
    role: Role
    unavailable: str = ""
    untested: tuple[str, ...] = ()
    language: str = ""
    runtime: str = ""
    homepage: str = ""
    file: str = ""
    line: Count = 0


@dataclass(frozen=True, slots=True)
class Absence:
    """A subject that took no part with a model.

    kind: "refused" where it does not read the model, which is a result like any other; any other where there was no
        subject to ask. message: why, in its own words.
    """

    model: str
    subject: str
    kind: FailureKind
    message: str


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model of the run: its name, file, format, SHA-256, oracle, and how many ids it has.

    unicode: the version of the Unicode tables that each of its components follows.
    """

    name: str
    path: str
    format: str
    sha256: str
    oracle: str
    vocab_size: Count
    unicode: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LanguageCell:
    """One place of the heat map model × language of a subject: answers compared and mismatched, over all checks.

    language: the corpus file without its ending. model: "" in older runs, which counted all together.
    name: the English name of the language, "" where the project has none for the file.
    """

    language: str
    subject: str
    compared: Count
    mismatched: Count
    model: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that the reports show.

    absences: the subjects that took no part with a model.
    problems: what makes the run worth less than it looks (a subject that refused almost everything, a corpus that
        gave no case, an expectation that no longer happens), each a sentence; any of them fails the run.
    sources, fuzz: where the cases came from (as in the plan's inputs), and how many a model was made; what two runs
        asked alike follows from these, the seed and the corpora.
    started, times: when it was last started, and seconds by name, over all starts; the only parts that two runs of the
        same plan do not share.
    fail_on: which of the new findings fail the run, by their weight.
    """

    verdict: Verdict
    command: str
    seed: int
    versions: Mapping[str, str]
    models: tuple[ModelInfo, ...]
    subjects: tuple[SubjectInfo, ...]
    checks: tuple[str, ...]
    cells: tuple[Cell, ...]
    languages: tuple[LanguageCell, ...]
    findings: tuple[Finding, ...]
    problems: tuple[str, ...]
    corpora: Mapping[str, str]
    cases: Count
    answers: Count
    absences: tuple[Absence, ...] = ()
    sources: tuple[str, ...] = ()
    fuzz: Count = 0
    started: str = ""
    times: Mapping[str, Seconds] = field(default_factory=dict)
    fail_on: Gate = "any"

    @property
    def unexpected(self) -> int:
        """The number of findings no expectation lists."""
        return sum(finding.status == "new" for finding in self.findings)

    @property
    def mended(self) -> tuple[str, ...]:
        """The problems which say that a known finding no longer happens."""
        return tuple(problem for problem in self.problems if is_mended(problem))

    @property
    def outcome(self) -> str:
        """The verdict in words, in which a run that fails by nothing but known findings that are mended has its own."""
        is_mended = self.verdict == "unexpected findings" and not self.unexpected and self.problems == self.mended
        return MENDED if is_mended and self.problems else self.verdict

    def is_failed_by(self, finding: Finding) -> bool:
        """Whether a finding is one that fails the run."""
        return finding.status == "new" and finding.weight.fails(self.fail_on)

    @property
    def exit_code(self) -> int:
        """0 as expected, 1 with problems or unexpected findings: such as weigh enough, where it is to fail on these."""
        if self.verdict != "unexpected findings" or self.fail_on == "any":
            return 0 if self.verdict == "as expected" else 1
        return int(bool(self.problems) or any(map(self.is_failed_by, self.findings)))


def case_to_json(case: Case) -> dict[str, Any]:
    """A case as JSON; bytes in hexadecimal."""
    value: dict[str, Any] = {"kind": case.kind, "origin": case.origin}
    if case.kind == "text":
        value["text"] = case.text
    elif case.kind == "bytes":
        value["bytes_hex"] = case.data.hex()
    else:
        value["ids"] = list(case.ids)
    if case.language:
        value["language"] = case.language
    return value


def case_from_json(value: Any) -> Case:
    """The case of `case_to_json`; raises one of FORM_ERRORS for anything else."""
    fields = {**value, "data": bytes.fromhex(value.get("bytes_hex", ""))}
    fields.pop("bytes_hex", None)
    case = from_json(fields, Case)
    if case_to_json(case) != value:
        raise ValueError(f"holds something else than one input of the kind {case.kind}")
    if any(token_id.bit_length() > 64 for token_id in case.ids):
        raise ValueError("an id has more than 64 bits")
    return case


_OTHER_CASES = ("nearest", "natural")
"""The inputs beside that of the example."""


def mismatch_to_json(mismatch: Mismatch) -> dict[str, Any]:
    """A mismatch as JSON, without what is empty of its evidence, and without that where all is."""
    value: dict[str, Any] = {**to_json(mismatch), "case": case_to_json(mismatch.case)}
    evidence = {name: part for name, part in value.pop("evidence").items() if part}
    evidence |= {name: case_to_json(case) for name in _OTHER_CASES if (case := getattr(mismatch.evidence, name))}
    return {**value, "evidence": evidence} if evidence else value


def mismatch_from_json(value: Any) -> Mismatch:
    """The mismatch of `mismatch_to_json`; raises one of FORM_ERRORS for anything else."""
    evidence = value.get("evidence", {})
    others: dict[str, Any] = {name: case_from_json(evidence[name]) for name in _OTHER_CASES if name in evidence}
    evidence = {name: part for name, part in evidence.items() if name not in _OTHER_CASES}
    mismatch = from_json({**value, "case": case_from_json(value["case"]), "evidence": evidence}, Mismatch)
    return replace(mismatch, evidence=replace(mismatch.evidence, **others))


def finding_to_json(finding: Finding) -> dict[str, Any]:
    """A line of findings.jsonl."""
    examples = [{**to_json(one), "case": case_to_json(one.case)} for one in finding.examples]
    value = {**to_json(finding), "fingerprint": finding.fingerprint, "example": mismatch_to_json(finding.example)}
    return {**value, "examples": examples}


def finding_from_json(value: Any) -> Finding:
    """The finding of `finding_to_json`; raises one of FORM_ERRORS for anything else."""
    fields = {**value, "example": mismatch_from_json(value["example"])}
    fields.pop("fingerprint", None)
    examples = [{**one, "case": case_from_json(one["case"])} for one in fields.get("examples", ())]
    return from_json({**fields, "examples": examples}, Finding)


def run_to_json(run: Run) -> dict[str, Any]:
    """run.json; the findings stand in findings.jsonl."""
    value: dict[str, Any] = to_json(replace(run, findings=()))
    del value["findings"]
    return {**value, "schema": SCHEMA_VERSION, "exit_code": run.exit_code, "unexpected": run.unexpected}


def run_from_json(value: Any, findings: tuple[Finding, ...]) -> Run:
    """The run of `run_to_json`; raises one of FORM_ERRORS for anything else."""
    fields = {name: part for name, part in value.items() if name not in ("schema", "exit_code", "unexpected")}
    return replace(from_json({**fields, "findings": ()}, Run), findings=findings)


def is_mended(problem: str) -> bool:
    """Whether a problem of a run is that something known no longer happens.

    >>> is_mended("expectation bom no longer happens on m: remove it from the list")
    True
    """
    return problem.startswith("expectation ") and f" {GONE} " in problem
