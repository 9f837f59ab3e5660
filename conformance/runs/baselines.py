"""The writing of baselines: the files of expectations in which users keep what they have accepted.

A file is written as it is read: what stands in it of others' hands, their comments too, stays as it is, and only the
tables that are accepted anew or pruned are touched.
"""

from __future__ import annotations

import glob
import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from conformance.core.errors import InputError, UsageError
from conformance.core.finding import NOT_SOUGHT, Finding
from conformance.core.run import Run
from conformance.files.atomic import write_atomically, writing
from conformance.report.run.view import called, new_findings, shown_input
from conformance.report.text import harmless
from conformance.runs.expectations import NEVER, Expectation, baseline_problems, entries_of, questions_of
from reftok.formats.files import file_bytes

HEADING = """\
# What is known to differ, and does not fail a run that is given this file by --expectations.
# Written by conformance accept; an entry that no longer happens, or has expired, fails the run: conformance known.
"""
LEAST_OF_FINGERPRINT = 4
_TABLE = re.compile(r"^[ \t]*\[\[[ \t]*expectation[ \t]*\]\]", re.MULTILINE)


def chosen_findings(run: Run, named: Sequence[str]) -> list[Finding]:
    """The new findings of a run that are named by number, or by the beginning of a fingerprint; all for no name.

    Raises UsageError for a name of none or of several, where there is nothing to accept, and for a finding whose cause
    was not sought: a later run, which seeks it, would give it another rule.
    """
    new = new_findings(run)
    if not named:
        if not new:
            raise UsageError("the run has no unexpected finding: there is nothing to accept")
        return [*map(_acceptable, new)]
    chosen: dict[str, Finding] = {}
    for name in named:
        found = [one for one in called(run, name) if one.status == "new"]
        is_short = len(name) < LEAST_OF_FINGERPRINT and not name.removeprefix("#").isdecimal()
        if is_short or len(found) != 1:
            number = "no unexpected finding has" if not found else "more than one unexpected finding may have"
            raise UsageError(f"{name}: {number} this fingerprint; give more of it, as the report shows it")
        chosen[found[0].fingerprint] = _acceptable(found[0])
    return [*chosen.values()]


def _acceptable(finding: Finding) -> Finding:
    if finding.rule.startswith(NOT_SOUGHT):
        raise UsageError(
            f"{finding.fingerprint}: its cause was not sought, for want of time, and its rule will be another one: "
            "give the run more time (--resume) before you accept it"
        )
    return finding


def accepted_entry(run: Run, full: bool, finding: Finding, reason: str, upstream: str, expires: str) -> Expectation:
    """The entry that lists a finding of a run from now on. full: whether it was asked all that there is.

    The finding of a session is to be seen in no run: that asks other questions.
    """
    example = finding.example
    is_session = run.sources == ("session",)
    return Expectation(
        id=finding.fingerprint,
        subject=example.subject,
        check=example.check,
        rule=finding.rule,
        models=(glob.escape(example.model),),
        reason=reason,
        seen_in=() if is_session else (example.model,),
        observed=f"{finding.count:,} x, such as: {shown_input(example.case)}",
        upstream=upstream,
        expires=expires or NEVER,
        questions="" if full else questions_of(run),
    )


def accept(entries: Iterable[Expectation], path: Path) -> tuple[int, int]:
    """Add entries to a baseline, made where there is none; one that lists the same takes the place of the old one.

    Gives how many were added and how many replaced. Raises InputError for a file that is no baseline, or cannot be
    written; it then stays as it was.
    """
    new = {entry.id: entry for entry in entries}
    text = _text(path)
    before = entries_of(text, path)
    is_old = [_is_listed_by(entry, new.values()) for entry in before]
    kept = [entry for entry, old in zip(before, is_old, strict=True) if not old]
    text = _without(text, path, before, is_old)
    _write(path, text, [*kept, *new.values()], new.values())
    replaced = sum(is_old)
    return max(0, len(new) - replaced), replaced


def prune(paths: Iterable[Path], ids: Collection[str]) -> int:
    """Take the entries with these names out of some baselines; gives how many. Raises InputError as `accept` does."""
    pruned = 0
    for path in paths:
        text = _text(path)
        before = entries_of(text, path)
        is_old = [entry.id in ids for entry in before]
        if any(is_old):
            kept = [entry for entry in before if entry.id not in ids]
            _write(path, _without(text, path, before, is_old), kept, ())
            pruned += sum(is_old)
    return pruned


def of_others(accepted: Iterable[Expectation], run: Run) -> list[Expectation]:
    """The entries whose subject or models are not in a run, which therefore says nothing about them."""
    subjects, models = {one.name for one in run.subjects}, [one.name for one in run.models]
    return [
        one
        for one in accepted
        if one.subject not in subjects or not any(fnmatchcase(name, glob) for name in models for glob in one.models)
    ]


def no_longer_seen(accepted: Iterable[Expectation], run: Run, full: bool) -> list[Expectation]:
    """The entries that a run should have shown, and did not. full: as of `accepted_entry`."""
    return [entry for entry in accepted if baseline_problems([entry], run, full, today="")]


def _is_listed_by(entry: Expectation, others: Iterable[Expectation]) -> bool:
    """Whether one of these has the name of an entry, or lists just what it lists."""
    key = (entry.subject, entry.check, entry.rule, entry.models)
    return any(entry.id == one.id or key == (one.subject, one.check, one.rule, one.models) for one in others)


def _text(path: Path) -> str:
    try:
        return file_bytes(path).decode("utf-8")
    except FileNotFoundError:
        return HEADING
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: {error}") from None


def _write(path: Path, text: str, due: Sequence[Expectation], added: Iterable[Expectation]) -> None:
    """Write a text with entries at its end. due: what is to be read from it then."""
    text = "\n\n".join(filter(None, (text.rstrip("\n"), *(_table(entry).rstrip("\n") for entry in added)))) + "\n"
    if entries_of(text, path) != [*due]:
        raise InputError(f"{path}: cannot be changed without changing other entries: take the entries out by hand")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)


def _without(text: str, path: Path, entries: Sequence[Expectation], is_old: Sequence[bool]) -> str:
    """The text of a file without some of its entries.

    Raises InputError where its tables are not where they seem: a text of several lines may have one in it.
    """
    if not any(is_old):
        return text
    starts = [*_starts(text)]
    if len(starts) != len(entries):
        raise InputError(f"{path}: holds [[expectation]] within a text: take the entries out by hand")
    pieces = [text[: starts[0]]]
    for start, stop, old in zip(starts, (*starts[1:], len(text)), is_old, strict=True):
        pieces += [] if old else [text[start:stop]]
    return "".join(pieces)


def _starts(text: str) -> Iterator[int]:
    """The places where the tables begin, each with the lines of comment just before it."""
    for found in _TABLE.finditer(text):
        lines = text[: found.start()].splitlines(keepends=True)
        start = found.start()
        while lines and lines[-1].lstrip().startswith("#"):
            start -= len(lines.pop())
        yield start


def _table(entry: Expectation) -> str:
    """An entry as a table of TOML, without what is as it would be anyway."""
    given = {one.name: (getattr(entry, one.name), one.default) for one in fields(entry)}
    lines = [f"{name} = {_value(value)}" for name, (value, default) in given.items() if value != default]
    return "[[expectation]]\n" + "\n".join(lines)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return toml_string(value)
    return f"[{', '.join(map(toml_string, value))}]"


def toml_string(text: str) -> str:
    r"""A text as a string of TOML on one line, without what would not be seen; a lone surrogate by its number.

    >>> print(toml_string('a "b"\n\x7f'))
    "a \"b\"\n\U0000007F"
    """
    shown = text.encode("utf-8", "backslashreplace").decode("utf-8")
    quoted = json.dumps(shown, ensure_ascii=False)
    return "".join(one if harmless(one) == one else f"\\U{ord(one):08X}" for one in quoted)
