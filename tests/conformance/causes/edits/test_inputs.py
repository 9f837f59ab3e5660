"""Texts that are changed on their way in, patterns with other quotes, and half of a template."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.edits.inputs import of_input
from conformance.causes.edits.post_processors import of_post_processors
from conformance.causes.edits.pre_tokenizers import of_pre_tokenizers
from tests.models import load
from tests.reftok.official import added, bpe, own, tokenizer_json


@pytest.mark.parametrize(
    ("rule", "text", "same_as"),
    [
        ("CR is removed", "a\r\nb\rc", "a\nbc"),
        ("line ends become spaces", "a\r\nb\rc\n\n", "a b c  "),
        ("lines are stripped", " a \n b ", "a\nb"),
        ("white space at the ends of lines is stripped", " a \n b ", " a\n b"),
        ("repeated spaces become one", "a   b", "a b"),
        ("all white space becomes one space", "a \n\tb", "a b"),
        ("tabs become spaces", "a\tb", "a b"),
        ("no-break spaces become spaces", "a\xa0b", "a b"),
        ("control characters are removed", "a\x07\x9fb\n", "ab\n"),
        ("variation selectors are removed", "☠\ufe0f", "☠"),
        ("soft hyphens are removed", "a\xadb", "ab"),
        ("typographic quotes are made straight", "‘a’ “b”", "'a' \"b\""),
        ("escapes such as \\n are read", "a\\nb\\\\n", "a\nb\\n"),
        ("references such as &amp; are read", "a&lt;b", "a<b"),
        ("a byte order mark is added", "a", "\ufeffa"),
        ("a line end is added", "a", "a\n"),
        ("the last line end is lost", "a\n\n", "a\n"),
        ("the last LF or CR LF is lost", "a\n\r\n", "a\n"),
        ("the last LF or CR LF is lost", "a\n", "a"),
        ("the last LF or CR LF is lost", "a\n\r", "a\n\r"),
        ("the last LF or CR LF or CR is lost", "a\n\r", "a\n"),
        ("the last LF or CR LF or CR is lost", "a\r\n", "a"),
        ("line ends at the end are stripped", "a \n\r\n\n", "a "),
        ("white space at the end is stripped as in ECMAScript", " a\x85 \ufeff", " a\x85"),
        ("U+FFFD is removed", "a\ufffdb", "ab"),
    ],
)
def test_a_text_is_tidied(rule: str, text: str, same_as: str) -> None:
    gpt2 = load("bpe-gpt2")
    (fault,) = (one for one in of_input(gpt2) if one.rule == rule)
    assert list(fault.ids(text)) == gpt2.encode_ids(same_as)


@given(st.text("abc12.", max_size=8))
def test_plain_words_are_not_tidied(text: str) -> None:
    for fault in of_input(load("bpe-gpt2")):
        if "is added" not in fault.rule:
            assert list(fault.ids(text)) == load("bpe-gpt2").encode_ids(text), fault.rule


@pytest.mark.parametrize("model", ["bpe-qwen", "bpe-gpt2"])
def test_contractions_with_a_typographic_apostrophe_are_split(model: str) -> None:
    (fault,) = (one for one in of_pre_tokenizers(load(model)) if "typographic" in one.rule)
    assert fault.trace is not None
    cut = [[piece.text for piece in stage.pieces] for stage in fault.trace("it’s").stages]
    assert ["it", "’s"] in cut


def test_half_of_the_template_is_lost() -> None:
    template = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                   {"SpecialToken": {"id": "</s>", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {
            token: {"id": token, "ids": [index], "tokens": [token]} for index, token in enumerate(["<s>", "</s>"])
        },
    }  # fmt: skip
    model = bpe(["<s>", "</s>", "a"])
    tokens = [added("<s>", special=True), added("</s>", special=True)]
    right = own(tokenizer_json(model, tokens, post_processor=template))
    assert right.encode_ids("a") == [0, 2, 1]
    found = {one.rule: list(one.ids("a")) for one in of_post_processors(right)}
    assert found["no special token at the start"] == [2, 1]
    assert found["no special token at the end"] == [0, 2]
    nothing = [one for one in of_post_processors(right) if one.rule == "nothing is added to an empty text"]
    assert [(list(one.ids("")), list(one.ids("a"))) for one in nothing] == [([], [0, 2, 1])] * 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\u3000\ufeffb", {"a \ufeffb", "a  b"}), ("a\u2028b", {"a\u2028b", "a b"}), ("a\tb", {"a\tb", "a b"})],
)
def test_languages_call_different_characters_a_space(text: str, expected: set[str]) -> None:
    gpt2 = load("bpe-gpt2")
    found = {tuple(one.ids(text)) for one in of_input(gpt2) if one.rule == "all spaces of Unicode become U+0020"}
    assert found == {tuple(gpt2.encode_ids(one)) for one in expected}
