"""Each place of a model where two rules want the same characters is in the table, and runs and sessions meet it."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.api import findings
from conformance.core.unicode_ages import age_of
from conformance.fuzzing.coverage import Coverage
from conformance.fuzzing.watching import Watcher
from conformance.generators.knowledge import model_knowledge
from conformance.generators.seams import (
    BESIDE_ALTERNATIVES,
    BESIDE_TOKENS,
    CASED,
    ENDS,
    KINDS,
    MOST_SEAMS,
    NEWER,
    STARTS,
    WHITE,
    seams,
)
from reftok import load
from reftok.rules.types import AddedToken
from reftok.unicode.characters import composition
from tests.conformance.fuzzing.sessions import planted, run, session_job
from tests.conformance.generators.tiny import byte_level, knowledge_of
from tests.reftok.official import bpe, own, tokenizer_json

NORMALIZED_FIRST = planted("wrong_added_tokens").replace("Subject", "NormalizedFirst")
RULE = "the text is normalized before added tokens are matched"


def texts(model: str, kind: str) -> list[str]:
    knowledge = knowledge_of(model) if model == "byte-level" else model_knowledge(load(model))
    return [seam.text for seam in seams(knowledge) if seam.kind == kind]


def test_every_added_token_meets_what_composes_with_its_last_character() -> None:
    """Fault: `<|im_end|>` before U+0338 was one token for a port that brings the text to NFC first."""
    tokens = [token.content for token in model_knowledge(load("bpe-qwen")).added if token.content.endswith(">")]
    assert len(tokens) > 20
    assert {f"{content}\u0338" for content in tokens} <= {*texts("bpe-qwen", ENDS)}


def test_alternatives_are_met_in_capitals_before_a_letter() -> None:
    """Fault: contractions that were split in lower case only were as expected by the core tier."""
    assert {text for text in texts("bpe-qwen", BESIDE_ALTERNATIVES) if text in ("'Se", "'Te", "'REe", "'VEe", "'Me")}


def test_texts_begin_and_end_with_the_tokens_of_the_template() -> None:
    """Fault: a port that adds no end token to a text that already ends with it passed."""
    content = "<|begin_of_text|>"
    assert {f"{content}a", f"a{content}", content} <= {*texts("bpe-llama3", BESIDE_TOKENS)}


def test_a_template_may_add_ids_that_are_not_in_the_vocab() -> None:
    template = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [77], "tokens": ["<s>"]}},
    }
    tokenizer = own(tokenizer_json(bpe(["a"]), post_processor=template))
    assert tokenizer.encode_ids("a") == [77, 0]
    assert model_knowledge(tokenizer).template == ()


@pytest.mark.parametrize("model", ["byte-level", "bpe-qwen", "bpe-llama3"])
def test_every_mark_that_composes_with_an_end_is_met(model: str) -> None:
    knowledge = knowledge_of(model) if model == "byte-level" else model_knowledge(load(model))
    met = texts(model, ENDS)
    marks = [chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code))[0] == "M"]
    for content in (token.content for token in knowledge.added):
        assert {content + mark for mark in marks if composition(content[-1], mark)} <= {*met}


def test_an_end_is_met_that_only_a_normalization_form_makes_of_another_character() -> None:
    assert any(text[-1] == "\uff1e" for text in texts("bpe-qwen", ENDS))
    assert any(text[0] == "\u226e" for text in texts("bpe-qwen", STARTS))


def test_what_comes_before_a_token_may_compose_with_its_first_character() -> None:
    knowledge = replace(knowledge_of("byte-level"), added=(AddedToken("\u0338>", normalized=True),))
    assert {">\u0338>", "=\u0338>"} <= {seam.text for seam in seams(knowledge) if seam.kind == STARTS}


def test_flags_are_met_by_what_they_look_at() -> None:
    met = texts("byte-level", BESIDE_TOKENS)
    assert {"\u088f<w>", "a\u3000<l>", "<r>\u2028a", "_<w>_"} <= {*met}


@pytest.mark.parametrize("version", ["14.0", "15.0", "16.0", "17.0"])
def test_letters_that_came_with_a_version_of_unicode_stand_before_a_contraction(version: str) -> None:
    """Fault: the letters of Unicode 17 were drawn so rarely that a table with them was as expected."""
    met = [text[0] for text in texts("bpe-qwen", NEWER) if text.endswith("'s")]
    assert len([character for character in met if age_of(character) == version]) >= 2
    assert "\u088f" in met


def test_a_mark_whose_upper_case_is_a_letter_is_met() -> None:
    r"""Fault: `/\p{L}/iu` of JavaScript matches U+0345, which no generator drew where it shows."""
    assert {"\u0345's", "1\u034523456"} <= {*texts("bpe-qwen", CASED)}


def test_a_sigma_at_the_end_of_a_word_and_long_texts_full_of_white_space_are_met() -> None:
    """Fault: a port that lower-cases by context, and one that cuts at line breaks, were as expected."""
    assert "a\u03a3" in texts("bpe-qwen", CASED)
    assert max(len(text) for text in texts("bpe-qwen", WHITE)) > 4096


@pytest.mark.parametrize("model", ["byte-level", "bpe-qwen", "spm-unigram", "spm-unigram-hf"])
def test_a_seam_has_a_place_and_a_text_of_its_own(model: str) -> None:
    found = seams(knowledge_of(model) if model == "byte-level" else model_knowledge(load(model)))
    assert len({seam.text for seam in found}) == len({(seam.kind, seam.place) for seam in found}) == len(found)
    assert len(found) < MOST_SEAMS
    assert {seam.kind for seam in found} <= {*KINDS}
    for seam in found:
        seam.text.encode("utf-8")


def test_coverage_counts_the_seams_that_were_met() -> None:
    tokenizer, knowledge = byte_level(), knowledge_of("byte-level")
    watcher, coverage = Watcher(tokenizer, knowledge), Coverage()
    watcher.glance(coverage, "<s>\u0338", tokenizer.encode_ids("<s>\u0338"))
    assert coverage.of(ENDS) == {"<s> U+0338"}
    assert "<s> U+0338" in watcher.universe[ENDS]


@pytest.mark.usefixtures("subjects_here")
def test_normalization_before_added_tokens_are_matched_is_found_by_a_run() -> None:
    """Fault: a full run compared 951,634 answers of such a port, as expected."""
    (finding,) = findings(NORMALIZED_FIRST, "bpe-qwen", corpora=["known_bugs"], inputs=["seams"], checks=["ids"])
    assert (finding.stage, finding.rule) == ("AddedTokens", RULE)


@pytest.mark.usefixtures("subjects_here")
def test_normalization_before_added_tokens_are_matched_is_found_by_a_session(tmp_path: Path) -> None:
    """Fault: 538,624 cases of the generators for added tokens and for decompositions found nothing."""
    job = session_job(tmp_path / "session", 4_000, model="bpe-qwen", subjects=(NORMALIZED_FIRST,), checks=("ids",))
    end = run(job)
    (finding,) = (one for one in end.run.findings if one.status == "new")
    assert (finding.stage, finding.rule) == ("AddedTokens", RULE)
    kinds = json.loads((tmp_path / "session" / "coverage.json").read_text("ascii"))["bpe-qwen"]["kinds"]
    assert {kind for kind in KINDS if kinds[kind]["reached"] < kinds[kind]["total"]} == set()
