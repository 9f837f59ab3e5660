"""A component is added in two places: its class, and its reader. Everything else is derived from it, or is safe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import pytest

import reftok
from reftok.explain.explanation import explain
from reftok.explain.information import information, information_lines
from reftok.formats import load_rules
from reftok.formats.huggingface.components_json import DECODERS as DECODER_READERS
from reftok.formats.huggingface.components_json import MODELS, NORMALIZERS, PRE_TOKENIZERS
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.pipeline import Pipeline
from reftok.rules.stages import Normalizer
from reftok.rules.text import NormalizedString, Part, resplit
from reftok.rules.types import AddedToken, Token
from reftok.tokenizer import Tokenizer

from .official import own
from .tokenizers_strategies.decoders import DECODERS


@dataclass(frozen=True, slots=True)
class Reversed:
    """A normalizer that needs the whole text."""

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        spans = [*normalized.spans()][::-1]
        return NormalizedString(normalized.text[::-1], normalized.original_start, spans)


@dataclass(frozen=True, slots=True)
class Halves:
    """A pre-tokenizer that cuts in the middle."""

    def pre_tokenize(self, splits: Sequence[Part]) -> list[Part]:
        def halves(normalized: NormalizedString) -> list[NormalizedString]:
            middle = len(normalized) // 2
            return [normalized.slice(0, middle), normalized.slice(middle, len(normalized))]

        return resplit(splits, halves)


class FirstLetters:
    """A model: a pre-token is as many ids as it has characters, the first of which is that of its length."""

    vocab: Mapping[str, int]

    def __init__(self, size: int) -> None:
        self.vocab = {chr(0x61 + index): index for index in range(size)}

    @property
    def size(self) -> int:
        return len(self.vocab)

    @property
    def unk_id(self) -> int | None:
        return None

    def tokenize(self, text: str) -> Sequence[Token]:
        ids = [len(text) % self.size, *(ord(character) % self.size for character in text[1:])]
        return [Token(i, self.id_to_token(i) or "", (place, place + 1)) for place, i in enumerate(ids[: len(text)])]

    def id_to_token(self, token_id: int) -> str | None:
        return chr(0x61 + token_id) if 0 <= token_id < self.size else None


@dataclass(frozen=True, slots=True)
class Sorted:
    """A decoder that needs all tokens."""

    def decode_chain(self, tokens: list[str]) -> list[str]:
        return sorted(tokens)


TEXT = "one two<s> three"
QWEN, LLAMA = load_rules("bpe-qwen"), load_rules("spm-bpe-hf")


def tokenizer(**stages: Any) -> Tokenizer:
    model = stages.pop("model", FirstLetters(20))
    added = AddedVocabulary([AddedToken("<s>", normalized=False, special=True)], model.vocab)
    return Tokenizer(Pipeline("tokenizers", model, added, **stages))


@pytest.mark.parametrize(
    "made",
    [
        tokenizer(),
        tokenizer(normalizers=(Reversed(),)),
        tokenizer(pre_tokenizers=(Halves(),)),
        tokenizer(decoders=(Sorted(),)),
        tokenizer(normalizers=(Reversed(),), pre_tokenizers=(Halves(), Halves()), decoders=(Sorted(), Sorted())),
        Tokenizer(replace(QWEN, normalizers=(Reversed(),))),
        Tokenizer(replace(QWEN, pre_tokenizers=(Halves(), *QWEN.pre_tokenizers))),
        Tokenizer(replace(LLAMA, decoders=(*(LLAMA.decoders or ()), Sorted()))),
    ],
    ids=["model", "normalizer", "pre-tokenizer", "decoder", "all", "before NFC", "before Split", "behind Strip"],
)
def test_a_component_that_nothing_knows_has_ids_offsets_streams_and_an_explanation(made: Tokenizer) -> None:
    encoding = made.encode(TEXT)
    assert encoding == made.rules.encode(TEXT)
    assert made.encode_ids(TEXT) == list(encoding.ids)
    assert len(encoding.offsets) == len(encoding.ids) > 3
    for size in (1, 3, len(TEXT)):
        stream = made.stream_encoder()
        given = [i for start in range(0, len(TEXT), size) for i in stream.feed(TEXT[start : start + size])]
        assert given + stream.finish() == list(encoding.ids)
    text = made.decode(encoding.ids)
    assert text == made.rules.decode(encoding.ids)
    decoder = made.stream_decoder()
    assert "".join([decoder.feed(token_id) for token_id in encoding.ids]) + decoder.finish() == text
    assert len(explain(made.rules, TEXT).tokens) == len(encoding.ids)
    assert any(type(made.rules.model).__name__ in line for line in information_lines(information(made.rules)))


def derived(component: Any, **methods: Any) -> Any:
    """The component as one of a derived class with another rule."""
    made = copy(component)
    kind = type(f"Derived{type(component).__name__}", (type(component),), {"__slots__": (), **methods})
    object.__setattr__(made, "__class__", kind)
    return made


RULES: Mapping[str, Mapping[str, Any]] = {
    "normalizers": {"normalize": Reversed.normalize},
    "pre_tokenizers": {"pre_tokenize": Halves.pre_tokenize},
    "decoders": {"decode_chain": Sorted.decode_chain},
}
"""By stage the rule of a toy, as the methods of a derived class."""


@pytest.mark.parametrize("stage", RULES)
@pytest.mark.parametrize("name", ["bpe-qwen", "bpe-gpt2", "spm-bpe-hf", "spm-unigram-hf"])
def test_a_class_derived_from_a_known_one_goes_by_its_own_rule(name: str, stage: str) -> None:
    host = load_rules(name)
    steps = getattr(host, stage) or ()
    for place, step in enumerate(steps):
        other = (*steps[:place], derived(step, **RULES[stage]), *steps[place + 1 :])
        check_streams_and_fast_paths(Tokenizer(replace(host, **{stage: other})))


@pytest.mark.parametrize("kind", sorted(set(NORMALIZERS) - {"Precompiled"}))
def test_a_class_derived_from_a_normalizer_of_a_file_goes_by_its_own_rule(kind: str) -> None:
    (step,) = own(file(normalizer=_normalizer_options(kind))).rules.normalizers
    check_streams_and_fast_paths(tokenizer(normalizers=(derived(step, **RULES["normalizers"]),)))


@pytest.mark.parametrize("kind", sorted(PRE_TOKENIZERS))
def test_a_class_derived_from_a_pre_tokenizer_of_a_file_goes_by_its_own_rule(kind: str) -> None:
    (step,) = own(file(pre_tokenizer=options(kind))).rules.pre_tokenizers
    check_streams_and_fast_paths(tokenizer(pre_tokenizers=(derived(step, **RULES["pre_tokenizers"]),)))


def check_streams_and_fast_paths(made: Tokenizer) -> None:
    for text in (TEXT, "", " é Ａ▁1", "ab" * 40):
        encoding = made.rules.encode(text)
        assert made.encode(text) == encoding
        assert made.encode_ids(text) == list(encoding.ids)
        for size in (1, 7):
            stream = made.stream_encoder()
            given = [i for start in range(0, len(text), size) for i in stream.feed(text[start : start + size])]
            assert given + stream.finish() == list(encoding.ids)
        expected = made.rules.decode(encoding.ids)
        assert made.decode(encoding.ids) == expected
        decoder = made.stream_decoder()
        assert "".join([decoder.feed(token_id) for token_id in encoding.ids]) + decoder.finish() == expected


def test_what_is_buffered_says_who_holds_it() -> None:
    made = tokenizer(normalizers=(Reversed(),), pre_tokenizers=(Halves(),), decoders=(Sorted(),))
    held = " ".join(made.stream_encoder().held_until_end)
    assert all(name in held for name in ("Reversed", "Halves", "FirstLetters"))
    assert "Sorted" in " ".join(made.stream_decoder().held_until_end)


# --- every component that a file can ask for

BUFFERED_MODELS = {"WordPiece", "WordLevel"}
BUFFERED_PRE_TOKENIZERS = {"FixedLength", "UnicodeScripts"}
PATTERN = {"Regex": "a+"}
OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "Prepend": {"prepend": "▁"},
    "Replace": {"pattern": PATTERN, "content": "b"},
    "Strip": {"strip_left": True, "strip_right": True},
    "StripNormalizer": {"strip_left": True, "strip_right": True},
    "Precompiled": {"precompiled_charsmap": ""},
    "BertNormalizer": {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
    "Bert": {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
    "ByteLevel": {"add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    "Split": {"pattern": PATTERN, "behavior": "Isolated", "invert": False},
    "Metaspace": {"replacement": "▁", "prepend_scheme": "first", "split": True},
    "CharDelimiterSplit": {"delimiter": "-"},
    "Digits": {"individual_digits": True},
    "Punctuation": {"behavior": "Isolated"},
    "FixedLength": {"length": 3},
}
MODEL: Mapping[str, Any] = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}


def file(**stages: Any) -> dict[str, Any]:
    empty = {"normalizer": None, "pre_tokenizer": None, "post_processor": None, "decoder": None}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "model": MODEL,
        **empty,
        **stages,
    }


def options(kind: str) -> dict[str, Any]:
    return {"type": kind, **OPTIONS.get(kind, {})}


@pytest.mark.parametrize("kind", sorted(set(NORMALIZERS) - {"Precompiled"}))
def test_every_normalizer_of_a_file_has_its_streamed_form(kind: str) -> None:
    (normalizer,) = own(file(normalizer=_normalizer_options(kind))).rules.normalizers
    assert not _reasons(normalizer)


def _normalizer_options(kind: str) -> dict[str, Any]:
    return {"type": kind} if kind == "ByteLevel" else options(kind)


def _reasons(normalizer: Normalizer) -> tuple[str, ...]:
    return tokenizer(model=BPE({"a": 0}, []), normalizers=(normalizer,)).stream_encoder().held_until_end


def test_the_charsmap_of_an_embedded_model_has_its_streamed_form() -> None:
    found = [step for step in reftok.load("spm-unigram-hf").rules.normalizers if type(step).__name__ == "Precompiled"]
    assert [_reasons(step) for step in found] == [()]


@pytest.mark.parametrize("kind", sorted(PRE_TOKENIZERS))
def test_every_pre_tokenizer_of_a_file_has_its_streamed_form_or_is_listed(kind: str) -> None:
    (step,) = own(file(pre_tokenizer=options(kind))).rules.pre_tokenizers
    made = tokenizer(model=BPE({"a": 0}, []), pre_tokenizers=(step,))
    assert bool(made.stream_encoder().held_until_end) == (kind in BUFFERED_PRE_TOKENIZERS)


def test_every_decoder_of_a_file_has_its_streamed_form() -> None:
    kinds = set()
    for config in [*DECODERS, *MORE_DECODERS]:
        made = own(file(decoder=config))
        assert not made.stream_decoder().held_until_end, config
        kinds.add(config["type"])
    assert kinds == set(DECODER_READERS)


MORE_DECODERS: list[dict[str, Any]] = [
    {"type": "BPEDecoder", "suffix": "</w>"},
    {"type": "WordPiece", "prefix": "##", "cleanup": True},
    {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True},
]


def test_every_model_of_a_file_has_its_streamed_form_or_is_listed() -> None:
    configs: list[dict[str, Any]] = [
        {"type": "BPE", "vocab": {"a": 0}, "merges": []},
        {"type": "Unigram", "vocab": [["a", -1.0]], "unk_id": None},
        {
            "type": "WordPiece",
            "vocab": {"a": 0},
            "unk_token": "a",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 9,
        },
        dict(MODEL),
    ]
    assert {config["type"] for config in configs} == set(MODELS)
    made = [own(file(model=config)).stream_encoder() for config in configs]
    buffered = {config["type"] for config, stream in zip(configs, made, strict=True) if stream.held_until_end}
    assert buffered == BUFFERED_MODELS
