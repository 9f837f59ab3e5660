"""The class of a finding follows from what natural texts show, and else from its input and its rule."""

from __future__ import annotations

import pytest

from conformance.causes.weight_class import weight_class
from conformance.core.case import Case, bytes_case, ids_case, text_case
from conformance.core.finding import Finding, Mismatch, Severity
from conformance.core.weight import ALL, Share, WeightClass
from tests.models import load

NONE_CHANGED = Share(ALL, "texts", 0, 900)
(ADDED, *_) = load("bpe-qwen").rules.added_tokens.tokens


def found(
    case: Case, *, check: str = "ids", rule: str = "other ids", stage: str = "", severity: Severity = "other ids"
) -> Finding:
    example = Mismatch("bpe-qwen", "s", check, rule, severity, case, "", "")
    return Finding(example, 1, (), stage, rule, "tokenizers")


def of(finding: Finding, whole: Share | None = NONE_CHANGED) -> WeightClass:
    return weight_class(finding, whole, load("bpe-qwen"))


def text(content: str) -> Case:
    return text_case(content, "o")


@pytest.mark.parametrize(
    ("finding", "kind"),
    [
        (found(text("a\u0378")), "edge of Unicode"),
        (found(text("a\x00")), "edge of Unicode"),
        (found(bytes_case(b"a\xff", "o")), "edge of Unicode"),
        (found(text("x" * 65)), "rare text"),
        (found(text("a\r\n")), "rare text"),
        (found(text("")), "ids and options at the edge"),
        (found(text("a"), rule="refused"), "ids and options at the edge"),
        (found(ids_case((10**6,), "o"), check="decode"), "ids and options at the edge"),
        (found(ids_case((), "o"), check="decode"), "ids and options at the edge"),
        (found(ids_case((ADDED,), "o"), check="decode"), "added and special tokens"),
        (found(text("a<|endoftext|>")), "added and special tokens"),
        (found(text("ab"), stage="AddedTokens"), "added and special tokens"),
        (found(text("ab"), severity="special-token injection"), "added and special tokens"),
        (found(text("ab"), check="stream encode"), "streams"),
        (found(text("ab"), check="stream decode", rule="more text is held back than the rule needs"), "policy"),
        (found(ids_case((64, 65), "o"), check="decode", rule="one U+FFFD for each byte"), "policy"),
    ],
)
def test_what_changes_no_natural_text_is_classed_by_its_input_and_rule(finding: Finding, kind: WeightClass) -> None:
    assert of(finding) == kind


def test_one_natural_text_outweighs_what_the_example_is() -> None:
    assert of(found(text("")), Share(ALL, "texts", 1, 900)) == "natural text"
    assert of(found(text("ab"), check="stream encode"), Share(ALL, "texts", 1, 900)) == "natural text"


def test_a_documented_choice_stays_one_in_natural_text() -> None:
    choice = found(text("é"), check="decode", rule="one U+FFFD for a run of bytes")
    assert of(choice, Share(ALL, "texts", 1, 900)) == "policy"


def test_of_what_was_not_asked_nothing_is_said() -> None:
    assert of(found(text("a\u0378")), None) == "not weighed"


def test_too_few_natural_texts_say_nothing() -> None:
    """Fault: a session whose time ended after one of them called a mistake in every word an edge of Unicode."""
    assert of(found(text("í")), Share(ALL, "texts", 0, 1)) == "not weighed"
    assert of(found(text("ab")), Share(ALL, "texts", 0, 1)) == "not weighed"
    assert of(found(text("í")), Share(ALL, "texts", 1, 1)) == "natural text"
