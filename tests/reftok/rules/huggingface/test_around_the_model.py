"""Truncation, post-processors and padding together, of texts, pairs and batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import UnsupportedFeature

from ...official import Json, as_lists, bpe, chain, official, outcome, own, tokenizer_json
from ...tokenizers_strategies import paddings, post_processors, templates, texts, truncations

MODEL = bpe(
    ["a", "b", "Ġ", "Ġa", "ĠĠ", "aĠ", "aa", "Ã", "©", "Ċ", " ", "\u3000", "\u3000a", "Â", "ł"],
    [("Ġ", "a"), ("Ġ", "Ġ"), ("a", "Ġ"), ("a", "a"), ("\u3000", "a")],
)
PRE_TOKENIZERS: list[Json | None] = [
    None,
    {"type": "WhitespaceSplit"},
    {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True},
    {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False},
]
STRIP = {"type": "Strip", "strip_left": True, "strip_right": False}
inputs = st.one_of(st.text(st.sampled_from([*"  aabbé\u3000\n"]), max_size=16), texts)


@st.composite
def surroundings(draw: st.DrawFn) -> Json:
    """A small model and everything that may come after it; now and then more than one template."""
    steps = draw(post_processors())
    steps += draw(st.lists(templates, max_size=2)) if draw(st.integers(0, 4)) == 0 else []
    empty: Json = {"type": "Sequence", "processors": []}
    return tokenizer_json(
        MODEL,
        normalizer=draw(st.sampled_from([None, STRIP])),
        pre_tokenizer=draw(st.sampled_from(PRE_TOKENIZERS)),
        post_processor=chain("processors", steps) or draw(st.sampled_from([None, empty])),
        truncation=draw(st.none() | truncations),
        padding=draw(st.none() | paddings),
    )


def answer(ask: Callable[[], Any]) -> Any:
    """The lists of an encoding or of several; "refused" also if the library panics."""
    found = outcome(ask)
    if isinstance(found, str):
        return "refused"
    return [as_lists(encoding) for encoding in found] if isinstance(found, list) else as_lists(found)


@settings(max_examples=800)
@given(surroundings(), inputs, st.none() | inputs, st.booleans())
def test_texts_pairs_and_batches_are_encoded_as_in_the_library(
    config: Json, text: str, pair: str | None, special: bool
) -> None:
    try:
        ours = own(config)
    except UnsupportedFeature:
        assert outcome(lambda: official(config).encode("a")) == "panicked"
        return
    batch = [text, text if pair is None else (pair, text), "a"]
    expected = answer(lambda: official(config).encode(text, pair, add_special_tokens=special))
    assert answer(lambda: ours.encode(text, pair, special)) == expected
    expected = answer(lambda: official(config).encode_batch(batch, add_special_tokens=special))
    assert answer(lambda: ours.encode_batch(batch, special)) == expected


def test_truncation_and_padding_are_steps_of_a_trace() -> None:
    truncation = {"max_length": 2, "strategy": "LongestFirst", "stride": 0}
    padding = {"strategy": {"Fixed": 3}, "direction": "Right", "pad_id": 9, "pad_type_id": 0, "pad_token": "-"}
    steps = own(tokenizer_json(MODEL, truncation=truncation, padding=padding)).trace("bbb").stages
    after_model = [(step.stage, step.component, len(step.pieces)) for step in steps[-3:]]
    assert after_model == [("Model", "BPE", 3), ("Truncation", "Truncation", 2), ("Padding", "Padding", 3)]
