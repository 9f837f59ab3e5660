"""`reftok train`: what it says, its exit codes, and its explanations; as a process only where that is the question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import reftok
from reftok.cli.commands import main
from reftok.cli.train import ALL_TRAINERS
from reftok.training.train import SENTENCEPIECE_TRAINERS
from reftok.training.training import TRAINERS


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text("low lower lowest\nnew newer newest\n" * 5, "utf-8")
    return path


def test_the_command_knows_every_trainer() -> None:
    assert {*ALL_TRAINERS} == {*TRAINERS, *SENTENCEPIECE_TRAINERS}


@pytest.mark.parametrize("trainer", sorted(TRAINERS))
def test_it_writes_what_loads(trainer: str, texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "made.json"
    more = ["--special-token", "<unk>", *(["--unk-token", "<unk>"] if trainer == "hf-unigram" else [])]
    size = ["--vocab-size", "300" if trainer == "minbpe" else "40"]
    assert main(["train", trainer, str(texts), "-o", str(output), *size, *more]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert f"{output}: written after" in told.err
    assert reftok.load(output).encode_ids("lower")


def test_the_options_have_the_names_of_the_official_ones(texts: Path, tmp_path: Path) -> None:
    output = tmp_path / "made.json"
    options = ["--min-frequency", "2", "--limit-alphabet", "9", "--initial-alphabet", "xy", "--max-token-length", "4"]
    affixes = ["--continuing-subword-prefix", "##", "--end-of-word-suffix", "</w>"]
    command = ["train", "hf-bpe", str(texts), "-o", str(output), "--pipeline", "whitespace", "--quiet"]
    assert main([*command, *options, *affixes]) == 0
    model = json.loads(output.read_bytes())["model"]
    assert (model["continuing_subword_prefix"], model["end_of_word_suffix"]) == ("##", "</w>")
    assert {"x", "y"} <= model["vocab"].keys()


def test_a_mistake_of_the_command_line_is_not_behind_thirty_lines_of_options(
    texts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for wrong in (["unigramm", str(texts)], ["unigram", str(texts), "--merges", "3"], ["hf-bpe"]):
        with pytest.raises(SystemExit):
            main(["train", *wrong])
        assert len(capsys.readouterr().err.splitlines()) == 3


def test_an_option_of_sentencepiece_is_refused_with_the_trainers_that_have_it(
    texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "hf-bpe", str(texts), "-o", str(tmp_path / "a.json"), "--byte-fallback", "true"]) == 2
    assert capsys.readouterr().err == (
        "reftok: hf-bpe has no option byte_fallback: only sentencepiece-bpe, unigram, word and char have it\n"
    )


@pytest.mark.parametrize(("is_kept", "told"), [(True, "with --resume goes on"), (False, "begins anew: nothing was")])
def test_who_interrupts_is_told_what_to_do(
    texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    is_kept: bool, told: str,
) -> None:  # fmt: skip
    output = tmp_path / "a.json"

    def interrupted(*arguments: object, **options: object) -> None:
        if is_kept:
            output.with_name("a.json.training").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr("reftok.training.training.Training.run", interrupted)
    assert main(["train", "wordlevel", str(texts), "-o", str(output)]) == 130
    assert told in capsys.readouterr().err


def test_a_mistake_is_one_line_and_exit_code_2(texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "made.json"
    assert main(["train", "wordlevel", str(texts), "-o", str(output), "--max-token-length", "3"]) == 2
    assert capsys.readouterr().err == "reftok: wordlevel has no option max_token_length: only hf-bpe has it\n"
    output.write_text("mine", "utf-8")
    assert main(["train", "wordlevel", str(texts), "-o", str(output)]) == 2
    assert "exists already; --overwrite replaces it" in capsys.readouterr().err
    assert output.read_text("utf-8") == "mine"
    assert main(["train", "wordlevel", str(texts)]) == 2
    assert "writes an output (-o FILE) or explains" in capsys.readouterr().err


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["train", *arguments]) == 0
    return capsys.readouterr().out


def test_a_merge_is_explained_by_its_count_and_its_rivals(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = explained(capsys, "hf-bpe", str(texts), "--pipeline", "whitespace", "--explain", "0")
    assert first.splitlines() == [
        "merge 0: 'w' + 'e' → 'we'",
        "  count 20, the largest",
        "  no other pair has this count",
    ]
    texts.write_text("abc abc", "utf-8")
    second = explained(capsys, "hf-bpe", str(texts), "--pipeline", "whitespace", "--explain", "ab")
    assert "1 other pair has this count; this one has the smaller ids, the left one first:\n    'b' + 'c'" in second
    assert main(["train", "hf-bpe", str(texts), "--explain", "900"]) == 2
    assert "merge 900 is not made" in capsys.readouterr().err


@pytest.mark.parametrize("trainer", ["hf-bpe", "minbpe", "sentencepiece-bpe"])
def test_a_merge_that_was_not_made_is_explained(trainer: str, texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts.write_text("the he the\n" * 2, "utf-8")
    options = {"hf-bpe": ["258"], "minbpe": ["258"], "sentencepiece-bpe": ["9"]}[trainer]
    told = explained(capsys, trainer, str(texts), "--vocab-size", *options, "--explain", "th").splitlines()
    assert told[0] == "no merge makes 'th'"
    assert told[1] == "  't' + 'h': neighbours 0 times at the end of the training"
    assert told[2] == "    merge 0 came before: 'h' + 'e', 6 times"


def test_the_merges_are_a_table_with_their_counts(texts: Path, tmp_path: Path) -> None:
    texts.write_text("a\tba\tb a", "utf-8")
    table, output = tmp_path / "merges.tsv", str(tmp_path / "tokenizer.json")
    options = ["hf-bpe", str(texts), "--pipeline", "none", "--vocab-size", "5", "-o", output, "--quiet"]
    assert main(["train", *options, "--merge-table", str(table)]) == 0
    assert table.read_text("utf-8").splitlines() == [
        "merge\tleft\tright\ttoken\tcount",
        r"0	\t	b	\tb	2",
    ]
    assert main(["train", "word", str(texts), "-o", output, "--merge-table", str(table)]) == 2


def test_a_table_in_a_folder_that_does_not_exist_is_refused_before_the_training(texts: Path, tmp_path: Path) -> None:
    output = tmp_path / "tokenizer.json"
    options = ["hf-bpe", str(texts), "--vocab-size", "258", "-o", str(output)]
    assert main(["train", *options, "--merge-table", str(tmp_path / "absent" / "merges.tsv")]) == 2
    assert not output.exists()


def test_a_piece_is_explained_by_its_score_in_each_round(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = explained(capsys, "hf-unigram", str(texts), "--vocab-size", "12", "--explain", "we")
    assert "  seed: score" in said
    assert "round 1, EM 1" in said
    assert main(["train", "hf-unigram", str(texts), "--explain", "lowest"]) == 2
    assert "'lowest' is no seed" in capsys.readouterr().err
