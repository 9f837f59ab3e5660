"""Attribution: a tokenizer that gets one thing wrong is named by the stage and the rule that it gets wrong."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.attribution import (
    Attribution,
    attribute_boundaries,
    attribute_decoding,
    attribute_offsets,
    offset_rules,
)
from conformance.causes.edits import decoding_faults, faults
from conformance.causes.one_answer import Attributor
from conformance.checks.base import Answers
from conformance.core.case import text_case
from conformance.core.observation import Decoded, Encoded, Failure
from conformance.core.rule_table import usual_cause
from conformance.subjects.reftok_subject import REFERENCE
from reftok import ReftokError, Tokenizer, embedded_models
from reftok.rules.huggingface.bpe import BPE
from tests.models import load
from tests.reftok.official import own, tokenizer_json, unigram, wordlevel

MODELS = sorted(embedded_models())
TEXTS = (
    "  Hello   world, it's ﬁne\r\n cafe\u0301 Å ",
    "<|im_start|>user<|endoftext|> ing",
    "\ufeffa\0b",
    "UPPER ǅ ÄÖÜ 12345 日本語 한국어 ☠",
    "▁ <0x41> </s> <unk>",
    "the quick brown fox",
    "\u2028 \u3000 \x85",
    " ",
    "",
)


@pytest.mark.parametrize("model", MODELS)
def test_every_fault_answers_or_refuses_every_text(model: str) -> None:
    for fault in faults(load(model)):
        for text in TEXTS:
            try:
                fault.ids(text)
            except ReftokError:
                continue


@pytest.mark.parametrize("model", MODELS)
def test_every_fault_has_a_stage_and_a_rule_and_its_variants_follow_it(model: str) -> None:
    named = [(fault.stage, fault.rule) for fault in faults(load(model))]
    assert all(stage and rule for stage, rule in named)
    assert len(set(named)) == len([*groupby(named)])


def boundaries(model: str, text: str, ids: tuple[int, ...]) -> Attribution:
    return attribute_boundaries(load(model), text, ids)


CHANGED = Attribution("", "characters are lost or changed")


def test_other_characters_behind_the_ids_are_said_to_be_lost_or_changed() -> None:
    assert boundaries("bpe-qwen", "hello", (1, 2, 3)) == CHANGED


def test_tokens_within_the_pre_tokens_leave_it_open_who_cut() -> None:
    vocab = load("bpe-gpt2").rules.model.vocab
    ids = tuple(vocab[token] for token in ("h", "e", "l", "lo", "Ġ", "wo"))
    found = boundaries("bpe-gpt2", "hello wo", ids)
    assert found == Attribution("PreTokenizer or Model", "pre-tokens are cut into other tokens")


def test_tokens_across_pre_tokens_are_a_fault_of_the_pre_tokenizer() -> None:
    tokenizer = load("bpe-qwen")
    text = "a1"
    across = Tokenizer(replace(tokenizer.rules, pre_tokenizers=tokenizer.rules.pre_tokenizers[1:]))
    merged = BPE({**tokenizer.rules.model.vocab, "a1": 90_000}, [("a", "1")])
    ids = tuple(Tokenizer(replace(across.rules, model=merged, post_processors=())).encode(text).ids)
    assert ids == (90_000,)
    known = Tokenizer(replace(tokenizer.rules, model=merged))
    found = attribute_boundaries(known, text, ids)
    assert found == Attribution("PreTokenizer", "the text is cut elsewhere: tokens reach across pre-tokens")


def test_a_failure_is_not_named() -> None:
    tokenizer = load("bpe-qwen")
    failed = Answers(encoding=Failure("crashed", "boom"))
    whole = Answers(encoding=Encoded((1,)))
    assert Attributor(tokenizer, REFERENCE).of("subject", "ids", text_case("a", "o"), whole, failed) == Attribution()


TEXT = "aé☠😀b"
OFFSETS = ((0, 0), (0, 1), (1, 3), (3, 5))


def offsets_of(observed: tuple[tuple[int, int], ...], expected: tuple[tuple[int, int], ...] = OFFSETS) -> str:
    ids = tuple(range(len(expected)))
    return attribute_offsets(
        load("bpe-qwen"), TEXT, Encoded(ids, offsets=expected), Encoded(ids, offsets=observed)
    ).rule


@pytest.mark.parametrize(
    ("observed", "rule"),
    [
        (((0, 0), (0, 1), (1, 6), (6, 11)), "offsets count bytes instead of code points"),
        (((0, 0), (0, 1), (1, 3), (3, 6)), "offsets count UTF-16 units instead of code points"),
        (((1, 1), (1, 2), (2, 4), (4, 6)), "offsets are one too high"),
        (((0, 0), (1, 2), (2, 4), (4, 6)), "offsets are one too high"),
        (((0, 0), (-1, 0), (0, 2), (2, 4)), "offsets are one too low"),
        (((0, 0), (0, 1), (1, 2), (3, 5)), "ends of offsets differ"),
        (((0, 0), (0, 1), (2, 3), (3, 5)), "starts of offsets differ"),
    ],
)
def test_what_was_done_to_the_offsets_is_named(observed: tuple[tuple[int, int], ...], rule: str) -> None:
    assert offsets_of(observed) == rule


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (
            lambda text, ids, right: [(len(text),) * 2, *right[1:]],
            "special tokens have the offset of the end of the text",
        ),
        (
            lambda text, ids, right: [
                (b, b) if (a, b) == c else (a, b) for (a, b), c in zip(right, [None, *right], strict=False)
            ],
            "of the tokens of a character, only the first has an offset",
        ),
        (
            lambda text, ids, right: [
                (a, a) if c is not None and a <= c[0] < b else (a, b)
                for (a, b), c in zip(right, [*right[1:], None], strict=True)
            ],
            "of the tokens of a character, only the last ends behind it",
        ),
        (
            lambda text, ids, right: [right[0], (0, 1), (1, 2), *((a + 1, b + 1) for a, b in right[3:])],
            "each part of a character counts as one",
        ),
        (
            lambda text, ids, right: [
                (sum(map(len, ids[:place])), sum(map(len, ids[: place + 1]))) for place in range(len(ids))
            ],
            "offsets are sums of the lengths of tokens",
        ),
        (
            lambda text, ids, right: [(0, 0), (0, 0), (0, 0), (2, 3)],
            "offsets are found again by a search in the text",
        ),
    ],
)
def test_offsets_of_special_tokens_of_bytes_and_of_entries_are_named(change: Any, rule: str) -> None:
    tokenizer = load("bpe-llama3")
    text = "☠ a"
    encoding = tokenizer.encode(text)
    expected = Encoded(tuple(encoding.ids), offsets=tuple(encoding.offsets))
    observed = Encoded(expected.ids, offsets=tuple(change(text, encoding.tokens, encoding.offsets)))
    assert attribute_offsets(tokenizer, text, expected, observed).rule == rule
    assert usual_cause("Offsets", rule)


def test_offsets_that_are_lengths_of_the_decoded_ids_are_named() -> None:
    """Fault: where offsets are trimmed, and characters are several tokens, these had no name."""
    tokenizer, text = load("bpe-gpt2"), "a \u2620 b"
    encoding = tokenizer.encode(text)
    right = Encoded(tuple(encoding.ids), offsets=tuple(encoding.offsets))
    lengths = [len(tokenizer.decode(right.ids[:end])) for end in range(len(right.ids) + 1)]
    given = Encoded(right.ids, offsets=tuple((min(pair), pair[1]) for pair in pairwise(lengths)))
    rule = "offsets are lengths of the decoded ids"
    assert attribute_offsets(tokenizer, text, right, given).rule == rule
    assert usual_cause("Offsets", rule)


@pytest.mark.parametrize("end", [1, 0])
def test_offsets_in_the_characters_of_swift_are_named_wherever_an_end_within_one_is_put(end: int) -> None:
    text, right = "e\u0301a", ((0, 1), (1, 2), (2, 3))
    given = Encoded((1, 2, 3), offsets=((0, end), (0, 1), (1, 2)))
    found = attribute_offsets(load("bpe-qwen"), text, Encoded((1, 2, 3), offsets=right), given)
    assert found.rule == "offsets count grapheme clusters instead of code points"


def test_offsets_of_a_template_alone_are_not_taken_for_bytes() -> None:
    assert offsets_of(((1, 1),), expected=((0, 0),)) == "offsets are one too high"


def test_right_offsets_outside_the_text_are_no_error() -> None:
    assert offsets_of(((0, 7),), expected=((0, 9),)) == "ends of offsets differ"


def test_offsets_that_are_missing_or_too_few_are_not_named() -> None:
    assert offsets_of(OFFSETS[:1]) == ""
    assert attribute_offsets(load("bpe-qwen"), TEXT, Encoded((1,), offsets=((0, 1),)), Encoded((1,))) == Attribution()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=4).map(tuple))
def test_any_offsets_are_judged_without_an_error(observed: tuple[tuple[int, int], ...]) -> None:
    offsets_of(observed)


@pytest.mark.parametrize(
    ("expected", "observed", "rule"),
    [
        (Decoded("a b"), Decoded("a  b"), "spaces are added"),
        (Decoded("a b"), Decoded("ab"), "spaces are missing"),
        (Decoded("a", "a b"), Decoded("a", "a  b"), "spaces are added"),
    ],
)
def test_what_was_done_to_the_decoded_text_is_named(expected: Decoded, observed: Decoded, rule: str) -> None:
    assert attribute_decoding(expected, observed) == Attribution("Decoder", rule)


def test_another_text_is_not_named() -> None:
    assert attribute_decoding(Decoded("a"), Decoded("b")) == Attribution()


@pytest.mark.parametrize("model", MODELS)
def test_every_way_to_decode_wrong_has_a_rule_that_its_variants_follow_and_decodes(model: str) -> None:
    tokenizer = load(model)
    found = list(decoding_faults(tokenizer))
    named = [(fault.stage, fault.rule) for fault in found]
    assert all(stage and rule for stage, rule in named)
    assert len(set(named)) == len([*groupby(named)])
    ids = [0, *tokenizer.encode("cafe\u0301 ☠").ids, 1]
    for fault in found:
        assert isinstance(fault.text(ids, True), str)


def test_of_a_text_that_is_too_long_for_a_trace_no_boundaries_are_told() -> None:
    pre_tokenizers = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}] * 400}
    tokenizer = own(tokenizer_json(wordlevel(["<unk>", "a"]), pre_tokenizer=pre_tokenizers))
    assert attribute_boundaries(tokenizer, "a " * 3000, [0]) == Attribution()


def test_offsets_that_count_from_the_special_token_before_are_told() -> None:
    """Fault: where a text begins between two added tokens was not added, and that had no name."""
    tokenizer, text = load("bpe-qwen"), "a <|im_end|>b c"
    right = Encoded(tuple(tokenizer.encode_ids(text)), offsets=tuple(tokenizer.encode(text).offsets))
    assert right.offsets is not None
    end = text.index("b")
    given = tuple((a - end, b - end) if a >= end else (a, b) for a, b in right.offsets)
    told = attribute_offsets(tokenizer, text, right, Encoded(right.ids, offsets=given))
    assert told == Attribution("Offsets", "offsets count from the special token before")


@pytest.mark.parametrize(
    ("model", "text", "given", "rule"),
    [
        ("bpe-gpt2", "a\n\nb", [(0, 1), (2, 2), (3, 3), (3, 4)], "offsets are trimmed of all white space"),
        (
            "spm-bpe-hf",
            "\U0001f999a",
            [(0, 0), (0, 1), (0, 1), (1, 1), (1, 1), (1, 1), (1, 2)],
            "of the tokens of a character, only the first has an offset",
        ),
    ],
)
def test_offsets_of_white_space_and_of_byte_pieces_are_named(
    model: str, text: str, given: list[tuple[int, int]], rule: str
) -> None:
    """Fault: neither mistake had a name."""
    encoding = load(model).encode(text)
    expected = Encoded(tuple(encoding.ids), offsets=tuple(encoding.offsets))
    found = attribute_offsets(load(model), text, expected, Encoded(expected.ids, offsets=tuple(given)))
    assert found.rule == rule


def test_offsets_in_a_text_that_is_normalized_twice_are_named() -> None:
    """Fault: a charsmap that changes a text again when it is applied twice refuted the right rule."""
    halving = {"type": "Replace", "pattern": {"String": "aa"}, "content": "a"}
    right = own(tokenizer_json(unigram(("<unk>", 0.0), ("b", -1.0)), normalizer=halving))
    encoding, twice = right.encode("aaaab"), right.encode("aab")
    assert encoding.ids == twice.ids
    expected, given = (Encoded(tuple(one.ids), offsets=tuple(one.offsets)) for one in (encoding, twice))
    assert offset_rules(right, "aaaab", expected, given)[0] == "offsets count the normalized text"
