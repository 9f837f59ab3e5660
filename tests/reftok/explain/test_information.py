from __future__ import annotations

import pytest

import reftok
from reftok.explain.information import information, information_lines

from ..official import Json, bpe, own, tokenizer_json, unigram, wordlevel, wordpiece

TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 1}}],
    "pair": [],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [7], "tokens": ["<s>"]}},
}
TRUNCATION = {"max_length": 9, "strategy": "OnlyFirst", "stride": 2, "direction": "Left"}
PADDING = {"strategy": {"Fixed": 5}, "direction": "Left", "pad_to_multiple_of": None}
PADDING |= {"pad_id": 3, "pad_type_id": 0, "pad_token": "<pad>"}
TOLD = information(
    own(tokenizer_json(bpe("ab"), post_processor=TEMPLATE, truncation=TRUNCATION, padding=PADDING)).rules
)


def test_a_template_is_told_with_its_tokens_and_their_ids() -> None:
    (template,) = TOLD["post_processors"]
    inserted, sequence = {"ids": [7], "tokens": ["<s>"], "type_id": 0}, {"id": "A", "type_id": 1}
    assert template["options"] == {"single": [inserted, sequence], "pair": []}


def test_truncation_and_padding_are_told() -> None:
    assert TOLD["truncation"]["options"] == TRUNCATION
    assert TOLD["padding"]["options"] == {**PADDING, "strategy": 5}
    rows = list(information_lines(TOLD))
    assert "truncation       Truncation(max_length=9, strategy='OnlyFirst', stride=2, direction='Left')" in rows
    assert any(row.startswith("padding          Padding(strategy=5,") for row in rows)


def test_the_ids_that_a_model_knows_by_itself_are_told_with_byte_fallback() -> None:
    told = information(reftok.load("spm-unigram-symbols").rules)
    assert {name: known["id"] for name, known in told["special_ids"].items()} == {
        "unk": 3,
        "bos": 1,
        "eos": 2,
        "pad": 0,
    }
    assert "special ids      unk 3 '<unk>'  bos 1 '<s>'  eos 2 '</s>'  pad 0 '<pad>'" in information_lines(told)
    assert "byte fallback    no" in information_lines(told)
    assert "byte fallback    yes" in information_lines(information(reftok.load("spm-bpe").rules))


def test_llama_cpp_knows_what_begins_and_ends_a_text() -> None:
    tokenizer = reftok.llama_spm(["<s>", "</s>", "<0x61>", "▁"], [0.0] * 4, bos_id=0, eos_id=1)
    assert {name: known["id"] for name, known in information(tokenizer.rules)["special_ids"].items()} == {
        "bos": 0,
        "eos": 1,
    }


@pytest.mark.parametrize(
    "model",
    [
        bpe(["a", "<unk>"], unk_token="<unk>"),
        wordlevel(["a", "<unk>"]),
        wordpiece(["a", "<unk>"], unk_token="<unk>"),
        unigram(("a", 0.0), ("<unk>", 0.0), unk_id=1),
    ],
    ids=lambda model: model["type"],
)
def test_the_unknown_token_of_each_model_of_tokenizer_json_is_told(model: Json) -> None:
    tokenizer = own(tokenizer_json(model))
    assert information(tokenizer.rules)["special_ids"] == {
        "unk": {"id": tokenizer.token_to_id("<unk>"), "token": "<unk>"}
    }


def test_what_is_not_there_has_no_row() -> None:
    told = information(own(tokenizer_json(bpe("ab"))).rules)
    assert told["truncation"] is told["padding"] is None
    assert [row.split()[0] for row in information_lines(told)] == ["follows", "model", "vocab"]


def test_every_value_begins_in_one_column() -> None:
    assert {len(row) - len(row[17:].lstrip()) for row in information_lines(TOLD)} == {17}
