from __future__ import annotations

import json
import pickle
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tokenizers.models import BPE

from reftok import load
from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.model_files import embedded_models, file_format, find_model, models_in, names_embedded_model
from reftok.rules.byte_level import BYTE_TO_CHARACTER

from ..official import as_bytes, bpe, tokenizer_json
from ..tekken_writer import rank_file

TOKENIZER_JSON = as_bytes(tokenizer_json(bpe(["a", "b", "ab"], [("a", "b")])))
RANKS = rank_file()


def write(folder: Path, **files: bytes) -> Path:
    for name, data in files.items():
        (folder / name.replace("_", ".")).write_bytes(data)
    return folder


@pytest.mark.parametrize("name", ["tokenizer.json", "renamed.model", "no-ending"])
def test_what_a_file_is_shows_in_its_content(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b" \n" + TOKENIZER_JSON)
    for source in (path, str(path)):
        assert load(source).encode_ids("ab") == [2]


def test_a_tokenizer_json_comes_before_the_other_files_of_a_folder(tmp_path: Path) -> None:
    write(
        tmp_path,
        tokenizer_json=TOKENIZER_JSON,
        vocab_json=b"{}",
        merges_txt=b"",
        tokenizer_model=b"x",
        x_tiktoken=RANKS,
    )
    assert find_model(tmp_path).name == "tokenizer.json"
    assert [path.name for path in models_in(tmp_path)] == ["tokenizer.json", "tokenizer.model", "x.tiktoken"]


def test_a_vocab_is_read_with_the_merges_beside_it(tmp_path: Path) -> None:
    write(tmp_path, vocab_json=json.dumps({"a": 0, "b": 1, "ab": 2}).encode(), merges_txt=b"a b\n")
    for source in (tmp_path, tmp_path / "vocab.json", tmp_path / "merges.txt"):
        assert load(source).encode_ids("ab") == [2]


def test_a_vocab_without_merges_is_no_model(tmp_path: Path) -> None:
    write(tmp_path, vocab_json=b"{}")
    with pytest.raises(ModelFormatError, match=r"holds vocab\.json, but no merges\.txt beside it"):
        load(tmp_path)
    with pytest.raises(ModelFormatError, match=r"merges\.txt: cannot be read"):
        load(tmp_path / "vocab.json")


def test_a_configuration_beside_a_vocab_decides_its_pre_tokenizer(tmp_path: Path) -> None:
    vocab = {character: index for index, character in enumerate(BYTE_TO_CHARACTER.values())}
    write(tmp_path, vocab_json=json.dumps(vocab | {"12": 256}).encode(), merges_txt=b"1 2\n")
    assert load(tmp_path).encode_ids("12") == [256]
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "Qwen2Tokenizer"}')
    assert load(tmp_path).encode_ids("12<|endoftext|>") == [vocab["1"], vocab["2"], 257]


def test_a_tokenizer_json_without_a_model_has_it_from_the_files_beside_it(tmp_path: Path) -> None:
    added = [{"id": 9, "content": "<x>", "special": True, "normalized": False}]
    added = [{**added[0], "single_word": False, "lstrip": False, "rstrip": False}]
    write(tmp_path, tokenizer_json=as_bytes({"added_tokens": added, "model": None}))
    with pytest.raises(ModelFormatError, match=r"tokenizer\.json: model: is not an object but null"):
        load(tmp_path)
    write(tmp_path, vocab_json=json.dumps({"a": 0, "b": 1, "ab": 2}).encode(), merges_txt=b"a b\n")
    with pytest.raises(ModelFormatError, match=r"vocab\.json: needs the tokenizer_config\.json of"):
        load(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "Qwen2Tokenizer", "pad_token": "b"}')
    assert load(tmp_path).encode_ids("ab<x>") == [2, 3]
    write(tmp_path, tokenizer_json=TOKENIZER_JSON, vocab_json=b"{}")
    assert load(tmp_path).encode_ids("ab") == [2]


def test_a_vocab_txt_is_read_where_a_configuration_says_what_it_is(tmp_path: Path) -> None:
    write(tmp_path, vocab_txt=b"[UNK]\n[CLS]\n[SEP]\nhi\n##s\n")
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}')
    for source in (tmp_path, tmp_path / "vocab.txt"):
        assert load(source).encode_ids("His x") == [1, 3, 4, 0, 2]
    write(tmp_path, vocab_json=json.dumps({"a": 0}).encode(), merges_txt=b"")
    assert find_model(tmp_path).name == "vocab.json"


def test_an_encoding_asks_for_the_rank_file_of_a_folder(tmp_path: Path) -> None:
    write(tmp_path, tokenizer_json=TOKENIZER_JSON, tokenizer_model=RANKS)
    assert load(tmp_path).library == "tokenizers"
    assert load(tmp_path, encoding="llama3").encode_ids("é<|eot_id|>") == [0xC3, 0xA9, 128009]


def test_a_rank_file_needs_the_name_of_an_encoding(tmp_path: Path) -> None:
    path = write(tmp_path, x_tiktoken=RANKS) / "x.tiktoken"
    assert load(path, encoding="cl100k_base").encode_ids("é") == [0xC3, 0xA9]
    with pytest.raises(UnsupportedFeature, match=r"--encoding on the command line.*one of r50k_base"):
        load(path)
    with pytest.raises(UnsupportedFeature, match="encoding 'x': is not known; there are r50k_base"):
        load(path, encoding="x")


def test_a_gguf_file_is_known_by_its_content_and_found_by_its_ending(tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError, match=r"x\.gguf: byte 8: the file ends within the number of tensors"):
        load(write(tmp_path, x_gguf=b"GGUF\x03\0\0\0"))


@pytest.mark.parametrize("data", [b"", b"\0", b"hello", b"PK\x03\x04", b"<html>", bytes(range(256))])
def test_a_foreign_file_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(ModelFormatError, match="x"):
        load(write(tmp_path, x=data) / "x")


def test_what_is_not_there_is_refused_with_what_there_is() -> None:
    with pytest.raises(ModelFormatError, match="no such file or folder, and no embedded model; there are: bpe-gpt2"):
        load("no-such-model")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"{", "tokenizer.json"),
        (b" \n\t{", "tokenizer.json"),
        (b"IQ== 0\n", "tiktoken"),
        (b"IQ== 0\r\nIg== 1", "tiktoken"),
        (b"IQ= 0\n", "unknown"),
        (b"GGUF", "gguf"),
        (b"\n\x0e\n\x05<unk>", "sentencepiece"),
        (b"", "empty"),
        (b"\x89PNG\r\n", "unknown"),
    ],
)
def test_the_first_bytes_tell_the_format(data: bytes, expected: str) -> None:
    assert file_format(data) == expected


@pytest.mark.parametrize("source", [None, b"bpe-gpt2", 5, ""])
def test_what_is_no_path_and_no_name_is_refused(source: Any) -> None:
    with pytest.raises(ModelFormatError, match="is no path and no name of an embedded model"):
        load(source)


def test_a_name_that_the_system_refuses_is_an_error_of_reftok() -> None:
    for encoding in (None, "gpt2"):
        # Python 3.14 takes it for the name of nothing.
        with pytest.raises(ModelFormatError, match=r"cannot be read: File name too long|no such file or folder"):
            load("a" * 5000, encoding)


def test_a_folder_with_several_models_and_no_usual_name_is_not_guessed_about(tmp_path: Path) -> None:
    for name in ("b.model", "a.spm"):
        (tmp_path / name).write_bytes(embedded_models()["spm-bpe"].read_bytes())
    with pytest.raises(ModelFormatError, match=r"holds several models, a\.spm, b\.model: name one of them"):
        load(tmp_path)
    (tmp_path / "tokenizer.model").write_bytes(embedded_models()["spm-bpe"].read_bytes())
    assert load(tmp_path).library == "sentencepiece"


@pytest.mark.parametrize(
    "name", ["tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "config.json"]
)
def test_a_file_of_settings_says_what_it_is_and_what_to_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"tokenizer_class": "Qwen2Tokenizer"}')
    with pytest.raises(ModelFormatError, match=rf"{name}: holds settings, and no vocab: name a model file: tokenizer"):
        load(tmp_path / name)
    write(tmp_path, tokenizer_json=TOKENIZER_JSON)
    with pytest.raises(ModelFormatError, match=r"no vocab: name tokenizer\.json, which is beside it"):
        load(tmp_path / name)


def test_a_vocab_or_merges_under_another_name_say_how_they_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "gpt2-vocab.json").write_text('{"a": 0, "b": 1, "ab": 2}')
    with pytest.raises(ModelFormatError, match="is a vocab alone; put both into a folder of their own, as vocab"):
        load(tmp_path / "gpt2-vocab.json")
    (tmp_path / "gpt2-merges.txt").write_text("#version: 0.2\na b\n")
    with pytest.raises(ModelFormatError, match=r"is a vocab alone; gpt2-merges\.txt has its merges: put both into a"):
        load(tmp_path / "gpt2-vocab.json")
    with pytest.raises(ModelFormatError, match="holds merges alone: put it and its vocab into a folder of their own"):
        load(tmp_path / "gpt2-merges.txt")


def test_of_a_token_that_is_twice_in_a_vocab_json_the_last_id_counts_as_in_the_library(tmp_path: Path) -> None:
    write(tmp_path, vocab_json=b'{"a": 0, "b": 1, "a": 2, "b": 1}', merges_txt=b"")
    theirs = BPE.from_file(str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt"))
    assert load(tmp_path).encode_ids("ab") == [token.id for token in theirs.tokenize("ab")] == [2, 1]


def test_a_folder_without_models_does_not_hide_the_embedded_model_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "spm-bpe").mkdir()
    monkeypatch.chdir(tmp_path)
    assert find_model("spm-bpe") == embedded_models()["spm-bpe"]
    (tmp_path / "spm-bpe" / "findings").mkdir()
    assert find_model("spm-bpe") == embedded_models()["spm-bpe"]
    (tmp_path / "spm-bpe" / "spm.model").write_bytes(embedded_models()["spm-unigram"].read_bytes())
    assert find_model("spm-bpe") == Path("spm-bpe", "spm.model")


@pytest.mark.parametrize("name", ["vocab.json", "tekken.json", "mine/spm.model"])
def test_a_folder_with_a_part_of_a_model_is_meant_and_not_the_embedded_model_of_its_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bpe-gpt2" / name
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    monkeypatch.chdir(tmp_path)
    with suppress(ModelFormatError):
        assert find_model("bpe-gpt2") != embedded_models()["bpe-gpt2"]
    assert not names_embedded_model("bpe-gpt2")


@pytest.mark.parametrize("name", embedded_models())
def test_a_tokenizer_that_has_been_used_can_be_sent_to_another_process_without_what_it_remembers(name: str) -> None:
    tokenizer = load(embedded_models()[name])
    words = [f"h\u00e9llo{number} \u043c\u0438\u0440{number} \u8a9e\u306e" for number in range(4000)]
    tokenizer.encode_ids(" ".join(words[2000:]))  # makes the tables of the model, which are sent
    before = len(pickle.dumps(tokenizer))
    text = " ".join(words[:2000])
    ids = tokenizer.encode_ids(text)
    assert tokenizer.encode(text).ids == ids
    tokenizer.decode(ids)
    used = pickle.dumps(tokenizer)
    assert pickle.loads(used).encode_ids(text) == ids
    assert len(used) < 1.1 * before + 10_000
