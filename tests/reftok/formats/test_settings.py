from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import reftok
from reftok.errors import ModelFormatError
from reftok.rules.sentencepiece.pieces import PieceType

from ..official import added, as_bytes, bpe, tokenizer_json
from ..protobuf_writer import UNKNOWN, model_bytes
from ..tekken_writer import rank_file

RANKS = rank_file()
CONTROL = PieceType.CONTROL


def rank_file(folder: Path) -> None:
    """<a>, <b> and <c> have the ids 300, 301 and 302."""
    (folder / "own.tiktoken").write_bytes(RANKS)
    toml = "[encoding]\npattern = '.'\nspecial_tokens = { '<a>' = 300, '<b>' = 301, '<c>' = 302 }\n"
    (folder / "own.toml").write_text(toml, "utf-8")


def load(folder: Path, **files: object) -> reftok.Tokenizer:
    """The tokenizer of a folder with these files of settings, by their names."""
    for name, value in files.items():
        (folder / f"{name}.json").write_text(json.dumps(value), "utf-8")
    return reftok.load(folder)


def test_the_configuration_beside_a_rank_file_names_the_ids_of_kimi_and_llama_3(tmp_path: Path) -> None:
    (tmp_path / "tiktoken.model").write_bytes(RANKS)
    listed = {"163584": {"content": "[BOS]"}, "163585": {"content": "[EOS]"}}
    config = {"added_tokens_decoder": listed, "bos_token": "[BOS]", "eos_token": "[EOS]", "unk_token": None}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    kimi = reftok.load(tmp_path, "kimi_k2")
    assert (kimi.bos_id, kimi.eos_id, kimi.unk_id) == (163584, 163585, None)
    (tmp_path / "tokenizer_config.json").write_text('{"eos_token": "<|eot_id|>"}')
    assert reftok.load(tmp_path, "llama3").eos_id == 128009


@pytest.mark.parametrize(
    ("value", "expected"),
    [(2, 2), ([3, 2], 3), ([9, 2], 2), (-1, 3), (9, 3), (1 << 40, 3), ([], 3), (None, 3), ([-1], 3)],
)
def test_the_first_id_of_a_generation_config_that_has_a_token_is_eos(
    tmp_path: Path, value: object, expected: int
) -> None:
    tokens = [added(content, special=True) for content in ("<a>", "<b>", "</s>")]
    (tmp_path / "tokenizer.json").write_bytes(as_bytes(tokenizer_json(bpe(["a"]), tokens)))
    assert load(tmp_path, generation_config={"eos_token_id": value}).eos_id == expected


def test_a_generation_config_yields_to_the_model_file_but_not_to_the_guess_of_a_vocab(tmp_path: Path) -> None:
    pieces = [UNKNOWN, ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL), ("a", 0.0, 1)]
    (tmp_path / "tokenizer.model").write_bytes(model_bytes(pieces))
    tokenizer = load(tmp_path, generation_config={"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 0})
    assert (tokenizer.bos_id, tokenizer.eos_id, tokenizer.pad_id) == (1, 2, 0)
    (tmp_path / "vocab.json").write_text('{"a": 0, "</s>": 1, "<|endoftext|>": 2}')
    (tmp_path / "merges.txt").write_text("")
    assert reftok.load(tmp_path / "vocab.json").eos_id == 1
    (tmp_path / "generation_config.json").unlink()
    assert reftok.load(tmp_path / "vocab.json").eos_id == 2


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("generation_config", {"eos_token_id": "2"}, "eos_token_id: is neither an id nor a list of ids: '2'"),
        ("generation_config", {"eos_token_id": True}, "eos_token_id: is neither an id nor a list of ids: True"),
        ("generation_config", {"pad_token_id": [[1]]}, r"pad_token_id: is neither an id nor a list of ids: \[\[1\]\]"),
        ("generation_config", {"bos_token_id": {}}, "bos_token_id: is neither an id nor a list of ids: {}"),
        ("generation_config", {"bos_token_id": 1.0}, r"bos_token_id: is neither an id nor a list of ids: 1\.0"),
        ("generation_config", [], "is not an object"),
        ("special_tokens_map", {"eos_token": ["<a>"]}, "eos_token: is neither a string nor"),
        ("special_tokens_map", {"eos_token": {"lstrip": True}}, "eos_token: is neither a string nor"),
        ("special_tokens_map", {"eos_token": {"content": 1}}, "eos_token.content: is not a string but a number"),
        ("tokenizer_config", {"tokenizer_class": {}, "bos_token": 1}, "bos_token: is neither a string nor"),
    ],
)
def test_a_setting_of_the_wrong_type_is_refused_by_its_file(
    tmp_path: Path, name: str, value: Any, problem: str
) -> None:
    rank_file(tmp_path)
    with pytest.raises(ModelFormatError, match=rf"/{name}\.json: {problem}"):
        load(tmp_path, **{name: value})


@pytest.mark.parametrize("name", ["tokenizer_config", "special_tokens_map", "generation_config"])
@pytest.mark.parametrize("data", [b"\xff", b"{", b"[" * 100_000, b'{"eos_token_id": NaN}', b""])
def test_a_file_of_settings_that_is_no_json_is_refused_by_its_name(tmp_path: Path, name: str, data: bytes) -> None:
    rank_file(tmp_path)
    (tmp_path / f"{name}.json").write_bytes(data)
    with pytest.raises(ModelFormatError, match=rf"/{name}\.json: (byte|line|is not|is nested)") as refused:
        reftok.load(tmp_path)
    assert "tokenizer.json" not in str(refused.value)
