"""Where tokenizers 0.23.3 breaks down, answers by chance or contradicts itself, and what reftok does there.

Each test is named after the fault: it asserts what the library does, so that it fails once that is mended, and then
what reftok does. A file that cannot be answered is refused by name; otherwise reftok does what the documentation says,
and what a run can meet is listed in reports/expectations/tokenizers.toml
(tests/conformance/checks/test_library_crash.py).
"""

from __future__ import annotations

import signal
import subprocess
import sys
from functools import partial
from typing import Any

import pytest

from reftok.errors import InvalidText, ModelFormatError, UnsupportedFeature

from .official import Json, added, as_bytes, bpe, official, outcome, own, tokenizer_json

LETTERS = bpe([*"abcx <>"])
UNKNOWN = bpe(["<unk>"], unk_token="<unk>")
"""Every character is a token of its own."""
TEXT_A: Json = {"Sequence": {"id": "A", "type_id": 0}}
TEXT_B: Json = {"Sequence": {"id": "B", "type_id": 0}}
TEMPLATE: Json = {"type": "TemplateProcessing", "single": [TEXT_A], "pair": [TEXT_A, TEXT_B], "special_tokens": {}}
SPACES_GO: Json = {"type": "Replace", "pattern": {"String": " "}, "content": ""}


def library_encodes(config: Json, *texts: str) -> Any:
    """The tokens, "refused" or "panicked", even at the file."""
    return outcome(lambda: official(config).encode(*texts).tokens)


def assert_refused(config: Json, problem: str, kind: type[ModelFormatError] = UnsupportedFeature) -> None:
    with pytest.raises(kind, match=problem):
        own(config)


def test_parts_of_no_length_panic_at_every_text() -> None:
    config = tokenizer_json(LETTERS, pre_tokenizer={"type": "FixedLength", "length": 0})
    assert library_encodes(config, "ab") == "panicked"
    assert_refused(config, r"pre_tokenizer\.length: 0, with which the library panics, is not supported")


@pytest.mark.parametrize("charsmap", ["", "AAAA"])
def test_a_charsmap_that_is_cut_off_panics_instead_of_being_refused(charsmap: str) -> None:
    config = tokenizer_json(LETTERS, normalizer={"type": "Precompiled", "precompiled_charsmap": charsmap})
    assert outcome(partial(official, config)) == "panicked"
    assert_refused(config, "precompiled_charsmap: is cut off", ModelFormatError)


@pytest.mark.parametrize(
    ("text", "content", "expected"),
    [("<a>  x", " ", ["<a>  ", "x"]), (" <a>   x", "  ", [" ", "<a>   ", "x"]), ("<a>  ", " ", ["<a>  "])],
)
def test_a_left_stripping_token_inside_what_another_stripped_panics(
    text: str, content: str, expected: list[str]
) -> None:
    """Right stripping takes the white space, so nothing is left of the token that it is."""
    config = tokenizer_json(LETTERS, [added("<a>", rstrip=True), added(content, lstrip=True)])
    assert library_encodes(config, text) == "panicked"
    assert own(config).encode(text).tokens == expected


@pytest.mark.parametrize(
    ("start", "stop", "token"), [(0, 1, ""), (1, 1, ""), (1, 1, " "), (2, 1, "  ")], ids=["none", "empty", "one", "two"]
)
def test_the_strip_decoder_panics_where_both_ends_meet(start: int, stop: int, token: str) -> None:
    config = tokenizer_json(bpe(["a", token]), decoder={"type": "Strip", "content": " ", "start": start, "stop": stop})
    assert outcome(lambda: official(config).decode([1])) == "panicked"
    assert own(config).decode([1]) == ""


@pytest.mark.parametrize("pattern", [{"String": ""}, {"Regex": "^"}, {"Regex": "x*"}, {"Regex": "(?=a)"}], ids=str)
def test_replacing_a_match_of_nothing_at_the_start_breaks_what_is_prepended_later(pattern: Json) -> None:
    """What is inserted before the first character has no old one to be aligned with."""
    config = tokenizer_json(
        UNKNOWN,
        normalizer={"type": "Replace", "pattern": pattern, "content": "-"},
        pre_tokenizer={"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": False},
    )
    assert library_encodes(config, "ab") == "panicked"
    assert_refused(config, "a match of nothing(| before ByteLevel), with which the library loses its alignment")


def test_prepending_nothing_loses_the_alignment_of_the_first_character() -> None:
    config = tokenizer_json(UNKNOWN, normalizer={"type": "Prepend", "prepend": ""})
    assert official(config).encode("ab").offsets == [(0, 0), (1, 2)]
    assert_refused(config, r"normalizer\.prepend: nothing, with which the library loses its alignment")


def test_a_merge_shorter_than_the_subword_prefix_panics() -> None:
    config = tokenizer_json(bpe(["a", "b", "ab"], [("a", "b")], continuing_subword_prefix="##"))
    assert outcome(partial(official, config)) == "panicked"
    assert_refused(config, r"model\.merges\[0\]: 'b' does not begin with the subword prefix '##'", ModelFormatError)


def test_a_merge_cut_inside_a_character_by_the_subword_prefix_kills_the_process() -> None:
    """The message of the library's error is not UTF-8, and making an exception of it panics again."""
    config = tokenizer_json(bpe(["a", "é"], [("a", "é")], continuing_subword_prefix="#"))
    read = "import sys, tokenizers; tokenizers.Tokenizer.from_buffer(sys.stdin.buffer.read())"
    ended = subprocess.run([sys.executable, "-c", read], input=as_bytes(config), capture_output=True, check=False)
    assert ended.returncode == -signal.SIGABRT
    assert_refused(config, r"model\.merges\[0\]: 'é' does not begin with the subword prefix '#'", ModelFormatError)


def test_added_tokens_of_one_normalized_form_are_told_apart_by_chance() -> None:
    tokens = [added("a b", normalized=True), added("ab", normalized=True)]
    config = tokenizer_json(LETTERS, tokens, normalizer=SPACES_GO)
    assert len({tuple(official(config).encode("ab").ids) for _ in range(100)}) == 2
    assert_refused(config, "'a b' and 'ab' both become 'ab' when normalized")


def test_an_added_token_of_which_nothing_is_left_cuts_inside_characters() -> None:
    config = tokenizer_json(LETTERS, [added("  ", normalized=True)], normalizer=SPACES_GO)
    assert library_encodes(config, "éb") == "panicked"
    assert_refused(config, "nothing is left of '  ' when normalized")


def test_a_template_panics_with_more_than_two_parts_of_the_one_before() -> None:
    inserting = {**TEMPLATE, "single": [TEXT_A] * 3}
    config = tokenizer_json(LETTERS, post_processor={"type": "Sequence", "processors": [inserting, TEMPLATE]})
    assert library_encodes(config, "a") == "panicked"
    assert_refused(config, "a TemplateProcessing after another one cannot take 3 parts; the library panics")


def test_a_template_of_pairs_panics_with_more_than_two_parts_of_the_one_before_though_texts_alone_are_encoded() -> None:
    longer = {**TEMPLATE, "pair": [TEXT_A, TEXT_B, TEXT_A]}
    config = tokenizer_json(LETTERS, post_processor={"type": "Sequence", "processors": [longer, TEMPLATE]})
    assert library_encodes(config, "a") == own(config).encode("a").tokens == ["a"]
    assert library_encodes(config, "a", "b") == "panicked"
    with pytest.raises(UnsupportedFeature, match="cannot take 3 parts; the library panics"):
        own(config).encode("a", "b")


def test_a_second_text_in_the_template_of_one_panics() -> None:
    config = tokenizer_json(LETTERS, post_processor={**TEMPLATE, "single": [TEXT_B]})
    assert library_encodes(config, "a") == "panicked"
    assert_refused(config, r"post_processor\.single: asks for a second text", ModelFormatError)


def test_a_special_token_that_the_template_does_not_define_panics() -> None:
    single = [{"SpecialToken": {"id": "y", "type_id": 0}}]
    config = tokenizer_json(LETTERS, post_processor={**TEMPLATE, "single": single})
    assert library_encodes(config, "a") == "panicked"
    assert_refused(config, "'y' is not in special_tokens", ModelFormatError)


def test_a_special_token_of_more_tokens_than_ids_makes_lists_of_different_lengths() -> None:
    special = {"x": {"id": "x", "ids": [0], "tokens": ["a", "b"]}}
    single = [{"SpecialToken": {"id": "x", "type_id": 0}}]
    config = tokenizer_json(LETTERS, post_processor={**TEMPLATE, "single": single, "special_tokens": special})
    encoding = official(config).encode("a")
    assert (encoding.ids, encoding.tokens) == ([0], ["a", "b"])
    assert_refused(config, r"special_tokens\.x\.tokens: has another length than ids", ModelFormatError)


def test_a_stride_as_long_as_what_stays_panics_at_the_texts_that_are_cut() -> None:
    config = tokenizer_json(LETTERS, truncation={"max_length": 2, "strategy": "LongestFirst", "stride": 2})
    assert library_encodes(config, "ab") == own(config).encode("ab").tokens == ["a", "b"]
    assert library_encodes(config, "abc") == "panicked"
    with pytest.raises(InvalidText, match="the stride 2 is not less than the 2 tokens that stay"):
        own(config).encode("abc")


def test_byte_fallback_with_a_subword_prefix_gives_offsets_outside_the_text() -> None:
    vocab = ["a", "<0x23>", "<0xC3>", "<0xA9>"]
    config = tokenizer_json(bpe(vocab, byte_fallback=True, continuing_subword_prefix="##"))
    encoding = official(config).encode("aé")
    assert encoding.tokens == ["a", "<0x23>", "<0x23>", "<0xC3>", "<0xA9>"]
    assert max(end for _, end in encoding.offsets) > len("aé")
    for affix in ("continuing_subword_prefix", "end_of_word_suffix"):
        config = tokenizer_json(bpe(vocab, byte_fallback=True, **{affix: "##"}))
        assert_refused(config, r"model\.byte_fallback: is not supported with a prefix or suffix of words")


def test_of_two_tokens_with_one_id_the_library_names_one_by_chance() -> None:
    config = tokenizer_json(bpe({"a": 0, "b": 0}))
    assert len({official(config).id_to_token(0) for _ in range(100)}) == 2
    assert_refused(config, r"model\.vocab: gives the id 0 to 2 tokens", ModelFormatError)
