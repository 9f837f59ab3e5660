"""Whole files tokenizer.json."""

from __future__ import annotations

from hypothesis import strategies as st

from reftok.rules.types import AddedToken

from ..official import Json, chain, tokenizer_json
from .decoders import decoders, strips
from .models import bpe_models, unigram_models, wordlevel_models, wordpiece_models
from .normalizers import normalizers
from .post_processors import paddings, post_processors, templates, truncations
from .pre_tokenizers import pre_tokenizers

CONTENTS = ["a", "ab", "b", "abc", "bc", " a", "a ", " ", "  ", "\n", "<s>", "<a>", "é", "e\u0301", "▁", "▁a", *"中A1_"]
BLANK_CONTENTS = ["a", "a ", " ", "  ", "\n", "▁", "<s>"]


def tokens_of_contents(contents: list[str], strips: st.SearchStrategy[bool]) -> st.SearchStrategy[AddedToken]:
    return st.builds(
        AddedToken,
        st.sampled_from(contents),
        single_word=st.booleans(),
        lstrip=strips,
        rstrip=strips,
        normalized=st.booleans(),
        special=st.booleans(),
    )


added_tokens = st.one_of(
    st.lists(tokens_of_contents(CONTENTS, st.booleans()), max_size=5),
    st.lists(tokens_of_contents(CONTENTS, st.booleans()), max_size=5),
    st.lists(tokens_of_contents(BLANK_CONTENTS, st.sampled_from([True, True, False])), min_size=2, max_size=4),
)
"""Any, and now and then such as take each other's white space."""


@st.composite
def chains(draw: st.DrawFn, kind: str, components: st.SearchStrategy[Json]) -> Json | None:
    """Components of one stage, now and then in Sequences in each other; `kind` is the key of a Sequence's children."""
    steps = draw(st.lists(components, max_size=3))
    if draw(st.integers(0, 4)) == 0:
        start = draw(st.integers(0, len(steps)))
        end = draw(st.integers(start, len(steps)))
        inner = {"type": "Sequence", kind: steps[start:end]}
        steps[start:end] = draw(st.sampled_from([[inner], [{"type": "Sequence", kind: [inner]}]]))
    return chain(kind, steps)


@st.composite
def post_processor_chains(draw: st.DrawFn) -> Json | None:
    """Post-processors, now and then with more than one template: the library panics with some of these."""
    steps = draw(post_processors())
    steps += draw(st.lists(templates, max_size=2)) if draw(st.integers(0, 9)) == 0 else []
    empty: Json = {"type": "Sequence", "processors": []}
    return chain("processors", steps) or draw(st.sampled_from([None, empty]))


@st.composite
def models(draw: st.DrawFn) -> Json:
    """A model, now and then in the form of an older file: without a type, with lines for merges."""
    model = dict(draw(st.one_of(bpe_models(), bpe_models(), unigram_models(), wordpiece_models(), wordlevel_models)))
    if draw(st.integers(0, 7)) == 0:
        del model["type"]
        if not any(" " in token for merge in model.get("merges", ()) for token in merge):
            model |= {"merges": [" ".join(merge) for merge in model["merges"]]} if "merges" in model else {}
    return model


def rarely(strategy: st.SearchStrategy[Json]) -> st.SearchStrategy[Json | None]:
    return st.one_of(st.none(), st.none(), st.none(), strategy)


@st.composite
def pipelines(draw: st.DrawFn) -> Json:
    """A whole tokenizer.json of any components; the stages' names are in the order of the file."""
    any_decoders = st.one_of(decoders, decoders, decoders, strips)
    return tokenizer_json(
        draw(models()),
        draw(added_tokens),
        normalizer=draw(chains("normalizers", normalizers)),
        pre_tokenizer=draw(chains("pretokenizers", pre_tokenizers)),
        post_processor=draw(post_processor_chains()),
        decoder=draw(st.one_of(st.none(), chains("decoders", any_decoders))),
        truncation=draw(rarely(truncations)),
        padding=draw(rarely(paddings)),
    )
