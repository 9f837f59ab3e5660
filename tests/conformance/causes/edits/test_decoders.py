"""Ways to get the decoder wrong: what each makes of ids."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.causes.edits.decoders import of_decoders, of_skipped_tokens
from conformance.core.observation import Decoded
from conformance.subjects.transformers_subject import CLEANED_UP
from reftok import Tokenizer, byte_level_bpe, bytes_to_unicode
from reftok.rules.huggingface.decoders import Replace
from tests.models import load

OUTSIDE = 1 << 20


def texts(model: str, rule: str, ids: list[int], skips: bool = True) -> list[str]:
    return [fault.text(ids, skips) for fault in of_decoders(load(model)) if fault.rule == rule]


def ids_of(model: str, *tokens: str) -> list[int]:
    found = [load(model).token_to_id(token) for token in tokens]
    return [one for one in found if one is not None]


def test_a_replacement_that_was_encoded_is_one_of_a_run_as_well() -> None:
    """Fault: what a subject did to two of them was told as a second cause."""
    ids = list(load("bpe-qwen").encode_ids("\ufffd\ufffd"))
    assert texts("bpe-qwen", "one U+FFFD for a run of bytes", ids) == ["\ufffd\ufffd", "\ufffd"]
    assert texts("bpe-qwen", "bytes that are not UTF-8 are dropped", ids) == ["\ufffd\ufffd", ""]


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("byte order marks are dropped", "\ufeffa\ufeff", "a"),
        ("NULs are dropped", "a\0b", "ab"),
        ("characters above U+FFFF are dropped", "a🤷b", "ab"),
        ("characters above U+FFFF become U+FFFD", "a🤷b", "a\ufffdb"),
        ("text is brought to NFC", "a\u2126", "a\u03a9"),
        ("repeated spaces are given out as one", "a  b", "a b"),
        ("a space at the start is stripped", "  a", " a"),
        ("white space at the end is stripped", "a \n", "a"),
        ("white space at the start is stripped", "\n a ", "a "),
        ("white space at the ends is stripped as in ECMAScript", "\ufeffa\x85 ", "a\x85"),
        ("white space at the end is stripped as in Java's trim", "a\xa0\x01 ", "a\xa0"),
    ],
)
def test_the_text_is_changed_on_its_way_out(rule: str, text: str, expected: str) -> None:
    assert texts("bpe-gpt2", rule, load("bpe-gpt2").encode_ids(text)) == [expected]


@pytest.mark.parametrize(
    ("model", "tokens", "expected"),
    [
        ("bpe-qwen", ("a", "â", "ĺ"), "a"),
        ("bpe-qwen", ("a", "ÿ"), "a\ufffd"),
        ("bpe-qwen", ("â", "a"), "\ufffda"),
        ("spm-bpe", ("▁a", "<0xE2>", "<0x98>"), "a"),
        ("spm-bpe-hf", ("▁a", "<0xC3>", "<0xA9>", "<0xE2>"), "aé"),
        ("spm-bpe-hf", ("▁a", "<0xA9>"), "a\ufffd"),
        ("spm-bpe-hf", ("<0xE2>", "<0xE2>"), "\ufffd\ufffd"),  # a run that is wrong as a whole
        ("bpe-qwen", ("[two words]", "â"), "[two words]"),  # whose letters stand for no bytes
    ],
)
def test_unfinished_bytes_at_the_end_are_dropped(model: str, tokens: tuple[str, ...], expected: str) -> None:
    assert texts(model, "unfinished bytes at the end are dropped", ids_of(model, *tokens)) == [expected]


def test_byte_pieces_are_named_and_what_is_between_them_is_a_text_or_goes_on() -> None:
    """Fault: the rule was not there for a decoder that gives each run between byte pieces apart, without its space."""
    shown = texts("spm-bpe", "byte pieces are given out by name", ids_of("spm-bpe", "▁a", "<0x0A>", "▁a"))
    assert shown == ["a<0x0A> a", "a<0x0A>a"]


def test_an_id_outside_the_vocab_is_given_out_in_some_way() -> None:
    a, b = ids_of("spm-bpe-hf", "▁a", "b")
    assert texts("spm-bpe-hf", "an id outside the vocab is given out as the unknown token", [a, OUTSIDE], False) == [
        "a<unk>"
    ]
    assert texts("spm-bpe-hf", "text ends at the first id outside the vocab", [a, OUTSIDE, b]) == ["a"]
    size = load("spm-bpe-hf").vocab_size
    assert texts("spm-bpe-hf", "ids are taken modulo the size of the vocab", [a, size + b]) == ["ab"]
    assert texts("spm-bpe-hf", "ids are taken modulo 2^16", [a, (1 << 16) + b]) == ["ab"]
    zero = load("bpe-qwen").id_to_token(0)
    assert texts("bpe-qwen", "an id outside the vocab is given out as id 0", [OUTSIDE]) == [zero]
    assert texts("spm-bpe-hf", "an id outside the vocab is given out as U+FFFD", [a, OUTSIDE, OUTSIDE, b]) == [
        "a\ufffd\ufffdb",
        "a\ufffd\ufffdb",
    ]


def test_an_id_outside_the_vocab_is_a_token_or_stands_between_two_texts() -> None:
    (the,) = ids_of("spm-bpe-hf", "▁the")
    found = texts("spm-bpe-hf", "an id outside the vocab is given out as U+FFFD", [the, OUTSIDE, the])
    assert found == ["the\ufffdthe", "the\ufffd the"]


def test_spaces_are_removed_as_transformers_does_it_or_before_punctuation_alone() -> None:
    ids = load("bpe-gpt2").encode_ids("a ' b , c")
    assert texts("bpe-gpt2", "spaces before punctuation are removed", ids) == ["a ' b, c", "a'b, c"]


def test_texts_that_the_reference_cleans_up_as_transformers_does_are_not_cleaned_up() -> None:
    tokenizer = load("bpe-gpt2")
    cleaned = (*(tokenizer.rules.decoders or ()), *(Replace(one, one.strip()) for one in CLEANED_UP))
    followed = Tokenizer(replace(tokenizer.rules, decoders=cleaned))
    ids = followed.encode_ids("a .")
    (fault,) = (one for one in of_decoders(followed) if one.rule == "spaces before punctuation are kept")
    assert (followed.decode(ids), fault.text(ids, False)) == ("a.", "a .")
    assert texts("bpe-gpt2", "spaces before punctuation are kept", ids) == []


def test_timestamps_are_not_given_out_whatever_is_skipped() -> None:
    """Fault: what WhisperTokenizer does was called "only special tokens are matched"."""
    vocab = {character: number for number, character in enumerate(bytes_to_unicode().values())} | {"<|0.02|>": 256}
    whisper = byte_level_bpe(vocab, [], ["<|0.02|>"])
    (fault,) = (one for one in of_decoders(whisper) if one.rule == "timestamp tokens are removed from the text")
    assert [fault.text([256, vocab["a"]], skips) for skips in (False, True)] == ["a", "a"]
    assert texts("bpe-gpt2", "timestamp tokens are removed from the text", [0]) == []


def test_a_surrogate_in_utf_8_is_one_replacement_as_in_java() -> None:
    """Fault: the finding said "overlong forms of UTF-8 are decoded", which Java does not do."""
    ids = ids_of("bpe-qwen", "í", "ł", "³", "À", "Ģ")
    assert load("bpe-qwen").decode(ids) == "\ufffd" * 5
    assert texts("bpe-qwen", "one U+FFFD for a surrogate in UTF-8", ids) == ["\ufffd" * 3]
    assert texts("bpe-qwen", "overlong forms of UTF-8 are decoded", ids) == ["\ufffd\0"]


def test_byte_pieces_that_have_a_sign_are_lost() -> None:
    ids = ids_of("spm-bpe-hf", "▁a", "<0xC3>", "<0xA9>", "<0x41>")
    assert texts("spm-bpe-hf", "bytes are signed: those from 0x80 on are lost", ids) == ["aA"]
    assert texts("bpe-qwen", "bytes are signed: those from 0x80 on are lost", [0]) == []


@pytest.mark.parametrize(
    ("model", "rule", "tokens", "expected"),
    [
        ("spm-bpe-hf", "byte pieces at the end are not given out", ("▁a", "<0x0A>", "b", "<0xC3>", "<0xA9>"), "a\nb"),
        ("spm-bpe-hf", "one U+FFFD for each maximal subpart", ("<0x41>", "<0xE2>", "<0x98>"), "A\ufffd"),
        ("spm-bpe-hf", "spaces are put around special tokens", ("<s>", "<s>", "▁a"), "<s> <s> a"),
        ("spm-bpe-hf", "behind special tokens at the start, the first space is kept", ("<s>", "▁a"), "<s> a"),
        ("spm-bpe", "behind special tokens at the start, the first space is kept", ("<s>", "▁a", "▁a"), " a a"),
        ("spm-bpe", "behind special tokens at the start, the first space is kept", ("▁a", "▁a"), "a a"),
        (
            "spm-bpe-hf",
            "behind special tokens at the start, the first space is stripped",
            ("<s>", "▁a", "▁a"),
            "<s>a a",
        ),
        ("bpe-qwen", "characters outside the byte map are dropped", ("[two words]", "a"), "[twowords]a"),
        ("bpe-gpt2", "added tokens are given out as they stand, not by their bytes", ("[éĠ]", "a"), "[éĠ]a"),
    ],
)
def test_what_somebody_else_planted_has_a_name(model: str, rule: str, tokens: tuple[str, ...], expected: str) -> None:
    assert texts(model, rule, ids_of(model, *tokens), skips=False) == [expected]


def test_control_pieces_are_given_out_by_name_and_the_text_begins_behind_them_or_with_them() -> None:
    assert texts("spm-bpe", "control pieces are given out by name", ids_of("spm-bpe", "<s>", "▁a")) == ["<s> a", "<s>a"]


def test_tokens_that_are_skipped_or_not_against_their_flag_are_learnt_with_all_that_differ_in_a_number() -> None:
    tokenizer = load("bpe-qwen")
    special, plain = (
        next(one for one, token in tokenizer.rules.added_tokens.tokens.items() if token.special is is_special)
        for is_special in (True, False)
    )
    a = tokenizer.encode_ids("a")
    for shown, rule in ((special, "not skipped though special"), (plain, "skipped though not special")):
        content = tokenizer.rules.added_tokens.tokens[shown].content
        right, wrong = ("a", f"a{content}") if shown == special else (f"a{content}", "a")
        answers = [([*a, shown], Decoded(right), Decoded(wrong))]
        (fault,) = of_skipped_tokens(tokenizer, answers)
        assert fault.rule.endswith(rule)
        assert (fault.text([*a, shown], True), fault.text([*a, shown], False)) == (wrong, f"a{content}")


def test_a_byte_order_mark_is_dropped_behind_each_added_token() -> None:
    qwen = load("bpe-qwen")
    ids = qwen.encode_ids("a\ufeff<|im_end|>\ufeffb\ufeff")
    kept = texts("bpe-qwen", "a byte order mark is dropped", ids, False)
    assert kept == ["a\ufeff<|im_end|>\ufeffb\ufeff", "a\ufeff<|im_end|>b\ufeff"]


def test_added_tokens_are_skipped_or_set_apart() -> None:
    ids = ids_of("bpe-qwen", "a", "[ls]", "b", "<|im_end|>", "a")
    assert texts("bpe-qwen", "added tokens are skipped that are not special", ids) == ["aba"]
    assert texts("bpe-qwen", "added tokens are dropped", ids, False) == ["aba"]
    assert texts("bpe-qwen", "spaces are put around added tokens", ids, False) == ["a [ls] b <|im_end|> a"]
    assert texts("bpe-qwen", "text ends at the first special token", ids, False) == ["a[ls]b", "a[ls]b<|im_end|>"]
    assert texts("bpe-qwen", "repeated tokens are given out once", [*ids[:1], *ids[:1]]) == ["a"]


@given(st.lists(st.sampled_from(["a", "b", "Ġa", "."]), min_size=1, max_size=6))
def test_known_ids_of_words_are_decoded_as_ever_but_by_what_concerns_words(tokens: list[str]) -> None:
    concern = {"a space is put between tokens", "repeated tokens are given out once", "ByteLevel is missing"}
    concern |= {rule for rule in (one.rule for one in of_decoders(load("bpe-qwen"))) if "stripped" in rule}
    concern |= {"bytes are not mapped: glyphs are given out", "spaces before punctuation are removed"}
    concern |= {"the first id is left out", "the last id is left out"}
    ids = ids_of("bpe-qwen", *tokens)
    for fault in of_decoders(load("bpe-qwen")):
        if fault.rule not in concern:
            assert fault.text(ids, True) == load("bpe-qwen").decode(ids), fault.rule


@pytest.mark.parametrize(
    ("model", "of_each", "of_all"),
    [
        ("spm-bpe-hf", ["a b ▁c"], ["a▁b▁▁c"]),
        ("spm-unigram-hf", ["a bc"], ["a▁bc"]),  # which has no ▁▁
        ("spm-bpe", [], ["a b▁▁c", "a▁b▁▁c"]),
    ],
)
def test_only_the_first_space_is_given_out(model: str, of_each: list[str], of_all: list[str]) -> None:
    """Fault: what JavaScript's `replace` with a string does had no known rule."""
    ids = ids_of(model, "▁a", "▁b", "▁▁", "c")
    assert texts(model, "only the first space of each token is given out", ids) == of_each
    assert texts(model, "only the first space of the text is given out", ids) == of_all


@pytest.mark.parametrize(
    ("model", "rule", "tokens", "expected"),
    [
        ("spm-bpe-hf", "text between added tokens is decoded separately", ["▁a", "<s>", "▁a"], "aa"),
        ("spm-unigram-hf", "text ends at the first special token", ["<unk>", "▁a", "</s>", "▁a"], "a"),
        ("spm-bpe", "U+2581 from byte pieces becomes a space", ["▁a", "<0xE2>", "<0x96>", "<0x81>"], "a "),
        ("spm-unigram", "only the first leading space is stripped", ["▁", "▁a"], " a"),
        ("bpe-qwen", "text that looks like a special token is removed", ["a", "<", "|", "b", "|", ">"], "a"),
        ("bpe-qwen", "overlong forms of UTF-8 are decoded", ["a", "À", "¯"], "a/"),
        ("bpe-qwen", "overlong forms of UTF-8 are decoded", ["í", "ł", "Ģ"], "\ufffd"),
        ("bpe-qwen", "byte 0xAD is missing from the byte map", ["Ã", "Ń"], "\ufffdŃ"),
        ("bpe-qwen", "byte 0xAD is missing from the byte map", ["a", "Ã", "Ń", "b"], "a\ufffdb"),
    ],
)
def test_tokens_are_decoded_otherwise(model: str, rule: str, tokens: list[str], expected: str) -> None:
    assert expected in texts(model, rule, ids_of(model, *tokens))


@pytest.mark.parametrize("model", ["spm-unigram-hf", "spm-word"])
def test_where_there_are_no_bytes_nothing_ends_a_run_of_them(model: str) -> None:
    """Fault: a space that was kept behind a skipped token had the name of a run of bytes that ends."""
    assert not [one.rule for one in of_decoders(load(model)) if "ends a run of bytes" in one.rule]
