"""Truncation, post-processors and padding together, of texts, pairs and batches."""

from __future__ import annotations

from functools import partial

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reftok.errors import ReftokError, UnsupportedFeature

from ...official import Json, as_lists, bpe, chain, official, official_encoding, outcome, own, tokenizer_json
from ...tokenizers_strategies import paddings, post_processors, templates, texts, truncations

MODEL = bpe(
    ["a", "b", "Ġ", "Ġa", "ĠĠ", "aĠ", "aa", "Ã", "©", "Ċ", " "], [("Ġ", "a"), ("Ġ", "Ġ"), ("a", "Ġ"), ("a", "a")]
)
PRE_TOKENIZERS: list[Json | None] = [
    None,
    {"type": "WhitespaceSplit"},
    {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True},
]
inputs = st.one_of(st.text(st.sampled_from([*"  aabbé\n"]), max_size=16), texts)


@st.composite
def surroundings(draw: st.DrawFn) -> Json:
    """A small model and everything that may come after it; now and then more than one template."""
    steps = draw(post_processors())
    steps += draw(st.lists(templates, max_size=2)) if draw(st.integers(0, 4)) == 0 else []
    empty: Json = {"type": "Sequence", "processors": []}
    return tokenizer_json(
        MODEL,
        pre_tokenizer=draw(st.sampled_from(PRE_TOKENIZERS)),
        post_processor=chain("processors", steps) or draw(st.sampled_from([None, empty])),
        truncation=draw(st.none() | truncations),
        padding=draw(st.none() | paddings),
    )


@settings(max_examples=600)
@given(surroundings(), inputs, st.none() | inputs, st.booleans())
def test_texts_and_pairs_are_encoded_as_in_the_library(
    config: Json, text: str, pair: str | None, add_special_tokens: bool
) -> None:
    theirs = official(config)
    expected = outcome(partial(official_encoding, theirs, text, add_special_tokens, pair))
    try:
        ours = own(config)
    except UnsupportedFeature:
        assert outcome(lambda: theirs.encode("a")) == "panicked"
        return
    found = outcome(lambda: ours.encode(text, pair, add_special_tokens))
    if isinstance(expected, str):
        assert found == "refused"
    else:
        assert not isinstance(found, str)
        assert as_lists(found) == as_lists(expected)


@settings(max_examples=300)
@given(surroundings(), st.lists(inputs | st.tuples(inputs, inputs), max_size=4), st.booleans())
def test_batches_are_encoded_as_in_the_library(
    config: Json, batch: list[str | tuple[str, str]], add_special_tokens: bool
) -> None:
    theirs = official(config)
    expected = outcome(lambda: theirs.encode_batch(batch, add_special_tokens=add_special_tokens))
    assume(not isinstance(expected, str))
    try:
        ours = own(config)
    except UnsupportedFeature:
        assume(False)
    found = ours.encode_batch(batch, add_special_tokens)
    assert list(map(as_lists, found)) == list(map(as_lists, expected))


@settings(max_examples=150)
@given(surroundings(), inputs, st.booleans())
def test_a_trace_ends_where_encoding_does(config: Json, text: str, add_special_tokens: bool) -> None:
    try:
        tokenizer = own(config)
        encoding = tokenizer.encode(text, add_special_tokens=add_special_tokens)
    except ReftokError:
        assume(False)
    assert tokenizer.trace(text, add_special_tokens=add_special_tokens).encoding == encoding


def test_truncation_and_padding_are_steps_of_a_trace() -> None:
    truncation = {"max_length": 2, "strategy": "LongestFirst", "stride": 0}
    padding = {"strategy": {"Fixed": 3}, "direction": "Right", "pad_id": 9, "pad_type_id": 0, "pad_token": "-"}
    steps = own(tokenizer_json(MODEL, truncation=truncation, padding=padding)).trace("bbb").stages
    after_model = [(step.stage, step.component, len(step.pieces)) for step in steps[-3:]]
    assert after_model == [("Model", "BPE", 3), ("Truncation", "Truncation", 2), ("Padding", "Padding", 3)]
