from __future__ import annotations

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import ModelFormatError
from reftok.rules.huggingface.decoders import ByteFallback, Strip

from ...official import Json, bpe, chain, official, outcome, own, tokenizer_json
from ...tokenizers_strategies import decoders

BYTE_LEVEL: Json = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
BYTE_TOKENS = [
    "<0xC3>",
    "<0xA9>",
    "<0xE4>",
    "<0xBD>",
    "<0xA0>",
    "<0x41>",
    "<0xF0>",
    "<0x9F>",
    "<0xED>",
    "<0xA0>",
    "<0xc3>",
]
ODD_TOKENS = ["<0x+A>", "<0x-A>", "<0x 1>", "<0xé>", "<0xGG>", "<0x4>", "<0x041>", "<0x41", "<0x１>", "<0x++>", "<0x>>"]
BYTE_CHARACTERS = ["Ã", "©", "ä½", "ł", "Ġ", "ðŁĺ", "Ģ", "í", "ł", "Ģ", "À", "ÿ", "ô", "ı", "¿"]
PLAIN_TOKENS = ["a", "▁a", "▁", "▁▁", "a▁", " a", "  ", "é", "", "b", "aab", "_", "你", "Ġ你"]
WORD_TOKENS = [
    "##a",
    "##",
    "#a",
    "b</w>",
    "</w>",
    "|",
    "a|",
    "<pad>",
    "<pad>b",
    " .",
    ".",
    "?",
    " ' ",
    "'",
    "n't",
    "'m",
]
SPACED_TOKENS = ["do not", " do not", "'s", " 's've", "'re", "a , b", " ? !", "\u0345", "😀"]
ALL_TOKENS = [*BYTE_TOKENS, *ODD_TOKENS, *BYTE_CHARACTERS, *PLAIN_TOKENS, *WORD_TOKENS, *SPACED_TOKENS]
token_lists = st.lists(st.sampled_from(ALL_TOKENS), max_size=9).flatmap(
    lambda tokens: st.permutations([*tokens, *tokens[:2]])
)


def own_decoded(decoder: Json, tokens: list[str]) -> str:
    steps = own(tokenizer_json(bpe("a"), decoder=decoder)).rules.decoders
    assert steps is not None
    for step in steps:
        tokens = step.decode_chain(tokens)
    return "".join(tokens)


def assert_same(decoder: Json, *tokens: str) -> str:
    theirs = official(tokenizer_json(bpe("a"), decoder=decoder)).decoder
    decoded = own_decoded(decoder, list(tokens))
    assert decoded == theirs.decode(list(tokens))
    return decoded


@settings(max_examples=800)
@given(st.lists(decoders, min_size=1, max_size=4), token_lists)
def test_chains_of_decoders_give_what_the_library_gives(steps: list[Json], tokens: list[str]) -> None:
    decoder = chain("decoders", steps)
    assert decoder is not None
    assert_same(decoder, *tokens)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())), max_size=9))
def test_any_bytes_decode_with_a_replacement_for_each_part_that_is_not_utf8(tokens: list[str]) -> None:
    assert_same(BYTE_LEVEL, *tokens)


def test_a_token_with_one_character_outside_the_byte_map_is_its_own_text() -> None:
    assert assert_same(BYTE_LEVEL, "Ġ", "Ġ你", "ä½ł") == " Ġ你你"


def test_one_replacement_stands_for_each_maximal_part() -> None:
    assert assert_same(BYTE_LEVEL, "ä½", "A") == "\ufffdA"
    assert assert_same(BYTE_LEVEL, "ðŁĺ", "Ġ", "í", "ł", "Ģ") == "\ufffd \ufffd\ufffd\ufffd"


def test_a_run_with_one_invalid_byte_is_replaced_as_a_whole() -> None:
    assert assert_same({"type": "ByteFallback"}, "<0x41>", "<0xC3>", "b", "<0x41>") == "\ufffd\ufffdbA"


def test_every_token_of_six_bytes_is_read_as_rust_reads_two_hexadecimal_places() -> None:
    for tokens in (ODD_TOKENS, [f"<0x{a}{b}>" for a in "+-0aFg \u0661" for b in "+-0aFg _é"]):
        for token in tokens:
            assert_same({"type": "ByteFallback"}, token)
    assert ByteFallback().decode_chain(["<0x+A>"]) == ["\n"]


@pytest.mark.parametrize(("scheme", "expected"), [("always", "aa b"), ("first", "aa b"), ("never", " a a b")])
def test_the_first_token_loses_every_metaspace_unless_none_is_ever_prepended(scheme: str, expected: str) -> None:
    metaspace: Json = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme}
    assert assert_same(metaspace, "▁a▁a", "▁b") == expected


def test_the_suffix_becomes_a_space_but_in_the_last_token_nothing() -> None:
    assert assert_same({"type": "BPEDecoder", "suffix": "</w>"}, "a", "b</w>", "</w>c</w>") == "ab c"
    assert assert_same({"type": "BPEDecoder", "suffix": ""}, "ab", "", "cd") == " a b  cd"


@pytest.mark.parametrize("decoder", [{"suffix": "</w>"}, {"prefix": "##", "cleanup": True}], ids=lambda d: min(d))
def test_no_token_stays_no_token_for_the_next_decoder(decoder: Json) -> None:
    replace: Json = {"type": "Replace", "pattern": {"String": ""}, "content": "x"}
    assert assert_same({"type": "Sequence", "decoders": [decoder, replace]}) == ""
    assert assert_same({"type": "Sequence", "decoders": [{"type": "Fuse"}, replace]}) == ""


def test_tokens_without_the_prefix_begin_a_word_and_the_first_one_keeps_it() -> None:
    word_piece: Json = {"type": "WordPiece", "prefix": "##", "cleanup": False}
    assert assert_same(word_piece, "##a", "##b", "c", "####d", ".") == "##ab c##d ."
    assert assert_same({**word_piece, "prefix": ""}, "a", "b") == "ab"


def test_each_token_is_cleaned_by_itself_with_the_space_before_it() -> None:
    word_piece: Json = {"type": "WordPiece", "prefix": "##", "cleanup": True}
    assert assert_same(word_piece, "i", "do not", "##n't", ",", "'", "s", " .") == "i don'tn't, ' s ."
    assert assert_same(word_piece, "a ' b", "x 'm 's 've 're n't ? ! .") == "a'b x'm's've'ren't?!."


def test_repeated_tokens_count_once_and_padding_between_them_makes_them_two() -> None:
    ctc: Json = {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True}
    assert assert_same(ctc, "a", "a", "<pad>", "a", "|", "|", "b<pad>c", " .") == "aa bc."
    assert assert_same({**ctc, "cleanup": False}, "a", "|", " .") == "a| ."
    assert assert_same({**ctc, "pad_token": "", "word_delimiter_token": ""}, "ab", "|") == " a b  | "


def test_tokens_that_are_nothing_but_padding_are_gone_for_the_next_decoder() -> None:
    ctc: Json = {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True}
    steps = [ctc, {"type": "WordPiece", "prefix": "##", "cleanup": False}]
    assert assert_same({"type": "Sequence", "decoders": steps}, "<pad>", "a", "<pad>", "b") == "a b"


def test_sequences_may_hold_sequences_and_nothing() -> None:
    inner: Json = {"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "Sequence", "decoders": []}]}
    strip: Json = {"type": "Strip", "content": "a", "start": 1, "stop": 0}
    assert assert_same({"type": "Sequence", "decoders": [inner, strip]}, "aab", "a") == "aba"
    assert assert_same({"type": "Sequence", "decoders": []}, "a", "b") == "ab"


def test_a_replacement_that_blows_tokens_up_is_refused() -> None:
    replace: Json = {"type": "Replace", "pattern": {"String": ""}, "content": "b" * 1_000_000}
    with pytest.raises(ModelFormatError, match="decoder: makes 15000010 characters of 10, which is refused"):
        own_decoded(replace, ["aa"] * 5)
    assert own_decoded({**replace, "content": "bb"}, ["a"]) == "bbabb"


def test_fusing_makes_one_token_for_the_next_decoder() -> None:
    strip: Json = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    assert assert_same({"type": "Sequence", "decoders": [{"type": "Fuse"}, strip]}, " a", " b") == "a b"
    assert assert_same(strip, " a", " b") == "ab"


@given(st.text(" ab", min_size=1, max_size=5), st.integers(0, 3), st.integers(0, 3))
def test_both_ends_are_stripped_up_to_their_number(token: str, start: int, stop: int) -> None:
    strip: Json = {"type": "Strip", "content": " ", "start": start, "stop": stop}
    theirs = official(tokenizer_json(bpe("a"), decoder=strip)).decoder
    safe = token if len(token) > stop and token.strip(" ") else f"a{token}a"
    assert own_decoded(strip, [safe]) == outcome(lambda: theirs.decode([safe]))


def test_where_the_library_panics_a_token_is_stripped_to_nothing() -> None:
    assert Strip(" ", 1, 1).decode_chain(["", " ", "  "]) == ["", "", ""]


def test_a_literal_and_a_pattern_are_replaced_in_each_token() -> None:
    literal: Json = {"type": "Replace", "pattern": {"String": "."}, "content": "-"}
    assert assert_same(literal, "a.", "b") == "a-b"
    assert assert_same({**literal, "pattern": {"Regex": "."}}, "a.", "b") == "---"
    for empty in ({"String": ""}, {"Regex": ""}, {"Regex": "x*"}):
        assert assert_same({**literal, "pattern": empty}, "ab", "", "c") == "-a-b--c-"
    for pattern, expected in (("^", "-ab-c"), ("$", "ab-c-"), ("(?=b)", "a-bc")):
        assert assert_same({**literal, "pattern": {"Regex": pattern}}, "ab", "", "c") == expected


def test_a_chain_of_decoders_that_blows_the_text_up_is_refused() -> None:
    doubling = {"type": "Sequence", "decoders": [{"type": "BPEDecoder", "suffix": ""}] * 40}
    tokenizer = own(tokenizer_json(bpe(["ab"]), decoder=doubling))
    with pytest.raises(ModelFormatError, match="decoder: makes"):
        tokenizer.decode([0, 0])
