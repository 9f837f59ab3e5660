"""A finding of a run as a file with one vector, for a project that keeps vectors of its own."""

from __future__ import annotations

from pathlib import Path

from msgspec import UNSET

from conformance.checks.bare import BARE
from conformance.checks.chat import CHAT
from conformance.checks.settings import SETTINGS
from conformance.core.case import Case
from conformance.core.errors import InputError
from conformance.core.finding import Finding
from conformance.core.observation import Decoded, Decoding, Encoded, Encoding, Failure
from conformance.engine.bench import load_reference
from conformance.engine.settings import Settings
from conformance.files.atomic import write_atomically, writing
from conformance.files.digest import sha256
from conformance.files.lock import check_no_links
from conformance.inputs.vector_file import (
    DecodeGroup,
    DecodeVector,
    EncodeGroup,
    EncodeVector,
    Group,
    Oracle,
    VectorFile,
    VectorModel,
    written,
)
from conformance.reproduce.replay import check_finding, named_finding
from conformance.runs.plan_file import read_trusted_plan
from conformance.subjects.adapters import load_subject, subject_version
from conformance.subjects.base import Subject
from conformance.vectors.making import numbered_groups
from conformance.vectors.notes import flag_of, notes_of
from conformance.vectors.settings_vectors import flags_of, grouped, official_answers


def write_vector(folder: Path, fingerprint: str, out: Path | None, trusts: bool = False) -> Path:
    """Write the shrunk input of a finding with what the official library answers; gives where to.

    out: None for a name in the run folder. trusts: as of `read_trusted_plan`.
    Raises InputError if there is no such finding, and for a stream, a conversation and what the library refuses.
    """
    finding = named_finding(folder, fingerprint)
    plan, *_ = read_trusted_plan(folder, trusts)
    check_finding(finding, plan, folder)
    model = next(model for model in plan.models if model.name == finding.example.model)
    is_chat = finding.example.check == CHAT.name
    if is_chat or finding.example.check.startswith("stream"):
        what = "a conversation" if is_chat else "a stream"
        raise InputError(f"{finding.fingerprint}: {what} cannot be written as a vector; `conformance replay` shows it")
    oracle = load_subject(model.oracle, model.path, model.format, plan.timeout, model.encoding)
    case = finding.example.case
    if case.kind == "ids":
        groups = _decoding(finding, case, oracle.decode(case.ids))
    elif finding.example.check == SETTINGS.name:
        groups = _with_settings(finding, case, Settings(load_reference(model)), oracle)
    elif finding.example.check == BARE.name:
        (bare,) = oracle.encode_bare([case.text]) or [Failure("skipped", "it has no ids without special tokens")]
        groups = _encoding(finding, case, bare)
    else:
        groups = _encoding(finding, case, oracle.encode(case.data if case.kind == "bytes" else case.text))
    flags = [flag for group in groups for test in group.tests for flag in test.flags]
    vectors = VectorFile(
        licence="CC0-1.0",
        tier="own",
        made_by="conformance reproduce --as vector",
        model=VectorModel(
            name=model.name,
            file=model.path.name,
            format=model.format,
            sha256=sha256(model.path),
            encoding=model.encoding or UNSET,
        ),
        oracle=Oracle(library=model.oracle, version=subject_version(model.oracle)),
        number_of_tests=sum(len(group.tests) for group in groups),
        notes=notes_of(flags, {}),
        test_groups=groups,
    )
    path = out or folder / f"vector-{finding.fingerprint}.json"
    if out is None:
        check_no_links(folder)
    with writing(path):
        write_atomically(path, written(vectors))
    return path


def _encoding(finding: Finding, case: Case, answer: Encoding) -> tuple[Group, ...]:
    if not isinstance(answer, Encoded):
        raise InputError(f"{finding.fingerprint}: the official library refuses the input: {answer.message}")
    is_bytes = case.kind == "bytes"
    test = EncodeVector(
        tc_id=1,
        flags=(flag_of(finding.stage, finding.rule),),
        result="valid",
        text=UNSET if is_bytes else case.text,
        bytes_hex=case.data.hex() if is_bytes else UNSET,
        ids=answer.ids,
        offsets=UNSET if is_bytes or answer.offsets is None else answer.offsets,
    )
    return (EncodeGroup(add_special_tokens=finding.example.check != BARE.name, tests=(test,)),)


def _with_settings(finding: Finding, case: Case, settings: Settings, oracle: Subject) -> tuple[Group, ...]:
    """The questions about a text that show the mistake, or all of them if the finding has no known rule."""
    asked = official_answers(settings, oracle, [case.text])
    if not asked:
        raise InputError(f"{finding.fingerprint}: the official library is not asked about this text with settings")
    flag = flag_of(finding.stage, finding.rule)
    showing = [one for one in asked if flag in flags_of(settings, one)] or asked
    return tuple(numbered_groups(grouped((one, (flag,)) for one in showing)))


def _decoding(finding: Finding, case: Case, answer: Decoding) -> tuple[Group, ...]:
    if not isinstance(answer, Decoded):
        raise InputError(f"{finding.fingerprint}: the official library refuses the input: {answer.message}")
    flags = (flag_of(finding.stage, finding.rule),)
    texts = [(False, answer.kept)] + ([(True, answer.text)] if answer.with_special is not None else [])
    return tuple(
        DecodeGroup(
            skip_special_tokens=skips,
            tests=(DecodeVector(tc_id=number, flags=flags, result="valid", ids=case.ids, text=text),),
        )
        for number, (skips, text) in enumerate(texts, 1)
    )
