from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.huggingface.tokenizer_json import read_tokenizer_json

from ...broken_files import Damaged, check_damaged
from ...official import (
    Json,
    added,
    as_bytes,
    as_lists,
    bpe,
    chain,
    official,
    official_encoding,
    outcome,
    own,
    tokenizer_json,
    unigram,
)
from ...pipeline_comparison import Tally
from ...tokenizers_strategies import DECODERS, NORMALIZERS, PATTERNS, SPECIAL_TOKENS
from ...tokenizers_strategies.damaged import REPLACEMENTS, at, places

BYTE_LEVEL: Json = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
METASPACE: Json = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}
TEMPLATE: Json = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": SPECIAL_TOKENS,
}
OPTIONS: Json = {
    "dropout": None,
    "unk_token": "<unk>",
    "continuing_subword_prefix": None,
    "end_of_word_suffix": "",
    "fuse_unk": True,
    "byte_fallback": False,
    "ignore_merges": False,
}
SPLIT: Json = {"type": "Split", "pattern": {"Regex": r"\s+"}, "behavior": "Isolated", "invert": False}
FULL = tokenizer_json(
    bpe(["<unk>", "a", "b", "ab", "▁"], [("a", "b")], **OPTIONS),
    [added("<s>", special=True), added("x y", normalized=True)],
    normalizer=chain("normalizers", [*NORMALIZERS[3:7], NORMALIZERS[-4], NORMALIZERS[-1]]),
    pre_tokenizer=chain("pretokenizers", [SPLIT, METASPACE, BYTE_LEVEL, {"type": "WhitespaceSplit"}]),
    post_processor=chain("processors", [BYTE_LEVEL, TEMPLATE]),
    decoder=chain("decoders", [*DECODERS, METASPACE]),
)
SMALL = tokenizer_json(
    unigram(("<unk>", 0.0), ("▁a", -1.5), ("b", -2), byte_fallback=True),
    pre_tokenizer={**METASPACE, "add_prefix_space": True, "str_rep": "▁"},
    post_processor=BYTE_LEVEL,
    decoder=DECODERS[3],
)
TEXTS = ["", "ab x y a<s>b", " é"]


def mutants(config: Json) -> Iterator[Json]:
    """The file with each value replaced by each other type, each key or item removed, and each object given a key."""
    for *path, key in places(config):
        for replacement in REPLACEMENTS:
            mutant = deepcopy(config)
            at(mutant, path)[key] = replacement
            yield mutant
        mutant = deepcopy(config)
        del at(mutant, path)[key]
        yield mutant
        if isinstance(at(config, [*path, key]), dict):
            mutant = deepcopy(config)
            at(mutant, [*path, key])["unknown"] = 1
            yield mutant


@pytest.mark.parametrize("config", [FULL, SMALL], ids=["full", "small"])
def test_both_read_the_whole_file(config: Json) -> None:
    theirs = official(config)
    for text in TEXTS:
        assert as_lists(own(config).encode(text)) == as_lists(official_encoding(theirs, text))


@pytest.mark.parametrize("config", [FULL, SMALL], ids=["full", "small"])
def test_a_file_with_a_changed_value_that_the_library_reads_is_read_alike_or_refused_as_unsupported(
    config: Json,
) -> None:
    errors = [check_damaged(Damaged(json.dumps(mutant).encode(), ()), Tally()) for mutant in mutants(config)]
    unsound = [str(error) for error in errors if error is not None and not isinstance(error, UnsupportedFeature)]
    # serde reads a list for an object with fields in the order of the list.
    lists = ("added_tokens: is not", "is not an object but a list")
    known = ("type: is ", "is not in special_tokens", "has another length than ids", "gives the id", *lists)
    assert [error for error in unsound if not any(part in error for part in known)] == []


@pytest.mark.parametrize("config", [FULL, SMALL], ids=["full", "small"])
def test_a_truncated_file_is_refused_wherever_it_ends(config: Json) -> None:
    data = as_bytes(config)
    for end in [*range(200), *range(200, len(data) - 50, 37), *range(len(data) - 50, len(data))]:
        with pytest.raises(ModelFormatError, match=r"^m\.json: "):
            read_tokenizer_json(data[:end], "m.json")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "line 1 column 1: is not JSON"),
        (b"[]", "is not an object but a list"),
        (b"\xff", "byte 0: is not UTF-8"),
        (b"\xef\xbb\xbf{}", "is not JSON"),
        (b'{"version": NaN}', "is not JSON (NaN is not a number in JSON)"),
        (b'{"version": -Infinity}', "is not JSON (-Infinity is not a number in JSON)"),
        (b'{"version": 1e999}', "is not JSON (number out of range)"),
        (b'{"version": ' + b"1" * 5000 + b"}", "is not JSON (number out of range)"),
        (b'{"version": "\\ud800"}', "is not JSON (an escape stands for half a surrogate pair)"),
        (b'{"\\udc00": 1}', "is not JSON (an escape stands for half a surrogate pair)"),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"version": "1.0", "version": 1}', "the key 'version' is there twice"),
        (b'{"version": "2.0"}', "version: only 1.0 is known"),
        (b"{}", "model: is missing"),
    ],
)
def test_what_is_no_tokenizer_json_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(ModelFormatError) as refused:
        read_tokenizer_json(data, "m.json")
    assert problem in str(refused.value)
    assert outcome(lambda: official_from(data)) == "refused"


def official_from(data: bytes) -> object:
    import tokenizers

    return tokenizers.Tokenizer.from_buffer(data)


def test_a_file_without_added_tokens_is_read() -> None:
    config = tokenizer_json(bpe("a"))
    del config["added_tokens"]
    assert own(config).encode_ids("a") == official(config).encode("a").ids == [0]


def test_whole_surrogate_pairs_are_characters() -> None:
    data = as_bytes(tokenizer_json(bpe("😀"))).decode().replace("😀", "\\ud83d\\ude00")
    assert read_tokenizer_json(data.encode()).encode_ids("😀") == [0]


@pytest.mark.parametrize("stage", ["normalizer", "pre_tokenizer", "post_processor", "decoder"])
@pytest.mark.parametrize("depth", [70, 400, 50_000])
def test_deep_nesting_of_any_stage_is_refused(stage: str, depth: int) -> None:
    children = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers"}
    children |= {"post_processor": "processors", "decoder": "decoders"}
    nested = f'{{"type":"Sequence","{children[stage]}":[' * depth + "]}" * depth
    data = json.dumps(tokenizer_json(bpe("a"), **{stage: {}})).replace(f'"{stage}": {{}}', f'"{stage}": {nested}')
    with pytest.raises(ModelFormatError):
        read_tokenizer_json(data.encode())


@pytest.mark.parametrize(
    ("stages", "named"),
    [
        ({"normalizer": {"type": "Uppercase"}}, "m.json: normalizer.type: Uppercase is not supported"),
        ({"pre_tokenizer": {"type": "Delimiter"}}, "m.json: pre_tokenizer.type: Delimiter is not supported"),
        ({"post_processor": {"type": "Bert"}}, "m.json: post_processor.type: Bert is not supported"),
        ({"decoder": {"type": "Unigram"}}, "m.json: decoder.type: Unigram is not supported"),
        ({"unknown": 1}, "m.json: unknown: this key is not known"),
        (
            {"normalizer": {"type": "Prepend", "prepend": ""}},
            "m.json: normalizer.prepend: nothing, with which the library loses its alignment, is not supported",
        ),
        (
            {"pre_tokenizer": chain("pretokenizers", [BYTE_LEVEL, SPLIT | {"pattern": {"Regex": "(?~a)"}}])},
            "m.json: pre_tokenizer.pretokenizers[1].pattern.Regex: pattern '(?~a)': "
            "at character 0, '(?~': the absent operator is not supported",
        ),
    ],
)
def test_what_is_not_supported_is_refused_by_name(stages: Json, named: str) -> None:
    with pytest.raises(UnsupportedFeature) as refused:
        read_tokenizer_json(as_bytes(tokenizer_json(bpe("a"), **stages)), "m.json")
    assert str(refused.value) == named


@pytest.mark.parametrize("dropout", [0.5, 1, 1e-9])
def test_dropout_is_refused_and_none_and_zero_are_not(dropout: float) -> None:
    with pytest.raises(UnsupportedFeature, match=r"model\.dropout: a rate above 0"):
        own(tokenizer_json(bpe("a", dropout=dropout)))
    for harmless in (None, 0, 0.0):
        assert own(tokenizer_json(bpe("a", dropout=harmless))).encode_ids("a") == [0]


def test_merges_may_be_lines_and_versions_among_them_are_skipped() -> None:
    lines = ["#version: 0.2", "a b", "#version x", "ab a"]
    config = tokenizer_json(bpe(["a", "b", "ab", "aba", "#version", "x"], lines))
    assert own(config).encode_ids("aba") == official(config).encode("aba").ids == [3]


@pytest.mark.parametrize(
    "merges", [["a b", ["a", "b"]], [["a", "b"], "a b"], ["a b c"], ["ab"], [["a", "b", "c"]], [[1, 2]]]
)
def test_merges_of_another_form_are_refused(merges: list[Any]) -> None:
    config = tokenizer_json(bpe(["a", "b", "ab"], merges))
    assert outcome(lambda: official(config)) == "refused"
    with pytest.raises(ModelFormatError, match=r"model\.merges\[[01]\]: is not a pair of tokens"):
        own(config)


def test_merges_as_pairs_may_contain_spaces() -> None:
    config = tokenizer_json(bpe(["a", " ", "a ", "b", "a b"], [("a", " "), ("a ", "b")]))
    assert own(config).encode_ids("a b") == official(config).encode("a b").ids == [4]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_is_a_string_or_a_regex(pattern: Json) -> None:
    config = tokenizer_json(bpe("ab"), pre_tokenizer={**SPLIT, "pattern": pattern})
    assert as_lists(own(config).encode("ab a.b")) == as_lists(official_encoding(official(config), "ab a.b"))


@pytest.mark.parametrize("scheme", ["first", "always", None])
def test_add_prefix_space_must_agree_with_the_scheme(scheme: str | None) -> None:
    metaspace: Json = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": False}
    config = tokenizer_json(bpe("a"), pre_tokenizer=metaspace | ({"prepend_scheme": scheme} if scheme else {}))
    assert outcome(lambda: official(config)) == "refused"
    with pytest.raises(ModelFormatError, match="add_prefix_space: does not match the prepend_scheme"):
        own(config)
