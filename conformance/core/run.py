"""The outcome of a run: a pure value that the reports are functions of, and its form as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from conformance.core.case import Case
from conformance.core.evidence import evidence_from_json, evidence_to_json
from conformance.core.finding import Finding, Mismatch

Verdict = Literal["as expected", "unexpected findings", "incomplete"]

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Cell:
    """One place of the table model × subject × check.

    compared: answers that were compared; mismatched: how many differed; known: how many of those an expectation
        lists; not_applicable: cases that the check's own rule leaves out; failures: answers that did not come.
    """

    model: str
    subject: str
    check: str
    compared: int
    mismatched: int = 0
    known: int = 0
    not_applicable: int = 0
    failures: int = 0


@dataclass(frozen=True, slots=True)
class SubjectInfo:
    """A subject and its version; role "oracle" or "subject"; unavailable says why it did not take part.

    untested: methods that its streams were asked for and do not have.
    """

    name: str
    version: str
    role: Literal["oracle", "subject"]
    unavailable: str = ""
    untested: tuple[str, ...] = ()


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
    vocab_size: int
    unicode: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LanguageCell:
    """One place of the heat map language × subject: answers compared and mismatched, over all models and checks."""

    language: str
    subject: str
    compared: int
    mismatched: int


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that the reports show.

    problems: what makes the run worth less than it looks (a subject that refused almost everything, a corpus that
        gave no case, an expectation that no longer happens), each a sentence; any of them fails the run.
    sources, fuzz: where the cases came from (as in the plan's inputs), and how many a model was made; what two runs
        asked alike follows from these, the seed and the corpora.
    started, times: when, and seconds by name; the only parts that two runs of the same plan do not share.
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
    cases: int
    answers: int
    sources: tuple[str, ...] = ()
    fuzz: int = 0
    started: str = ""
    times: Mapping[str, float] = field(default_factory=dict)

    @property
    def unexpected(self) -> int:
        """The number of findings no expectation lists."""
        return sum(finding.status == "new" for finding in self.findings)

    @property
    def exit_code(self) -> int:
        """0 as expected, 1 with unexpected findings or problems."""
        return 0 if self.verdict == "as expected" else 1


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


def case_from_json(value: Mapping[str, Any]) -> Case:
    """The case of `case_to_json`."""
    return Case(
        value["kind"],
        value["origin"],
        value.get("language", ""),
        text=value.get("text", ""),
        data=bytes.fromhex(value.get("bytes_hex", "")),
        ids=tuple(value.get("ids", ())),
    )


def mismatch_to_json(mismatch: Mismatch) -> dict[str, Any]:
    """A mismatch as JSON; its evidence only where there is some."""
    evidence = evidence_to_json(mismatch.evidence)
    return {
        **({"evidence": evidence} if evidence else {}),
        "model": mismatch.model,
        "subject": mismatch.subject,
        "check": mismatch.check,
        "rule": mismatch.rule,
        "severity": mismatch.severity,
        "case": case_to_json(mismatch.case),
        "expected": mismatch.expected,
        "observed": mismatch.observed,
    }


def mismatch_from_json(value: Mapping[str, Any]) -> Mismatch:
    """The mismatch of `mismatch_to_json`."""
    evidence = evidence_from_json(value.get("evidence", {}))
    return Mismatch(**{**value, "case": case_from_json(value["case"]), "evidence": evidence})


def finding_to_json(finding: Finding) -> dict[str, Any]:
    """A line of findings.jsonl."""
    return {
        "fingerprint": finding.fingerprint,
        "status": finding.status,
        "stage": finding.stage,
        "rule": finding.rule,
        "oracle": finding.oracle,
        "count": finding.count,
        "languages": list(finding.languages),
        "reason": finding.reason,
        "upstream": finding.upstream,
        "replay": finding.replay,
        "example": mismatch_to_json(finding.example),
    }


def finding_from_json(value: Mapping[str, Any]) -> Finding:
    """The finding of `finding_to_json`."""
    fields = {key: item for key, item in value.items() if key != "fingerprint"}
    fields["languages"] = tuple(fields["languages"])
    fields["example"] = mismatch_from_json(fields["example"])
    return Finding(**fields)


def run_to_json(run: Run) -> dict[str, Any]:
    """run.json; the findings stand in findings.jsonl."""
    value: dict[str, Any] = {"schema": SCHEMA_VERSION, "exit_code": run.exit_code, "unexpected": run.unexpected}
    for name in ("verdict", "command", "seed", "cases", "answers", "started"):
        value[name] = getattr(run, name)
    value["checks"] = list(run.checks)
    value["problems"] = list(run.problems)
    value["sources"], value["fuzz"] = list(run.sources), run.fuzz
    for name in ("models", "subjects", "cells", "languages"):
        value[name] = [asdict(item) for item in getattr(run, name)]
    for name in ("versions", "corpora", "times"):
        value[name] = dict(getattr(run, name))
    return value


def run_from_json(value: Mapping[str, Any], findings: tuple[Finding, ...]) -> Run:
    """The run of `run_to_json`."""
    return Run(
        findings=findings,
        models=tuple(ModelInfo(**item) for item in value["models"]),
        subjects=tuple(
            SubjectInfo(**{**item, "untested": tuple(item.get("untested", ()))}) for item in value["subjects"]
        ),
        cells=tuple(Cell(**item) for item in value["cells"]),
        languages=tuple(LanguageCell(**item) for item in value["languages"]),
        checks=tuple(value["checks"]),
        problems=tuple(value["problems"]),
        sources=tuple(value.get("sources", ())),
        fuzz=value.get("fuzz", 0),
        **{
            name: value[name]
            for name in ("verdict", "command", "seed", "versions", "corpora", "cases", "answers", "started", "times")
        },
    )
