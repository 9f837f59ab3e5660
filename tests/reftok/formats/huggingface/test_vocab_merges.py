from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings

from reftok import Tokenizer, byte_level_bpe
from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.huggingface.vocab_merges import read_vocab_merges
from reftok.rules.byte_level import to_byte_characters

from ...tokenizers_strategies import texts

ALPHABET = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
MERGES = [("Ġ", "a"), ("a", "b"), ("Ã", "©"), ("Ġa", "b"), ("'", "s"), ("Ġ", "Ġ")]
VOCAB = {token: index for index, token in enumerate([*ALPHABET, *(left + right for left, right in MERGES)])}
LINES = "#version: 0.2\n" + "\n".join(map(" ".join, MERGES)) + "\n"


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory) -> tokenizers.Tokenizer:
    folder = tmp_path_factory.mktemp("gpt2")
    (folder / "vocab.json").write_text(json.dumps(VOCAB), encoding="utf-8")
    (folder / "merges.txt").write_text(LINES, encoding="utf-8")
    return from_files(folder)


def from_files(folder: Path) -> tokenizers.Tokenizer:
    model = tokenizers.models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = tokenizers.processors.ByteLevel(trim_offsets=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    return tokenizer


@settings(max_examples=200)
@given(text=texts)
def test_the_two_files_give_what_the_library_gives(official: tokenizers.Tokenizer, text: str) -> None:
    ours = Tokenizer(read_vocab_merges(json.dumps(VOCAB).encode(), LINES.encode()))
    encoding, expected = ours.encode(text), official.encode(text)
    assert list(encoding.ids) == expected.ids
    assert list(encoding.tokens) == expected.tokens
    assert list(encoding.offsets) == expected.offsets
    assert ours.decode(encoding.ids) == official.decode(expected.ids)


@pytest.mark.parametrize(
    ("merges", "problem"),
    [
        (b"a b\na\n", "line 2: is not two tokens: 'a'"),
        (b"a b c\n", "line 1: is not two tokens: 'a b c'"),
        (b"a  b\n", "line 1: is not two tokens"),
        (b"a b\n\nb a\n", "line 2: is not two tokens: ''"),
        (b"a \xff\n", "byte 2: is not UTF-8"),
        (b"a x\n", "model.merges[0]: 'x' is not in the vocab"),
    ],
)
def test_merges_that_are_not_sound_are_refused_by_line_as_by_the_library(
    merges: bytes, problem: str, tmp_path: Path
) -> None:
    vocab = b'{"a": 0, "b": 1, "ab": 2}'
    with pytest.raises(ModelFormatError) as refused:
        read_vocab_merges(vocab, merges)
    assert str(refused.value).startswith(f"merges.txt: {problem}")
    (tmp_path / "vocab.json").write_bytes(vocab)
    (tmp_path / "merges.txt").write_bytes(merges)
    with pytest.raises(Exception, match=r"."):
        from_files(tmp_path)


@pytest.mark.parametrize("merges", [b"", b"#version: 0.2", b"#version: 0.2\r\na b\r\n", b"a b", b"a b\n#version\n"])
def test_versions_line_ends_and_empty_files_are_read_as_by_the_library(merges: bytes, tmp_path: Path) -> None:
    vocab = b'{"a": 0, "b": 1, "ab": 2}'
    (tmp_path / "vocab.json").write_bytes(vocab)
    (tmp_path / "merges.txt").write_bytes(merges)
    assert Tokenizer(read_vocab_merges(vocab, merges)).encode_ids("ab") == from_files(tmp_path).encode("ab").ids


@pytest.mark.parametrize(
    ("vocab", "problem"),
    [
        (b'{"a": 0', "is not JSON"),
        (b"[]", "vocab: is not an object but a list"),
        (b'{"a": -1}', "vocab['a']: is not an id: -1"),
        (b'{"a": 4294967296}', "vocab['a']: is not an id: 4294967296"),
        (b'{"a": 0, "b": 1, "c": 1}', "vocab: gives the id 1 to 2 tokens"),
    ],
)
def test_a_vocab_that_is_not_sound_is_refused(vocab: bytes, problem: str) -> None:
    with pytest.raises(ModelFormatError) as refused:
        read_vocab_merges(vocab, b"")
    assert str(refused.value).startswith("vocab.json: ")
    assert problem in str(refused.value)


def test_special_tokens_are_matched_first_and_skipped_in_decoding() -> None:
    tokenizer = byte_level_bpe({"a": 0, "b": 1, "ab": 2}, [("a", "b")], ["<|endoftext|>", "b"])
    assert tokenizer.encode_ids("ab<|endoftext|>") == [0, 1, 3]
    assert tokenizer.decode([0, 3, 1]) == "a"
    assert tokenizer.decode([0, 3, 1], skip_special_tokens=False) == "a<|endoftext|>b"


BYTE_VOCAB = {bytes([byte]): byte for byte in range(256)} | {b" a": 256, b"ab": 257, "é".encode(): 258, b"<|end|>": 259}
BYTE_MERGES = [(b" ", b"a"), (b"a", b"b"), (b"\xc3", b"\xa9")]


def test_bytes_and_characters_give_one_tokenizer() -> None:
    by_id = {token_id: token for token, token_id in BYTE_VOCAB.items()}
    characters = {to_byte_characters(token): token_id for token, token_id in BYTE_VOCAB.items()}
    merges = [(to_byte_characters(left), to_byte_characters(right)) for left, right in BYTE_MERGES]
    made = [
        byte_level_bpe(BYTE_VOCAB, BYTE_MERGES),
        byte_level_bpe(by_id, merges),
        byte_level_bpe(characters, BYTE_MERGES),
    ]
    for text in ("", "ab abé", "é  ab"):
        assert len({tuple(tokenizer.encode_ids(text)) for tokenizer in made}) == 1
    assert made[0].encode_ids("ab aé") == [257, 256, 258]


def test_a_special_token_in_a_vocab_of_bytes_is_its_utf8_and_no_character_of_a_byte() -> None:
    tokenizer = byte_level_bpe(BYTE_VOCAB, BYTE_MERGES, ["<|end|>", "é", "<new>"])
    assert tokenizer.encode_ids("ab<|end|>é<new>") == [257, 259, 258, 260]
    assert tokenizer.decode([257, 259, 260]) == "ab"


def test_a_pattern_of_ones_own_cuts_as_in_the_library() -> None:
    characters = {to_byte_characters(token): token_id for token, token_id in BYTE_VOCAB.items()}
    merges = [(to_byte_characters(left), to_byte_characters(right)) for left, right in BYTE_MERGES]
    official = tokenizers.Tokenizer(tokenizers.models.BPE(characters, merges))
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(r"\w"), "isolated")
    byte_level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    official.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([split, byte_level])
    ours = byte_level_bpe(BYTE_VOCAB, BYTE_MERGES, pattern=r"\w")
    for text in ("ab ab", " é\n"):
        assert ours.encode_ids(text) == official.encode(text).ids
    with pytest.raises(UnsupportedFeature, match=r"pattern"):
        byte_level_bpe(BYTE_VOCAB, BYTE_MERGES, pattern=r"(?<a>b)\g<a>")


@pytest.mark.parametrize(
    ("vocab", "merges", "special_tokens", "problem"),
    [
        ("vocab.json", "merges.txt", [], "m: vocab: is not a mapping but str; files are read by reftok.load"),
        ({1: "a"}, [], [], "m: vocab: is not of token to id nor of id to bytes: 1"),
        ({"a": "b"}, [], [], "m: vocab: is not of token to id nor of id to bytes: 'a'"),
        ({b"a": -1}, [], [], "m: vocab: is not of token to id nor of id to bytes"),
        ({True: b"a"}, [], [], "m: vocab: is not of token to id nor of id to bytes: True"),
        ({b"a": 0, "b": 1}, [], [], "m: vocab: has tokens in bytes and in characters"),
        ({0: b"a", 1: b"a"}, [], [], "m: vocab: has the token b'a' twice"),
        ({b"a": 0, b"b": 0}, [], [], "m: vocab: gives an id to two tokens"),
        ({b"a": 0}, [(b"a", "a")], [], "m: merges[0]: is not a pair of bytes or of str"),
        ({b"a": 0}, ["aa"], [], "m: merges[0]: is not a pair of bytes or of str: 'aa'"),
        ({b"a": 0}, [(b"a", b"a")], [], "m: model.merges[0]: 'aa' is not in the vocab"),
        ({b"a": 0}, [], "<s>", "m: special_tokens: is not a list of texts: '<s>'"),
        ({b"a": 0}, [], [b"<s>"], "m: special_tokens: is not a list of texts: b'<s>'"),
        ({b"a": 0}, [], ["\ud800"], "m: special_tokens: is not a list of texts"),
    ],
)
def test_what_is_no_vocab_and_no_merges_is_refused(vocab: Any, merges: Any, special_tokens: Any, problem: str) -> None:
    with pytest.raises(ModelFormatError) as refused:
        byte_level_bpe(vocab, merges, special_tokens, source="m")
    assert str(refused.value).startswith(problem)
