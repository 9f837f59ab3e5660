"""Interrupted trainings go on to the same bytes; files, folders and options that are refused by name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tokenizers

import reftok
from reftok.training import checkpoint as checkpoint_module
from reftok.training.texts import Texts
from reftok.training.train import SENTENCEPIECE_TRAINERS
from reftok.training.training import Training

from .sentencepiece.strategies import lines_of

TEXT = "".join(
    f"the {word} of {other} is a {word}{other}\n" for word in ("low", "new", "漢字") for other in ("er", "est", "é")
)


class Killed(Exception):
    """In the place of a kill: nothing of what is in memory is used again."""


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text(TEXT * 3, "utf-8")
    return path


TRAINED: dict[str, dict[str, Any]] = {
    "hf-bpe": {"vocab_size": 290},
    "hf-bpe with a bound": {"vocab_size": 290, "max_token_length": 4},
    "hf-bpe with affixes": {
        "vocab_size": 60, "continuing_subword_prefix": "e", "end_of_word_suffix": "w", "pipeline": "whitespace",
        "special_tokens": ["the"],
    },
    "wordpiece": {"vocab_size": 60},
    "wordlevel": {},
    "hf-unigram": {"vocab_size": 40, "special_tokens": ["<unk>"], "unk_token": "<unk>"},
    "minbpe": {"vocab_size": 290},
    "sentencepiece-bpe": {"vocab_size": 90, "hard_vocab_limit": False},
    "sentencepiece-bpe across spaces": {"vocab_size": 60, "split_by_whitespace": False, "character_coverage": 0.98},
    "sentencepiece-bpe by value": {"vocab_size": 300, "byte_fallback": True, "auto_character_coverage": True},
    "unigram": {"vocab_size": 24, "num_threads": 3},
    "unigram with the unknown": {"vocab_size": 24, "character_coverage": 0.98, "num_sub_iterations": 3},
    "unigram across spaces": {"vocab_size": 30, "split_by_whitespace": False},
    "word": {"vocab_size": 15},
    "char": {"vocab_size": 15},
}  # fmt: skip


@pytest.mark.parametrize("name", TRAINED)
def test_a_training_that_is_killed_at_every_step_makes_the_same_bytes(
    name: str, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (
        killed_at_every_step(name.split()[0], TRAINED[name], texts, tmp_path, monkeypatch) >= 27
    )  # each line, and each step after that


def test_a_unigram_that_is_killed_between_prunings_makes_the_same_bytes(
    texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, options = lines_of("en-Latn"), {"vocab_size": 110, "shrinking_factor": 0.75, "num_threads": 2}
    texts.write_text("\n".join(lines), "utf-8")
    assert killed_at_every_step("unigram", options, texts, tmp_path, monkeypatch) == len(lines) + 1 + 10


def test_another_process_goes_on_with_options_in_another_order_of_hashes(texts: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from reftok.training.texts import Texts;"
        "from reftok.training.sentencepiece.trainer import SentencePieceTraining;"
        "print(SentencePieceTraining.of('unigram', Texts.of(None, Path(sys.argv[1])), vocab_size=9, unk_id=0, pad_id=3)"
        ".identity)"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", code, texts], env={**os.environ, "PYTHONHASHSEED": seed}, check=True, text=True,
            capture_output=True,
        ).stdout
        for seed in "12"
    ]  # fmt: skip
    assert told[0] == told[1]


def killed_at_every_step(
    trainer: str, options: dict[str, Any], texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> int:
    """Train and be killed until the output is there, which must be that of one run; gives how often."""
    suffix = "model" if trainer in SENTENCEPIECE_TRAINERS else "json"
    output, whole = tmp_path / f"tokenizer.{suffix}", tmp_path / f"whole.{suffix}"
    reftok.train(trainer, files=texts, output=whole, **options)
    monkeypatch.setattr(checkpoint_module, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(checkpoint_module, "monotonic", lambda: 0.0)
    written = checkpoint_module.write_checkpoint
    checkpoint = output.with_name(f"{output.name}.training")
    kills = 0
    last = b""

    def written_and_killed(*arguments: Any) -> None:
        nonlocal last
        written(*arguments)
        before, last = last, checkpoint.read_bytes()
        if last != before:  # a round that is killed before its end is begun again
            raise Killed

    monkeypatch.setattr(checkpoint_module, "write_checkpoint", written_and_killed)
    while not output.exists():
        try:
            reftok.train(trainer, files=texts, output=output, resume=kills > 0, **options)
        except Killed:
            kills += 1
    assert output.read_bytes() == whole.read_bytes()
    assert not list(tmp_path.glob("*.training*"))
    return kills


def test_what_is_interrupted_is_gone_on_with_only_by_the_same_training(texts: Path, tmp_path: Path) -> None:
    output = tmp_path / "t.json"
    training = Training.of("hf-bpe", Texts.of(None, texts), vocab_size=300)
    checkpoint_module.write_checkpoint(tmp_path / "t.json.training", training.identity, {"words": {}, "texts": 0})
    with pytest.raises(reftok.TrainingStopped, match="--resume goes on with it, --overwrite begins anew"):
        reftok.train("hf-bpe", files=texts, output=output, vocab_size=300)
    with pytest.raises(reftok.TrainingStopped, match="another vocab_size"):
        reftok.train("hf-bpe", files=texts, output=output, vocab_size=301, resume=True)
    texts.write_text("other", "utf-8")
    with pytest.raises(reftok.TrainingStopped, match="another inputs"):
        reftok.train("hf-bpe", files=texts, output=output, vocab_size=300, resume=True)
    with pytest.raises(reftok.TrainingStopped, match="nothing to go on from"):
        reftok.train("hf-bpe", files=texts, output=tmp_path / "u.json", resume=True)


def test_a_damaged_checkpoint_is_refused(texts: Path, tmp_path: Path) -> None:
    training = Training.of("hf-bpe", Texts.of(None, texts))
    checkpoint = tmp_path / "t.json.training"
    checkpoint_module.write_checkpoint(checkpoint, training.identity, {"words": {"ab": 1}, "texts": 1})
    whole = checkpoint.read_bytes()
    for damaged in (whole[:-1], b"", b"\n", whole.replace(b'"words"', b'"wards"'), b"[" * 9999, whole[:-1] + b"\xff"):
        checkpoint.write_bytes(damaged)
        with pytest.raises(reftok.TrainingStopped):
            checkpoint_module.carried_out(training, tmp_path / "t.json", resume=True)


def test_ids_that_are_surrogates_stay_two_in_a_checkpoint(tmp_path: Path) -> None:
    """Fault: in the escapes of JSON a high surrogate and a low one behind it are one character, and so one id."""
    state = {"words": ["\ud83d\ude00", "\U0001f600", "a\0"], "count": 1 << 80, "score": -0.1}
    checkpoint_module.write_checkpoint(tmp_path / "t.training", {"trainer": "x"}, state)
    assert checkpoint_module.read_checkpoint(tmp_path / "t.training", {"trainer": "x"}) == state


def test_outputs_load_in_reftok_and_in_the_official_libraries(texts: Path, tmp_path: Path) -> None:
    made = reftok.train("hf-bpe", files=texts, output=tmp_path / "tokenizer.json", vocab_size=300)
    reftok.train("hf-bpe", files=texts, output=tmp_path / "vocab.json", vocab_size=300)
    reftok.train("hf-bpe", files=texts, output=tmp_path / "own.tiktoken", vocab_size=300, special_tokens=["<|end|>"])
    text = "the newest 漢字"
    expected = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json")).encode(text).ids
    vocab, merges = str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt")
    assert tokenizers.models.BPE.from_file(vocab, merges).get_trainer() is not None
    assert made.encode_ids(text) == reftok.load(tmp_path / "tokenizer.json").encode_ids(text) == expected
    assert reftok.load(tmp_path / "vocab.json").encode_ids(text) == expected
    ranked = reftok.load(tmp_path / "own.tiktoken")
    assert ranked.decode(ranked.encode_ids(text + "<|end|>")) == text
    assert ranked.encode_ids("<|end|>") == [0]


def test_the_files_are_those_that_the_official_library_saves(texts: Path, tmp_path: Path) -> None:
    official = tokenizers.Tokenizer(tokenizers.models.BPE())
    official.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    official.post_processor = tokenizers.processors.ByteLevel()
    official.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<s>\u2028\x7f"], initial_alphabet=alphabet, show_progress=False
    )
    official.train([str(texts)], trainer)
    official.save(str(tmp_path / "official.json"))
    folder = tmp_path / "official"
    folder.mkdir()
    official.model.save(str(folder))
    options: dict[str, Any] = {"vocab_size": 300, "special_tokens": ["<s>\u2028\x7f"]}
    reftok.train("hf-bpe", files=texts, output=tmp_path / "tokenizer.json", **options)
    reftok.train("hf-bpe", files=texts, output=tmp_path / "vocab.json", **options)
    assert (tmp_path / "tokenizer.json").read_bytes() == (tmp_path / "official.json").read_bytes()
    for name in ("vocab.json", "merges.txt"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_a_folder_gives_its_text_files_in_the_order_of_their_paths(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.txt", "c.md"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name, "utf-8")
    assert [text for text, _ in Texts.of(None, tmp_path).read()] == ["a/z.txt", "b.txt"]
    assert [text for text, _ in Texts.of(None, [tmp_path / "c.md"], True).read()] == ["c.md"]


@pytest.mark.parametrize(
    ("trainer", "options", "told"),
    [
        ("bpe", {}, "trainer 'bpe' is none of hf-bpe, wordpiece"),
        ("wordpiece", {"max_token_length": 3}, "wordpiece has no option max_token_length: only hf-bpe has it"),
        ("wordlevel", {"limit_alphabet": 3}, "hf-bpe and wordpiece have it"),
        ("hf-bpe", {"vocabsize": 3}, "hf-bpe has no option vocabsize: it takes vocab_size"),
        ("hf-bpe", {"vocab_size": -1}, "vocab_size is -1: a whole number from 0"),
        ("hf-bpe", {"special_tokens": "<s>"}, "special_tokens is '<s>': a list is needed"),
        ("hf-bpe", {"special_tokens": [3]}, "3 in it is no text"),
        ("hf-bpe", {"end_of_word_suffix": "\ud800"}, "lone surrogate"),
        ("hf-bpe", {"pattern": "x"}, "hf-bpe has no option pattern"),
        ("hf-bpe", {"pipeline": "nowhere"}, "pipeline nowhere is no tokenizer.json, and none of byte-level"),
        ("hf-bpe", {"output": "t.txt"}, "t.txt: the output is tokenizer.json, vocab.json"),
        ("hf-bpe", {"output": "no/t.json"}, "the folder no does not exist"),
        ("hf-bpe", {"output": "t.tiktoken", "pipeline": "whitespace"}, "a rank file is for minbpe"),
        ("hf-bpe", {"resume": True}, "name the output"),
        ("hf-unigram", {"shrinking_factor": 1}, "a number between 0 and 1"),
        ("minbpe", {"vocab_size": 255}, "from 256"),
        ("minbpe", {"pipeline": "none"}, "minbpe has no option pipeline"),
    ],
)  # fmt: skip
def test_what_means_nothing_is_refused_by_name(trainer: str, options: dict[str, Any], told: str) -> None:
    with pytest.raises(reftok.TrainingStopped) as error:
        reftok.train(trainer, ["a"], **options)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("texts", "told"),
    [(None, "texts or files"), ("abc", "paths are given as files"), ([b"a"], "text 0 is bytes")],
)
def test_what_is_no_text_is_refused(texts: Any, told: str) -> None:
    with pytest.raises(reftok.TrainingStopped, match=told):
        reftok.train("hf-bpe", texts)


def test_a_file_that_is_not_utf_8_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_bytes(b"good\nb\xffd\n")
    with pytest.raises(reftok.TrainingStopped, match=r"texts\.txt: line 2, byte 1 is not UTF-8"):
        reftok.train("hf-bpe", files=path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(reftok.TrainingStopped, match=r"holds no \.txt file"):
        reftok.train("hf-bpe", files=tmp_path / "empty")


def test_a_tokenizer_that_would_harm_its_user_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    def warnings(texts: list[str], **options: Any) -> str:
        caplog.clear()
        reftok.train("hf-bpe", texts, **options)
        return caplog.text

    assert warnings(["ab"], vocab_size=257) == ""
    assert "the vocab has 257 tokens, fewer than vocab_size, 300" in warnings(["ab"], vocab_size=300)
    assert "the vocab has 256 tokens, more than vocab_size, 9" in warnings(["ab"], vocab_size=9)
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    before = {"added_tokens": [{"id": 0, "content": "<x>", **flags}]}
    assert "'<x>' was added before the training, and keeps the id 0" in warnings(["ab"], pipeline=before)
    template = {"id": "<s>", "ids": [7], "tokens": ["<s>"]}
    pieces = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    second = [*pieces, {"Sequence": {"id": "B", "type_id": 1}}]
    stage = {"type": "TemplateProcessing", "single": pieces, "pair": second, "special_tokens": {"<s>": template}}
    told = warnings(["ab"], pipeline={"post_processor": stage}, special_tokens=["<s>"])
    assert "inserts '<s>' as [7], but its id is 0" in told


def test_progress_is_told_of_each_step(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint_module, "SHOW_SECONDS", -1.0)
    told: list[Any] = []
    reftok.train("hf-bpe", files=texts, vocab_size=260, progress=told.append)
    size = texts.stat().st_size
    counting = [one for one in told if one.step == "counting words"]
    assert (counting[-1].done, counting[-1].whole, counting[-1].unit) == (size, size, "bytes")
    assert [one.done for one in told if one.step == "merging"] == [257, 258, 259, 260]
