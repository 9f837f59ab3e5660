"""Programs that break the protocol, each in one way: told by its name, and the rest is answered."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.core.observation import Decoded, Encoded, Failure
from conformance.subjects import connection, process, protocol_subject
from conformance.subjects.base import UnavailableError
from conformance.subjects.definition import Definition
from conformance.subjects.isolated import IsolatedSubject
from conformance.subjects.protocol import Model

from ..commands import SMALLEST, Command
from .isolated_subjects import failure

PROGRAM = Path(__file__).with_name("broken_program.py")
Broken = Callable[..., IsolatedSubject]


@pytest.fixture
def broken() -> Iterator[Broken]:
    made: list[IsolatedSubject] = []

    def of(*way: str, timeout: float = 20.0) -> IsolatedSubject:
        command = Definition("broken", (sys.executable, str(PROGRAM), *way), (PROGRAM,))
        made.append(IsolatedSubject(command, Model(path="", format="", sha256=""), timeout))
        return made[-1]

    yield of
    for subject in made:
        subject.close()


@pytest.mark.parametrize(
    ("way", "kind", "message"),
    [
        ("answers another message", "nonsense", "it answers message"),
        ("leaves a result out", "nonsense", "0 results for 1 items"),
        ("says half a line", "crashed", "its process ended with exit code 0"),
        ("is silent", "timed out", "no answer within 1 s"),
        ("says what is no UTF-8", "nonsense", "its answer is no JSON: 'utf-8' codec can't decode byte 0xff"),
        ("closes its output", "crashed", "it closed its answers"),
        ("floods its output", "crashed", "its answer is longer than 1 MB"),
        ("dies", "crashed", "its process was killed by SIGSEGV; it said: the last words"),
        ("leaves its output to another and dies", "crashed", "its process ended with exit code 9"),
        ("answers out of order", "nonsense", "it answers message"),
        ("gives an integer that nobody reads", "nonsense", "its answer is no JSON: Exceeds the limit"),
        ("gives NaN", "nonsense", "Expected `int`, got `float` - at `$.results[0].ids[0]`"),
        ("gives numbers as strings", "nonsense", "Expected `int`, got `str` - at `$.results[0].ids[0]`"),
        ("gives no ids", "nonsense", "a result without ids came"),
        ("gives offsets that are no pairs", "nonsense", "$.results[0].offsets[0]"),
        ("nests without end", "nonsense", "its answer is no JSON: it nests too deeply"),
        ("has an error of its own", "adapter error", "no field\x1b[31m 'items'"),
        ("skips", "skipped", "not yet https://example.org/7"),
    ],
)
def test_a_broken_answer_is_told_and_the_others_are_answered(
    broken: Broken, monkeypatch: pytest.MonkeyPatch, way: str, kind: str, message: str
) -> None:
    monkeypatch.setattr(connection, "LEAST_ANSWER_BYTES", 1 << 20)
    monkeypatch.setattr(process, "STOP_SECONDS", 0.5)
    is_awaited = kind == "timed out" or way.startswith("leaves its output")
    before, failed, after = broken(way, timeout=1.0 if is_awaited else 60.0).encode_batch(["a", "wrong", "bb"])
    assert (before, after) == (Encoded((1,)), Encoded((2,)))
    assert failure(failed).kind == kind
    assert message in failure(failed).message


@pytest.mark.parametrize(
    "way",
    [
        "makes noise",
        "ignores SIGTERM",
        "sleeps at its stop",
        "says that it gives offsets",
    ],
)
def test_what_breaks_no_answer_is_no_fault(broken: Broken, way: str) -> None:
    subject = broken(way)
    assert subject.encode_batch(["a", "wrong", "bb"]) == [Encoded((1,)), Encoded((5,)), Encoded((2,))]
    assert subject.decode([1, 2]) == Decoded("xx", "xx")


def test_what_a_program_says_beside_its_answers_is_kept(broken: Broken) -> None:
    subject = broken("makes noise")
    subject.encode("wrong")
    assert subject.noise == ["loading: 10 %", "loading: 100 %"]


def test_what_a_program_says_at_its_end_does_not_keep_it_from_ending(broken: Broken) -> None:
    assert broken("says much at its stop").stopped() == 0


def test_a_program_that_does_not_stop_is_told(broken: Broken, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "STOP_SECONDS", 0.5)
    assert broken("sleeps at its stop").stopped() is None


def test_an_answer_that_comes_twice_is_not_that_to_the_next_question(broken: Broken) -> None:
    subject = broken("answers twice")
    first, *others = subject.encode_batch(["wrong", *["a"] * 40])
    assert first == Encoded((5,))
    assert [one for one in others if isinstance(one, Encoded)] == [Encoded((1,))] * 39
    (stale,) = (one for one in others if isinstance(one, Failure))
    assert stale.kind == "adapter error"
    assert "it answers message" in stale.message


@pytest.mark.parametrize(
    ("way", "message"),
    [
        ("sleeps at its start", r"it had not loaded the model after 0\.5 s"),
        ("ends at its start", "its process ended with exit code 1; it said: there is no library"),
        ("begins the line of its start", "in the place of an answer it printed 'loading… {"),
        ("says nothing of its start", "neither `started` nor `unavailable` came"),
        ("speaks another version", "it speaks version 2 of the protocol, not 1"),
        ("promises more than it knows", r"Expected `int` <= 64 - at `\$\.started\.capabilities\.in_flight`"),
        ("has a long name", r"`\$\.started\.subject\.name`"),
    ],
)
def test_a_program_that_does_not_start_says_why(
    broken: Broken, monkeypatch: pytest.MonkeyPatch, way: str, message: str
) -> None:
    if way.startswith("sleeps"):
        monkeypatch.setattr(protocol_subject, "START_SECONDS", 0.5)
    with pytest.raises(UnavailableError, match=message):
        broken(way)


def test_a_death_that_does_not_come_again_is_not_reproducible(broken: Broken, tmp_path: Path) -> None:
    answers = broken("dies once", str(tmp_path / "died")).encode_batch(["wrong"])
    assert failure(answers[0]).kind == "crashed once"
    assert failure(answers[0]).message == (
        "its process ended with exit code 9; not reproducible: not when it was asked the same again"
    )


def test_a_program_that_promises_less_when_it_is_started_again_is_answered_for(broken: Broken, tmp_path: Path) -> None:
    answers = broken("promises less when it is started again", str(tmp_path / "died")).encode_batch(["wrong", "a"])
    assert failure(answers[0]).kind == "crashed once"
    assert answers[1] == Encoded((1,))


def test_deaths_count_where_the_message_before_was_nonsense(broken: Broken) -> None:
    answers = broken("dies where it is asked alone").encode_batch(["wrong"] * 8)
    assert [failure(one).kind for one in answers] == ["crashed"] * 3 + ["not asked"] * 5


def test_what_is_not_asked_again_after_three_deaths_has_not_changed(broken: Broken) -> None:
    subject = broken("dies")
    answers = subject.encode_batch([*(f"text {number}" for number in range(300)), *["wrong"] * 4])
    assert failure(answers[-1]).kind == "not asked"
    assert not subject.anew


def test_a_batch_call_that_is_promised_and_not_there_is_the_adapters(broken: Broken) -> None:
    answers = broken("says that it has a batch call").encode_batch(["a", "bb"])
    assert failure(answers[0]) == Failure("adapter error", "encode_batch of 2 texts: there is no batch call")
    assert answers[1] == Encoded((2,))


def test_a_batch_is_of_as_many_items_as_are_taken_and_its_death_has_the_last_words(broken: Broken) -> None:
    first, *others = broken("dies of a batch").encode_batch(["a"] * 9)
    assert failure(first) == Failure(
        "crashed", "encode_batch of 8 texts: its process ended with exit code 1; it said: a batch of 8"
    )
    assert others == [Encoded((1,))] * 8


def test_a_subject_whose_answers_change_is_started_for_each_shard(broken: Broken) -> None:
    subject = broken("changes its answers")
    subject.encode_batch([f"text {number}" for number in range(300)])
    assert subject.anew


def test_a_reset_that_is_not_confirmed_is_a_start(broken: Broken) -> None:
    subject = broken("says that it resets")
    assert subject.encode("a") == Encoded((1 + 2,))
    subject.next_shard()
    assert subject.encode("a") == Encoded((1 + 1,)), "what is asked first"


def test_answers_of_another_form_do_not_cost_a_process_each(broken: Broken) -> None:
    """Fault: the process was started anew after each of them, and then was not asked any more."""
    subject = broken("gives numbers as strings")
    before = subject._connection
    answers = subject.encode_batch(["wrong"] * 20 + ["a"])
    assert [failure(answer).kind for answer in answers[:-1]] == ["nonsense"] * 20
    assert answers[-1] == Encoded((1,))
    assert subject._connection is before


def test_an_error_of_the_adapter_is_a_problem_of_the_run_and_no_finding(
    conformance_here: Command, tmp_path: Path
) -> None:
    (tmp_path / "texts.txt").write_text("a\nwrong\nbb\n", "utf-8")
    command = f"{sys.executable} {PROGRAM} 'has an error of its own'"
    arguments = ("--model", "spm-char", "--check", "ids", "--corpus", "texts.txt", *SMALLEST)
    result = conformance_here("run", *arguments, "--subject", command, "--out", "out", cwd=tmp_path, isolated=True)
    assert result.returncode == 1
    said = " ".join(result.stdout.split())
    assert "gave errors of its own in the place of answers" in said
    assert "which prove nothing: no field" in said
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize("check", ["stream-encode", "stream-decode"])
def test_an_error_of_the_adapter_within_a_stream_is_a_problem_of_the_run_and_no_finding(
    check: str, conformance_here: Command, tmp_path: Path
) -> None:
    """Fault: a stream that the adapter makes nothing of was as one that it does not have, and nobody was told."""
    (tmp_path / "texts.txt").write_text("a\nbb\n", "utf-8")
    command = f"{sys.executable} {PROGRAM} 'has an error of its own in a stream'"
    arguments = ("--model", "spm-char", "--check", check, "--corpus", "texts.txt", *SMALLEST)
    result = conformance_here("run", *arguments, "--subject", command, "--out", "out", cwd=tmp_path, isolated=True)
    assert result.returncode == 1
    said = " ".join(result.stdout.split())
    assert "gave errors of its own in the place of answers" in said
    assert "which prove nothing: there are no streams" in said
    assert (tmp_path / "out" / "findings.jsonl").read_text("ascii") == ""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc")
def test_the_folder_of_a_harness_that_was_killed_is_swept_and_no_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(process.tempfile, "gettempdir", lambda: str(tmp_path))
    kept = (
        f"conformance-subject-{os.getpid()}-a",
        "conformance-subject-b",
        "conformance-subject-c-d",
        "other-999999999-e",
    )
    for name in (*kept, "conformance-subject-999999999-f"):
        (tmp_path / name).mkdir()
    process.sweep()
    assert {path.name for path in tmp_path.iterdir()} == {*kept}


@pytest.mark.parametrize(
    ("unavailable", "told"),
    [
        (("it cannot be loaded",), "it cannot be loaded"),
        (
            ("it cannot be loaded", "unsupported model", "Precompiled"),
            "no Precompiled: it cannot be loaded (unsupported model)",
        ),
        (
            ("Precompiled is an unsupported model", "unsupported model", "Precompiled"),
            "Precompiled is an unsupported model",
        ),
    ],
)
def test_why_a_model_is_not_read_is_told_with_the_reason_and_the_feature(
    broken: Broken, unavailable: tuple[str, ...], told: str
) -> None:
    """Fault: a row said "cannot be loaded", and nothing of what the model has that the subject does not know."""
    with pytest.raises(UnavailableError) as error:
        broken("does not read the model", *unavailable)
    assert error.value.failure == Failure("refused", told)


def test_the_language_that_a_program_says_has_one_name(broken: Broken) -> None:
    assert broken("is written in js").about.language == "JavaScript"
