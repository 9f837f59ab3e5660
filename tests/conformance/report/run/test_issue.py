"""A finding as the text of an issue: what is wrong, the tokens, how to see it again; nothing foreign is markup."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from conformance.core.case import text_case
from conformance.core.finding import Confidence, Finding
from conformance.core.weight import Share, Weight
from conformance.report.run.issue import MOST_GROUPS, issue_markdown
from tests.conformance.report.sample_run import HOSTILE, PLAIN, TOKENS, finding, sample_run


def test_it_says_what_is_wrong_and_how_much_it_matters() -> None:
    weight = Weight("natural text", (Share("", "texts", 9, 900), Share("Arabic", "words", 6, 192)))
    item = replace(PLAIN[0], weight=weight, confidence=Confidence(24, 23), scope="texts with U+0301")
    lines = issue_markdown(sample_run(), item).splitlines()
    assert lines[0].startswith("### planted-nfc gives other ids than tokenizers 0.21.0: composes e")
    for line in (
        "- model: gpt2-mini, check: ids",
        "- rule: Normalizer: composes e and U+0301 where the model's normalizer does not (NRM000)",
        "- scope: texts with U+0301",
        "- foretold: 23 of 24 other answers, on inputs that the rule was not chosen by",
        "- expected: `[68, 136, 220, 8582, 97, 115]` (by tokenizers 0.21.0)",
        "- observed: `[2634, 220, 8582, 97, 115]` (by planted-nfc)",
    ):
        assert line in lines
    assert any("3.1 % of Arabic words" in line for line in lines)


def test_the_tokens_of_both_answers_stand_beside_their_text() -> None:
    text = issue_markdown(sample_run(), PLAIN[0])
    assert "| text | expected | observed |\n|---|---|---|\n| e\u0301 | e 68 Ì 136 ģ 243 | é 2634 |\n" in text
    assert "| … | | |" in text


def test_a_long_table_is_cut() -> None:
    tokens = tuple(replace(TOKENS[0], id=number, span=(number, number + 1)) for number in range(99))
    evidence = replace(PLAIN[0].example.evidence, expected=tokens, observed=tokens[:-1], is_cut=False)
    item = finding(text_case("e" * 99, ""), "r", evidence=evidence)
    assert len(re.findall(r"^\| e \|", issue_markdown(sample_run(), item), re.MULTILINE)) == MOST_GROUPS


def test_it_can_be_asked_again() -> None:
    item = replace(finding(text_case("caf\u00e9", ""), "r"), replay="conformance replay 'my runs/1' abc")
    text = issue_markdown(sample_run(), item)
    assert "```python\n" in text
    assert "caf\\xe9" in text
    assert "\n    conformance reproduce 'my runs/1' abc\n" in text
    assert "Found by `conformance` with planted-nfc 1, python 3.12.3" in text


@pytest.mark.parametrize("item", HOSTILE, ids=lambda item: item.example.case.origin)
def test_hostile_texts_are_no_markup(item: Finding) -> None:
    text = issue_markdown(sample_run(), item)
    outside = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    outside = re.sub(r"(`+).*?\1", "", outside)
    assert "<script" not in outside
    assert "<img" not in outside
    assert not re.search(r"(?<!\\)\[f\]\(", outside)
