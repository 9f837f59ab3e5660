"""The table of options has those of the installed libraries, and what is asked has the table's."""

from __future__ import annotations

import ast
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from tokenizers import trainers

from conformance.core.errors import InputError
from conformance.training.case import TrainingCase
from conformance.training.configurations import MATRIX, TRAINERS, option_cases, read_configurations
from conformance.training.options import HF, NOT_TRIED, PIECES, coverage, options_of
from conformance.training.plan import TrainingPlan
from reftok.formats.sentencepiece.protobuf import read_fields
from reftok.training.sentencepiece.options import DEFAULTS

OFFICIAL = {
    "hf-bpe": trainers.BpeTrainer,
    "wordpiece": trainers.WordPieceTrainer,
    "wordlevel": trainers.WordLevelTrainer,
    "hf-unigram": trainers.UnigramTrainer,
}
_NAME, _MESSAGE, _FIELD = 1, 4, 2
"""Of a descriptor: its name, a message of a file, a field of a message."""


@pytest.mark.parametrize("trainer", HF)
def test_the_table_has_the_options_of_tokenizers(trainer: str) -> None:
    signature = OFFICIAL[trainer].__text_signature__
    known = {*re.findall(r"(\w+)=", signature)} - NOT_TRIED.keys()
    assert {option.name for option in options_of(trainer)} == known | {"pipeline"}


def fields_of_sentencepiece() -> set[str]:
    """The fields of both specs, as the serialized descriptor of the wheel has them."""
    spec = find_spec("sentencepiece.sentencepiece_model_pb2")
    assert spec is not None
    assert spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text("utf-8"))
    constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    descriptor = max((value for value in constants if isinstance(value, bytes)), key=len)
    found: set[str] = set()
    for number, _, _, message in read_fields(descriptor, ""):
        if number == _MESSAGE and isinstance(message, bytes) and name_of(message) in ("TrainerSpec", "NormalizerSpec"):
            fields = (value for field, _, _, value in read_fields(message, "") if field == _FIELD)
            found |= {name_of(field) for field in fields if isinstance(field, bytes)}
    return found


def name_of(message: bytes) -> str:
    return next(value.decode() for number, _, _, value in read_fields(message, "") if number == _NAME)  # type: ignore[union-attr]


def test_the_table_has_the_options_of_sentencepiece() -> None:
    official = fields_of_sentencepiece()
    known = {option.name for trainer in PIECES for option in options_of(trainer)}
    assert len(official) > 50
    assert official <= known | NOT_TRIED.keys()
    assert known - official == {"normalization_rule_name"}
    assert known <= DEFAULTS.keys()


def test_the_matrix_has_no_option_that_the_table_lacks() -> None:
    for trainer, _, options in MATRIX:
        assert options.keys() <= {option.name for option in options_of(trainer)}


def test_each_option_is_asked() -> None:
    assert "not asked" not in coverage(option_cases(TRAINERS))


def test_what_is_not_asked_is_named() -> None:
    said = coverage([TrainingCase("", "wordlevel", ("a",), {"vocab_size": 7, "pipeline": {}})])
    assert said.endswith("2 of 4 options; not asked: min_frequency, special_tokens")


def test_a_user_names_configurations_of_his_own(tmp_path: Path) -> None:
    file, texts = tmp_path / "mine.toml", tmp_path / "texts.txt"
    file.write_text('[[training]]\ntrainer = "word"\nvocab_size = 9\n[[training]]\ntrainer = "char"\n')
    texts.write_text("low lower\n")
    plan = TrainingPlan("", ("word",), "default", 1, 0, (texts,), 60.0, 4096, file)
    (case,) = plan.cases()
    assert (case.trainer, case.texts, case.options) == ("word", ("low lower",), {"vocab_size": 9})
    assert plan.files == [file, texts]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("", "is not a TOML file with tables"),
        ("[[training]]\nvocab_size = 9", "is not a TOML file with tables"),
        ('[[training]]\ntrainer = "bpe"', "'bpe' is no trainer"),
        ('[[training]]\ntrainer = "word"\nvocabsize = 9', "word has no option 'vocabsize'"),
        ('[[training]]\ntrainer = "hf-bpe"\npipeline = "x"', "'x' is no pipeline"),
    ],
)
def test_a_configuration_that_means_nothing_is_refused_by_name(written: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(written)
    with pytest.raises(InputError, match=told):
        read_configurations(tmp_path / "mine.toml")
