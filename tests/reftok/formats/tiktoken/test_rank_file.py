from __future__ import annotations

import json
import re
import tomllib
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken.load import load_tiktoken_bpe

from reftok import Tokenizer, load
from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.tiktoken.encodings import ENCODINGS, RankEncoding
from reftok.formats.tiktoken.rank_file import rank_encoding, read_ranks, read_tiktoken, recognise
from reftok.regex_dialects.fancy_regex import compile_fancy_regex

from ...tekken_writer import rank_file as file
from ...tokenizers_strategies import texts

RUNS = Path(__file__).parents[4] / "docs" / "runs.md"
RANKS = {bytes([byte]): byte for byte in range(256)}
RANKS |= {
    token: 256 + index for index, token in enumerate([b"ab", b" a", "é".encode(), b"'s", b"  ", b" ab", b"\xc3\xa9b"])
}
SPECIAL = {"<s>": 300, "<a>": 301}


def library(pattern: str, special_tokens: dict[str, int], ranks: dict[bytes, int] = RANKS) -> tiktoken.Encoding:
    return tiktoken.Encoding("tiny", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special_tokens)


@pytest.mark.parametrize("name", ["r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony"])
def test_patterns_and_special_tokens_are_those_of_the_library(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import tiktoken_ext.openai_public as public

    monkeypatch.setattr(public, "load_tiktoken_bpe", lambda url, expected_hash: {b"hash": expected_hash})
    theirs = public.ENCODING_CONSTRUCTORS[name]()
    ours = ENCODINGS[name]
    assert (ours.pattern, ours.special_tokens) == (theirs["pat_str"], theirs["special_tokens"])
    assert theirs["mergeable_ranks"] == {b"hash": ours.sha256}


@pytest.mark.parametrize(
    ("name", "token", "token_id"),
    [
        ("gpt2", "<|endoftext|>", 50256),
        ("llama3", "<|eot_id|>", 128009),
        ("llama3", "<|reserved_special_token_250|>", 128255),
        ("llama3.1", "<|eom_id|>", 128008),
        ("llama3.1", "<|python_tag|>", 128010),
        ("llama3.1", "<|reserved_special_token_245|>", 128255),
        ("llama4", "<|header_start|>", 200005),
        ("llama4", "<|finetune_right_pad|>", 200018),
        ("llama4", "<|text_post_train_reserved_special_token_68|>", 200079),
        ("llama4", "<|image_start|>", 200080),
        ("llama4", "<|patch|>", 200092),
        ("llama4", "<|vision_reserved_special_token_1047|>", 201133),
        ("llama4", "<|reasoning_thinking_end|>", 201143),
        ("llama4", "<|reserved_special_token_0|>", 201144),
        ("qwen", "<|im_end|>", 151645),
        ("qwen", "<|extra_204|>", 151850),
        ("glm4", "<sop>", 151333),
        ("glm4", "<|end_of_video|>", 151342),
        ("whisper_english", "<|notimestamps|>", 50362),
        ("whisper_multilingual", "<|notimestamps|>", 50363),
        ("whisper_multilingual", "<|30.00|>", 51864),
        ("whisper_large_v3", "<|yue|>", 50358),
        ("whisper_large_v3", "<|0.00|>", 50365),
        ("kimi_k2", "[BOS]", 163584),
        ("kimi_k2", "<|reserved_token_163589|>", 163589),
        ("kimi_k2", "[PAD]", 163839),
    ],
)
def test_special_tokens_have_the_ids_of_their_publishers(name: str, token: str, token_id: int) -> None:
    assert ENCODINGS[name].special_tokens[token] == token_id


@pytest.mark.parametrize("name", sorted(ENCODINGS))
def test_special_tokens_are_matched_and_decoded_as_by_the_library(name: str) -> None:
    special_tokens = dict(ENCODINGS[name].special_tokens)
    pattern = ENCODINGS[name].pattern
    ours = Tokenizer(read_tiktoken(file(RANKS), RankEncoding(name, pattern, special_tokens)))
    theirs = library(pattern, special_tokens)
    text = "a".join(special_tokens)
    ids = ours.encode_ids(text)
    assert ids == theirs.encode(text, allowed_special="all")
    assert ids[::2] == list(special_tokens.values())
    assert ours.decode(ids, skip_special_tokens=False) == theirs.decode(ids)
    assert ours.decode(ids) == "a" * (len(special_tokens) - 1)


@pytest.mark.parametrize("name", sorted(ENCODINGS))
def test_no_special_token_is_within_another_where_the_library_chooses_by_hash(name: str) -> None:
    tokens = list(ENCODINGS[name].special_tokens)
    assert all(token.isascii() and token.isprintable() for token in tokens)
    short = [token for token in tokens if not (token.startswith("<|") and token.endswith("|>"))]
    assert not any(one in other for one, other in permutations([*short, *tokens[:50]], 2) if one != other)
    assert not any("|>" in token[:-2] for token in tokens)


def test_lone_surrogates_become_replacement_characters_as_in_the_library() -> None:
    encoding, theirs = RankEncoding("tiny", r"[\s\S]+", {}, ""), library(r"[\s\S]+", {})
    for text in ("\ud800", "a\udc00b", "\ud83d\ude00"):
        assert Tokenizer(read_tiktoken(file(RANKS), encoding)).encode_ids(text) == theirs.encode(text)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "has no rank for byte 00: is the file complete?"),
        (b"YQ==\n", "line 1: is not base64 and a rank"),
        (b"YQ== x\n", "line 1: is not base64 and a rank"),
        (b"YQ== 0\nY!== 1\n", "line 2: is not base64 and a rank"),
        (b"YQ== 0\nYQ= 1\n", "line 2: is not base64 and a rank"),
        (b"YQ== 1.0\n", "line 1: is not base64 and a rank"),
        (b"YQ== " + b"1" * 5000, "line 1: is not base64 and a rank"),
        (b"YQ== 0 1\n", "line 1: repeats a token or a rank, or has too many fields"),
        (b"YQ== 0\nYQ== 1\n", "line 2: repeats a token or a rank, or has too many fields"),
        (b"YQ== 0\nYg== 0\n", "line 2: repeats a token or a rank, or has too many fields"),
        (b"YQ== -1\n", "line 1: repeats a token or a rank, or has too many fields"),
        (b"YQ== 4294967296\n", "line 1: repeats a token or a rank, or has too many fields"),
        (b"\xff\xfe 0\n", "line 1: is not base64 and a rank"),
        (b" \n", "line 1: is not base64 and a rank"),
        (file(RANKS)[7:], "has no rank for byte 00: is the file complete?"),
    ],
)
def test_what_is_no_rank_file_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(ModelFormatError) as refused:
        read_tiktoken(data, ENCODINGS["cl100k_base"], "m.tiktoken")
    assert str(refused.value).startswith(f"m.tiktoken: {problem}")


def test_a_file_that_is_not_known_is_refused_and_not_guessed() -> None:
    with pytest.raises(
        UnsupportedFeature, match=r"m\.tiktoken: not a published rank file.* one of r50k_base, gpt2, p50k_base"
    ):
        recognise(file(RANKS), "m.tiktoken")


def test_a_rank_file_of_whisper_names_only_the_encodings_that_fit() -> None:
    with pytest.raises(
        UnsupportedFeature, match=r"whisper_multilingual or whisper_large_v3 by its 50,257 ranks"
    ) as error:
        recognise(published(50257), "multilingual.tiktoken")
    assert "cl100k_base" not in str(error.value)


def test_empty_lines_are_skipped() -> None:
    assert read_ranks(file(RANKS).replace(b"\n", b"\n\n")) == RANKS


def test_the_empty_token_that_whisper_writes_as_one_equals_sign_is_read(tmp_path: Path) -> None:
    """multilingual.tiktoken of openai/whisper ends in such a line; Python's lenient base64 reads no bytes there."""
    path = tmp_path / "multilingual.tiktoken"
    path.write_bytes(file(RANKS) + b"= 263\n")
    ranks = load_tiktoken_bpe(str(path))
    assert read_ranks(path.read_bytes()) == ranks == RANKS | {b"": 263}
    ours = Tokenizer(read_tiktoken(path.read_bytes(), RankEncoding("tiny", r"\s+|\S+", SPECIAL, "")))
    theirs = library(r"\s+|\S+", SPECIAL, ranks)
    ids = ours.encode_ids(" abé's  b<s>")
    assert ids == theirs.encode(" abé's  b<s>", allowed_special="all")
    assert ours.decode([263]) == theirs.decode([263]) == ""
    assert ours.decode([97, 263, 98]) == theirs.decode([97, 263, 98]) == "ab"


def published(count: int) -> bytes:
    """A file of so many ranks."""
    extra = (b"%07d" % number for number in range(count - 256))
    return file({token: rank for rank, token in enumerate([*(bytes([byte]) for byte in range(256)), *extra])})


def test_a_file_is_recognised_by_its_name_with_the_number_of_its_ranks() -> None:
    data = published(50256)
    assert recognise(data, "folder/r50k_base.tiktoken").name == "r50k_base"
    for name, ranks in (("other.tiktoken", data), ("r50k_base.tiktoken", data + b"ISEh 50256\n"), ("", data)):
        with pytest.raises(UnsupportedFeature, match="not a published rank file"):
            recognise(ranks, name)
    assert not any(encoding.file_name == "tokenizer.model" for encoding in ENCODINGS.values())


def test_a_configuration_names_the_special_tokens_of_kimi(tmp_path: Path) -> None:
    path = tmp_path / "tiktoken.model"
    path.write_bytes(b"")
    assert rank_encoding(b"", path, "kimi_k2") is ENCODINGS["kimi_k2"]
    named = {"163584": {"content": "<s>", "special": True}, "163606": {"content": "<think>", "special": False}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": named, "x": 1}))
    special_tokens = rank_encoding(b"", path, "kimi_k2").special_tokens
    assert len(special_tokens) == 256
    assert (special_tokens["<s>"], special_tokens["<think>"]) == (163584, 163606)
    assert special_tokens["<|reserved_token_163585|>"] == 163585
    assert rank_encoding(b"", path, "llama3") is ENCODINGS["llama3"]


@pytest.mark.parametrize(
    ("decoder", "problem"),
    [
        ([], "added_tokens_decoder: is not an object but a list"),
        ({"9" * 5000: {}}, "is not an id"),
        ({"1": {}}, "added_tokens_decoder.1.content: is missing"),
        ({"1": {"content": "a"}, "2": {"content": "a"}}, "added_tokens_decoder: gives two ids to one token"),
    ],
)
def test_a_configuration_that_is_not_sound_is_refused(tmp_path: Path, decoder: object, problem: str) -> None:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"added_tokens_decoder": decoder}))
    with pytest.raises(ModelFormatError) as refused:
        rank_encoding(b"", tmp_path / "tiktoken.model", "kimi_k2")
    assert str(refused.value).startswith(f"{tmp_path / 'tokenizer_config.json'}: ")
    assert problem in str(refused.value)


OWN = """
[encoding]
pattern = '[\\p{Han}]+|\\p{L}+|\\P{L}'
special_tokens = { "<s>" = 300, "<é\\U0001f600>" = 400 }
"""


def own(folder: Path, toml: str = OWN) -> Path:
    """A rank file with its encoding beside it."""
    (folder / "own.toml").write_text(toml, "utf-8")
    path = folder / "own.tiktoken"
    path.write_bytes(file(RANKS))
    return path


@settings(max_examples=100)
@given(
    texts | st.lists(st.sampled_from(["<s>", "<é\U0001f600>", "<é", "s>", "ab", "漢", " "]), max_size=8).map("".join)
)
def test_pattern_and_special_tokens_of_a_toml_beside_it_are_those_of_the_library(text: str) -> None:
    with TemporaryDirectory() as folder:
        path = own(Path(folder))
        encoding = rank_encoding(path.read_bytes(), path)
        ours = load(path)
    assert encoding.special_tokens == {"<s>": 300, "<é\U0001f600>": 400}
    theirs = library(encoding.pattern, dict(encoding.special_tokens))
    ids = ours.encode_ids(text)
    assert ids == theirs.encode(text, allowed_special="all")
    assert ours.decode(ids, skip_special_tokens=False) == theirs.decode(ids)


def test_a_name_counts_before_the_toml_and_that_before_what_is_recognised(tmp_path: Path) -> None:
    path = own(tmp_path)
    assert load(path, encoding="cl100k_base").encode_ids("<|endoftext|>") == [100257]
    known = tmp_path / "r50k_base.tiktoken"
    known.write_bytes(published(50256))
    assert rank_encoding(known.read_bytes(), known) is ENCODINGS["r50k_base"]
    (tmp_path / "r50k_base.toml").write_text(OWN, "utf-8")
    assert rank_encoding(known.read_bytes(), known).special_tokens.keys() == {"<s>", "<é\U0001f600>"}
    (tmp_path / "r50k_base.toml").write_text("encoding = { pattern = '.' }")
    assert rank_encoding(known.read_bytes(), known).special_tokens == {}


@pytest.mark.parametrize(
    ("toml", "problem"),
    [
        ("", "encoding: is missing"),
        ("encoding = 'llama3'", "encoding: is not an object but a string"),
        ("encoding = { pattern = '.' }\nname = 'own'", "name: this key is not known"),
        ("encoding = { special_tokens = {} }", "encoding.pattern: is missing"),
        ("encoding = { pattern = 3 }", "encoding.pattern: is not a string but a number"),
        ("encoding = { pattern = '.', pat_str = '.' }", "encoding.pat_str: this key is not known"),
        (
            "encoding = { pattern = '\\h' }",
            r"encoding.pattern: pattern '\\h': at character 0, '\\h': is not known to be",
        ),
        ("encoding = { pattern = '.', special_tokens = ['<s>'] }", "special_tokens: is not an object but a list"),
        ("encoding = { pattern = '.', special_tokens = { a = 'b' } }", "special_tokens['a']: is not an id: 'b'"),
        ("encoding = { pattern = '.', special_tokens = { a = -1 } }", "special_tokens['a']: is not an id: -1"),
        ("encoding = { pattern = '.', special_tokens = { a = 300, b = 300 } }", "gives the id 300 to 2 tokens"),
        ("encoding = { pattern = '.', special_tokens = { '' = 300 } }", "special_tokens: has the empty text"),
        (
            "encoding = { pattern = '.', special_tokens = { '<a>x' = 300, '<a>' = 301, '<a!' = 302 } }",
            "special_tokens['<a>x']: to begin with another one, '<a>', is not supported",
        ),
        (
            "encoding = { pattern = '.', special_tokens = { 'é' = 300 } }",
            "special_tokens['é']: a text of characters that all stand for bytes is not supported",
        ),
        ("encoding = {", "is not TOML (Invalid initial character for a key part (at end of document))"),
        ("a = " + "9" * 5000, "is not TOML (Exceeds the limit"),
        ("a = " + "[" * 5000, "is nested too deeply"),
    ],
)
def test_a_toml_that_is_not_sound_is_refused_by_name(tmp_path: Path, toml: str, problem: str) -> None:
    path = own(tmp_path, toml)
    with pytest.raises(ModelFormatError) as refused:
        load(path)
    assert str(refused.value).startswith(f"{tmp_path / 'own.toml'}: ")
    assert problem in str(refused.value)


def test_a_toml_in_another_encoding_than_utf_8_is_refused(tmp_path: Path) -> None:
    path = own(tmp_path)
    (tmp_path / "own.toml").write_bytes(b"a = '\xff'")
    with pytest.raises(ModelFormatError, match=r"own\.toml: byte 5: is not UTF-8"):
        load(path)


def test_an_id_of_a_special_token_of_a_toml_that_is_a_rank_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError, match=r"own\.tiktoken: rank 97: is the id of <s> in the encoding own\.toml"):
        load(own(tmp_path, OWN.replace("300", "97")))


def test_the_toml_that_the_documents_show_is_read(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```toml\n(.*?)```", RUNS.read_text("utf-8"), re.DOTALL)
    ours = load(own(tmp_path, shown))
    pattern = compile_fancy_regex(tomllib.loads(shown)["encoding"]["pattern"])
    assert "".join(pattern.compiled.findall(" it's 1234  <a>\n\n b")) == " it's 1234  <a>\n\n b"
    assert ours.encode_ids("<|end|>") == [50001]
