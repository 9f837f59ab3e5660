from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .official import Json, assert_same_encoding, bpe, chain, official, own, tokenizer_json
from .tokenizers_strategies import SPECIAL_TOKENS, post_processors, texts

BYTE_LEVEL: Json = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
VOCAB = ["a", "b", "Ġ", "Ġa", "ĠĠ", "ĠĠĠ", "aĠ", "ĠaĠ", "aa", "Ã", "©", "Ċ", " ", "\u3000", "\u3000a", "Â", "ł", "ł"]
MERGES = [("Ġ", "a"), ("Ġ", "Ġ"), ("ĠĠ", "Ġ"), ("a", "Ġ"), ("Ġa", "Ġ"), ("a", "a"), ("\u3000", "a")]
MODEL = bpe(VOCAB, MERGES)
SPECIAL_A: Json = {"SpecialToken": {"id": "<s>", "type_id": 1}}
TEXT_A: Json = {"Sequence": {"id": "A", "type_id": 2}}


def template(*single: Json) -> Json:
    return {"type": "TemplateProcessing", "single": list(single), "pair": [], "special_tokens": SPECIAL_TOKENS}


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
)
def test_chains_of_post_processors_give_what_the_library_gives(
    steps: list[Json], add_prefix_space: bool, text: str, strip: bool
) -> None:
    stages = {"normalizer": {"type": "Strip", "strip_left": True, "strip_right": False}} if strip else {}
    assert_same_encoding(config(*steps, add_prefix_space=add_prefix_space, **stages), text)


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
