"""A trained file is held against what its trainer may make; official results are a function of what is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.core.errors import InputError, UsageError
from conformance.core.observation import Failure
from conformance.subjects.official_trainers import official_training
from conformance.training.checking import Checked, check_file, option
from conformance.training.configurations import TRAINERS, made_case, with_pipeline
from conformance.training.determinism import determinism

from ...planted_defects import trainers

TEXTS = ["low lower lowest", "new newer newest", "low low new", "wide wider", "it is low"]
NOT_IN_THE_FILE = ("min_frequency", "max_token_length", "limit_alphabet", "initial_alphabet", "shrinking_factor")


def checked(folder: Path, file: bytes, texts: list[str], **given: object) -> Checked:
    (folder / "file").write_bytes(file)
    (folder / "texts.txt").write_text("".join(f"{text}\n" for text in texts), "utf-8")
    return check_file(folder / "file", [folder / "texts.txt"], given, lambda step: None)


@pytest.mark.parametrize("trainer", TRAINERS)
def test_what_the_official_trainer_makes_is_valid_whatever_it_leaves_to_chance(trainer: str, tmp_path: Path) -> None:
    valid = 0
    for number in range(12):
        case = made_case(trainer, f"checked {number}")
        made = official_training(trainer, case.texts, case.options)
        given = {name: case.options[name] for name in NOT_IN_THE_FILE if name in case.options}
        if trainer == "hf-unigram":
            given |= {name: value for name, value in case.settings.items() if name != "special_tokens"}
        if not isinstance(made, Failure) and not any("\n" in text or not text for text in case.texts):
            valid += checked(tmp_path, made, [*case.texts], **given).is_valid
    assert valid >= 5


@pytest.mark.parametrize(
    ("trainer", "size"), [("hf-bpe", 270), ("wordpiece", 30), ("wordlevel", 5), ("sentencepiece-bpe", 25), ("char", 12)]
)
def test_what_was_trained_on_other_texts_is_not_valid(trainer: str, size: int, tmp_path: Path) -> None:
    options = with_pipeline(trainer, {"vocab_size": size})
    for texts, is_valid in ((TEXTS, True), ([*TEXTS, "zz zz zz zz"], False)):
        made = official_training(trainer, texts, options)
        assert not isinstance(made, Failure)
        assert checked(tmp_path, made, TEXTS).is_valid is is_valid


@pytest.mark.parametrize(
    ("trainer", "defect", "path"),
    [
        ("char", "normalizer_spec_not_written", "normalizer_spec"),
        ("char", "types_not_written", "pieces.type"),
    ],
)
def test_a_file_of_which_a_part_is_missing_is_not_valid(trainer: str, defect: str, path: str, tmp_path: Path) -> None:
    """Fault: a `.model` without types or normalizer spec was called valid."""
    made = getattr(trainers, defect)(TEXTS, {"trainer": trainer, "vocab_size": 14})
    found = checked(tmp_path, made, TEXTS).difference
    assert found is not None
    assert found.path == path


def test_a_valid_file_that_the_library_does_not_load_is_told(tmp_path: Path) -> None:
    options = {"vocab_size": 40, "unk_id": 30, "use_all_vocab": True}
    made = official_training("char", TEXTS, options)
    assert not isinstance(made, Failure)
    found = checked(tmp_path, made, TEXTS, vocab_size=40)
    assert (found.is_valid, bool(found.refusal)) == (True, True)


def test_texts_may_have_been_fed_with_their_line_ends(tmp_path: Path) -> None:
    options = with_pipeline("hf-bpe", {"vocab_size": 20, "pipeline": "none"})
    made = official_training("hf-bpe", [f"{text}\n" for text in TEXTS], options)
    assert not isinstance(made, Failure)
    found = checked(tmp_path, made, TEXTS)
    assert found.is_valid
    assert "line ends" in found.reading


def test_a_rule_that_foretells_the_whole_file_is_named(tmp_path: Path) -> None:
    made = official_training("wordlevel", TEXTS, with_pipeline("wordlevel", {"vocab_size": 30}))
    assert not isinstance(made, Failure)
    assert checked(tmp_path, made, TEXTS).is_valid
    found = checked(tmp_path, made, TEXTS, min_frequency=2)
    assert (found.is_valid, found.rule) == (False, "min_frequency is ignored")


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xff", b'{"model": {"type": "X", "vocab": {}}}'])
def test_a_file_that_is_no_result_of_a_trainer_is_refused_by_name(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="file: "):
        checked(tmp_path, content, TEXTS)


@pytest.mark.parametrize("trainer", ["hf-bpe", "word"])
@pytest.mark.parametrize("given", [{"vocabsize": 9}, {"vocab_size": "many"}])
def test_an_option_that_the_trainer_does_not_take_is_bad_usage_and_no_difference(
    trainer: str, given: dict[str, object], tmp_path: Path
) -> None:
    made = official_training(trainer, TEXTS, with_pipeline(trainer, {"vocab_size": 12}))
    assert not isinstance(made, Failure)
    with pytest.raises(UsageError, match=f"--option: .*{next(iter(given))}"):
        checked(tmp_path, made, TEXTS, **given)


def test_a_vocab_json_is_told_to_be_no_tokenizer_json(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it has no model"):
        checked(tmp_path, b'{"a": 0}', TEXTS)


def test_an_option_is_a_name_and_a_value() -> None:
    assert option('special_tokens=["a=b"]') == ("special_tokens", ["a=b"])
    for wrong in ("x", "=2", "a b=2"):
        with pytest.raises(UsageError, match="NAME=VALUE"):
            option(wrong)


def test_what_a_result_is_a_function_of_is_seen() -> None:
    cases = [made_case("word", "order", {"vocab_size": 12, "hard_vocab_limit": False})]
    cases.append(made_case("unigram", "order 5", {"vocab_size": 30, "hard_vocab_limit": False, "num_threads": 3}))
    word, unigram = determinism(cases, 30.0, 4096, lambda progress: None)
    assert word.sentence == "a function of the texts, in any order, and the options"
    assert not unigram.changed["processes"]
    assert json.dumps(unigram.sentence).startswith('"a function of the texts')
