from __future__ import annotations

import json
import math
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reftok
from reftok.explain.explanation import explain, to_json
from reftok.explain.steps import Lattice, Merging
from reftok.explain.text import coloured, explanation_lines

from ..tokenizers_strategies import texts

load = cache(reftok.load)
MODELS = list(reftok.embedded_models())
TEXTS = ["", "a", "Hello world", "cafe\u0301 12", "\x1b[31m\u202e\n", "<|im_start|>x<s>", "日本語 文", "👩\u200d🚀"]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("model", MODELS)
def test_the_explained_tokens_are_those_of_encode(model: str, text: str) -> None:
    tokenizer = load(model)
    encoding = tokenizer.encode(text)
    explanation = explain(tokenizer.rules, text)
    assert [token.id for token in explanation.tokens] == list(encoding.ids)
    assert [token.span for token in explanation.tokens] == list(encoding.offsets)
    assert [token.text for token in explanation.tokens] == [text[start:end] for start, end in encoding.offsets]


@pytest.mark.parametrize("model", [name for name in MODELS if "bpe" in name and "symbols" not in name])
@settings(max_examples=20)
@given(text=texts)
def test_the_merges_that_are_shown_lead_to_the_tokens_of_the_model(model: str, text: str) -> None:
    tokenizer = load(model)
    for stage in explain(tokenizer.rules, text).stages:
        for steps in stage.steps:
            if isinstance(steps, Merging):
                *_, end = [steps.symbols, *(symbols for _, symbols in steps.states())]
                made = tokenizer.rules.model.tokenize(steps.text)
                whole = [token.value for token in made if not token.value.startswith("<0x") and token.value in end]
                assert whole == [symbol for symbol in end if symbol in whole]
                assert {token.value for token in made} <= {*end, *(f"<0x{byte:02X}>" for byte in range(256)), "<unk>"}


@pytest.mark.parametrize("model", [name for name in MODELS if "unigram" in name])
@settings(max_examples=20)
@given(text=texts)
def test_the_best_path_crosses_the_whole_lattice_with_its_score(model: str, text: str) -> None:
    for stage in explain(load(model).rules, text).stages:
        for steps in stage.steps:
            if isinstance(steps, Lattice):
                assert "".join(node.piece for node in steps.best) == steps.text
                assert all(before.end == after.start for before, after in pairwise(steps.best))
                assert set(steps.best) <= set(steps.nodes)
                assert math.isclose(sum(node.score for node in steps.best), steps.score, rel_tol=1e-4, abs_tol=1e-4)


def test_each_merge_of_a_word_is_shown_in_order_with_its_rank() -> None:
    tokenizer = load("bpe-gpt2")
    (steps,) = [steps for stage in explain(tokenizer.rules, "there").stages for steps in stage.steps]
    assert isinstance(steps, Merging)
    assert steps.symbols == ("t", "h", "e", "r", "e")
    assert [merge.priority for merge in steps.merges] == sorted(merge.priority for merge in steps.merges)
    assert list(steps.states())[-1][1] == tuple(tokenizer.encode("there").tokens)


@pytest.mark.parametrize("paint", [coloured, lambda style, text: text])
@given(text=st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(TEXTS))
def test_nothing_in_the_text_steers_the_terminal(paint: object, text: str) -> None:
    assert callable(paint)
    for line in explanation_lines(explain(load("bpe-qwen").rules, text), paint):
        for style in ("1;36", "32", "2", "33", "0"):
            line = line.replace(f"\x1b[{style}m", "")
        assert line.isprintable()


@pytest.mark.parametrize("model", MODELS)
def test_the_json_of_an_explanation_says_what_the_explanation_says(model: str) -> None:
    explanation = explain(load(model).rules, "Hello wörld")
    value = json.loads(json.dumps(to_json(explanation)))
    assert [stage["component"] for stage in value["stages"]] == [stage.component for stage in explanation.stages]
    assert [token["id"] for token in value["tokens"]] == [token.id for token in explanation.tokens]
    assert sum(len(stage.get("steps", ())) for stage in value["stages"]) == sum(
        len(stage.steps) for stage in explanation.stages
    )


@pytest.mark.parametrize(
    ("model", "text", "unknown"),
    [
        ("spm-bpe-symbols", "a☠b", ["☠"]),
        ("spm-unigram-hf", "a☠b<unk>", ["☠"]),
        ("spm-bpe", "a☠b", []),
        ("bpe-gpt2", "a☠b", []),
    ],
)
def test_an_unknown_token_is_marked_and_its_written_name_is_not(model: str, text: str, unknown: list[str]) -> None:
    explanation = explain(load(model).rules, text)
    assert [token.text for token in explanation.tokens if token.is_unknown] == unknown
    marked = [line for line in explanation_lines(explanation) if line.endswith("  unknown")]
    assert len(marked) == len(unknown)
