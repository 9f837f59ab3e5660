from __future__ import annotations

import json
import pydoc
from pathlib import Path
from typing import Any

import pytest

import reftok
from reftok.formats.llama_cpp.gguf import read_gguf
from reftok.formats.named_ids import MEANINGS, named_id
from reftok.formats.sentencepiece.model_file import read_sentencepiece_model
from reftok.formats.tiktoken.encodings import RankEncoding
from reftok.formats.tiktoken.rank_file import read_tiktoken
from reftok.rules.sentencepiece.pieces import PieceType
from reftok.tokenizer import Tokenizer

from ..gguf_writer import gguf, spm
from ..official import added, as_bytes, bpe, own, tokenizer_json, unigram, wordpiece
from ..protobuf_writer import UNKNOWN, model_bytes
from ..tekken_writer import rank_file

CHAT = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TOKENS = ["a", "b", "ab"]


def names(tokenizer: Tokenizer) -> dict[str, int | None]:
    return {
        name: getattr(tokenizer, f"{name}_id")
        for name in ("bos", "eos", "pad", "unk", "eot", "im_start", "im_end")
        if getattr(tokenizer, f"{name}_id") is not None
    }


def speech_folder(folder: Path, **files: object) -> Path:
    """tokenizer.json, vocab.json and merges.txt, as speech models ship them, and more files by their names."""
    model = bpe(TOKENS, ["a b"])
    config = tokenizer_json(model, [added(content, special=True) for content in CHAT])
    (folder / "tokenizer.json").write_bytes(as_bytes(config))
    (folder / "vocab.json").write_text(json.dumps(model["vocab"]), "utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\na b\n", "utf-8")
    for name, value in files.items():
        (folder / f"{name}.json").write_text(json.dumps(value), "utf-8")
    return folder


def test_a_folder_of_a_speech_model_loads_as_one_tokenizer(tmp_path: Path) -> None:
    tokenizer = reftok.load(speech_folder(tmp_path))
    assert tokenizer.encode_ids("ab<|im_end|>") == [2, 5]
    assert names(tokenizer) == {"eos": 3, "eot": 5, "im_start": 4, "im_end": 5}
    assert [tokenizer.is_special(token_id) for token_id in (2, 3, 5, 6, -1)] == [False, True, True, False, False]
    assert [tokenizer.id_to_token(token_id) for token_id in (2, 5, 6)] == ["ab", "<|im_end|>", None]


def test_the_model_of_a_tokenizer_json_without_one_is_in_the_files_beside_it(tmp_path: Path) -> None:
    folder = speech_folder(tmp_path, tokenizer_config={"tokenizer_class": "GPT2Tokenizer"})
    config = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    (folder / "tokenizer.json").write_text(json.dumps({**config, "model": None}), "utf-8")
    tokenizer = reftok.load(folder)
    assert tokenizer.encode_ids("ab<|im_end|>") == [2, 5]
    assert names(tokenizer) == {"bos": 3, "eos": 3, "unk": 3, "eot": 5, "im_start": 4, "im_end": 5}


QWEN: dict[str, Any] = {"tokenizer_class": "Qwen2Tokenizer", "eos_token": "<|im_end|>", "unk_token": None}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"tokenizer_config": QWEN}, {"eos": 5, "pad": 3}),
        ({"tokenizer_config": {"eos_token": {"content": "<|im_end|>", "lstrip": False}}}, {"eos": 5}),
        ({"special_tokens_map": {"eos_token": {"content": "<|im_end|>"}, "pad_token": "b"}}, {"eos": 5, "pad": 1}),
        ({"tokenizer_config": QWEN, "special_tokens_map": {"eos_token": "b"}}, {"eos": 1, "pad": 3}),
        ({"tokenizer_config": {**QWEN, "added_tokens_decoder": {}}, "special_tokens_map": {"eos_token": "b"}},
         {"eos": 5, "pad": 3}),
        ({"tokenizer_config": {"eos_token": None}}, {}),
        ({"tokenizer_config": {"eos_token": "<none>", "tokenizer_class": "OfNobody"}}, {}),
        ({"tokenizer_config": {"im_end_token": "a"}}, {"eos": 3, "im_end": 0}),
        ({"tokenizer_config": {"eot_token": "a"}}, {"eos": 3, "eot": 0}),
        ({"tokenizer_config": {"eot_token": "<none>"}, "special_tokens_map": {"eot_token": "b"}}, {"eos": 3, "eot": 1}),
    ],
)  # fmt: skip
def test_the_files_of_a_folder_name_the_ids(tmp_path: Path, files: dict[str, Any], expected: dict[str, int]) -> None:
    for source in (speech_folder(tmp_path, **files), tmp_path / "tokenizer.json"):
        assert names(reftok.load(source)) == {"eot": 5, "im_start": 4, "im_end": 5} | expected


def test_the_first_well_known_content_that_is_an_added_token_counts() -> None:
    contents = ("<|endoftext|>", "</s>", "<|pad|>", "[PAD]")
    tokenizer = own(tokenizer_json(bpe(["a", "<s>"]), [added(content, special=True) for content in contents]))
    assert names(tokenizer) == {"eos": 3, "pad": 4}


def test_a_special_added_token_counts_before_one_that_is_not() -> None:
    tokens = [added("</s>"), added("<|end_of_text|>"), added("<|endoftext|>", special=True), added("<|im_start|>")]
    assert names(own(tokenizer_json(bpe(["a"]), tokens))) == {"eos": 3, "im_start": 4}


MARKUP = {token: index for index, token in enumerate(["<", "/", "s", ">", "/s", "/s>", "</s>", "<s", "<s>", "<pad>"])}
MARKUP_MERGES = [("/", "s"), ("/s", ">"), ("<", "/s>"), ("<", "s"), ("<s", ">")]


def test_an_entry_of_the_vocab_that_text_is_encoded_to_is_no_eos(tmp_path: Path) -> None:
    model = bpe(list(MARKUP), [" ".join(pair) for pair in MARKUP_MERGES])
    (tmp_path / "tokenizer.json").write_bytes(as_bytes(tokenizer_json(model, [added("<|endoftext|>", special=True)])))
    assert names(reftok.load(tmp_path)) == {"eos": 10}
    (tmp_path / "vocab.json").write_text(json.dumps(MARKUP), "utf-8")
    (tmp_path / "merges.txt").write_text("".join(f"{left} {right}\n" for left, right in MARKUP_MERGES), "utf-8")
    assert names(reftok.load(tmp_path)) == {"eos": 10}
    (tmp_path / "tokenizer.json").unlink()
    assert names(reftok.load(tmp_path)) == {"pad": 9}


def test_a_vocab_with_merges_alone_has_the_names_of_gpt2(tmp_path: Path) -> None:
    vocab = {"a": 0, "<s>": 1, "</s>": 2, "<pad>": 3, "<unk>": 4, "<|endoftext|>": 5}
    (tmp_path / "vocab.json").write_text(json.dumps(vocab), "utf-8")
    (tmp_path / "merges.txt").write_text("#version: 0.2\n", "utf-8")
    assert names(reftok.load(tmp_path)) == {"bos": 5, "eos": 5, "unk": 5, "pad": 3}
    (tmp_path / "special_tokens_map.json").write_text(json.dumps({"eos_token": "</s>", "unk_token": None}), "utf-8")
    assert names(reftok.load(tmp_path)) == {"bos": 5, "eos": 2, "pad": 3}


def test_a_vocab_in_memory_has_the_names_of_the_special_tokens_that_are_given() -> None:
    vocab = {**MARKUP, "<|endoftext|>": 10}
    assert names(reftok.byte_level_bpe(vocab, MARKUP_MERGES)) == {"bos": 10, "eos": 10, "unk": 10, "pad": 9}
    assert names(reftok.byte_level_bpe(vocab, MARKUP_MERGES, ["</s>", "<unk>"])) == {"eos": 6, "unk": 11}
    without = {token: index for token, index in vocab.items() if token != "<|endoftext|>"}
    assert names(reftok.byte_level_bpe(without, MARKUP_MERGES[:3])) == {"bos": 8, "pad": 9}


def test_the_unknown_token_is_that_of_the_model() -> None:
    assert own(tokenizer_json(wordpiece(["a", "?", "[UNK]"], unk_token="?"))).unk_id == 1
    assert own(tokenizer_json(unigram(("a", 0.0), ("?", 0.0), ("<unk>", 0.0), unk_id=1))).unk_id == 1
    assert own(tokenizer_json(unigram(("a", 0.0), ("<unk>", 0.0), unk_id=None))).unk_id is None
    assert own(tokenizer_json(bpe(["a", "?", "<unk>"], unk_token="?"))).unk_id == 1


def test_the_pieces_of_a_sentencepiece_model_name_its_ids() -> None:
    control, defined, normal = PieceType.CONTROL, PieceType.USER_DEFINED, PieceType.NORMAL
    pieces = [("a", 0.0, normal), UNKNOWN, ("[B]", 0.0, control), ("</s>", 0.0, normal), ("<pad>", 0.0, control)]
    pieces += [("<|im_start|>", 0.0, defined), ("<|im_end|>", 0.0, normal)]
    tokenizer = Tokenizer(read_sentencepiece_model(model_bytes(pieces, trainer={46: "[B]"}), "test.model"))
    assert names(tokenizer) == {"bos": 2, "pad": 4, "unk": 1, "im_start": 5}
    assert [token_id for token_id in range(-1, 9) if tokenizer.is_special(token_id)] == [2, 4]


def test_the_metadata_of_a_gguf_file_names_its_ids(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf(spm({"a": 0.0, "<|im_end|>": 0.0}, padding_token_id=("uint32", 3))))
    tokenizer = Tokenizer(read_gguf(path))
    im_end_id = tokenizer.token_to_id("<|im_end|>")
    assert names(tokenizer) == {"bos": 1, "eos": 2, "pad": 3, "unk": 0, "eot": im_end_id, "im_end": im_end_id}
    special = [token_id for token_id in range(-1, tokenizer.vocab_size + 2) if tokenizer.is_special(token_id)]
    assert special == [0, 1, 2, im_end_id]


def test_the_end_of_a_turn_in_a_gguf_file_is_the_one_that_it_names(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    tokens = {"a": 0.0, "<end_of_turn>": 0.0, "<|eot_id|>": 0.0}
    path.write_bytes(gguf(spm(tokens, eot_token_id=("uint32", 2))))
    assert named_id("eot", read_gguf(path)) == 2
    path.write_bytes(gguf(spm(tokens)))
    assert named_id("eot", read_gguf(path)) == read_gguf(path).token_to_id("<|eot_id|>")


@pytest.mark.parametrize("content", ["<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<turn|>", "<|eot|>"])
def test_the_end_of_a_turn_is_known_by_its_content(content: str) -> None:
    tokenizer = own(tokenizer_json(bpe(["a"]), [added("</s>", special=True), added(content, special=True)]))
    assert (tokenizer.eos_id, tokenizer.eot_id) == (1, 2)
    pieces = [("a", 0.0, PieceType.NORMAL), UNKNOWN, (content, 0.0, PieceType.CONTROL)]
    assert named_id("eot", read_sentencepiece_model(model_bytes(pieces), "test.model")) == 2


def test_an_ordinary_token_of_a_gguf_file_has_no_name(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf(spm({"a": 0.0, "<|im_start|>": 0.0, "<|eot|>": 0.0, "<pad>": 0.0})))
    assert names(Tokenizer(read_gguf(path))) == {"bos": 1, "eos": 2, "unk": 0}


def test_the_unknown_token_of_llama_spm_is_the_one_that_is_given() -> None:
    pieces = ["?", "[B]", "▁", "a", "<pad>", "<unk>"]
    scores = [0.0] * len(pieces)
    assert names(reftok.llama_spm(pieces, scores, unk_id=0, bos_id=1)) == {"bos": 1, "unk": 0}
    assert names(reftok.llama_spm(pieces, scores)) == {}
    assert names(reftok.llama_spm(pieces, scores, 5, token_types=[1, 1, 1, 1, 3, 2])) == {"pad": 4, "unk": 5}


def test_a_rank_file_has_the_names_of_its_encoding() -> None:
    tokens = [*(bytes([byte]) for byte in range(256)), b"</", b"</s", b"</s>"]
    encoding = RankEncoding("tiny", r"\w+", {"<|endoftext|>": 300, "<|im_end|>": 301})
    tokenizer = Tokenizer(read_tiktoken(rank_file({token: rank for rank, token in enumerate(tokens)}), encoding))
    assert names(tokenizer) == {"eos": 300, "eot": 301, "im_end": 301}
    assert (tokenizer.is_special(300), tokenizer.is_special(65)) == (True, False)


def test_help_says_what_each_named_id_is() -> None:
    text = pydoc.plain(pydoc.render_doc(reftok.Tokenizer))
    for name, meaning in MEANINGS.items():
        assert f"{name}_id\n |      The id of {meaning}; None if there is none." in text
        assert isinstance(getattr(reftok.load("bpe-qwen"), f"{name}_id"), int | None)


class Seven:
    def __index__(self) -> int:
        return 7


@pytest.mark.parametrize("model", ["bpe-qwen", "spm-bpe", "spm-unigram-hf", "gguf"])
def test_what_is_no_int_has_no_token_and_is_not_special(tmp_path: Path, model: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf(spm({"a": 0.0})))
    tokenizer = Tokenizer(read_gguf(path)) if model == "gguf" else reftok.load(model)
    wrong: list[Any] = [None, "1", b"1", 1.0, [1], {}, -1, 1 << 40]
    for value in wrong:
        assert (tokenizer.id_to_token(value), tokenizer.is_special(value)) == (None, False)
    for value, token_id in ((Seven(), 7), (True, 1)):
        assert tokenizer.id_to_token(value) == tokenizer.id_to_token(token_id) != ""
        assert tokenizer.is_special(value) == tokenizer.is_special(token_id)
    assert not tokenizer.is_special(tokenizer.pad_id)
