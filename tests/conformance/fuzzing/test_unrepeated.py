"""Subjects that do not repeat what they say: called so with both answers, and as red at every start."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.engine.repeating import CHANGES, DEPENDS, UNREPEATED
from conformance.fuzzing.folder import read_state
from tests.conformance.fuzzing.sessions import Told, planted, run, session_job

SUBJECT = """
import os, sys
sys.path.insert(0, {folder!r})
from official import Official

COUNT = {count!r}


def times():
    # how often it was asked in all processes together
    with open(COUNT, "ab") as file:
        file.write(b"x")
        return file.tell()


class Subject(Official):
    def __init__(self, path):
        super().__init__(path)
        self.calls, self.known = 0, {{}}

    def encode_with_offsets(self, text, add_special_tokens):
        self.calls += 1
        ids, tokens, offsets = super().encode_with_offsets(text, add_special_tokens)[:3]
        {wrong}
        return ids, None, None
"""

NUMBERED = "ids = [*ids, times() % 90]"
SELDOM = "ids = ids[:-1] if times() % 37 == 0 else ids"
AFTER_A_WHILE = "ids = ids[:-1] if self.calls > 60 else ids"
COARSE_CACHE = "ids = self.known.setdefault((text[:1], len(text)), ids)"
BY_TURNS = "ids = ids[:-1] if self.calls % 2 == 0 else ids"


def session(folder: Path, wrong: str) -> tuple[int, set[tuple[str, str]], Told]:
    """The exit code of a start, the stages and rules that are told of the subject, and what was asked again."""
    subject = folder.parent / "subject.py"
    text = SUBJECT.format(folder=str(Path(planted("x")).parent), count=str(folder.parent / "count"), wrong=wrong)
    if not subject.exists() or subject.read_text("utf-8") != text:
        subject.write_text(text, "utf-8")
    told = Told()
    found = run(session_job(folder, 512, subjects=(f"{subject}:Subject",), checks=("ids",)), told).run
    mine = [one for one in found.findings if one.example.subject == "subject.py:Subject"]
    for finding in mine:
        assert finding.rule not in UNREPEATED or "; asked alone: " in finding.example.observed
    return found.exit_code, {(one.stage, one.rule) for one in mine}, told


@pytest.mark.parametrize(
    ("wrong", "rules"),
    [(NUMBERED, {CHANGES}), (SELDOM, {CHANGES}), (COARSE_CACHE, {DEPENDS}), (BY_TURNS, {CHANGES, DEPENDS})],
)
def test_a_subject_whose_answers_do_not_repeat_is_called_so_at_each_start(
    wrong: str, rules: set[str], tmp_path: Path
) -> None:
    """Fault: it had several findings by rules of tokenizers, and the second start called them fixed.

    Whether the same shard asked again meets the same turns hangs on how many questions it has.
    """
    first, second = (session(tmp_path / "session", wrong)[:2] for _ in range(2))
    assert first == second
    assert first in [(1, {("", rule)}) for rule in rules]


def test_what_is_not_seen_again_is_kept_until_the_subject_changes(tmp_path: Path) -> None:
    folder = tmp_path / "session"
    first = session(folder, AFTER_A_WHILE)[:2]
    assert first == (1, {("", DEPENDS)})
    (before,) = read_state(folder).models["bpe-gpt2"].result.groups.values()
    code, found, told = session(folder, AFTER_A_WHILE)
    assert (code, found) == first
    assert [(entry.rule, entry.verdict) for entry in told.replayed] == [(DEPENDS, "unseen")]
    assert "not seen again, though nothing has changed" in told.replayed[0].sentence
    (after,) = read_state(folder).models["bpe-gpt2"].result.groups.values()
    assert after == before
    code, found, told = session(folder, "")
    assert [entry.verdict for entry in told.replayed] == ["gone"]
    assert (code, found) == (0, set())
    counts = read_state(folder).models["bpe-gpt2"].result.counts["subject.py:Subject", "ids"]
    assert (counts.mismatched, counts.failures) == (0, 0)
