from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, given, settings

import reftok
from reftok.errors import UnsupportedFeature
from reftok.rules.trace import Piece, Trace
from tests.models import load

from ..official import Json, added, bpe, outcome, own, tokenizer_json
from ..tokenizers_strategies import pipelines, texts

CONFIG = tokenizer_json(
    bpe(["▁", "a", "b", "▁a", "é"], [("▁", "a")]),
    [added("<s>", special=True)],
    normalizer={"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Prepend", "prepend": "▁"}]},
    pre_tokenizer={"type": "WhitespaceSplit"},
    post_processor={"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True},
)


def stage(trace: Trace, name: str, number: int = 0) -> tuple[Piece, ...]:
    return [step.pieces for step in trace.stages if step.stage == name][number]


@settings(max_examples=150)
@given(pipelines(), texts)
def test_the_pieces_of_the_model_are_the_tokens_before_post_processing(config: Json, text: str) -> None:
    config |= {"post_processor": None, "truncation": None, "padding": None}
    try:
        tokenizer = own(config)
    except UnsupportedFeature:
        assume(False)
    encoding = outcome(lambda: tokenizer.encode(text))
    assume(not isinstance(encoding, str))
    pieces = stage(tokenizer.trace(text), "Model")
    expected = zip(encoding.tokens, encoding.offsets, ((token_id,) for token_id in encoding.ids), strict=True)
    assert [(piece.text, piece.span, piece.ids) for piece in pieces] == list(expected)


def test_every_component_has_its_step_in_order() -> None:
    steps = own(CONFIG).trace("a").stages
    assert [(step.stage, step.component) for step in steps] == [
        ("AddedTokens", "AddedVocabulary"),
        ("Normalizer", "NFC"),
        ("Normalizer", "Prepend"),
        ("AddedTokens", "AddedVocabulary"),
        ("PreTokenizer", "WhitespaceSplit"),
        ("Model", "BPE"),
        ("PostProcessor", "ByteLevel"),
    ]


def test_a_piece_says_where_it_came_from_and_whether_it_is_settled() -> None:
    trace = own(CONFIG).trace("e\u0301 a<s>b")
    assert stage(trace, "AddedTokens") == (
        Piece("e\u0301 a", (0, 4), None),
        Piece("<s>", (4, 7), (5,)),
        Piece("b", (7, 8), None),
    )
    assert [piece.text for piece in stage(trace, "Normalizer", 1)] == ["▁é a", "<s>", "▁b"]
    assert [piece.text for piece in stage(trace, "PreTokenizer")] == ["▁é", "a", "<s>", "▁b"]
    assert stage(trace, "Model")[:2] == (Piece("▁", (0, 1), (0,)), Piece("é", (0, 1), (4,)))
    assert [piece.ids for piece in stage(trace, "PostProcessor")] == [(0,), (4,), (1,), (5,), (0,), (2,)]


def test_a_trace_of_special_tokens_follows_the_caller() -> None:
    template = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "a", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [],
        "special_tokens": {"a": {"id": "a", "ids": [1], "tokens": ["a"]}},
    }
    tokenizer = own(CONFIG | {"post_processor": template})
    assert len(tokenizer.trace("b").encoding) == len(tokenizer.trace("b", add_special_tokens=False).encoding) + 1


@pytest.mark.parametrize("model", reftok.embedded_models())
def test_a_trace_of_decoding_shows_every_decoder_and_ends_in_the_decoded_text(model: str) -> None:
    tokenizer = load(model)
    ids = tokenizer.encode("Héllo  wörld 🜁").ids
    trace = tokenizer.trace_decode(ids)
    assert [step.component for step in trace.steps] == [
        type(decoder).__name__ for decoder in tokenizer.rules.decoders or ()
    ]
    assert all(before.after == after.before for before, after in pairwise(trace.steps))
    assert trace.text == "".join(trace.steps[-1].after) == tokenizer.decode(ids)
