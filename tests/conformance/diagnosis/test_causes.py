"""Attribution: a tokenizer that gets one thing wrong is named by the stage and the rule that it gets wrong."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.checks.base import Answers, Difference
from conformance.core.case import ids_case, text_case
from conformance.core.observation import Decoded, Encoded, Failure
from conformance.core.rule_table import usual_cause
from conformance.diagnosis.attribution import LONGEST_TEXT, Attributor
from conformance.diagnosis.causes import Attribution, attribute_boundaries, attribute_decoding, attribute_offsets
from conformance.diagnosis.catalogue import FULL_SEARCHES
from conformance.faults import decoding_faults, faults
from conformance.subjects.reftok_subject import REFERENCE
from reftok import ReftokError, Tokenizer, embedded_models
from reftok.rules.huggingface.bpe import BPE
from tests.models import load
from tests.reftok.official import own, tokenizer_json, wordlevel

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


def attributed(model: str, text: str, observed: Encoded) -> Attribution:
    tokenizer = load(model)
    expected = Answers(encoding=Encoded(tuple(tokenizer.encode(text).ids)))
    return Attributor(tokenizer, REFERENCE).of(
        "subject", "ids", text_case(text, "o"), expected, Answers(encoding=observed)
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


PLANTED = [
    ("bpe-qwen", "cafe\u0301", "Normalizer", "NFC is missing"),
    ("bpe-qwen", "a\0b", "Input", "text ends at the first NUL"),
    ("bpe-qwen", "a\r\nb", "Input", "line ends are converted to \\n"),
    ("bpe-qwen", "\ufeffa", "Input", "a byte order mark is dropped"),
    ("bpe-qwen", "a\U0001f600", "Input", "UTF-16 units are encoded one by one"),
    ("bpe-qwen", " a ", "Input", "white space at the ends is stripped"),
    ("bpe-gpt2", "cafe\u0301", "Normalizer", "text is brought to NFC"),
    ("bpe-gpt2", "ﬁne", "Normalizer", "text is brought to NFKC"),
    ("bpe-gpt2", "Hello", "Normalizer", "text is lower-cased"),
    ("bpe-gpt2", "hello", "Normalizer", "a space is added before the text"),
    ("bpe-qwen", "<|im_start|>", "AddedTokens", "added tokens are not matched"),
    ("bpe-gpt2", "é a", "PreTokenizer", "ByteLevel is missing"),
    ("bpe-qwen", "international", "Model", "merges are applied in the reverse order"),
    ("bpe-qwen", "international", "Model", "no merges are applied"),
    ("bpe-qwen", "international##", "Model", "merges that begin with # are missing"),
    ("bpe-llama3", "a", "PostProcessor", "special tokens are not added"),
    ("spm-unigram", "hello", "Normalizer", "the dummy prefix is missing"),
    ("spm-unigram", "hello   world", "Normalizer", "extra spaces are kept"),
    ("spm-unigram", "ﬁne ①", "Normalizer", "the charsmap is not applied"),
]


@pytest.mark.parametrize(("model", "text", "stage", "rule"), PLANTED)
def test_a_planted_mistake_is_named(model: str, text: str, stage: str, rule: str) -> None:
    planted = next(h for h in faults(load(model)) if (h.stage, h.rule) == (stage, rule))
    wrong = Encoded(tuple(planted.ids(text)))
    assert wrong.ids != tuple(load(model).encode(text).ids)
    assert attributed(model, text, wrong) == Attribution(stage, rule)


CHANGED = Attribution("", "characters are lost or changed")


def test_other_characters_behind_the_ids_are_said_to_be_lost_or_changed() -> None:
    assert attributed("bpe-qwen", "hello", Encoded((1, 2, 3))) == CHANGED


def test_tokens_within_the_pre_tokens_leave_it_open_who_cut() -> None:
    vocab = load("bpe-gpt2").rules.model.vocab
    ids = tuple(vocab[token] for token in ("h", "e", "l", "lo", "Ġ", "wo"))
    found = attributed("bpe-gpt2", "hello wo", Encoded(ids))
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


def test_a_fault_that_other_texts_speak_against_is_not_believed() -> None:
    tokenizer = load("bpe-gpt2")
    attributor = Attributor(tokenizer, REFERENCE)
    reversed_merges = next(h for h in faults(tokenizer) if "reverse" in h.rule)
    texts = ["hello there", "international", "the quick brown fox"]
    right = [Answers(encoding=Encoded(tuple(tokenizer.encode(text).ids))) for text in texts]
    attributor.observe("s", [text_case(text, "o") for text in texts], right, right)
    wrong = Answers(encoding=Encoded(tuple(reversed_merges.ids("a name"))))
    expected = Answers(encoding=Encoded(tuple(tokenizer.encode("a name").ids)))
    assert wrong != expected
    believed = attributor.of("s", "ids", text_case("a name", "o"), expected, wrong)
    assert believed.rule == "pre-tokens are cut into other tokens"


def test_a_failure_is_not_named() -> None:
    tokenizer = load("bpe-qwen")
    failed = Answers(encoding=Failure("crashed", "boom"))
    whole = Answers(encoding=Encoded((1,)))
    assert Attributor(tokenizer, REFERENCE).of("subject", "ids", text_case("a", "o"), whole, failed) == Attribution()


def test_a_long_text_waits_for_the_shrinker() -> None:
    text = "cafe\u0301 " * LONGEST_TEXT
    planted = next(h for h in faults(load("bpe-qwen")) if h.rule == "NFC is missing")
    assert attributed("bpe-qwen", text, Encoded(tuple(planted.ids(text)))) == Attribution()


def test_full_searches_are_bounded_until_the_next_shard() -> None:
    tokenizer = load("bpe-qwen")
    attributor = Attributor(tokenizer, REFERENCE)
    case = text_case("cafe\u0301", "o")
    expected = Answers(encoding=Encoded(tuple(tokenizer.encode(case.text).ids)))
    planted = next(h for h in faults(tokenizer) if h.rule == "NFC is missing")
    wrong = Answers(encoding=Encoded(tuple(planted.ids(case.text))))
    for number in range(FULL_SEARCHES):
        other = Answers(encoding=Encoded((number, 300, number, 301)))
        assert attributor.of("s", "ids", case, expected, other) == CHANGED
    assert attributor.of("s", "ids", case, expected, wrong) == CHANGED
    assert attributor.of("another", "ids", case, expected, wrong).rule == "NFC is missing"
    attributor.renew()
    assert attributor.of("s", "ids", case, expected, wrong).rule == "NFC is missing"


def test_a_special_token_that_the_oracle_does_not_give_is_an_injection() -> None:
    tokenizer = load("bpe-qwen")
    special = tokenizer.token_to_id("<|im_start|>")
    assert special is not None
    other_ids = Difference("other ids", "other ids", "", "")

    def severity(expected: tuple[int, ...], observed: tuple[int, ...]) -> str:
        answers = Answers(encoding=Encoded(expected)), Answers(encoding=Encoded(observed))
        return Attributor(tokenizer, REFERENCE).severity(other_ids, *answers)

    assert severity((1,), (1, special)) == "special-token injection"
    assert severity((1, special), (1,)) == "other ids"


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
                (sum(map(len, ids[:place])), sum(map(len, ids[: place + 1]))) for place in range(len(ids))
            ],
            "offsets are sums of the lengths of tokens",
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


def test_what_is_decoded_with_special_tokens_kept_is_no_matter_where_the_oracle_keeps_none() -> None:
    tokenizer = load("spm-bpe")
    ids = tuple(tokenizer.token_to_id(token) or 0 for token in ("<0xE2>", "<0x98>", "<s>", "<0xA0>"))
    answers = Answers(decoding=Decoded(tokenizer.decode(ids))), Answers(decoding=Decoded("☠", "\ufffd<s>\ufffd"))
    found = Attributor(tokenizer, REFERENCE).of("subject", "decode", ids_case(ids, "o"), *answers)
    assert found == Attribution("Decoder", "bytes join across control pieces")


@pytest.mark.parametrize(
    ("model", "tokens", "observed", "rule"),
    [
        ("bpe-qwen", ("a", "Ã"), Decoded("a", "a"), "bytes that are not UTF-8 are dropped"),
        ("bpe-qwen", ("Ã", "Ã"), Decoded("\ufffd", "\ufffd"), "one U+FFFD for a run of bytes"),
        ("bpe-qwen", ("Ã", "©"), Decoded("\ufffd\ufffd", "\ufffd\ufffd"), "each token is decoded alone"),
        ("bpe-qwen", ("<|im_start|>", "a"), Decoded("<|im_start|>a", "<|im_start|>a"), "special tokens are kept"),
        ("bpe-qwen", ("Ġ", "a"), Decoded("a", "a"), "white space at the ends is stripped"),
        ("spm-bpe", ("<0x41>",), Decoded("<0x41>", None), "byte pieces are given out by name"),
        ("spm-unigram", ("▁", "a"), Decoded(" a", None), "the space of the dummy prefix is kept"),
    ],
)
def test_a_planted_mistake_of_a_decoder_is_named(
    model: str, tokens: tuple[str, ...], observed: Decoded, rule: str
) -> None:
    tokenizer = load(model)
    ids = tuple(tokenizer.token_to_id(token) or 0 for token in tokens)
    right = Decoded(tokenizer.decode(ids), tokenizer.decode(ids, skip_special_tokens=False))
    answers = Answers(decoding=right), Answers(decoding=observed)
    assert Attributor(tokenizer, REFERENCE).of("subject", "decode", ids_case(ids, "o"), *answers) == Attribution(
        "Decoder", rule
    )


def test_of_a_text_that_is_too_long_for_a_trace_no_boundaries_are_told() -> None:
    pre_tokenizers = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}] * 400}
    tokenizer = own(tokenizer_json(wordlevel(["<unk>", "a"]), pre_tokenizer=pre_tokenizers))
    assert attribute_boundaries(tokenizer, "a " * 3000, [0]) == Attribution()
