from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from reftok.errors import InvalidText

from ...official import Json, assert_same_encoding, bpe, chain, own, tokenizer_json
from ...tokenizers_strategies import SPECIAL_TOKENS

BYTE_LEVEL: Json = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
VOCAB = ["a", "b", "Ġ", "Ġa", "ĠĠ", "ĠĠĠ", "aĠ", "ĠaĠ", "aa", "Ã", "©", "Ċ", " ", "\u3000", "\u3000a", "Â", "ł", "ł"]
MERGES = [("Ġ", "a"), ("Ġ", "Ġ"), ("ĠĠ", "Ġ"), ("a", "Ġ"), ("Ġa", "Ġ"), ("a", "a"), ("\u3000", "a")]
MODEL = bpe(VOCAB, MERGES)
SPECIAL_A: Json = {"SpecialToken": {"id": "<s>", "type_id": 1}}
TEXT_A: Json = {"Sequence": {"id": "A", "type_id": 2}}
TEXT_B: Json = {"Sequence": {"id": "B", "type_id": 1}}
BERT: Json = {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}
ROBERTA: Json = {
    "type": "RobertaProcessing",
    "sep": ["</s>", 3],
    "cls": ["<s>", 2],
    "trim_offsets": True,
    "add_prefix_space": False,
}


PADDING: Json = {"strategy": {"Fixed": 2}, "direction": "Right", "pad_id": 0, "pad_type_id": 0, "pad_token": ""}


def template(*single: Json, pair: Iterable[Json] = ()) -> Json:
    return {"type": "TemplateProcessing", "single": list(single), "pair": list(pair), "special_tokens": SPECIAL_TOKENS}


def config(*steps: Json, add_prefix_space: bool = False, **stages: Json) -> Json:
    pre_tokenizer = {**BYTE_LEVEL, "add_prefix_space": add_prefix_space, "use_regex": False}
    stages = {"pre_tokenizer": pre_tokenizer, **stages}
    return tokenizer_json(MODEL, post_processor=chain("processors", steps), **stages)


EXPECTED: dict[str, tuple[Json, str, str | None, dict[str, list[Any]]]] = {
    "offsets are trimmed and tokens are not": (
        config({**BYTE_LEVEL, "add_prefix_space": False}), "b a ", None,
        {"tokens": ["b", "ĠaĠ"], "offsets": [(0, 1), (2, 3)]},
    ),
    "one leading space of the first token counts as added": (config(BYTE_LEVEL), " a", None, {"offsets": [(0, 2)]}),
    "if one is added": (config({**BYTE_LEVEL, "add_prefix_space": False}), " a", None, {"offsets": [(1, 2)]}),
    "two leading spaces do not": (config(BYTE_LEVEL), "  b", None, {"offsets": [(2, 2), (2, 3)]}),
    "without trimming the offsets stay": (
        config({**BYTE_LEVEL, "trim_offsets": False}), "b a", None, {"offsets": [(0, 1), (1, 3)]},
    ),
    "behind a template each part has a first token": (
        config(
            template(SPECIAL_A, TEXT_A), BYTE_LEVEL,
            pre_tokenizer={"type": "Sequence", "pretokenizers": [
                {"type": "Split", "pattern": {"String": "b"}, "behavior": "Removed", "invert": False},
                {**BYTE_LEVEL, "add_prefix_space": False},
            ]},
        ), "b a", None, {"offsets": [(0, 0), (1, 3)]},
    ),
    "inserted tokens have no offsets, no word and the mask": (
        config(template(SPECIAL_A, TEXT_A, SPECIAL_A)), "b", None,
        {"offsets": [(0, 0), (0, 1), (0, 0)], "special_tokens_mask": [1, 0, 1], "word_ids": [None, 0, None],
         "type_ids": [1, 2, 1]},
    ),
    "the text stands as often as the template says": (
        config(template(*[TEXT_A] * 3)), "ab", None, {"tokens": ["a", "b"] * 3},
    ),
    "and never": (config(template()), "ab", None, {"tokens": []}),
    "the ids and tokens of a template are its own": (
        config(template({"SpecialToken": {"id": "two", "type_id": 0}}, TEXT_A)), "a", None,
        {"ids": [7, 0, 0], "tokens": ["Ġx", " y ", "a"]},
    ),
    "without post-processors each text of a pair has offsets and words of its own": (
        tokenizer_json(MODEL, pre_tokenizer={"type": "WhitespaceSplit"}), "a b", "b a",
        {"tokens": ["a", "b", "b", "a"], "offsets": [(0, 1), (2, 3), (0, 1), (2, 3)], "word_ids": [0, 1, 0, 1],
         "type_ids": [0, 0, 1, 1], "sequence_ids": [0, 0, 1, 1]},
    ),
    "no post-processor counts padding to the text": (
        tokenizer_json(MODEL, post_processor=None, padding=PADDING), "a", None, {"sequence_ids": [0, 0]},
    ),
    "and an empty sequence does not": (
        tokenizer_json(MODEL, post_processor={"type": "Sequence", "processors": []}, padding=PADDING), "a", None,
        {"sequence_ids": [0, None]},
    ),
    "Bert inserts its tokens": (config(BERT), "a", None, {"tokens": ["[CLS]", "a", "[SEP]"]}),
    "Bert counts special tokens to no text and the last to the second segment": (
        config(BERT), "a", "b",
        {"tokens": ["[CLS]", "a", "[SEP]", "b", "[SEP]"], "type_ids": [0, 0, 0, 1, 1],
         "sequence_ids": [None, 0, None, 1, None]},
    ),
    "Roberta has one segment and two separators between the texts": (
        config(ROBERTA), "b", " a",
        {"tokens": ["<s>", "b", "</s>", "</s>", "Ġa", "</s>"], "type_ids": [0] * 6,
         "offsets": [(0, 0), (0, 1), (0, 0), (0, 0), (1, 2), (0, 0)]},
    ),
    "Roberta trims": (config(ROBERTA), " a", None, {"offsets": [(0, 0), (1, 2), (0, 0)]}),
    "if it is told to": (
        config({**ROBERTA, "trim_offsets": False}), " a", None, {"offsets": [(0, 0), (0, 2), (0, 0)]},
    ),
    "and keeps an added space": (
        config({**ROBERTA, "add_prefix_space": True}), " a", None, {"offsets": [(0, 0), (0, 2), (0, 0)]},
    ),
    "Bert behind a template takes its parts for texts": (
        config(template(SPECIAL_A, TEXT_A), BERT), "b", None,
        {"tokens": ["[CLS]", "<s>", "[SEP]", "b", "[SEP]"], "special_tokens_mask": [1, 0, 1, 0, 1]},
    ),
    "a pair has a template of its own": (
        config(template(TEXT_A, pair=[TEXT_B, SPECIAL_A, TEXT_A, TEXT_B])), "a", "b",
        {"tokens": ["b", "<s>", "a", "b"], "type_ids": [1, 1, 2, 1], "sequence_ids": [None, None, 0, 1]},
    ),
    "a text that the template leaves out counts all tokens to the first": (
        config(template(TEXT_A, pair=[SPECIAL_A, TEXT_B])), "a", "b",
        {"tokens": ["<s>", "b"], "sequence_ids": [0, 0]},
    ),
    "a template behind another one takes its two parts for a pair": (
        config(template(SPECIAL_A, TEXT_A), template(TEXT_A, pair=[TEXT_B, TEXT_A])), "b", None,
        {"tokens": ["b", "<s>"]},
    ),
    "what overflows keeps its segment": (
        config(template(SPECIAL_A, TEXT_A), truncation={"max_length": 2, "strategy": "LongestFirst", "stride": 0}),
        "ab", None, {"type_ids": [1, 2]},
    ),
    "nested sequences are one behind the other": (
        config({"type": "Sequence", "processors": [
            BERT, {"type": "Sequence", "processors": [BYTE_LEVEL, ROBERTA]},
        ]}), "b a", " a", {},
    ),
}  # fmt: skip
"""By what they show: a file, a text, a second one, and lists of the encoding."""


@pytest.mark.parametrize("name", EXPECTED)
def test_an_encoding_has_the_lists_of_the_library(name: str) -> None:
    file, text, pair, lists = EXPECTED[name]
    encoding = assert_same_encoding(file, text, pair=pair)
    assert {key: list(getattr(encoding, key)) for key in lists} == lists


def test_roberta_puts_what_overflows_into_the_first_segment_only_with_its_special_tokens() -> None:
    truncation = {"max_length": 6, "strategy": "OnlySecond", "stride": 0}
    cut = config(ROBERTA, truncation=truncation)
    assert assert_same_encoding(cut, "b", pair="b" * 7).overflowing[0].type_ids == [0] * 6
    plain = own(cut).encode("b", "b" * 7, add_special_tokens=False)
    assert (plain.type_ids, plain.overflowing[0].type_ids) == ([0] * 6, [0, 1, 1])


def test_a_template_that_repeats_a_text_until_it_fills_the_memory_is_refused() -> None:
    template = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}] * 1_001}
    tokenizer = own(tokenizer_json(bpe("a"), post_processor={**template, "pair": [], "special_tokens": {}}))
    assert len(tokenizer.encode("a" * 10)) == 10_010
    with pytest.raises(InvalidText, match="would make 20020000 tokens of this text"):
        tokenizer.encode("a" * 20_000)
