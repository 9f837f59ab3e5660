"""The public stories that need a model of their own: reftok and the official library both give the right answer."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace

import pytest
import tiktoken
from tokenizers import Tokenizer

import reftok
from reftok.errors import ModelFormatError
from reftok.formats.tiktoken.rank_file import read_tiktoken
from reftok.formats.tiktoken.encodings import RankEncoding
from reftok.formats.huggingface.tokenizer_json import read_tokenizer_json

from ..reftok.official import added, as_bytes, as_lists, assert_same_encoding, bpe, official, own, tokenizer_json
from ..reftok.protobuf_writer import UNIGRAM, UNKNOWN, compile_charsmap, model_bytes
from ..reftok.sentencepiece_strategies import load_both, official_encoding, own_encoding
from .inline_cases import InlineCase, normal, symbols
from .model_stage_cases import MODEL_STAGE_CASES
from .text_stage_cases import TEXT_STAGE_CASES

CASES = (*TEXT_STAGE_CASES, *MODEL_STAGE_CASES)
PRECOMPILED_CHARSMAP = 2
"""A field of NormalizerSpec."""


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_story(case: InlineCase) -> None:
    if isinstance(case.model, bytes):
        ours, theirs = load_both(case.model)
        for text, tokens in case.texts.items():
            assert own_encoding(ours, text) == official_encoding(theirs, text)
            assert list(ours.encode(text).tokens) == tokens
        return
    for text, tokens in case.texts.items():
        assert list(assert_same_encoding(case.model, text).tokens) == tokens
    for tokens, text in case.decoded.items():
        ids = [own(case.model).token_to_id(token) for token in tokens]
        assert own(case.model).decode(ids) == official(case.model).decode(ids) == text


def test_truncation_keeps_what_it_cuts_off() -> None:
    """Release 0.23.1 stopped early and lost it."""
    truncation = {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0}
    config = tokenizer_json(bpe("abc")) | {"truncation": truncation}
    encoding = assert_same_encoding(config, "abcabc")
    assert [other.tokens for other in encoding.overflowing] == [["c", "a"], ["b", "c"]]


def test_a_special_token_taken_as_text_still_hides_a_shorter_one() -> None:
    config = tokenizer_json(bpe("abcd"), [added("abc", special=True), added("bc")])
    theirs, ours = official(config), own(config).with_options(encode_special_tokens=True)
    theirs.encode_special_tokens = True
    assert as_lists(ours.encode("abcd")) == as_lists(theirs.encode("abcd"))
    assert list(ours.encode("abcd").tokens) == list("abcd")


def test_a_key_is_not_searched_for_in_strings() -> None:
    """The name of a key stands before the key: as the text of a pattern, of a token and of an entry of the vocab."""
    words = ['"added_tokens": []', "added_tokens", "x"]
    normalizer = {"type": "Replace", "pattern": {"String": '"added_tokens": ['}, "content": "added_tokens"}
    config = tokenizer_json(bpe(words), [added("added_tokens")], normalizer=normalizer)
    config = {"normalizer": config.pop("normalizer"), "model": config.pop("model"), **config}
    assert_same_encoding(config, "xadded_tokensx")


@pytest.mark.parametrize(
    ("score", "best"), [("-1.5E-1", ["a", "b"]), ("-15e-2", ["a", "b"]), ("-3", ["ab"]), ("-0.3e1", ["ab"])]
)
def test_a_score_may_be_any_number_of_json(score: str, best: list[str]) -> None:
    """The numbers come as they are written: json.dumps would write all of them in one way."""
    model = '{"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["ab", -1.0], ["a", SCORE], ["b", -0.5]]}'
    file = f'{{"version": "1.0", "added_tokens": [], "model": {model.replace("SCORE", score)}}}'
    ours = reftok.Tokenizer(read_tokenizer_json(file.encode()))
    assert list(ours.encode("ab").tokens) == Tokenizer.from_str(file).encode("ab").tokens == best


def test_half_a_surrogate_pair_in_a_file_is_refused_and_a_whole_one_read() -> None:
    whole = as_bytes(tokenizer_json(bpe(["PAIR"]))).replace(b"PAIR", rb"\ud83d\ude00")
    half = whole.replace(rb"\ude00", b"")
    assert (
        list(reftok.Tokenizer(read_tokenizer_json(whole)).encode("😀").tokens)
        == Tokenizer.from_str(whole.decode()).encode("😀").tokens
        == ["😀"]
    )
    with pytest.raises(ModelFormatError):
        read_tokenizer_json(half)
    with pytest.raises(Exception, match="hex escape"):
        Tokenizer.from_str(half.decode())


def test_a_tab_symbol_matches_before_the_normalizer_makes_it_a_space() -> None:
    pieces = [*symbols("\t", "-"), *normal(**{"▁": -1.0, "a": -2.0, "b": -2.0, "▁a": -1.5, "▁b": -1.5})]
    rules = {PRECOMPILED_CHARSMAP: compile_charsmap({"\t": " "})}
    ours, theirs = load_both(model_bytes([UNKNOWN, *pieces], UNIGRAM, normalizer=rules))
    assert own_encoding(ours, "a\tb-a  b") == official_encoding(theirs, "a\tb-a  b")
    assert list(ours.encode("a\tb-a  b").tokens) == ["▁a", "\t", "b", "-", "a", "▁b"]


@pytest.mark.parametrize(("text", "repaired"), [("\udbc0", "\ufffd"), ("\ud83d\ude00", "😀"), ("a\udc00b", "a\ufffdb")])
def test_tiktoken_repairs_surrogates(text: str, repaired: str) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)}
    theirs = tiktoken.Encoding("story", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})
    file = b"".join(b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())
    ours = reftok.Tokenizer(read_tiktoken(file, RankEncoding("story", r"\S+|\s+", {}), "story"))
    assert ours.encode_ids(text) == theirs.encode(text) == list(repaired.encode())


@pytest.mark.parametrize("text", ["^" * 50_000, "a" * 50_000, "A" * 26_000, "one long line " * 4_000])
@pytest.mark.parametrize("name", ["bpe-gpt2", "bpe-llama3", "spm-bpe-hf"])
def test_a_run_without_end_is_encoded(name: str, text: str) -> None:
    """A recursive engine overflows its stack on it, and a quadratic merge takes for ever."""
    path = reftok.embedded_models()[name]
    assert list(reftok.load(name).encode(text).ids) == Tokenizer.from_file(str(path)).encode(text).ids


STORIES = {
    "HF45": test_truncation_keeps_what_it_cuts_off,
    "LC35": test_a_run_without_end_is_encoded,
    "ME05": test_a_special_token_taken_as_text_still_hides_a_shorter_one,
    "SH12": test_a_key_is_not_searched_for_in_strings,
    "SP06": test_a_tab_symbol_matches_before_the_normalizer_makes_it_a_space,
    "TK01": test_tiktoken_repairs_surrogates,
    "TK03": test_a_run_without_end_is_encoded,
    "TK04": test_a_run_without_end_is_encoded,
    "TK05": test_a_run_without_end_is_encoded,
}
"""The tests by the story that they tell, beside those of `CASES`."""
