from __future__ import annotations

import pytest

import reftok
from reftok.errors import InvalidIds, InvalidText, ModelFormatError

from ...llama_recipes import CHARSMAP, CHARSMAP_RULES
from ...protobuf_writer import compile_charsmap

TOKENS = ["<unk>", "<s>", "</s>", "▁", "h", "i", "hi", "▁hi", "<0xF0>", "<0x9F>", "<0x99>", "<0x82>"]
SCORES = [0.0, 0.0, 0.0, -4.0, -4.0, -4.0, -2.0, -1.0, 0.0, 0.0, 0.0, 0.0]
TOKENIZER = reftok.llama_spm(TOKENS, SCORES, unk_id=0, bos_id=1, eos_id=2)


def test_tokens_and_scores_in_memory_make_a_tokenizer() -> None:
    encoding = TOKENIZER.encode("hi🙂<s>hi")
    assert encoding.ids == [1, 7, 8, 9, 10, 11, 1, 7]
    assert encoding.offsets == [(0, 0), (0, 2), (2, 3), (2, 3), (2, 3), (2, 3), (3, 6), (6, 8)]
    assert encoding.special_tokens_mask == [1, 0, 0, 0, 0, 0, 0, 0]
    assert TOKENIZER.decode(encoding.ids) == " hi🙂 hi"
    assert TOKENIZER.decode(encoding.ids, skip_special_tokens=False) == "<s> hi🙂<s> hi"
    assert TOKENIZER.decode(encoding.ids[1:]) == "hi🙂 hi"


def test_without_a_prefix_and_without_bos_nothing_is_added() -> None:
    tokenizer = reftok.llama_spm(TOKENS, SCORES, add_space_prefix=False)
    assert tokenizer.encode_ids("hi hi") == [6, 7]
    assert tokenizer.decode([7, 7]) == " hi hi"


def test_the_trace_shows_every_stage() -> None:
    stages = TOKENIZER.trace("<s>hi").stages
    assert [(stage.component, [piece.text for piece in stage.pieces]) for stage in stages] == [
        ("LlamaSpecialTokens", ["<s>", "hi"]),
        ("Prepend", ["<s>", " hi"]),
        ("Replace", ["<s>", "▁hi"]),
        ("LlamaSpecialTokens", ["<s>", "▁hi"]),
        ("LlamaSPM", ["<s>", "▁hi"]),
        ("TemplateProcessing", ["<s>", "<s>", "▁hi"]),
    ]


def test_a_text_is_str_without_lone_surrogates_or_any_bytes() -> None:
    with pytest.raises(InvalidText, match=r"lone surrogate U\+DC80 at code point 2"):
        TOKENIZER.encode("hi\udc80")
    with pytest.raises(InvalidText, match=r"llama\.cpp takes str, not int"):
        TOKENIZER.encode(3)  # type: ignore[arg-type] # what a caller may do all the same
    assert TOKENIZER.encode_ids(b"\xf0\x9f\x99") == [1, 3, 8, 9, 10]


@pytest.mark.parametrize(
    ("ids", "problem"), [([12], "id 12 is not in"), ([-1], "-1 is not an id"), (["1"], "'1' is no")]
)
def test_what_is_no_id_is_refused(ids: list[int], problem: str) -> None:
    with pytest.raises(InvalidIds, match=problem):
        TOKENIZER.decode(ids)


@pytest.mark.parametrize("ids", ["12", 3])
def test_what_is_no_list_of_ids_is_refused(ids: object) -> None:
    with pytest.raises(InvalidIds, match="decode takes a list of ids"):
        TOKENIZER.decode(ids)  # type: ignore[arg-type] # what a caller may do all the same


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"tokens": ["a", "a"], "scores": [0.0, 0.0]}, "tokens: must be different"),
        ({"tokens": ["a"], "scores": []}, "tokens: must be different, with one score"),
        ({"tokens": ["a"], "scores": [0.0], "token_types": []}, "tokens: must be different, with one score"),
        ({"tokens": ["a"], "scores": [0.0], "bos_id": 1}, "bos_id: 1 is not in the vocab"),
        ({"tokens": ["a"], "scores": [float("nan")]}, "scores: has what is not a number"),
        ({"tokens": ["a"], "scores": [0.0], "token_types": [6]}, "is a byte, but not written as one"),
    ],
)
def test_lists_that_do_not_belong_together_are_refused(arguments: dict[str, object], problem: str) -> None:
    with pytest.raises(ModelFormatError, match=problem):
        reftok.llama_spm(**arguments)  # type: ignore[arg-type] # wrong on purpose


def test_special_tokens_are_text_where_they_are_not_parsed() -> None:
    tokenizer = reftok.llama_spm([*TOKENS, "<", "s", ">"], [*SCORES, -9.0, -9.0, -9.0], 0, 1)
    assert tokenizer.with_options(encode_special_tokens=True).encode_ids("<s>") == [1, 3, 12, 13, 14]


def test_the_charsmap_of_the_vectors_is_what_the_official_builder_makes_of_its_rules() -> None:
    assert compile_charsmap(CHARSMAP_RULES) == CHARSMAP
