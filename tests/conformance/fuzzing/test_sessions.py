"""Sessions that are killed, resumed, split over workers, started again: nothing is lost, nothing is left to chance."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.core.case import Case
from conformance.core.observation import Encoded
from conformance.engine.bench import Bench
from conformance.engine.benches import bench_of
from conformance.fuzzing import drive, known_causes, work
from conformance.fuzzing.drive import run_session
from conformance.fuzzing.folder import read_corpus, read_state
from conformance.fuzzing.known_causes import replay_known
from conformance.fuzzing.progress import SessionProgress
from conformance.report.run.folder import read_run_folder
from conformance.runs.job import file_hash, file_hashes
from conformance.runs.plan_file import write_plan
from conformance.runs.progress import Finishing
from conformance.subjects.tokenizers_subject import TokenizersSubject
from reftok import Tokenizer
from tests.conformance.fuzzing.sessions import Told, left_behind, planted, run, session_job

WRONG = {"subjects": ("reftok", planted("strips_white_space"))}
CASES = 600
"""More than the first generation has, so that there is a second one, of which not all shards are full."""


class KilledError(BaseException):
    """Nothing may catch it."""


SLOW = """
import sys, time
sys.path.insert(0, {folder!r})
from official import Official

class Subject(Official):
    def encode_with_offsets(self, text, add_special_tokens):
        ids = super().encode_with_offsets(text, add_special_tokens)[0]
        if "o" in text:
            {wrong}
        return ids, None, None
"""


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a session that nothing disturbed."""
    folder = tmp_path_factory.mktemp("unbroken") / "session"
    run(session_job(folder, CASES))
    return folder


def killed_after(shards: int) -> Callable[[SessionProgress], None]:
    """Is told of so many shards, and kills the session."""
    told = 0

    def tell(progress: SessionProgress) -> None:
        nonlocal told
        told += 1
        if told == shards:
            raise KilledError

    return tell


@pytest.mark.parametrize("shards", [1, 16, 18])
def test_a_session_killed_after_any_shard_resumes_to_the_same_end(unbroken: Path, tmp_path: Path, shards: int) -> None:
    job = session_job(tmp_path / "session", CASES)
    with pytest.raises(KilledError):
        run_session(job, killed_after(shards), lambda replayed: None)
    end = run(job)
    assert left_behind(tmp_path / "session") == left_behind(unbroken)
    assert end.run.cases == CASES


BEFORE_THE_CORPUS, BEFORE_THE_STATE, AFTER_THE_STATE, BEFORE_THE_REPORT = (
    ("append_to_corpus", False),
    ("append_to_corpus", True),
    ("write_state", True),
    ("session_run", False),
)
"""Moments in which a generation ends: a function of the driver, and whether it has done its work."""


@pytest.mark.parametrize(("name", "is_done"), [BEFORE_THE_CORPUS, BEFORE_THE_STATE, AFTER_THE_STATE])
def test_a_session_killed_while_it_ends_a_generation_resumes_to_the_same_end(
    unbroken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, is_done: bool
) -> None:
    job = session_job(tmp_path / "session", CASES)
    original = getattr(drive, name)

    def killed(*arguments: object) -> None:
        if is_done:
            original(*arguments)
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(drive, name, killed)
        with pytest.raises(KilledError):
            run(job)
    run(job)
    assert left_behind(tmp_path / "session") == left_behind(unbroken)


def test_a_line_that_a_kill_cut_off_is_forgotten(unbroken: Path, tmp_path: Path) -> None:
    job = session_job(tmp_path / "session", CASES)
    with pytest.raises(KilledError):
        run_session(job, killed_after(3), lambda replayed: None)
    with (tmp_path / "session" / "shards.jsonl").open("a") as file:
        file.write('{"shard": {"mod')
    run(job)
    assert left_behind(tmp_path / "session") == left_behind(unbroken)


def test_a_finished_session_has_nothing_left_to_do(unbroken: Path) -> None:
    before = left_behind(unbroken)
    told = Told()
    run(session_job(unbroken, CASES), told)
    assert not told.progress
    assert left_behind(unbroken) == before


def test_a_session_goes_on_where_it_ended_and_reaches_no_less(unbroken: Path, tmp_path: Path) -> None:
    folder = tmp_path / "session"
    run(session_job(folder, 512))
    run(session_job(folder, CASES))
    assert left_behind(folder) == left_behind(unbroken)


def test_a_session_that_was_to_end_within_a_generation_goes_on(tmp_path: Path) -> None:
    """The shards of the generation that is cut short are others than those of the whole one."""
    job = session_job(tmp_path / "session", 40)
    with pytest.raises(KilledError):
        run_session(job, killed_after(2), lambda replayed: None)
    longer = session_job(tmp_path / "session", 300)
    assert run(replace(longer, seconds=0.0)).run.cases == 32
    assert run(longer).run.cases == 300


def test_another_seed_gives_other_inputs(unbroken: Path, tmp_path: Path) -> None:
    run(session_job(tmp_path / "session", CASES, seed=1))
    assert read_corpus(tmp_path / "session") != read_corpus(unbroken)


def test_what_is_told_is_on_disk_before(tmp_path: Path) -> None:
    job = session_job(tmp_path / "session", 200)

    def tell(progress: SessionProgress) -> None:
        lines = (tmp_path / "session" / "shards.jsonl").read_text("ascii").splitlines()
        on_disk = sum(json.loads(line)["result"]["cases"] for line in lines)
        assert on_disk == progress.cases

    run_session(job, tell, lambda replayed: None)


def test_the_state_says_how_many_kept_inputs_count(unbroken: Path) -> None:
    assert read_state(unbroken).kept == len(read_corpus(unbroken)) > 100


def test_reftok_and_the_official_library_agree_in_bulk_and_in_full(unbroken: Path) -> None:
    outcome = read_run_folder(unbroken)
    assert not [finding for finding in outcome.findings if finding.status == "new"]
    (ids,) = [cell for cell in outcome.cells if (cell.subject, cell.check) == ("reftok", "ids")]
    assert ids.compared > 400


def test_only_a_sample_of_what_agrees_is_asked_in_full(tmp_path: Path) -> None:
    end = run(session_job(tmp_path / "session", 600, checks=("ids", "decode", "tokens")))
    compared = {cell.check: cell.compared for cell in end.run.cells if cell.subject == "reftok"}
    assert compared["decode"] == 600
    assert 80 < compared["tokens"] <= 512 // 4 + 2


@pytest.fixture
def nothing_is_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what differs in bulk is asked in full."""
    monkeypatch.setattr(work, "ASKED_IN_FULL", 1 << 60)
    monkeypatch.setattr(work, "ASKED_IN_FULL_AT_FIRST", 1 << 60)


@pytest.mark.usefixtures("nothing_is_sampled")
def test_texts_that_differ_in_bulk_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Tokenizer.decode

    def wrong(tokenizer: Tokenizer, ids: list[int], skip_special_tokens: bool = True) -> str:
        return right(tokenizer, ids, skip_special_tokens).replace("e", "E")

    monkeypatch.setattr(Tokenizer, "decode", wrong)
    end = run(session_job(tmp_path / "session", 300))
    found = [finding for finding in end.run.findings if finding.status == "new"]
    assert {(finding.example.subject, finding.example.check) for finding in found} == {("reftok", "decode")}
    assert sum(finding.count for finding in found) > 40


@pytest.mark.usefixtures("nothing_is_sampled")
def test_ids_that_differ_in_bulk_alone_are_found_again_when_the_session_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: asked again without the ids in bulk, they were declared fixed, and forgotten."""
    right = Tokenizer.encode_ids
    job = session_job(tmp_path / "session", 300, checks=("ids", "batch = single"))
    with monkeypatch.context() as patched:
        patched.setattr(Tokenizer, "encode_ids", lambda tokenizer, text: right(tokenizer, text)[:9])
        before = run(job).run
        told = Told()
        after = run(job, told).run
    assert {one.example.check for one in before.findings if one.status == "new"} == {"batch = single"}
    assert [entry.verdict for entry in told.replayed] == ["same"]
    # Of its examples a session keeps three.
    kept, found = ([replace(one, examples=()) for one in each.findings] for each in (after, before))
    assert (kept, after.exit_code) == (found, 1)
    told = Told()
    assert run(job, told).run.exit_code == 0
    assert [entry.verdict for entry in told.replayed] == ["gone"]


@pytest.mark.usefixtures("nothing_is_sampled")
def test_ids_that_differ_in_bulk_alone_are_left_to_the_check_on_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: they were recorded under a check that the session was not to make."""
    right = Tokenizer.encode_ids
    monkeypatch.setattr(Tokenizer, "encode_ids", lambda tokenizer, text: right(tokenizer, text)[:9])
    end = run(session_job(tmp_path / "session", 300))
    assert {cell.check for cell in end.run.cells} == {"ids", "decode"}


def test_a_planted_defect_is_found_shrunk_and_attributed(tmp_path: Path) -> None:
    told = Told()
    end = run(session_job(tmp_path / "session", 256, **WRONG), told)
    deeds = list(dict.fromkeys(one.deed.partition(",")[0] for one in told.finishing))
    assert deeds == ["seeking causes", "shrinking finding", "seeking causes once more", "weighing findings"]
    shrinking = [one for one in told.finishing if one.deed.startswith("shrinking")]
    assert [one.number for one in shrinking] == [*range(1, shrinking[0].total + 1)]
    (finding,) = [f for f in end.run.findings if f.example.check == "ids" and f.status == "new"]
    assert (finding.stage, finding.rule) == ("Input", "white space at the ends is stripped")
    assert len(finding.example.case.text) <= 2
    assert finding.count > 5
    assert end.run.exit_code == 1


@pytest.mark.usefixtures("subjects_here")
def test_known_causes_are_asked_again_first_and_marked_fixed_or_still_failing(tmp_path: Path) -> None:
    folder = tmp_path / "session"

    def session(wrong: str) -> Told:
        file_hash.cache_clear()  # each start is a process of its own
        told = Told()
        run(session_job(folder, 256, subjects=stripping(folder, wrong)), told)
        return told

    assert not session("text = text.strip()").replayed
    still = [(entry.check, entry.rule, entry.verdict) for entry in session("text = text.strip()").replayed]
    assert still == [("ids", "white space at the ends is stripped", "same")]
    fixed = session("").replayed
    assert [(entry.check, entry.verdict) for entry in fixed] == [("ids", "gone")]
    assert "fixed: subject.py:Subject on bpe-gpt2, ids" in fixed[0].sentence
    mended = read_run_folder(folder)
    assert not [finding for finding in mended.findings if finding.example.check == "ids"]
    assert not any(cell.mismatched for cell in mended.cells if cell.check == "ids")
    lines = (folder / "replayed.jsonl").read_text("ascii").splitlines()
    assert [json.loads(line)["verdict"] for line in lines] == ["gone"]


@pytest.mark.usefixtures("subjects_here")
def test_what_there_was_no_time_to_ask_again_stays_and_is_asked_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: the plan had the mended subject by then, so what was left stayed red for ever, as not seen again."""
    folder = tmp_path / "session"

    def session(wrong: str) -> tuple[int, list[str]]:
        file_hash.cache_clear()  # each start is a process of its own
        told = Told()
        end = run(replace(session_job(folder, 256, subjects=stripping(folder, wrong)), seconds=3_600.0), told)
        return end.run.exit_code, [entry.verdict for entry in told.replayed]

    assert session("text = text.strip()") == (1, [])
    with monkeypatch.context() as patched:
        patched.setattr(drive, "SHARE_OF_REPLAY", -1.0)
        assert session("") == (1, ["unasked"])
    assert session("") == (0, ["gone"])


@pytest.mark.usefixtures("subjects_here")
def test_a_cause_that_is_gone_from_one_shard_is_not_fixed_while_others_were_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "session"
    job = session_job(folder, 256, subjects=stripping(folder, "text = text.strip()"))
    run(job)
    first = read_state(folder).models["bpe-gpt2"].result
    second = deepcopy(first)
    clock = iter((0.0, 2.0))
    monkeypatch.setattr(known_causes, "_asked", lambda *asked: ("gone", None))
    monkeypatch.setattr(known_causes.time, "monotonic", lambda: next(clock))
    (entry,) = replay_known(job.session.plan, [first, second], {"subject.py:Subject"}, deadline=1.0)
    assert entry.verdict == "unasked"
    assert "for want of time" in entry.sentence
    assert (len(first.groups), len(second.groups)) == (0, 1)


STRIPS = """
import sys
sys.path.insert(0, {folder!r})
from official import Official


class Subject(Official):
    def encode_with_offsets(self, text, add_special_tokens):
        {wrong}
        return super().encode_with_offsets(text, add_special_tokens)
"""


def stripping(folder: Path, wrong: str) -> tuple[str, ...]:
    """The subjects of a session in a folder: one that begins with this line."""
    subject = folder.parent / "subject.py"
    subject.write_text(STRIPS.format(folder=str(Path(planted("x")).parent), wrong=wrong), "utf-8")
    return (f"{subject}:Subject",)


@pytest.mark.usefixtures("subjects_here")
def test_a_cause_that_fails_in_another_way_now_is_told_as_what_it_is_now(tmp_path: Path) -> None:
    """Fault: it was said to be failing in another way, and then reported with the answers of before."""
    folder = tmp_path / "session"
    run(session_job(folder, 256, subjects=stripping(folder, "text = text.strip()")))
    told = Told()
    end = run(session_job(folder, 256, subjects=stripping(folder, "if text != text.strip(): raise ValueError")), told)
    assert [entry.verdict for entry in told.replayed] == ["other"]
    (finding,) = end.run.findings
    assert (finding.rule, finding.example.observed) == ("refused", "refused: ValueError:")
    (ids,) = [cell for cell in end.run.cells if cell.check == "ids"]
    assert (ids.mismatched, end.run.cases) == (finding.count, 256)


@pytest.mark.usefixtures("subjects_here")
def test_an_example_that_no_longer_fails_is_not_shown_for_a_cause_that_does(tmp_path: Path) -> None:
    """Fault: the worst example of before was reported, with the answers of before, though it was right by now."""
    folder = tmp_path / "session"
    run(session_job(folder, 256, subjects=stripping(folder, "text = text.strip()")))
    (group,) = read_state(folder).models["bpe-gpt2"].result.groups.values()
    *_, last = [example.case.text for example in group.witnesses]
    assert last != group.examples[0].case.text
    end = run(
        session_job(folder, 256, subjects=stripping(folder, f"text = text.strip() if text == {last!a} else text"))
    )
    (finding,) = end.run.findings
    assert (finding.example.case.text, finding.count) == (last, group.count)


@pytest.mark.usefixtures("subjects_here", "nothing_is_sampled")
def test_what_is_found_in_the_official_library_does_not_hang_on_the_order_of_the_subjects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: the oracle was judged on what was suspect of the first subject alone."""
    monkeypatch.setattr(TokenizersSubject, "encode", lambda subject, text: Encoded((1,)))
    found = []
    for number, subjects in enumerate((("reftok", WRONG["subjects"][1]), (WRONG["subjects"][1], "reftok"))):
        folder = tmp_path / str(number)
        run(session_job(folder, 64, subjects=subjects, checks=("ids", "batch = single")))
        findings = [one for one in read_run_folder(folder).findings if one.example.subject == "tokenizers"]
        found.append({(one.example.check, one.rule): one.count for one in findings})
    assert found[0] == found[1] != {}


def test_ids_that_both_refuse_do_not_spoil_the_state(tmp_path: Path) -> None:
    """They count as no answer, and as no mismatch."""
    end = run(session_job(tmp_path / "session", 600, model="spm-char", generators=("ids",)))
    (decode,) = [cell for cell in end.run.cells if (cell.subject, cell.check) == ("reftok", "decode")]
    assert decode.failures > decode.mismatched == 0
    assert run(session_job(tmp_path / "session", 700, model="spm-char", generators=("ids",))).run.cases == 700


def test_answers_that_both_refuse_stay_counted_when_a_cause_is_fixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: with the mismatches that were taken out, every answer that both refused went too."""
    right = Tokenizer.decode

    def counts(folder: str) -> tuple[int, int]:
        end = run(session_job(tmp_path / folder, 512, model="spm-char", generators=("ids",)))
        (decode,) = [cell for cell in end.run.cells if (cell.subject, cell.check) == ("reftok", "decode")]
        return decode.mismatched, decode.failures

    def wrong(tokenizer: Tokenizer, ids: list[int], skip_special_tokens: bool = True) -> str:
        return right(tokenizer, ids, skip_special_tokens).replace("e", "E")

    unbroken = counts("unbroken")
    with monkeypatch.context() as patched:
        patched.setattr(Tokenizer, "decode", wrong)
        mismatched, failures = counts("session")
    assert mismatched > 0
    assert counts("session") == unbroken == (0, failures)
    assert failures > 0


def test_every_generator_has_inputs_that_are_asked_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample at a fixed step would fall in with the turns that generators take."""
    monkeypatch.setattr(work, "ASKED_IN_FULL_AT_FIRST", 2)
    asked: set[str] = set()
    original = work.collect_answers

    def listening(bench: Bench, cases: list[Case], *more: object) -> object:
        asked.update(case.origin.split(":")[3] for case in cases)
        return original(bench, cases, *more)

    monkeypatch.setattr(work, "collect_answers", listening)
    run(session_job(tmp_path / "session", 512))
    assert asked == set(read_state(tmp_path / "session").models["bpe-gpt2"].drawn)


def test_two_workers_end_like_none(tmp_path: Path) -> None:
    folders = []
    for jobs in (0, 2):
        folder = tmp_path / str(jobs) / "session"
        folder.parent.mkdir()
        run(session_job(folder, 600, jobs=jobs, model="spm-char"))
        folders.append(left_behind(folder))
    assert folders[0] == folders[1]


@pytest.mark.parametrize(("name", "is_done"), [BEFORE_THE_STATE, AFTER_THE_STATE, BEFORE_THE_REPORT])
def test_an_interruption_while_a_generation_ends_counts_each_case_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, is_done: bool
) -> None:
    """Fault: what the state had taken already was counted again."""
    monkeypatch.setattr(drive, "SECONDS_BETWEEN_REPORTS", -1.0)
    job = session_job(tmp_path / "session", CASES)
    write_plan(tmp_path / "session", job.session.plan, "conformance fuzz", False, file_hashes(job.session.plan), {})
    original, shards = getattr(drive, name), 0

    def told(progress: SessionProgress) -> None:
        nonlocal shards
        shards += 1

    def interrupted(*arguments: object) -> object:
        if shards < 16:
            return original(*arguments)
        monkeypatch.setattr(drive, name, original)
        if is_done:
            original(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(drive, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_session(job, told, lambda replayed: None)
    outcome = read_run_folder(tmp_path / "session")
    assert (outcome.verdict, outcome.cases) == ("incomplete", 512)
    assert sum(cell.compared for cell in outcome.cells if cell.check == "decode") <= 512
    assert run(job).run.cases == CASES


def test_an_interruption_while_a_finding_is_shrunk_leaves_a_folder_that_says_incomplete(tmp_path: Path) -> None:
    job = session_job(tmp_path / "session", 64, **WRONG)
    write_plan(tmp_path / "session", job.session.plan, "conformance fuzz", False, file_hashes(job.session.plan), {})

    def told(progress: SessionProgress | Finishing) -> None:
        if isinstance(progress, Finishing):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_session(job, told, lambda replayed: None)
    outcome = read_run_folder(tmp_path / "session")
    assert (outcome.verdict, outcome.cases) == ("incomplete", 64)


@pytest.mark.parametrize("wrong", ["time.sleep(1e6)", "time.sleep(0.05); ids = ids[:-1]"])
def test_the_time_of_a_session_may_end_within_a_shard(wrong: str, tmp_path: Path) -> None:
    """Fault: a first shard of slow answers was one shard, and each answer might take as long as --timeout."""
    subject = tmp_path / "slow.py"
    subject.write_text(SLOW.format(folder=str(Path(planted("x")).parent), wrong=wrong), "utf-8")
    job = replace(session_job(tmp_path / "session", 100_000, subjects=(f"{subject}:Subject",)), seconds=5.0)
    bench_of(job.session.plan, "bpe-gpt2")  # loading is within the time, and may take all of it
    findings = [one for one in run(job).run.findings if one.example.subject == "slow.py:Subject"]
    assert {one.example.severity for one in findings} == ({"other ids"} if "ids" in wrong else set())
