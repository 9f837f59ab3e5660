from __future__ import annotations

import re
import struct
import tracemalloc
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from reftok import load
from reftok.formats.llama_cpp.gguf import read_gguf
from reftok.formats.llama_cpp.gguf_metadata import Value, read_metadata
from reftok.formats.llama_cpp.pre_types import PRE_TYPES

from ...gguf_writer import CODES, CONTROL, Entry, bpe, gguf, spm, string, vocab
from ...official import refusal

SPM = spm({"▁": -1.0, "a": -2.0, "▁a": -0.5})
BPE = bpe(["a", "b", "ab", "Ġ"], ["a b"], bos_token_id=("uint32", 0), eos_token_id=("uint32", 1))
HEADER = b"GGUF" + struct.pack("<IQQ", 3, 0, 1)


def written(folder: Path, data: bytes) -> Path:
    path = folder / "x.gguf"
    path.write_bytes(data)
    return path


def problem(folder: Path, data: bytes) -> str:
    """Why a file is refused, "" where it is not."""
    path = written(folder, data)
    return refusal(lambda: read_gguf(path)).removeprefix(f"{path}: ")


def spm_with(**fields: Entry) -> bytes:
    return gguf({**SPM, **{f"tokenizer.ggml.{name}": entry for name, entry in fields.items()}})


def test_the_model_whitespace_drops_white_space_and_merges_characters(tmp_path: Path) -> None:
    """No library at hand: read off llama.cpp src/llama-vocab.cpp, `llm_tokenizer_whitespace_session`."""
    tokens = ["<s>", "</s>", "你", "好", "你好", "a", "b", "ab", "<0xE2>"]
    merges = ["你 好", "a b"]
    path = written(tmp_path, gguf(bpe(tokens, merges, "whitespace", {"<s>": CONTROL}, model="whitespace")))
    assert load(path).encode_ids(" 你好  ab\u3000a\n<s>B☃") == [4, 7, 5, 0, 8]
    lower: Entry = ("bool", True)
    entries = bpe(tokens, merges, "whitespace", model="whitespace", **{"normalizer.lowercase": lower})
    tokenizer = load(written(tmp_path, gguf(entries)))
    assert tokenizer.encode("Ab İ").offsets == [(0, 2)]
    assert tokenizer.decode([7, 4]) == "ab[UNK_BYTE_0xe4bda0你好][UNK_BYTE_0xe5a5bd你好]"


@pytest.mark.parametrize("version", [2, 3])
def test_a_file_of_version_2_and_3_is_read(tmp_path: Path, version: int) -> None:
    tokenizer = load(written(tmp_path, gguf(SPM, version)))
    assert tokenizer.library == "llama.cpp"
    assert tokenizer.encode("a a").tokens == ["<s>", "▁a", "▁a"]


def test_every_type_of_value_is_read(tmp_path: Path) -> None:
    entries: dict[str, Entry] = {kind: (kind, True if kind == "bool" else 1) for kind in CODES}
    entries |= {f"{kind}s": (f"{kind}[]", [value, value]) for kind, (_, value) in entries.items()}
    entries |= {"string": ("string", "é"), "strings": ("string[]", ["a", b"\xff", ""])}
    found = read_metadata(written(tmp_path, gguf(entries)), lambda key: True)
    assert {key: (value.kind + "[]" * value.is_array, as_list(value)) for key, value in found.items()} == {
        **entries,
        "strings": ("string[]", ["a", "\udcff", ""]),
    }


def as_list(value: Value) -> Any:
    return list(value.content) if value.is_array else value.content


def test_values_that_nobody_asks_for_are_walked_over(tmp_path: Path) -> None:
    other = {
        "a": ("string", "x" * 99),
        "b": ("string[]", ["x"] * 9),
        "c": ("float32[]", [1.0] * 9),
        "d": ("bool", True),
    }
    tokenizer = load(written(tmp_path, gguf({**other, **SPM})))
    assert tokenizer.encode_ids("a") == [1, 261]
    assert read_metadata(tmp_path / "x.gguf", lambda key: key == "d") == {"d": Value("bool", False, True)}


def test_tensors_are_not_read(tmp_path: Path) -> None:
    path = written(tmp_path, gguf(SPM, tensors=9) + b"tensors")
    with path.open("ab") as file:
        file.truncate(1 << 36)
    tracemalloc.start()
    tokenizer = load(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert tokenizer.encode_ids("a") == [1, 261]
    assert peak < 1 << 21


def test_a_file_cut_short_anywhere_is_refused_with_the_place(tmp_path: Path) -> None:
    data = gguf(BPE)
    for length in range(4, len(data)):
        assert re.match(r"byte \d+.*: the file ends within ", problem(tmp_path, data[:length])), length


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"GGUF\x00\x00\x00\x03", "version: big-endian GGUF files are not supported"),
        (b"GGUF\x01\x00\x00\x00", "version: 1 of GGUF is not supported, only 2 and 3"),
        (b"GGUF\x04\x00\x00\x00", "version: 4 of GGUF is not supported, only 2 and 3"),
        (b"GGUF\x00\x00\x00\x00", "version: 0 of GGUF is not supported, only 2 and 3"),
        (b"GGML" + bytes(20), "byte 4: is not a GGUF file"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 63), "byte 24: the file ends within key 0"),
        (HEADER + struct.pack("<Q", 1 << 63), f"byte 32: key 0 of {1 << 63} bytes"),
        (HEADER + struct.pack("<Q", 1 << 29), "byte 32: the file ends within key 0"),
        (HEADER + string(""), "byte 32: key 0 is empty"),
        (gguf([("a", ("bool", True)), ("a", ("bool", True))]), "byte 47: key 'a' is there twice"),
        (HEADER + string("k") + struct.pack("<I", 13), "byte 37 ('k'): type 13 is not known"),
        (HEADER + string("k") + struct.pack("<IIQ", 9, 9, 1), "byte 49 ('k'): an array of arrays"),
        (HEADER + string("k") + struct.pack("<IIQ", 9, 99, 1), "byte 49 ('k'): type 99 is not known"),
        (HEADER + string("k") + struct.pack("<IIQ", 9, 0, 1 << 63), f"byte 49 ('k'): an array of {1 << 63} elements"),
        (HEADER + string("k") + struct.pack("<IIQ", 9, 8, 1 << 29), f"byte 49 ('k'): the file ends within {1 << 29}"),
        (HEADER + string("k") + struct.pack("<IIQ", 9, 4, 1 << 29), f"byte 49 ('k'): the file ends within {1 << 29}"),
        (HEADER + string("k") + struct.pack("<IQ", 8, 1 << 29), "byte 45 ('k'): the file ends within a string"),
    ],
)  # fmt: skip
def test_a_hostile_container_is_refused_by_name_and_place(tmp_path: Path, data: bytes, expected: str) -> None:
    assert problem(tmp_path, data).startswith(expected)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (gguf({}), "tokenizer.ggml.model: is missing"),
        (gguf({"tokenizer.ggml.model": ("string", "llama")}), "tokenizer.ggml.tokens: is missing"),
        (gguf({"tokenizer.ggml.model": ("uint32", 1)}), "tokenizer.ggml.model: is not string but uint32"),
        (gguf({"tokenizer.ggml.model": ("string[]", ["llama"])}), "tokenizer.ggml.model: is not string but an array"),
        (gguf(vocab("none", [])), "tokenizer.ggml.model: 'none': the file has no vocabulary"),
        (gguf(vocab("rwkv", [])), "tokenizer.ggml.model: 'rwkv' is not supported"),
        (spm_with(tokens=("uint8[]", [1])), "tokenizer.ggml.tokens: is not an array of string"),
        (spm_with(scores=("float64[]", [1.0])), "tokenizer.ggml.scores: is not an array of float32 or int32"),
        (spm_with(scores=("float32[]", [1.0])), "tokenizer.ggml.scores: has 1 elements for 262 tokens"),
        (spm_with(scores=("float32[]", [float("nan")] * 262)), "tokenizer.ggml.scores: has what is not a number"),
        (spm_with(token_type=("int32[]", [1])), "tokenizer.ggml.token_type: has 1 elements for 262 tokens"),
        (spm_with(token_type=("int32[]", [6] * 262)), "tokenizer.ggml.tokens[0]: is a byte, but not written as one"),
        (spm_with(bos_token_id=("int32", 1)), "tokenizer.ggml.bos_token_id: is not uint32 but int32"),
        (spm_with(padding_token_id=("int32", 1)), "tokenizer.ggml.padding_token_id: is not uint32 but int32"),
        (spm_with(add_bos_token=("uint8", 1)), "tokenizer.ggml.add_bos_token: is not bool but uint8"),
        (spm_with(add_dummy=("bool", True)), "tokenizer.ggml.add_dummy: this key is not known"),
        (gguf(vocab("llama", ["a"])), "tokenizer.ggml.bos_token_id: is not there, and add_bos_token asks for it"),
        (gguf(vocab("llama", ["a", "a"])), "tokenizer.ggml.tokens: 'a' is there twice; llama.cpp ends the process"),
        (gguf(vocab("llama", ["a", "<s>", "a\0b"])), "tokenizer.ggml.tokens: 'a' is there twice"),
        (gguf({**spm({b"\xff": 0.0}, {b"\xff": CONTROL})}), "tokenizer.ggml.tokens[259]: a special token that is"),
        (gguf({**SPM, "general.name": ("string", "phi3")}), "tokenizer.ggml.tokens: lacks '<|endoftext|>'"),
        (gguf(vocab("gpt2", ["a"])), "tokenizer.ggml.merges: is missing"),
        (gguf(bpe(["a"], pre="gpt-3")), "tokenizer.ggml.pre: 'gpt-3' is not supported"),
        (gguf(bpe(["a"], pre="whitespace")), "tokenizer.ggml.pre: 'whitespace' is not supported"),
        (gguf(bpe(["a"], pre="gpt-2", model="whitespace")), "tokenizer.ggml.pre: 'gpt-2' is not supported w"),
        (gguf(bpe(["a", "<PRE>", "<fim_prefix>"])), "tokenizer.ggml.tokens: '<fim_prefix>' and '<PRE>': which"),
        (gguf(bpe(["a"], add_eos_token=("bool", True))), "tokenizer.ggml.eos_token_id: is not there, and add"),
    ],
)  # fmt: skip
def test_a_vocabulary_that_is_not_sound_is_refused_by_name(tmp_path: Path, data: bytes, expected: str) -> None:
    assert problem(tmp_path, data).startswith(expected)


def test_a_fill_in_token_that_the_file_names_is_not_looked_for(tmp_path: Path) -> None:
    for name in ("fim_pre", "prefix"):
        entries = bpe(["a", "<PRE>", "<fim_prefix>"], **{f"{name}_token_id": ("uint32", 1)})
        assert not problem(tmp_path, gguf(entries))


def test_kimi_k2_needs_no_merges(tmp_path: Path) -> None:
    entries = bpe(["a", "b"], pre="kimi-k2")
    del entries["tokenizer.ggml.merges"]
    assert load(written(tmp_path, gguf(entries))).encode_ids("ab") == [0, 1]


def test_whole_numbers_as_scores_are_rounded_to_32_bit_floats(tmp_path: Path) -> None:
    tokens = ["<unk>", "<s>", "▁", "a", "b", "c", "ab", "bc"]
    entries = vocab("llama", tokens, scores=("int32[]", [0] * 6 + [16777216, 16777217]))
    assert load(written(tmp_path, gguf(entries))).encode("abc").tokens == ["<s>", "▁", "ab", "c"]


def test_a_pre_tokenizer_decides_more_than_the_words(tmp_path: Path) -> None:
    tokens = ["a", "b", "ab", "ac", "c"]
    begins = {
        name: load(written(tmp_path, gguf(bpe(tokens, ["a b"], name, bos_token_id=("uint32", 4))))).encode_ids("ac")
        for name in ("llama3", "glm4", "qwen2")
    }
    assert begins == {"llama3": [4, 3], "glm4": [3], "qwen2": [0, 4]}
    assert len(PRE_TYPES) == 93


def test_the_pre_tokenizers_k2_horizon_and_mmbert_cut_as_llama_cpp_does(tmp_path: Path) -> None:
    """Read off xllamacpp 2026.10.11549: llama-cpp-python 0.3.36 does not know them yet."""
    tokens = ["<s>", "a", "â", "Ģ", "į", "1", "2", "aâ", "įa", "12", "Ġ", "."]
    joined = load(written(tmp_path, gguf(bpe(tokens, ["a â", "į a", "1 2"], "k2-horizon", {"<s>": CONTROL}))))
    assert joined.encode_ids("a\u200fa\u200da 1121") == [1, 2, 3, 7, 3, 8, 10, 5, 9, 5]
    assert joined.decode([1, 10, 11]) == "a ."
    tokens = ["<s>", "a", "b", "▁", "▁a", "▁b", "ab", "b▁", "\n", "\n\n", "b\n", "\n▁"]
    merges = ["a b", "▁ a", "▁ b", "b ▁"]
    lines = load(written(tmp_path, gguf(bpe(tokens, merges, "mmbert", {"<s>": CONTROL}, bos_token_id=("uint32", 0)))))
    text = "ab  b\n\n b\nab <s>a▁"
    assert lines.encode_ids(text) == [3, 6, 3, 5, 9, 5, 8, 3, 6, 3, 0, 4, 3]
    encoder = lines.stream_encoder()
    assert [*chain.from_iterable(map(encoder.feed, text)), *encoder.finish()] == lines.encode_ids(text)
    assert lines.encode("a b\nb").offsets == [(0, 1), (1, 3), (3, 4), (4, 5)]


def test_control_tokens_are_text_where_special_tokens_are_not_parsed(tmp_path: Path) -> None:
    tokenizer = load(written(tmp_path, gguf(SPM)))
    assert tokenizer.encode("a<s>").tokens == ["<s>", "▁a", "<s>"]
    plain = tokenizer.with_options(encode_special_tokens=True)
    assert plain.encode("a<s>").tokens == ["<s>", "▁a", "<0x3C>", "<0x73>", "<0x3E>"]


def test_offsets_count_code_points_of_text_and_bytes_of_bytes(tmp_path: Path) -> None:
    tokenizer = load(written(tmp_path, gguf(SPM)))
    assert tokenizer.encode("é<s>a").offsets == [(0, 0), (0, 1), (0, 1), (0, 1), (1, 4), (4, 5)]
    assert tokenizer.encode("é<s>a".encode()).offsets == [(0, 0), (0, 2), (0, 2), (0, 2), (2, 5), (5, 6)]
    assert tokenizer.encode(b"\xffa").offsets == [(0, 0), (0, 1), (0, 1), (1, 2)]
