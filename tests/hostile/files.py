"""The damaged files: which one a number stands for is the same in every run."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from random import Random

from reftok.formats.model_files import embedded_models
from tests.reftok.gguf_writer import bpe as gguf_bpe
from tests.reftok.gguf_writer import gguf, vocab
from tests.reftok.gguf_writer import spm as gguf_spm
from tests.reftok.official import Json, bpe, tokenizer_json, unigram, wordlevel, wordpiece
from tests.reftok.protobuf_writer import BPE, CHAR, UNIGRAM, UNKNOWN, WORD, byte_pieces, model_bytes
from tests.reftok.tekken_writer import tekken

from .damage import damaged_config, damaged_entries, damaged_lines, damaged_message, fields_of, flipped, written

MOST_ENTRIES = 400
"""So many entries of an embedded model's vocab are kept in most of its damaged files: more take longer to read only."""


@dataclass(frozen=True, slots=True)
class Hostile:
    """Files by name, of which the first is loaded, and for one of tiktoken the encoding."""

    files: Mapping[str, bytes]
    encoding: str | None = None

    @property
    def name(self) -> str:
        return next(iter(self.files))

    @property
    def size(self) -> int:
        return sum(map(len, self.files.values()))


LETTERS = [*"abcde▁Ġ é中1<s>", "<unk>", "[UNK]", "ab", "bc", "abc", "##b", "##c", "aa", "aaaa", "Ġa", "▁a"]
MODELS: list[Json] = [
    bpe(LETTERS, [("a", "b"), ("b", "c"), ("ab", "c"), ("a", "a"), ("aa", "aa")], unk_token="<unk>"),
    bpe(LETTERS, [("a", "b"), ("a", "a")], unk_token=None, ignore_merges=True, byte_fallback=True, fuse_unk=True),
    unigram(("<unk>", 0.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5), ("aaaa", -3.0), ("▁", -1.0), ("▁a", -2.0)),
    wordpiece(LETTERS),
    wordlevel([*LETTERS, "<unk>"][:-1]),
]
PIECES = [UNKNOWN, ("<s>", 0.0, 3), ("▁", -1.0, 1), ("a", -2.0, 1), ("b", -2.0, 1), ("▁a", -1.5, 1), ("ab", -1.2, 1)]


@cache
def _configs() -> list[Json]:
    """Every tokenizer.json that is embedded, with its whole vocab and with some of it, and tiny ones."""
    found: list[Json] = [tokenizer_json(model) for model in MODELS] * 3
    for path in embedded_models().values():
        if path.suffix == ".json":
            config = json.loads(path.read_bytes())
            found += [_trimmed(config)] * 6 + [config]
    return found


def _trimmed(config: Json) -> Json:
    model = config["model"]
    if isinstance(model["vocab"], list):
        return {**config, "model": {**model, "vocab": model["vocab"][:MOST_ENTRIES]}}
    kept = {token: index for token, index in model["vocab"].items() if index < MOST_ENTRIES}
    merges = [merge for merge in model["merges"] if all(part in kept for part in merge) and "".join(merge) in kept]
    return {**config, "model": {**model, "vocab": kept, "merges": merges}}


@cache
def _messages() -> list[bytes]:
    """Every .model that is embedded, with all of its pieces and with some of them, and tiny ones."""
    found = [model_bytes([*PIECES, *byte_pieces()], kind, trainer={35: 1}) for kind in (UNIGRAM, BPE)] * 2
    found += [model_bytes(PIECES, kind) for kind in (UNIGRAM, BPE, WORD, CHAR)] * 2
    for path in embedded_models().values():
        if path.suffix == ".model":
            fields = fields_of(data := path.read_bytes())
            pieces = [field for field in fields if field[0] == 1][:MOST_ENTRIES]
            found += [written([*pieces, *(field for field in fields if field[0] != 1)])] * 4 + [data]
    return found


def _model_file(random: Random) -> Hostile:
    data = random.choice(_messages())
    for _ in range(random.choice([1, 1, 2, 3])):
        data = damaged_message(data, random)
    return Hostile({"tokenizer.model": data})


def _json_file(random: Random) -> Hostile:
    config = damaged_config(random.choice(_configs()), random)
    return Hostile({"tokenizer.json": _as_json(config)})


def _as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True).encode()


def _gguf_file(random: Random) -> Hostile:
    tokens = ["a", "b", "ab", "Ġ", "Ċ", "c", "<|endoftext|>", "Ġa"]
    entries = random.choice(
        [
            gguf_spm({"▁": -1.0, "a": -2.0, "▁a": -0.5, "b": -3.0}),
            gguf_bpe(tokens, ["a b", "Ġ a"], random.choice(["gpt-2", "llama-bpe", "qwen2", "deepseek-llm", "falcon"])),
            vocab("bert", ["[UNK]", "[CLS]", "[SEP]", "▁a", "▁b", "b"], token_type=("int32[]", [2, 3, 3, 1, 1, 1])),
            vocab(
                "t5",
                ["<pad>", "</s>", "<unk>", "▁", "a", "▁a"],
                scores=("float32[]", [0.0, 0.0, 0.0, -2.0, -3.0, -4.0]),
                token_type=("int32[]", [3, 3, 2, 1, 1, 1]),
            ),
        ]
    )
    if "tokenizer.ggml.bos_token_id" not in entries:
        entries |= {"tokenizer.ggml.bos_token_id": ("uint32", 1), "tokenizer.ggml.eos_token_id": ("uint32", 1)}
    return Hostile({"model.gguf": gguf(damaged_entries(entries, random))})


def _tiktoken_file(random: Random) -> Hostile:
    tokens = [*(bytes([byte]) for byte in range(256)), b"ab", b"abc", b" a", b"aaaa"]
    data = b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens))
    ranks = damaged_lines(data, random)
    if random.random() < 0.3:
        return Hostile({"x.tiktoken": ranks, "x.toml": damaged_lines(_TOML, random)})
    return Hostile({"x.tiktoken": ranks}, random.choice(["gpt2", "cl100k_base", "o200k_base"]))


_TOML = rb"""[encoding]
pattern = '(?i:[st]|ll)|[\p{L}&&[^\p{Han}]]++|\s+(?!\S)|\p{N}{1,3}+|[^\p{L}\s]'
special_tokens = { "<s>" = 300, "<|end|>" = 301 }
"""


def _tekken_file(random: Random) -> Hostile:
    return Hostile({"tekken.json": flipped(tekken(), random)})


def _vocab_files(random: Random) -> Hostile:
    """vocab.json with merges.txt, or vocab.txt with its settings."""
    if random.random() < 0.5:
        tokens = ["<|endoftext|>", *"abc", "ab", "Ġ"]
        config: Json = {token: index for index, token in enumerate(tokens)}
        merges = damaged_lines(b"#version: 0.2\na b\n\xc4\xa0 a\n", random)
        if random.random() < 0.5:
            model = damaged_config({"model": {"vocab": config}, "added_tokens": None}, random).get("model")
            config = model["vocab"] if isinstance(model, dict) and "vocab" in model else model
        return Hostile({"vocab.json": _as_json(config), "merges.txt": merges})
    settings: Json = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "unk_token": "[UNK]"}
    for _ in range(random.choice([0, 1, 2])):
        settings[random.choice([*settings, "added_tokens_decoder", "model_max_length", "strip_accents"])] = (
            random.choice([None, True, 1 << 63, "x", [], {}, {"0": {"content": "a"}}, "BertTokenizerFast", 1e300])
        )
    lines = damaged_lines("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abc", "##b"]).encode(), random)
    return Hostile({"vocab.txt": lines, "tokenizer_config.json": _as_json(settings)})


MAKERS: list[tuple[Callable[[Random], Hostile], int]] = [
    (_json_file, 60),
    (_model_file, 20),
    (_gguf_file, 8),
    (_tiktoken_file, 5),
    (_tekken_file, 2),
    (_vocab_files, 4),
]


def hostile(seed: int, number: int) -> Hostile:
    """The damaged file of a number."""
    return damaged(Random(f"{seed}-{number}"))


def damaged(random: Random) -> Hostile:
    """A damaged file; which one, random decides."""
    made = random.choices([maker for maker, _ in MAKERS], [weight for _, weight in MAKERS])[0](random)
    if random.random() < 0.04:
        return Hostile({**made.files, made.name: flipped(made.files[made.name], random)}, made.encoding)
    return made
