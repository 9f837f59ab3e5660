"""The official trainers train as the reference; planted trainers are found, named and shrunk; hypotheses bite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.core.errors import UsageError
from conformance.core.observation import Failure
from conformance.subjects.training_subject import TrainingSubject
from conformance.training.case import Learned, first_difference, learned_of
from conformance.training.configurations import TRAINERS, made_case, made_cases, matrix_cases
from conformance.training.findings import compared
from conformance.training.hypotheses import HYPOTHESES
from conformance.training.reference import reference_training
from conformance.training.report import headline
from conformance.training.session import Session, asked, official_answer

from ...planted_defects.hunt_trainers import hunted, is_named, most_words

MEMORY = 4096


def test_the_official_trainers_train_as_the_reference() -> None:
    session = Session(True, None)
    session.run([*made_cases(TRAINERS, 64, 7), *matrix_cases(("hf-bpe", "word", "char"), ())], official_answer, str)
    result = session.result()
    assert not result.findings
    assert result.done == 80
    assert result.refused < 8


def test_a_trainer_that_refuses_all_has_proved_nothing() -> None:
    """Fault: "as the reference trains" and exit code 0 for a trainer that raises on everything."""
    session = Session(False, None)
    session.run([*made_cases(("char",), 3, 7)], lambda case: Failure("refused", "not yet"), str)
    result = session.result()
    assert result.is_vacuous
    assert headline(result) == "✗ the official trainers: nothing is proved: all of 3 trainings were refused"


FAST = ("ties_by_string", "overlaps_counted_once", "frequency_must_be_more", "words_first_seen", "double_logarithms")
"""A share of the planted trainers; `python -m tests.planted_defects.hunt_trainers` hunts all of them."""


@pytest.mark.parametrize("name", FAST)
def test_a_planted_trainer_is_found_named_and_shrunk(name: str) -> None:
    trainer = {"words_first_seen": "wordlevel", "double_logarithms": "word"}.get(name, "hf-bpe")
    findings = hunted(name, list(made_cases((trainer,), 30, 1)))
    assert is_named(name, findings)
    assert most_words(findings) <= 5


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
    session = Session(False, tmp_path / "out")

    def sorted_vocab(trainer: str, texts: object, options: object) -> bytes:
        return json.dumps({"model": {"vocab": {"a": 0}}}).encode()

    session.run(list(made_cases(("wordlevel",), 3, 1)), asked(sorted_vocab), str)
    (line,) = (tmp_path / "out" / "findings.jsonl").read_text().splitlines()
    assert json.loads(line)["rule"] == "no known rule"
    assert "no known rule" in (tmp_path / "out" / "summary.md").read_text()
