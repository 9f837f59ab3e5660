"""The white space of another language cuts otherwise where it has other members, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.edits import Fault
from conformance.causes.edits.white_space import of_white_space
from tests.models import load


def of_rule(model: str, stage: str, name: str) -> Fault:
    (found,) = (
        one for one in of_white_space(load(model)) if (one.stage, one.rule) == (stage, f"white space is that of {name}")
    )
    return found


def tokens(model: str, stage: str, name: str, text: str) -> list[str | None]:
    return [load(model).id_to_token(token_id) for token_id in of_rule(model, stage, name).ids(text)]


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("ECMAScript", ".\x85", [".\x85"]),
        ("ECMAScript", ".\ufeff", [".", "\ufeff"]),
        ("Go", ".\v", [".\v"]),
        ("Go", ".\xa0", [".\xa0"]),
        ("Java", ".\xa0", [".\xa0"]),
        ("Java", ".\x1c", [".", "\x1c"]),
        ("Kotlin", ".\xa0\x85", [".", "\xa0", "\x85"]),
        ("Python", ".\x1f", [".", "\x1f"]),
        ("ICU", ".\v\u2028", [".\v", "\u2028"]),
    ],
)
def test_a_pattern_cuts_by_the_white_space_of_another_language(name: str, text: str, parts: list[str]) -> None:
    for model in ("bpe-qwen", "bpe-gpt2"):
        trace = of_rule(model, "PreTokenizer", name).trace
        assert trace is not None
        (stage,) = (stage for stage in trace(text).stages if stage.component == "TranslatedStep")
        assert [piece.text for piece in stage.pieces] == parts


def test_a_line_feed_is_no_white_space_where_only_spaces_are() -> None:
    (fault,) = (one for one in of_white_space(load("bpe-qwen")) if one.rule == "only U+0020 counts as white space")
    assert fault.trace is not None
    cut = next(stage for stage in fault.trace("a\n b").stages if stage.component == "TranslatedStep")
    assert [piece.text for piece in cut.pieces] == ["a", "\n", " b"]


@given(st.text("ab \n\t.'1é\u2003", max_size=12))
def test_where_all_agree_what_is_white_space_nothing_changes(text: str) -> None:
    kept = text.replace("\u2003", "")
    for fault in of_white_space(load("bpe-qwen")):
        if fault.rule != "only U+0020 counts as white space":
            assert list(fault.ids(kept)) == load("bpe-qwen").encode_ids(kept)


@pytest.mark.parametrize(
    ("name", "text", "stripped"),
    [
        ("ECMAScript", "\x85[ls-rs]\ufeff", "[ls-rs]\ufeff"),
        ("Java", "\u2003[ls-rs]\xa0", "\u2003[ls-rs]"),
        ("ASCII", "\u2003[ls-rs]\t", "[ls-rs]\t"),
    ],
)
def test_an_added_token_strips_the_white_space_of_another_language(name: str, text: str, stripped: str) -> None:
    trace = of_rule("bpe-qwen", "AddedTokens", name).trace
    assert trace is not None
    assert stripped in [piece.text for piece in trace(text).stages[0].pieces]


@pytest.mark.parametrize(
    ("rule", "text", "stripped"),
    [
        ("spaces alone are taken by lstrip and rstrip", "a\t  [ls-rs] \tb", "  [ls-rs] "),
        ("one character is taken by lstrip and rstrip", "a\t  [ls-rs] \tb", " [ls-rs] "),
        ("one character is taken by lstrip and rstrip", "\t\t[ls-rs]", "\t[ls-rs]"),
        ("one character is taken by lstrip and rstrip", "[ls-rs]", "[ls-rs]"),
        ("one character is taken by lstrip", "a\t  [ls-rs] \tb", " [ls-rs] \t"),
        ("one character is taken by rstrip", "a\t  [ls-rs] \tb", "\t  [ls-rs] "),
        ("spaces alone are taken by rstrip", "a\t  [ls-rs] \tb", "\t  [ls-rs] "),
    ],
)
def test_an_added_token_strips_less_than_a_run_of_white_space(rule: str, text: str, stripped: str) -> None:
    """Fault: what takes one space where a loop was to be had no known rule."""
    (fault,) = (one for one in of_white_space(load("bpe-qwen")) if one.rule == rule)
    assert fault.trace is not None
    assert stripped in [piece.text for piece in fault.trace(text).stages[0].pieces]


def test_a_model_that_asks_nowhere_what_is_white_space_has_no_such_fault() -> None:
    assert list(of_white_space(load("spm-unigram"))) == []
    assert {fault.stage for fault in of_white_space(load("spm-bpe-hf"))} <= {"AddedTokens"}
