"""`reftok.train` and `reftok train` for sentencepiece's trainers: the bytes that the library makes of the files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

import reftok
from reftok.cli.commands import main
from reftok.errors import TrainingStopped
from reftok.training.train import SENTENCEPIECE_TRAINERS

TEXT = "the hug of pug and hugs\nhug the pug\r\nnew pugs and mugs\n\nthe mug"


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("texts.txt").write_text(TEXT, "utf-8", newline="")
    return "texts.txt"


def official(**options: Any) -> bytes:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(model_writer=model, minloglevel=3, **options)
    return model.getvalue()


@pytest.mark.parametrize("trainer", SENTENCEPIECE_TRAINERS)
def test_a_file_makes_the_library_s_bytes_and_loads_in_both(trainer: str, texts: str) -> None:
    made = reftok.train(trainer, files=texts, vocab_size=18, hard_vocab_limit=False, output="made.model")
    kind = trainer.removeprefix("sentencepiece-")
    expected = official(input=texts, vocab_size=18, hard_vocab_limit=False, model_type=kind)
    assert Path("made.model").read_bytes() == expected
    loaded = sentencepiece.SentencePieceProcessor(model_file="made.model")
    assert made.encode_ids("hugs the pug") == loaded.encode("hugs the pug")


@pytest.mark.parametrize(
    ("trainer", "text", "options", "problem"),
    [
        ("char", "ab", {"unk_id": 7, "use_all_vocab": True}, "no piece is the unknown one"),
        (
            "word",
            "é" * 4000 + "\nab",
            {"max_sentence_length": 9000, "hard_vocab_limit": False},
            "is too long: 8000 bytes",
        ),
    ],
    ids=["an unknown piece behind all characters", "a piece of 8,000 bytes"],
)
def test_a_model_that_the_library_cannot_load_is_not_written(
    texts: str, trainer: str, text: str, options: dict[str, Any], problem: str
) -> None:
    Path(texts).write_text(text, "utf-8")
    model = official(input=texts, model_type=trainer, **options)
    with pytest.raises(RuntimeError):
        sentencepiece.SentencePieceProcessor(model_proto=model)
    with pytest.raises(
        TrainingStopped, match=rf"^made\.model: not written: sentencepiece makes .* load itself: .*{problem}"
    ):
        reftok.train(trainer, files=texts, output="made.model", **options)
    assert [path.name for path in Path().iterdir()] == [texts]
    with pytest.raises(TrainingStopped, match=rf"^sentencepiece makes a model .*{problem}"):
        reftok.train(trainer, files=texts, **options)


def test_options_of_the_command_line_are_those_of_the_library(texts: str) -> None:
    arguments = ["train", "sentencepiece-bpe", texts, "--vocab-size", "24", "--split-digits", "true", "--quiet"]
    main([*arguments, "--user-defined-symbols", "<a>,<b>", "--character-coverage", "0.98", "-o", "made.model"])
    options = {"split_digits": "true", "user_defined_symbols": "<a>,<b>", "character_coverage": "0.98"}
    expected = official(input=texts, vocab_size=24, model_type="bpe", **options)
    assert Path("made.model").read_bytes() == expected


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"min_frequency": 2}, "min_frequency: is no option of unigram"),
        ({"special_tokens": ["<s>"]}, "control_symbols and user_defined_symbols"),
        ({"pipeline": "bert"}, "normalization_rule_name"),
        ({"split_digit": True}, "is split_digits meant"),
        ({"resume": True, "output": "m.model"}, "nothing to go on from"),
        ({"resume": True}, "name the output"),
        ({"output": "tokenizer.json"}, "is FILE.model"),
        ({"output": "texts.txt.model"}, "exists already"),
        ({"output": "other.model"}, "other.vocab: exists already"),
        ({"output": "no/where.model"}, "does not exist"),
    ],
)
def test_what_these_trainers_do_not_take_is_named(options: dict[str, Any], told: str, texts: str) -> None:
    for other in ("texts.txt.model", "other.vocab"):
        Path(other).touch()
    with pytest.raises(reftok.TrainingStopped, match=told):
        reftok.train("unigram", files=texts, **{"vocab_size": 18, **options})


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(["train", *arguments])
    return capsys.readouterr().out


def test_a_merge_is_explained_by_its_count_and_its_rivals(texts: str, capsys: pytest.CaptureFixture[str]) -> None:
    by_number = explained(capsys, "sentencepiece-bpe", texts, "--vocab-size", "24", "--explain", "0")
    assert by_number.splitlines()[:2] == ["merge 0: 'u' + 'g' → 'ug'", "  count 8, the largest"]
    assert explained(capsys, "sentencepiece-bpe", texts, "--vocab-size", "24", "--explain", "ug") == by_number


def test_a_piece_of_a_unigram_model_has_a_score_for_each_round(texts: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = explained(capsys, "unigram", texts, "--vocab-size", "18", "--explain", "h")
    assert "seed: score" in told
    assert "round 2 of EM: score" in told


@pytest.mark.parametrize(("trainer", "asked"), [("sentencepiece-bpe", "999"), ("unigram", "xyz"), ("word", "0")])
def test_what_cannot_be_explained_is_told(trainer: str, asked: str, texts: str) -> None:
    assert main(["train", trainer, texts, "--vocab-size", "18", "--explain", asked]) == 2
