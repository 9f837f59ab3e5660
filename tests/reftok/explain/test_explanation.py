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
from reftok.explain.model_steps import merges_made, model_steps
from reftok.explain.steps import Lattice, Merging, Walk, WalkStep
from reftok.explain.text import explanation_lines, without_colours
from reftok.rules.llama_cpp.spm import LlamaSPM
from reftok.rules.merging import merge_all

from ..tokenizers_strategies import texts

load = cache(reftok.load)
TEXTS = ["", "a", "Hello world", "cafe\u0301 12", "\x1b[31m\u202e\n", "<|im_start|>x<s>", "日本語 文", "👩\u200d🚀"]


@pytest.mark.parametrize("model", reftok.embedded_models())
def test_the_explained_tokens_are_those_of_encode_and_the_json_says_the_same(model: str) -> None:
    tokenizer = load(model)
    for text in TEXTS:
        encoding = tokenizer.encode(text)
        explanation = explain(tokenizer.rules, text)
        columns = zip(encoding.ids, encoding.offsets, (text[slice(*span)] for span in encoding.offsets), strict=True)
        assert [(token.id, token.span, token.text) for token in explanation.tokens] == [*columns]
        value = json.loads(json.dumps(to_json(explanation)))
        assert [token["id"] for token in value["tokens"]] == list(encoding.ids)
        for stage, told in zip(explanation.stages, value["stages"], strict=True):
            assert [steps["kind"] for steps in told.get("steps", [])] == [type(steps).__name__ for steps in stage.steps]
            assert [piece["text"] for piece in told["pieces"]] == [piece.text for piece in stage.pieces]


@pytest.mark.parametrize("model", [name for name in reftok.embedded_models() if "symbols" not in name])
@settings(max_examples=20)
@given(text=texts)
def test_merges_lead_to_the_tokens_of_the_model_and_the_best_path_crosses_the_lattice(model: str, text: str) -> None:
    tokenizer = load(model)
    for steps in (steps for stage in explain(tokenizer.rules, text).stages for steps in stage.steps):
        if isinstance(steps, Merging):
            *_, end = [steps.symbols, *(symbols for _, symbols in steps.states())]
            made = tokenizer.rules.model.tokenize(steps.text)
            whole = [token.value for token in made if not token.value.startswith("<0x") and token.value in end]
            assert whole == [symbol for symbol in end if symbol in whole]
            assert {token.value for token in made} <= {*end, *(f"<0x{byte:02X}>" for byte in range(256)), "<unk>"}
        if isinstance(steps, Lattice):
            assert "".join(node.piece for node in steps.best) == steps.text
            assert all(before.end == after.start for before, after in pairwise(steps.best))
            assert set(steps.best) <= set(steps.nodes)
            assert math.isclose(sum(node.score for node in steps.best), steps.score, rel_tol=1e-4, abs_tol=1e-4)


@given(text=st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(TEXTS))
def test_nothing_in_the_text_steers_the_terminal(text: str) -> None:
    assert all(map(str.isprintable, without_colours(explanation_lines(explain(load("bpe-qwen").rules, text)))))


@pytest.mark.parametrize(
    ("model", "text", "unknown"),
    [("spm-bpe-symbols", "a☠b", ["☠"]), ("spm-unigram-hf", "a☠b<unk>", ["☠"]), ("spm-bpe", "a☠b", [])],
)
def test_an_unknown_token_is_marked_and_its_written_name_is_not(model: str, text: str, unknown: list[str]) -> None:
    explanation = explain(load(model).rules, text)
    assert [token.text for token in explanation.tokens if token.is_unknown] == unknown
    lines = without_colours(explanation_lines(explanation))
    assert len([line for line in lines if line.endswith("  unknown")]) == len(unknown)


def shown(step: WalkStep) -> str:
    """A step as a debugger would print it."""
    indices = "+".join(map(str, step.symbols))
    return f"{step.event} {indices} {step.data.decode()} {step.score:g} {list(step.ids)}"


def test_the_steps_are_those_that_a_debugger_shows() -> None:
    """The walk of a tutorial on llama.cpp: symbols, the queue by score, a bigram gone stale, the symbols at the end."""
    scores = {"▁": -9.0, "a": -9.0, "t": -9.0, "▁a": -3.0, "at": -1.0, "▁at": -2.0}
    walk = model_steps(LlamaSPM({token: index for index, token in enumerate(scores)}, [*scores.values()]), "▁att")
    assert isinstance(walk, Walk)
    assert list(map(shown, walk.steps)) == [
        "symbol 0 ▁ 0 []",
        "symbol 1 a 0 []",
        "symbol 2 t 0 []",
        "symbol 3 t 0 []",
        "queue 0+1 ▁a -3 []",
        "queue 1+2 at -1 []",
        "merge 1+2 at -1 []",
        "queue 0+1 ▁at -2 []",
        "merge 0+1 ▁at -2 []",
        "skip 0+1 ▁a -3 []",
        "token 0 ▁at 0 [5]",
        "token 3 t 0 [2]",
    ]


@given(st.lists(st.text("ab", min_size=2, max_size=4), unique=True), st.text("ab", max_size=30))
def test_the_merges_of_the_queue_are_those_of_the_plain_rule(wholes: list[str], text: str) -> None:
    ranks = {whole: rank // 2 for rank, whole in enumerate(wholes)}

    def merge_of(left: str, right: str) -> tuple[int, str] | None:
        rank = ranks.get(left + right)
        return None if rank is None else (rank, left + right)

    symbols = dict(enumerate(text))
    for merge in merges_made(text, merge_of):
        left, right = merge.symbols
        assert (symbols[left], symbols.pop(right), ranks[merge.result]) == (merge.left, merge.right, merge.priority)
        symbols[left] = merge.result
    assert merge_all(text, merge_of) == [*symbols.items()]
