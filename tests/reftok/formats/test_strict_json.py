from __future__ import annotations

from functools import partial

import pytest
import tokenizers

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.huggingface.tokenizer_json import read_tokenizer_json
from reftok.formats.strict_json import parse_json

from ..official import Json, as_bytes, bpe, outcome, tokenizer_json, wordlevel

CHILDREN = {
    "normalizer": "normalizers",
    "pre_tokenizer": "pretokenizers",
    "post_processor": "processors",
    "decoder": "decoders",
}
LEAVES: dict[str, Json] = {
    "normalizer": {"type": "NFC"},
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
    "decoder": {"type": "Fuse"},
}


def nested(stage: str, depth: int, *leaves: Json) -> bytes:
    """A file with so many Sequences in each other."""
    children = list(leaves)
    for _ in range(depth):
        children = [{"type": "Sequence", CHILDREN[stage]: children}]
    return as_bytes(tokenizer_json(bpe("a"), **{stage: children[0]}))


@pytest.mark.parametrize("stage", CHILDREN)
@pytest.mark.parametrize(("deepest", "has_leaf"), [(62, True), (63, False)])
def test_sequences_may_be_nested_as_deep_as_in_the_library(stage: str, deepest: int, has_leaf: bool) -> None:
    leaves = [LEAVES[stage]] if has_leaf else []
    data = nested(stage, deepest, *leaves)
    assert read_tokenizer_json(data).encode_ids("a") == tokenizers.Tokenizer.from_buffer(data).encode("a").ids
    data = nested(stage, deepest + 1, *leaves)
    assert outcome(partial(tokenizers.Tokenizer.from_buffer, data)) == "refused"
    with pytest.raises(ModelFormatError, match=r"^m\.json: is nested too deeply"):
        read_tokenizer_json(data, "m.json")


@pytest.mark.parametrize("brackets", ["[]", '{"a":}'])
def test_nothing_is_nested_deeper_than_127_levels(brackets: str) -> None:
    opening, closing = brackets[:-1], brackets[-1]
    assert parse_json((opening * 127 + "0" * (opening != "[") + closing * 127).encode(), "m.json")
    for depth in (128, 900, 100_000):
        with pytest.raises(ModelFormatError, match=r"^m\.json: is nested too deeply"):
            parse_json((opening * depth + "0" * (opening != "[") + closing * depth).encode(), "m.json")


def test_brackets_in_strings_are_no_nesting() -> None:
    assert parse_json(b'["' + b"[{" * 200 + b'"]', "m.json") == ["[{" * 200]


TRUNCATION = '"max_length": 1, "max_length": 2, "strategy": "LongestFirst", "stride": 0'
BYTE_LEVEL = '"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "trim_offsets": true'


@pytest.mark.parametrize(
    ("stages", "key", "library_reads_it"),
    [
        ('"normalizer": {"type": "Prepend", "prepend": "a", "prepend": "b"}', "prepend", True),
        ('"normalizer": null, "normalizer": {"type": "NFC"}', "normalizer", True),
        (f'"truncation": {{{TRUNCATION}}}', "max_length", False),
        (f'"post_processor": {{{BYTE_LEVEL}}}', "trim_offsets", False),
    ],
)
def test_of_a_key_that_is_there_twice_none_is_guessed(stages: str, key: str, library_reads_it: bool) -> None:
    """The library takes the last one in some objects and refuses others."""
    model = '{"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}'
    data = f'{{"version": "1.0", {stages}, "model": {model}}}'.encode()
    assert (outcome(partial(tokenizers.Tokenizer.from_buffer, data)) != "refused") is library_reads_it
    with pytest.raises(UnsupportedFeature, match=rf"^m\.json: the key '{key}' is there twice"):
        read_tokenizer_json(data, "m.json")


MODELS = {
    "BPE": '"type": "BPE", "merges": []',
    "WordLevel": '"type": "WordLevel", "unk_token": "c"',
    "WordPiece": '"type": "WordPiece", "unk_token": "c", "continuing_subword_prefix": "##", '
    '"max_input_chars_per_word": 9',
    "an old file": '"merges": []',
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("ids", [(0, 0), (0, 3), (3, 0)])
def test_of_a_token_that_is_twice_in_a_vocab_the_last_id_counts(model: str, ids: tuple[int, int]) -> None:
    first, last = ids
    vocab = f'{{"a": {first}, "b": 1, "c": 2, "a": {last}}}'
    data = f'{{"version": "1.0", "model": {{{MODELS[model]}, "vocab": {vocab}}}}}'.encode()
    theirs, ours = tokenizers.Tokenizer.from_buffer(data), read_tokenizer_json(data)
    for text in ("a", "ab", "b"):
        assert ours.encode_ids(text) == theirs.encode(text).ids
    assert ours.token_to_id("a") == theirs.token_to_id("a") == last
    assert [ours.id_to_token(n) for n in range(5)] == [theirs.id_to_token(n) for n in range(5)]
    assert ours.vocab_size == theirs.get_vocab_size() == 3


@pytest.mark.parametrize("model", MODELS)
def test_a_token_that_is_twice_in_a_vocab_may_not_have_the_id_of_another_at_last(model: str) -> None:
    """The library names one of the two by chance."""
    data = f'{{"version": "1.0", "model": {{{MODELS[model]}, "vocab": {{"a": 0, "c": 1, "a": 1}}}}}}'.encode()
    with pytest.raises(ModelFormatError, match=r"^m\.json: model\.vocab: gives the id 1 to 2 tokens"):
        read_tokenizer_json(data, "m.json")


@pytest.mark.parametrize("first", ['"x"', "-1", "0.5", "null", "4294967296"])
@pytest.mark.parametrize("model", MODELS)
def test_what_does_not_count_need_not_be_an_id(model: str, first: str) -> None:
    data = f'{{"version": "1.0", "model": {{{MODELS[model]}, "vocab": {{"a": {first}, "c": 1, "a": 0}}}}}}'.encode()
    assert tokenizers.Tokenizer.from_buffer(data).encode("a").ids == read_tokenizer_json(data).encode_ids("a") == [0]


@pytest.mark.parametrize("place", ['"vocab": {"a": 0}, "vocab": {"a": 0}', '"vocab": {"a": {"b": 0, "b": 0}}'])
def test_only_the_tokens_of_the_vocab_may_be_there_twice(place: str) -> None:
    with pytest.raises(UnsupportedFeature, match="is there twice"):
        read_tokenizer_json(f'{{"model": {{{MODELS["BPE"]}, {place}}}}}'.encode())


def test_minus_zero_is_no_whole_number() -> None:
    data = as_bytes(tokenizer_json(wordlevel(["a"], unk_token="a"))).replace(b'{"a": 0}', b'{"a": -0}')
    assert outcome(partial(tokenizers.Tokenizer.from_buffer, data)) == "refused"
    with pytest.raises(ModelFormatError, match=r"^m\.json: model\.vocab\['a'\]: is not an id"):
        read_tokenizer_json(data, "m.json")
