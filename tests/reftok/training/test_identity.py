"""Random corpora and options: the same tokenizer.json as the official trainers make, to the order of its keys.

A small share; `python -m tests.reftok.random_run training` asks as many as wanted.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.training.pipelines import PIPELINES, pipeline_of

from ..pipeline_comparison import Tally
from .comparison import STRATEGIES, Json, alphabets, check_training, corpora, counted_by, official, pipelines, trained

CORPORA = Path(__file__).resolve().parents[3] / "corpora"


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_official_trainer_makes_the_same(name: str) -> None:
    tally = Tally()

    @settings(max_examples=150)
    @given(pipelines(name.split()[0]), corpora(), STRATEGIES[name])
    def ask(pipeline: Json, texts: list[str], options: Json) -> None:
        check_training(name.split()[0], pipeline, texts, options, tally)

    ask()
    assert tally.compared[f"{name.split()[0]}: identical"] > 100


unigram_options = st.fixed_dictionaries(
    {"vocab_size": st.integers(400, 500)},
    optional={
        "special_tokens": st.lists(st.sampled_from(["<unk>", "<s>", "ab"]), unique=True, max_size=2),
        "unk_token": st.sampled_from(["<unk>", "<s>"]),
        "initial_alphabet": st.lists(st.sampled_from(["a", "zz", ""]), max_size=2),
        "max_piece_length": st.integers(2, 8),
        "n_sub_iterations": st.integers(0, 3),
    },
)


@settings(max_examples=150)
@given(pipelines("hf-unigram"), st.lists(st.text("abcd e", max_size=10), min_size=2, max_size=30), unigram_options)
def test_unigram_has_the_seeds_and_the_scores_of_the_official_trainer(
    pipeline: Json, texts: list[str], options: Json
) -> None:
    compare_unigram(pipeline, texts, options)


@pytest.mark.parametrize(
    ("language", "vocab_size"), [("en-Latn", 200), ("fi-Latn", 300), ("ru-Cyrl", 250), ("ar-Arab", 260)]
)
def test_unigram_prunes_to_the_pieces_of_the_official_trainer(language: str, vocab_size: int) -> None:
    """Of natural text: on made text whole groups of pieces have one loss, and the order of sums decides."""
    texts = (CORPORA / "languages" / f"{language}.txt").read_text("utf-8").split("\n")
    options = {"vocab_size": vocab_size, "special_tokens": ["<unk>", "<s>"], "unk_token": "<unk>"}
    compare_unigram(PIPELINES["metaspace"], texts, options)


def compare_unigram(pipeline: Json, texts: list[str], options: Json) -> None:
    """The pieces are the same; so are the scores, but for the characters that were dropped: theirs are of chance."""
    counts = counted_by("hf-unigram", pipeline, texts, options)
    if not "".join(counts):
        return
    expected = official("hf-unigram", pipeline_of(pipeline, "Unigram"), texts, options)["model"]
    made = trained("hf-unigram", pipeline, texts, options)[0]["model"]
    scores, others = dict(map(tuple, expected["vocab"])), dict(map(tuple, made["vocab"]))
    assert (made["unk_id"], made["byte_fallback"]) == (expected["unk_id"], expected["byte_fallback"])
    assert len(made["vocab"]) == len(expected["vocab"])
    assert scores.keys() == others.keys()
    characters = {piece for piece in scores if len(piece) == 1}
    assert all(abs(scores[piece] - others[piece]) < 1e-6 for piece in scores.keys() - characters)
    assert all(abs(scores[piece] - others[piece]) < 1e-4 * (len(characters) + 1) for piece in characters)


@settings(max_examples=30)
@given(st.lists(st.text("ab c", max_size=8), max_size=6), alphabets)
def test_the_order_of_texts_does_not_matter_without_prefix_and_suffix(texts: list[str], alphabet: str) -> None:
    options = {"vocab_size": 30, "initial_alphabet": list(alphabet)}
    assert trained("hf-bpe", "whitespace", texts, options) == trained("hf-bpe", "whitespace", texts[::-1], options)
