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


def test_options_are_told_as_json_and_in_rows_that_begin_in_one_column() -> None:
    stages = {"post_processor": TEMPLATE, "truncation": TRUNCATION, "padding": PADDING}
    told = information(own(tokenizer_json(bpe("ab"), **stages)).rules)
    inserted, sequence = {"ids": [7], "tokens": ["<s>"], "type_id": 0}, {"id": "A", "type_id": 1}
    assert told["post_processors"][0]["options"] == {"single": [inserted, sequence], "pair": []}
    assert told["truncation"]["options"] == TRUNCATION
    assert told["padding"]["options"] == {**PADDING, "strategy": 5}
    rows = list(information_lines(told))
    assert "truncation       Truncation(max_length=9, strategy='OnlyFirst', stride=2, direction='Left')" in rows
    assert {len(row) - len(row[17:].lstrip()) for row in rows} == {17}


def test_the_ids_that_a_model_knows_by_itself_are_told_with_byte_fallback() -> None:
    told = information(reftok.load("spm-unigram-symbols").rules)
    ids = {name: known["id"] for name, known in told["special_ids"].items()}
    assert ids == {"unk": 3, "bos": 1, "eos": 2, "pad": 0}
    assert "special ids      unk 3 '<unk>'  bos 1 '<s>'  eos 2 '</s>'  pad 0 '<pad>'" in information_lines(told)
    assert "byte fallback    no" in information_lines(told)
    assert "byte fallback    yes" in information_lines(information(reftok.load("spm-bpe").rules))
    llama = information(reftok.llama_spm(["<s>", "</s>", "<0x61>", "▁"], [0.0] * 4, bos_id=0, eos_id=1).rules)
    assert {name: known["id"] for name, known in llama["special_ids"].items()} == {"bos": 0, "eos": 1}


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
def test_the_unknown_token_of_a_model_is_told_and_what_is_not_there_has_no_row(model: Json) -> None:
    told = information(own(tokenizer_json(model)).rules)
    assert told["special_ids"] == {"unk": {"id": 1, "token": "<unk>"}}
    assert told["truncation"] is told["padding"] is None
    rows = [row.split()[0] for row in information_lines(told) if row[0] != " "]
    assert rows in (["follows", "model", "vocab", "special"], ["follows", "model", "vocab", "special", "byte"])
