"""A component is added in two places: its class, and its reader. Everything else is derived from it, or is safe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import pytest

from reftok.explain.explanation import explain
from reftok.explain.information import information, information_lines
from reftok.formats import load_rules
from reftok.formats.huggingface.components_json import DECODERS as DECODER_READERS
from reftok.formats.huggingface.components_json import MODELS, NORMALIZERS, PRE_TOKENIZERS
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.pipeline import Pipeline
from reftok.rules.text import NormalizedString, Part, resplit
from reftok.rules.types import AddedToken, Token
from reftok.tokenizer import Tokenizer

from .formats.huggingface.test_components_json import COMPONENTS
from .official import bpe, own, tokenizer_json
from .streaming import check_stream, stream_decoded


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


UNKNOWN = {
    "model": tokenizer(),
    "normalizer": tokenizer(normalizers=(Reversed(),)),
    "pre-tokenizer": tokenizer(pre_tokenizers=(Halves(),)),
    "decoder": tokenizer(decoders=(Sorted(),)),
    "all": tokenizer(normalizers=(Reversed(),), pre_tokenizers=(Halves(), Halves()), decoders=(Sorted(), Sorted())),
    "before NFC": Tokenizer(replace(QWEN, normalizers=(Reversed(),))),
    "before Split": Tokenizer(replace(QWEN, pre_tokenizers=(Halves(), *QWEN.pre_tokenizers))),
    "behind Strip": Tokenizer(replace(LLAMA, decoders=(*(LLAMA.decoders or ()), Sorted()))),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_component_that_nothing_knows_has_ids_offsets_streams_and_an_explanation(name: str) -> None:
    made = UNKNOWN[name]
    check_streams_and_fast_paths(made)
    encoding = made.encode(TEXT)
    assert len(encoding.offsets) == len(encoding.ids) > 3
    assert len(explain(made.rules, TEXT).tokens) == len(encoding.ids)
    assert any(type(made.rules.model).__name__ in line for line in information_lines(information(made.rules)))


def check_streams_and_fast_paths(made: Tokenizer) -> None:
    for text in (TEXT, "", " é Ａ▁1", "ab" * 40):
        encoding = made.rules.encode(text)
        assert made.encode(text) == encoding
        check_stream(made, text)
        expected = made.rules.decode(encoding.ids)
        assert made.decode(encoding.ids) == stream_decoded(made, encoding.ids) == expected


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


@pytest.mark.parametrize(
    ("stage", "kind"),
    [
        *(("normalizers", kind) for kind in sorted(NORMALIZERS)),
        *(("pre_tokenizers", kind) for kind in sorted(PRE_TOKENIZERS)),
    ],
)
def test_a_class_derived_from_one_of_a_file_goes_by_its_own_rule(stage: str, kind: str) -> None:
    (step,) = getattr(own(file(**{stage.removesuffix("s"): component(stage, kind)})).rules, stage)
    check_streams_and_fast_paths(tokenizer(**{stage: (derived(step, **RULES[stage]),)}))


def test_what_is_buffered_says_who_holds_it() -> None:
    made = tokenizer(normalizers=(Reversed(),), pre_tokenizers=(Halves(),), decoders=(Sorted(),))
    held = " ".join(made.stream_encoder().held_until_end)
    assert all(name in held for name in ("Reversed", "Halves", "FirstLetters"))
    assert "Sorted" in " ".join(made.stream_decoder().held_until_end)


# --- every component that a file can ask for

BUFFERED = {"WordPiece", "WordLevel", "FixedLength", "UnicodeScripts"}
KINDS = {"normalizers": NORMALIZERS, "pre_tokenizers": PRE_TOKENIZERS, "decoders": DECODER_READERS, "model": MODELS}


def component(stage: str, kind: str) -> dict[str, Any]:
    """A component of a file with all that it needs."""
    found = COMPONENTS[stage.removesuffix("s")]
    return next((value for value in found if value["type"] == kind), {"type": kind})


def file(**stages: Any) -> dict[str, Any]:
    return tokenizer_json(bpe("a")) | stages


@pytest.mark.parametrize(("stage", "kind"), [(stage, kind) for stage, kinds in KINDS.items() for kind in sorted(kinds)])
def test_every_component_of_a_file_has_its_streamed_form_or_is_listed(stage: str, kind: str) -> None:
    made = own(file(**{stage.removesuffix("s"): component(stage, kind)}))
    stream = made.stream_decoder() if stage == "decoders" else made.stream_encoder()
    assert bool(stream.held_until_end) == (kind in BUFFERED and stage != "decoders")
