"""The official trainers train as the reference; planted trainers are found, named and shrunk; hypotheses bite."""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from conformance.core.errors import InputError, UsageError
from conformance.core.observation import Failure
from conformance.subjects.serve_training import ranks_as_json
from conformance.subjects.training_subject import RANKS, TrainingSubject
from conformance.training.asking import Ask, asked, official_answer, subject_answer
from conformance.training.case import Learned, TrainingCase, first_difference, learned_of
from conformance.training.configurations import (
    TRAINERS,
    made_case,
    made_cases,
    matrix_cases,
    option_cases,
    with_pipeline,
)
from conformance.training.findings import compared
from conformance.training.hypotheses import HYPOTHESES
from conformance.training.plan import TrainingPlan, begin_training, resume_training
from conformance.training.ranks import ranks_by_ties
from conformance.training.reference import reference_training
from conformance.training.report import headline
from conformance.training.session import Session, TrainingProgress

from ...planted_defects.hunt_trainers import asked_here, hunted, is_named, most_words

MEMORY = 4096


def test_the_official_trainers_train_as_the_reference() -> None:
    cases = [*made_cases(TRAINERS, 64, 7), *matrix_cases(("hf-bpe", "word", "char"), ()), *option_cases(("char",))]
    session = Session(cases, official_answer, is_official=True)
    session.run(lambda progress: None)
    result = session.result()
    assert not result.findings
    assert result.done == len(cases)
    assert result.refused < len(cases) / 10


@pytest.mark.parametrize(
    ("corpus", "options"),
    [
        ("ac", {"vocab_size": 3, "special_tokens": ["a"]}),  # the ids of equal scores are left to chance
        ("aaaaaa", {"vocab_size": 1}),  # a score that is infinite is written as null
    ],
)
def test_what_hf_unigram_writes_of_a_tiny_corpus_is_the_same(corpus: str, options: dict[str, Any]) -> None:
    """Fault: differences were reported for ids that depend on the order of equal scores, and for null as infinity."""
    case = TrainingCase("t", "hf-unigram", (corpus,), with_pipeline("hf-unigram", {**options, "pipeline": "none"}))
    answers = [official_answer(case) for _ in range(8)]
    assert all(isinstance(one, Learned) for one in answers)
    assert {compared(case, one) for one in answers} == {()}


@pytest.mark.parametrize("added", [[{"content": "a"}], [{"id": 0}], {"a": 1}, ["a"], [{"id": [0], "content": "a"}]])
def test_added_tokens_of_another_form_are_a_difference_and_no_failure(added: object) -> None:
    case = TrainingCase("t", "hf-unigram", ("ab",), with_pipeline("hf-unigram", {"vocab_size": 3, "pipeline": "none"}))
    right = official_answer(case)
    assert isinstance(right, Learned)
    assert isinstance(right.value, dict)
    wrong = replace(right, value={**right.value, "added_tokens": added})
    assert [one.path.partition(".")[0] for one in compared(case, wrong)] == ["added_tokens"]


def test_what_a_trainer_does_not_repeat_is_told_by_what_it_first_gave() -> None:
    """Fault: the harness failed when a trainer wrote something else the second time."""
    case = made_case("wordlevel", "once")
    right = official_answer(case)
    assert isinstance(right, Learned)
    assert isinstance(right.value, dict)
    wrong = replace(right, value={**right.value, "version": "2.0"})
    answers = iter([wrong, wrong])
    session = Session([case], lambda one: next(answers, right), label="mine")
    session.run(lambda progress: None)
    assert [one.difference.path for one in session.result().findings] == ["version"]


def test_a_trainer_that_refuses_all_has_proved_nothing() -> None:
    """Fault: "as the reference trains" and exit code 0 for a trainer that raises on everything."""
    session = Session([*made_cases(("char",), 3, 7)], lambda case: Failure("refused", "not yet"), label="mine")
    session.run(lambda progress: None)
    result = session.result()
    assert result.is_vacuous
    assert headline(result) == "✗ mine: nothing is proved: all of 3 trainings were refused"


def test_a_run_that_compared_nothing_has_no_tick() -> None:
    """Fault: "✓ as the reference trains: 0 trainings compared" for a subject that cannot be loaded."""
    session = Session([*made_cases(("char",), 3, 7)], lambda case: Failure("refused", "not yet"), label="mine")
    assert headline(session.result()) == "✗ mine: nothing is proved: no training was compared of 3, then interrupted"


FAST = (
    "ties_by_string",
    "overlaps_counted_once",
    "frequency_must_be_more",
    "frequency_of_2",
    "frequency_of_2_by_default",
    "words_first_seen",
    "double_logarithms",
    "ties_by_bytes",
    "special_after_the_alphabet",
    "special_at_the_end",
    "added_tokens_not_written",
    "types_not_written",
    "charsmap_not_written",
    "surface_ignored",
    "fails_on_meta_symbols",
)
"""A share of the planted trainers; `python -m tests.planted_defects.hunt_trainers` hunts all of them."""


@pytest.mark.parametrize("name", FAST)
def test_a_planted_trainer_is_found_named_and_shrunk(name: str) -> None:
    trainer = {"words_first_seen": "wordlevel", "double_logarithms": "word"}.get(name, "hf-bpe")
    if name in ("types_not_written", "charsmap_not_written", "surface_ignored"):
        trainer = "char"
    findings = hunted(name, list(made_cases((trainer,), 60, 1)))
    assert is_named(name, findings)
    assert len(findings) == 1
    assert most_words(findings) <= 5


def test_a_second_mistake_is_told_beside_the_first() -> None:
    """Fault: where two mistakes are seen in every training, no rule foretold anything, and neither was named."""
    findings = hunted("two_at_once", list(made_cases(("hf-bpe",), 60, 1)))
    rules = {finding.rule for finding in findings}
    assert rules == {"min_frequency is always 2", "of equally frequent pairs the smaller strings win"}


def test_one_mistake_of_several_trainers_is_told_once() -> None:
    findings = hunted("frequency_must_be_more", list(made_cases(("hf-bpe", "wordpiece", "wordlevel"), 90, 1)))
    assert [finding.rule for finding in findings] == ["a count must be more than min_frequency"]


def ranks_subject(defect: str) -> Ask:
    """A plain byte-level trainer whose ties are those of smaller ids. defect: "" for none."""

    def ask(case: TrainingCase) -> Learned | Failure:
        trained = ranks_by_ties(case)["that of smaller ids"].entries
        made = {token.encode("latin-1"): number for number, token, _ in trained}
        if defect == "one less":
            made = {
                token: number for token, number in made.items() if number < max(case.options["vocab_size"] - 1, 256)
            }
        if defect == "ids from 1":
            made = {token: number + 1 for token, number in made.items()}
        return learned_of(json.dumps(ranks_as_json(made)).encode())

    return ask


@pytest.mark.parametrize(
    ("defect", "rules"), [("", []), ("one less", ["vocab_size is one less"]), ("ids from 1", ["no known rule"])]
)
def test_a_trainer_of_ranks_is_right_by_any_known_rule_for_ties(defect: str, rules: list[str]) -> None:
    session = Session([*made_cases((RANKS,), 20, 1)], ranks_subject(defect))
    session.run(lambda progress: None)
    assert [*dict.fromkeys(finding.rule for finding in session.result().findings)] == rules


def test_a_trainer_of_ranks_is_called_with_size_and_pattern(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "def train(texts, vocab_size, pattern):\n"
        "    assert next(texts) == 'ab' and (vocab_size, pattern) == (257, '.+')\n"
        "    return {b'a': 0, b'\\xff': 1}\n"
    )
    with TrainingSubject(f"{file}:train", 10.0, MEMORY) as subject:
        made = subject.train(RANKS, ["ab"], {"vocab_size": 257, "pattern": ".+"})
    assert isinstance(made, bytes)
    assert learned_of(made) == Learned(((0, "a", None), (1, "\xff", None)))


def test_fewer_than_a_third_that_could_be_asked_prove_little() -> None:
    """Fault: "12 trainings compared" counted those that were refused."""

    def ask(case: TrainingCase) -> Learned | Failure:
        result = reference_training(case)
        return result if isinstance(result, Learned) and case.name.endswith(":0") else Failure("refused", "not yet")

    session = Session([*made_cases(("word",), 6, 7)], ask, label="mine")
    session.run(lambda progress: None)
    assert headline(session.result()) == "✗ mine: little is proved: 1 training compared, 5 were refused"


def test_every_hypothesis_changes_what_is_learned_from_some_corpus() -> None:
    silent = {hypothesis.rule for hypothesis in HYPOTHESES}
    for number in range(20):
        for hypothesis in HYPOTHESES:
            trainer = hypothesis.trainers[number % len(hypothesis.trainers)]
            if hypothesis.rule not in silent:
                continue
            case = made_case(trainer, f"hypotheses {number}")
            right = reference_training(case)
            foretold = hypothesis.foretold(case, right)
            if foretold is not None and first_difference(trainer, right, foretold) is not None:
                silent.discard(hypothesis.rule)
    # These need larger or rarer corpora.
    assert silent <= {
        "character_coverage is 1",
        "seeds are followed by different characters, not bytes",
        "the loss has the number of all pieces",
        "unreachable pieces are kept",
        "pieces of the lowest expectation stay",
        "the count of the merged pair is reset",
        "character_coverage is float64",
        "pruning goes down to vocab_size at once",
    }


def test_the_reference_is_itself_again_after_a_hypothesis() -> None:
    case = made_case("hf-bpe", "itself")
    before = reference_training(case)
    for hypothesis in HYPOTHESES:
        hypothesis.foretold(case, before)
    assert reference_training(case) == before


def test_a_free_choice_is_read_off_the_result() -> None:
    """Of a prefix the library hands out ids in an order of chance: each of its results is right."""
    options = dict(made_case("wordpiece", "1").options) | {"vocab_size": 14, "min_frequency": 0}
    case = made_case("wordpiece", "free", {"pipeline": options["pipeline"], "vocab_size": 20})
    results = {official_answer(case) for _ in range(8)}
    assert not [result for result in results if compared(case, result)]


def test_a_subject_that_hangs_dies_or_returns_nonsense_is_told(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import os, time\n"
        "def train(texts, options):\n"
        "    print('noise')\n"
        "    if texts == ['hang']: time.sleep(60)\n"
        "    if texts == ['die']: os._exit(3)\n"
        "    if texts == ['nonsense']: return 7\n"
        "    if texts == ['raise']: raise ValueError('no')\n"
        '    return b\'{"model": {"vocab": {"a": 0}}}\'\n'
    )
    with TrainingSubject(f"{file}:train", 2.0, MEMORY) as subject:
        answers = {
            text: subject.train("wordlevel", [text], {}) for text in ("hang", "die", "nonsense", "raise", "good")
        }
    kinds = {text: answer.kind for text, answer in answers.items() if isinstance(answer, Failure)}
    assert kinds == {"hang": "timed out", "die": "crashed", "nonsense": "nonsense", "raise": "refused"}
    assert learned_of(bytes(answers["good"])) == Learned(((0, "a", None),))  # type: ignore[arg-type]


@pytest.mark.parametrize(("named", "told"), [("none.py:train", "no file"), ("mine", "is not FILE.py:FUNCTION")])
def test_a_subject_that_is_not_there_is_a_mistake(named: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        TrainingSubject(named, 1.0, MEMORY)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"model": 3}', b"\xff\xfe", b'{"model": {"vocab": [1]}}'])
def test_a_file_of_another_form_is_nonsense(data: bytes) -> None:
    assert isinstance(learned_of(data), Failure)


def test_findings_are_on_disk_and_tell_how_to_train_again(tmp_path: Path) -> None:
    def sorted_vocab(trainer: str, texts: object, options: object) -> bytes:
        return json.dumps({"model": {"vocab": {"a": 0}}}).encode()

    Session(list(made_cases(("wordlevel",), 3, 1)), asked(sorted_vocab), folder=tmp_path).run(lambda progress: None)
    first, *others = map(json.loads, (tmp_path / "findings.jsonl").read_text().splitlines())
    assert first["rule"] == "no known rule"
    assert "pre_tokenizer is not written" in {other["rule"] for other in others}
    assert "no known rule" in (tmp_path / "summary.md").read_text()


class Killed(Exception):
    """In the place of a kill: nothing of what is in memory is used again."""


def test_a_run_that_is_killed_at_every_step_finds_the_same(tmp_path: Path) -> None:
    cases = list(made_cases(("hf-bpe", "wordlevel"), 24, 1))
    whole, folder = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    folder.mkdir()
    Session(cases, asked_here("ties_by_string"), folder=whole).run(lambda progress: None)

    def killed(progress: TrainingProgress) -> None:
        if (folder / "journal.jsonl").read_bytes() != before:
            raise Killed

    kills = 0
    while True:
        before = (folder / "journal.jsonl").read_bytes() if kills else b""
        try:
            Session(cases, asked_here("ties_by_string"), folder=folder).run(killed)
            break
        except Killed:
            kills += 1
    assert kills == 25  # each case, and the findings of hf-bpe
    for name in ("findings.jsonl", "summary.md"):
        assert (folder / name).read_bytes() == (whole / name).read_bytes()


def test_findings_are_the_same_on_any_number_of_workers(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text('def train(texts, options):\n    return b\'{"model": {"vocab": {"a": 0}}}\'\n')
    cases = list(made_cases(("wordlevel", "word"), 12, 1))
    for jobs in (0, 1, 2):
        folder = tmp_path / str(jobs)
        folder.mkdir()
        ask = partial(subject_answer, f"{file}:train", 30.0, MEMORY)
        Session(cases, ask, folder=folder).run(lambda progress: None, jobs)
    for name in ("findings.jsonl", "summary.md"):
        assert (tmp_path / "2" / name).read_bytes() == (tmp_path / "1" / name).read_bytes()
        assert (tmp_path / "2" / name).read_bytes() == (tmp_path / "0" / name).read_bytes()


def test_a_resumed_run_removes_what_a_killed_one_has_left_though_no_subject_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: killed when all was compared, a run left the folders of its subjects for ever."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    plan = TrainingPlan("", ("wordlevel",), "random", 1, 1, (), 60.0, MEMORY)
    with ExitStack() as held:
        begin_training(tmp_path / "run", plan, held)
    (tmp_path / "conformance-subject-999999999-a").mkdir()
    with ExitStack() as held:
        resume_training(tmp_path / "run", False, held)
    assert {path.name for path in tmp_path.iterdir()} == {"run"}


def test_a_folder_is_gone_on_with_only_as_it_was_begun(tmp_path: Path) -> None:
    texts, subject, folder = tmp_path / "texts.txt", tmp_path / "mine.py", tmp_path / "out"
    texts.write_text("low lower\n", "utf-8")
    subject.write_text("", "utf-8")
    plan = TrainingPlan(f"{subject}:train", ("wordlevel",), "default", 1, 0, (texts,), 60.0, MEMORY)
    with ExitStack() as held:
        begin_training(folder, plan, held)
    with ExitStack() as held:
        assert resume_training(folder, False, held) == plan
    with ExitStack() as held, pytest.raises(InputError, match="holds a run already; go on with --resume"):
        begin_training(folder, plan, held)
    texts.write_text("other", "utf-8")
    with ExitStack() as held, pytest.raises(InputError, match=r"texts\.txt: is gone or has changed"):
        resume_training(folder, False, held)
    value = json.loads((folder / "plan.json").read_text())
    for wrong, told in (
        ({**value, "seal": "0" * 64}, "was not made here, and would run"),
        ({"models": []}, "is not the folder of a conformance train"),
        ({**value, "training": {**value["training"], "trainers": ["x"]}}, "a trainer is 'x', not one of"),
        ([], "cannot be read"),
    ):
        (folder / "plan.json").write_text(json.dumps(wrong))
        with ExitStack() as held, pytest.raises(InputError, match=told):
            resume_training(folder, False, held)


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        '{"compared": {"number": 0, "outcome": "different"}}',
        '{"compared": {"number": 9, "outcome": "same"}}',
        "x",
    ],
)
def test_a_journal_of_another_form_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").write_text(f"{line}\n")
    with pytest.raises(InputError, match="start the run anew"):
        Session(list(made_cases(("word",), 2, 1)), official_answer, folder=tmp_path)


def test_what_no_rule_explains_is_told_once_with_all_of_its_kind() -> None:
    """Fault: one mistake gave three findings, and two more for wrong pieces and a wrong vocab_size."""

    def ask(case: TrainingCase) -> Learned | Failure:
        found = reference_training(case)
        if isinstance(found, Failure) or len(found.entries) < 8:
            return found
        shorter = replace(case, options={**case.options, "vocab_size": len(found.entries) - len(case.texts) % 5})
        return reference_training(shorter)

    session = Session([*made_cases(("char",), 20, 3)], ask, label="mine")
    session.run(lambda progress: None)
    (found,) = session.result().findings
    assert (found.rule, len(found.cases) > 3) == ("no known rule", True)
