from __future__ import annotations

from functools import partial

import pytest

from reftok.errors import ModelFormatError, UnsupportedFeature

from ....official import Json, bpe, official, outcome, own, tokenizer_json

FULL: list[Json] = [
    {"type": "BPEDecoder", "suffix": "</w>"},
    {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    {"type": "WordPiece", "prefix": "##", "cleanup": True},
    {"type": "Metaspace", "replacement": "_", "prepend_scheme": "always", "split": True, "add_prefix_space": True},
    {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True},
    {"type": "Sequence", "decoders": []},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "b"},
    {"type": "Fuse"},
    {"type": "Strip", "content": "a", "start": 1, "stop": 0},
    {"type": "ByteFallback"},
]
TOKENS = ["a</w>", "##b", "_c", "|", "|", "<pad>a", ".", "aĠ", "<0x41>"]
NULL_IS_MISSING = {("Metaspace", "split"), ("Metaspace", "add_prefix_space")}


def decoded(config: Json) -> str:
    """What reftok makes of the tokens, as one text."""
    tokens = list(TOKENS)
    for decoder in own(config).rules.decoders or ():
        tokens = decoder.decode_chain(tokens)
    return "".join(tokens)


def assert_read_alike(decoder: Json) -> str:
    """Both refuse it, or both decode the same."""
    config = tokenizer_json(bpe("a"), decoder=decoder)
    expected = outcome(lambda: official(config).decoder.decode(TOKENS))
    assert outcome(partial(decoded, config)) == expected, decoder
    return expected


@pytest.mark.parametrize("decoder", FULL, ids=lambda decoder: decoder["type"])
def test_every_key_is_there_missing_or_null_as_in_the_library(decoder: Json) -> None:
    assert assert_read_alike(decoder) != "refused"
    for key in decoder:
        assert_read_alike({other: value for other, value in decoder.items() if other != key})
        if key != "type":
            expected = assert_read_alike({**decoder, key: None})
            assert (expected != "refused") == ((decoder["type"], key) in NULL_IS_MISSING)


@pytest.mark.parametrize("decoder", FULL, ids=lambda decoder: decoder["type"])
def test_keys_of_another_type_are_refused(decoder: Json) -> None:
    for key in decoder.keys() - {"type"}:
        for value in (5, "x y", True, [], {}, 1.0, -1):
            if type(value) is not type(decoder[key]) or value == -1:
                assert assert_read_alike({**decoder, key: value}) == "refused"


def test_a_type_that_is_not_known_is_refused_though_the_other_keys_are() -> None:
    """The library takes such a decoder for one of an old file."""
    config = tokenizer_json(bpe("a"), decoder={"type": "Unknown", "suffix": "</w>"})
    assert "BPEDecoder" in str(official(config).decoder)
    with pytest.raises(UnsupportedFeature, match=r"decoder\.type: Unknown is not supported"):
        own(config)


def test_decoders_of_old_files_are_told_by_their_keys_at_any_depth() -> None:
    old = [{key: value for key, value in decoder.items() if key != "type"} for decoder in FULL]
    readable = [decoder for decoder in old if assert_read_alike(decoder) != "refused"]
    assert [min(decoder) for decoder in readable] == ["suffix", "cleanup", "cleanup", "content", "content"]
    nested: Json = {"type": "Sequence", "decoders": [readable[0], {"type": "Sequence", "decoders": readable[1:]}]}
    assert assert_read_alike(nested) != "refused"


def test_of_two_decoders_in_one_object_none_is_guessed() -> None:
    both: Json = {"suffix": "</w>", "prefix": "##", "cleanup": True}
    assert outcome(lambda: official(tokenizer_json(bpe("a"), decoder=both))) != "refused"
    with pytest.raises(UnsupportedFeature, match=r"decoder\.prefix: this key is not known"):
        own(tokenizer_json(bpe("a"), decoder=both))


@pytest.mark.parametrize("depth", [60, 70, 300])
def test_deep_nesting_of_decoders_of_old_files_is_no_recursion_error(depth: int) -> None:
    decoder: Json = {"suffix": "</w>"}
    for _ in range(depth):
        decoder = {"type": "Sequence", "decoders": [decoder]}
    config = tokenizer_json(bpe("a"), decoder=decoder)
    if depth == 60:
        assert own(config).decode([0]) == official(config).decode([0])
    else:
        with pytest.raises(ModelFormatError, match=r"type: Sequence is not supported|nested too deeply"):
            own(config)
