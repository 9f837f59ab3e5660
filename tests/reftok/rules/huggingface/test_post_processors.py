from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import InvalidText, UnsupportedFeature

from ...official import Json, assert_same_encoding, bpe, chain, official, outcome, own, tokenizer_json
from ...tokenizers_strategies import SPECIAL_TOKENS, post_processors, texts

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


def template(*single: Json, pair: Iterable[Json] = ()) -> Json:
    return {"type": "TemplateProcessing", "single": list(single), "pair": list(pair), "special_tokens": SPECIAL_TOKENS}


def config(*steps: Json, add_prefix_space: bool = False, **stages: Json) -> Json:
    pre_tokenizer = {**BYTE_LEVEL, "add_prefix_space": add_prefix_space, "use_regex": False}
    stages = {"pre_tokenizer": pre_tokenizer, **stages}
    return tokenizer_json(MODEL, post_processor=chain("processors", steps), **stages)


@settings(max_examples=400)
@given(
    post_processors(),
    st.booleans(),
    st.one_of(st.text(st.sampled_from([*"  aab\u3000\n"]), max_size=10), texts),
    st.booleans(),
    st.none() | texts,
)
def test_chains_of_post_processors_give_what_the_library_gives(
    steps: list[Json], add_prefix_space: bool, text: str, strip: bool, pair: str | None
) -> None:
    stages = {"normalizer": {"type": "Strip", "strip_left": True, "strip_right": False}} if strip else {}
    assert_same_encoding(config(*steps, add_prefix_space=add_prefix_space, **stages), text, pair=pair)


def test_offsets_are_trimmed_and_tokens_are_not() -> None:
    encoding = assert_same_encoding(config({**BYTE_LEVEL, "add_prefix_space": False}), "b a ")
    assert (encoding.tokens, encoding.offsets) == (["b", "ĠaĠ"], [(0, 1), (2, 3)])


def test_one_leading_space_of_the_first_token_counts_as_added() -> None:
    assert assert_same_encoding(config(BYTE_LEVEL), " a").offsets == [(0, 2)]
    assert assert_same_encoding(config({**BYTE_LEVEL, "add_prefix_space": False}), " a").offsets == [(1, 2)]


def test_two_leading_spaces_of_the_first_token_do_not_count_as_added() -> None:
    assert assert_same_encoding(config(BYTE_LEVEL), "  b").offsets[0] == (2, 2)


def test_without_trimming_the_offsets_stay() -> None:
    assert assert_same_encoding(config({**BYTE_LEVEL, "trim_offsets": False}), "b a").offsets == [(0, 1), (1, 3)]


def test_after_a_template_each_part_has_a_first_token() -> None:
    split: Json = {"type": "Split", "pattern": {"String": "b"}, "behavior": "Removed", "invert": False}
    stages = {
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, {**BYTE_LEVEL, "add_prefix_space": False}]}
    }
    encoding = assert_same_encoding(config(template(SPECIAL_A, TEXT_A), BYTE_LEVEL, **stages), "b a")
    assert encoding.offsets == [(0, 0), (1, 3)]


def test_inserted_tokens_have_no_offsets_no_word_and_the_mask() -> None:
    encoding = assert_same_encoding(config(template(SPECIAL_A, TEXT_A, SPECIAL_A)), "b")
    assert encoding.offsets == [(0, 0), (0, 1), (0, 0)]
    assert encoding.special_tokens_mask == [1, 0, 1]
    assert encoding.word_ids == [None, 0, None]
    assert encoding.type_ids == [1, 2, 1]


def test_without_special_tokens_the_segments_are_set_all_the_same() -> None:
    for load in (own, official):
        encoding = load(config(template(SPECIAL_A, TEXT_A))).encode("b", add_special_tokens=False)
        assert (list(encoding.ids), list(encoding.type_ids)) == ([1], [2])


@pytest.mark.parametrize("times", [0, 2, 3])
def test_the_text_stands_as_often_as_the_template_says(times: int) -> None:
    assert len(assert_same_encoding(config(template(*[TEXT_A] * times)), "ab").ids) == 2 * times


def test_the_ids_and_tokens_of_a_template_are_its_own() -> None:
    encoding = assert_same_encoding(config(template({"SpecialToken": {"id": "two", "type_id": 0}}, TEXT_A)), "a")
    assert (encoding.ids, encoding.tokens) == ([7, 0, 0], ["Ġx", " y ", "a"])


def test_a_pair_without_post_processors_is_both_texts_each_with_offsets_and_words_of_its_own() -> None:
    encoding = assert_same_encoding(tokenizer_json(MODEL, pre_tokenizer={"type": "WhitespaceSplit"}), "a b", pair="b a")
    assert encoding.tokens == ["a", "b", "b", "a"]
    assert encoding.offsets == [(0, 1), (2, 3), (0, 1), (2, 3)]
    assert (encoding.word_ids, encoding.type_ids) == ([0, 1, 0, 1], [0, 0, 1, 1])
    assert encoding.sequence_ids == [0, 0, 1, 1]


def test_no_post_processor_counts_padding_to_the_text_and_an_empty_sequence_does_not() -> None:
    padding = {"strategy": {"Fixed": 2}, "direction": "Right", "pad_id": 0, "pad_type_id": 0, "pad_token": ""}
    for post_processor, expected in [(None, [0, 0]), ({"type": "Sequence", "processors": []}, [0, None])]:
        padded = tokenizer_json(MODEL, post_processor=post_processor, padding=padding)
        assert assert_same_encoding(padded, "a").sequence_ids == expected


def test_bert_counts_special_tokens_to_no_text_and_the_last_to_the_second_segment() -> None:
    assert assert_same_encoding(config(BERT), "a").tokens == ["[CLS]", "a", "[SEP]"]
    encoding = assert_same_encoding(config(BERT), "a", pair="b")
    assert encoding.tokens == ["[CLS]", "a", "[SEP]", "b", "[SEP]"]
    assert (encoding.type_ids, encoding.sequence_ids) == ([0, 0, 0, 1, 1], [None, 0, None, 1, None])


def test_roberta_puts_both_texts_into_the_first_segment_and_two_separators_between_them() -> None:
    encoding = assert_same_encoding(config(ROBERTA), "b", pair=" a")
    assert encoding.tokens == ["<s>", "b", "</s>", "</s>", "Ġa", "</s>"]
    assert (encoding.type_ids, encoding.offsets[4]) == ([0] * 6, (1, 2))
    assert own(config(ROBERTA)).encode("b", "a", add_special_tokens=False).type_ids == [0, 0]


def test_roberta_trims_only_where_it_is_told_and_keeps_an_added_space() -> None:
    for options, span in [({"trim_offsets": False}, (0, 2)), ({"add_prefix_space": True}, (0, 2)), ({}, (1, 2))]:
        assert assert_same_encoding(config({**ROBERTA, **options}), " a").offsets[1] == span


def test_bert_after_a_template_takes_its_parts_for_texts() -> None:
    encoding = assert_same_encoding(config(template(SPECIAL_A, TEXT_A), BERT), "b")
    assert encoding.tokens == ["[CLS]", "<s>", "[SEP]", "b", "[SEP]"]
    assert encoding.special_tokens_mask == [1, 0, 1, 0, 1]


def test_a_pair_has_a_template_of_its_own() -> None:
    pair = [TEXT_B, SPECIAL_A, TEXT_A, TEXT_B]
    encoding = assert_same_encoding(config(template(TEXT_A, pair=pair)), "a", pair="b")
    assert encoding.tokens == ["b", "<s>", "a", "b"]
    assert (encoding.type_ids, encoding.sequence_ids) == ([1, 1, 2, 1], [None, None, 0, 1])


def test_a_text_that_the_template_leaves_out_counts_all_tokens_to_the_first() -> None:
    encoding = assert_same_encoding(config(template(TEXT_A, pair=[SPECIAL_A, TEXT_B])), "a", pair="b")
    assert (encoding.tokens, encoding.sequence_ids) == (["<s>", "b"], [0, 0])


def test_a_template_after_another_one_takes_its_two_parts_for_a_pair() -> None:
    swapped = template(TEXT_A, pair=[TEXT_B, TEXT_A])
    encoding = assert_same_encoding(config(template(SPECIAL_A, TEXT_A), swapped), "b")
    assert encoding.tokens == ["b", "<s>"]


def test_a_template_that_gets_three_parts_is_refused_because_the_library_panics() -> None:
    three = template(SPECIAL_A, TEXT_A, SPECIAL_A)
    broken = config(three, template(TEXT_A))
    assert outcome(lambda: official(broken).encode("a")) == "panicked"
    with pytest.raises(
        UnsupportedFeature, match="post_processor: a TemplateProcessing after another one cannot take 3"
    ):
        own(broken)
    broken_for_pairs = config(template(SPECIAL_A, TEXT_A, pair=[TEXT_A, SPECIAL_A, TEXT_B]), template(TEXT_A))
    with pytest.raises(UnsupportedFeature, match="cannot take 3 parts"):
        own(broken_for_pairs).encode("a", "b")
    assert outcome(lambda: official(broken_for_pairs).encode("a", "b")) == "panicked"
    assert_same_encoding(broken_for_pairs, "a")


def test_what_overflows_keeps_its_segment_in_a_template() -> None:
    truncation = {"max_length": 2, "strategy": "LongestFirst", "stride": 0}
    encoding = assert_same_encoding(config(template(SPECIAL_A, TEXT_A), truncation=truncation), "ab")
    assert (encoding.type_ids, encoding.overflowing[0].type_ids) == ([1, 2], [1, 0])


def test_roberta_puts_what_overflows_into_the_first_segment_only_with_its_special_tokens() -> None:
    truncation = {"max_length": 6, "strategy": "OnlySecond", "stride": 0}
    cut = config(ROBERTA, truncation=truncation)
    assert assert_same_encoding(cut, "b", pair="b" * 7).overflowing[0].type_ids == [0] * 6
    plain = own(cut).encode("b", "b" * 7, add_special_tokens=False)
    assert (plain.type_ids, plain.overflowing[0].type_ids) == ([0] * 6, [0, 1, 1])


def test_nested_sequences_are_one_after_the_other() -> None:
    nested = {"type": "Sequence", "processors": [BERT, {"type": "Sequence", "processors": [BYTE_LEVEL, ROBERTA]}]}
    assert_same_encoding(config(nested), "b a", pair=" a")


def test_a_template_that_repeats_a_text_until_it_fills_the_memory_is_refused() -> None:
    template = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}] * 1_001}
    tokenizer = own(tokenizer_json(bpe("a"), post_processor={**template, "pair": [], "special_tokens": {}}))
    assert len(tokenizer.encode("a" * 10)) == 10_010
    with pytest.raises(InvalidText, match="would make 20020000 tokens of this text"):
        tokenizer.encode("a" * 20_000)
