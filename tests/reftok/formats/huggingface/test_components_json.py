"""Every component of tokenizer.json with each of its values, keys and items changed, which the library decides about.

Then what is refused in so many words, how old files are read, and what is bounded.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from itertools import combinations
from typing import Any

import pytest

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.rules.huggingface.padding import Padding
from reftok.rules.huggingface.truncation import Truncation

from ...broken_files import Damaged, check_damaged
from ...official import (
    Json,
    added,
    assert_same_encoding,
    bpe,
    official,
    outcome,
    own,
    own_normalized,
    own_parts,
    precompiled_charsmap,
    refusal,
    tokenizer_json,
    unigram,
    wordlevel,
    wordpiece,
)
from ...pipeline_comparison import Tally
from ...tokenizers_strategies.damaged import REPLACEMENTS, at, places

STRIP: Json = {"type": "Strip", "strip_left": True, "strip_right": False}
BERT_CLEANING: Json = {
    "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
    "lowercase": True,
}  # fmt: skip
REPLACE: Json = {"type": "Replace", "pattern": {"Regex": "[a-c]"}, "content": "b"}
CHARSMAP: Json = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(precompiled_charsmap()).decode()}
BYTE_LEVEL: Json = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": False}
METASPACE: Json = {
    "type": "Metaspace", "replacement": "_", "prepend_scheme": "always", "split": True, "add_prefix_space": True,
    "str_rep": "x",
}  # fmt: skip
SPLIT: Json = {"type": "Split", "pattern": {"String": "a"}, "behavior": "Contiguous", "invert": False}
BERT: Json = {"type": "BertProcessing", "sep": ["[SEP]", 1], "cls": ["[CLS]", 0]}
ROBERTA: Json = {**BERT, "type": "RobertaProcessing", "trim_offsets": True, "add_prefix_space": True}
TEXT_A: Json = {"Sequence": {"id": "A", "type_id": 0}}
TEXT_B: Json = {"Sequence": {"id": "B", "type_id": 0}}
SPECIAL: Json = {"SpecialToken": {"id": "<s>", "type_id": 0}}
TEMPLATE: Json = {
    "type": "TemplateProcessing",
    "single": [SPECIAL, TEXT_A],
    "pair": [TEXT_A, TEXT_B],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["a"]}},
}
BYTE_OPTIONS: Json = {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}
"""Those of ByteLevel, which say nothing at a template: Command R+ has them there."""
TRUNCATION: Json = {"direction": "Left", "max_length": 3, "strategy": "OnlyFirst", "stride": 1}
PADDING: Json = {
    "strategy": {"Fixed": 5}, "direction": "Left", "pad_to_multiple_of": 2, "pad_id": 1, "pad_type_id": 2,
    "pad_token": "p",
}  # fmt: skip
SUFFIX: Json = {"type": "BPEDecoder", "suffix": "</w>"}
WORDS: Json = {"type": "WordPiece", "prefix": "##", "cleanup": True}
DECODERS: list[Json] = [
    SUFFIX, BYTE_LEVEL, WORDS, METASPACE,
    {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True},
    {"type": "Sequence", "decoders": [SUFFIX]}, REPLACE, {"type": "Fuse"},
    {"type": "Strip", "content": "a", "start": 1, "stop": 0}, {"type": "ByteFallback"},
]  # fmt: skip
MODELS = [
    bpe(
        {"a": 0, "b": 1, "ab": 2},
        [("a", "b")],
        **dict.fromkeys(["dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"]),
        **dict.fromkeys(["fuse_unk", "byte_fallback", "ignore_merges"], False),
    ),
    wordpiece(["[UNK]", "a", "##b"]),
    wordlevel(["<unk>", "a"]),
    unigram(("<unk>", 0.0), ("a", -1.5), ("b", -2), byte_fallback=True),
]
COMPONENTS: dict[str, list[Any]] = {
    "normalizer": [
        {"type": "NFC"}, {"type": "Nmt"}, {"type": "ByteLevel"}, {"type": "Prepend", "prepend": "é"}, STRIP, REPLACE,
        {**STRIP, "type": "StripNormalizer"}, BERT_CLEANING, {**BERT_CLEANING, "type": "Bert"}, CHARSMAP,
        {"type": "Sequence", "normalizers": [{"type": "Lowercase"}]},
    ],
    "pre_tokenizer": [
        {"type": "BertPreTokenizer"}, BYTE_LEVEL, {"type": "CharDelimiterSplit", "delimiter": "-"},
        {"type": "Digits", "individual_digits": True}, {"type": "FixedLength", "length": 2},
        {**METASPACE, "prepend_scheme": "never", "split": False, "add_prefix_space": False},
        {"type": "Punctuation", "behavior": "MergedWithNext"}, SPLIT, {**SPLIT, "pattern": {"Regex": "[a-c]"}},
        {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}]}, {"type": "UnicodeScripts"},
        {"type": "Whitespace"},
    ],
    "post_processor": [
        BERT, ROBERTA, TEMPLATE, TEMPLATE | BYTE_OPTIONS, BYTE_LEVEL, {"type": "Sequence", "processors": [BERT]},
    ],
    "decoder": DECODERS,
    "model": MODELS,
    "truncation": [TRUNCATION],
    "padding": [PADDING],
    "added_tokens": [
        tokenizer_json(MODELS[0], [added("<s>", special=True), added("x y", normalized=True)])["added_tokens"],
    ],
    "version": ["1.0"],
}  # fmt: skip
"""By their stage all that a file can ask for, with all of their keys."""
CASES = [(stage, component) for stage, components in COMPONENTS.items() for component in components]
VOCAB = ["a", "b", "a</w>", "##b", "|", "<pad>a", ".", "aĠ", "<0x41>", "_c", "ab", "[UNK]"]


def file(stage: str, component: object) -> Json:
    """A file with one component; the tokens of its model mean something to each decoder."""
    return tokenizer_json(bpe(VOCAB, [("a", "b")])) | {stage: component}


def changed(config: Json, stage: str) -> Iterator[Json]:
    """The file with a value replaced by each other type, a key or item removed, or an object given a key."""
    for *path, key in places(config):
        if (path or [key])[0] != stage:
            continue
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


def checked(config: Json) -> ModelFormatError | None:
    return check_damaged(Damaged(json.dumps(config).encode(), ()), Tally())


KNOWN = (
    "added_tokens: is not",
    "is not an object but a list",  # serde reads a list for an object with fields in the order of the list
    "type: is ",  # and guesses the type by the keys
    "is not in special_tokens",
    "another length than ids",
    "gives the id",
    "pads to more than",
)
"""What the library reads, and reftok refuses as unsound."""
ROBERTA_AS_BERT = ("trim_offsets: is ", "add_prefix_space: is ")


@pytest.mark.parametrize(("stage", "component"), CASES, ids=lambda value: str(value)[:30])
def test_a_component_with_a_changed_value_is_read_as_by_the_library_or_refused(stage: str, component: Any) -> None:
    config = file(stage, component)
    assert checked(config) is None
    errors = [checked(other) for other in changed(config, stage)]
    unsound = [str(error) for error in errors if error is not None and not isinstance(error, UnsupportedFeature)]
    known = KNOWN + ROBERTA_AS_BERT * (component is ROBERTA)
    assert [error for error in unsound if not any(part in error for part in known)] == []


def without(component: Json, key: str) -> Json:
    return {name: value for name, value in component.items() if name != key}


REFUSED: list[tuple[str, Any, str]] = [
    ("normalizer", without(BERT_CLEANING, "clean_text"), "clean_text: is missing"),
    ("normalizer", {**BERT_CLEANING, "lowercase": None}, "lowercase: is not a boolean but null"),
    ("normalizer", {**BERT_CLEANING, "strip_accents": 1}, "strip_accents: is not a boolean but a number"),
    ("normalizer", {"type": "NFC", "form": "x"}, "form: this key is not known"),
    ("normalizer", {"type": "LowerCase"}, "type: LowerCase is not supported"),
    ("normalizer", {"prepend": "x"}, "type: is missing"),
    ("normalizer", {**CHARSMAP, "precompiled_charsmap": "A A="}, "precompiled_charsmap: is not base64: "),
    ("normalizer", {**CHARSMAP, "precompiled_charsmap": "\ud7ff"}, "precompiled_charsmap: is not base64: "),
    ("normalizer", {**CHARSMAP, "precompiled_charsmap": "AAAA\u0661==="}, "precompiled_charsmap: is not base64: "),
    ("pre_tokenizer", {"type": "Delimiter", "delimiter": "-"}, "type: Delimiter is not supported"),
    ("pre_tokenizer", {"type": "CharDelimiterSplit", "delimiter": "--"}, "delimiter: is not one character: '--'"),
    ("pre_tokenizer", {"type": "Metaspace", "replacement": "__"}, "replacement: is not one character: '__'"),
    ("pre_tokenizer", {**METASPACE, "add_prefix_space": False}, "add_prefix_space: does not match the prepend_scheme"),
    ("pre_tokenizer", {"type": "Digits"}, "individual_digits: is missing"),
    ("pre_tokenizer", {"type": "Punctuation", "behavior": "removed"}, "behavior: removed is not supported"),
    ("pre_tokenizer", {"type": "FixedLength", "length": 2.0},
     "length: is not a whole number from 0 to 18446744073709551615 but 2.0"),
    ("pre_tokenizer", {"type": "Whitespace", "pattern": "x"}, "pattern: this key is not known"),
    ("post_processor", {**BERT, "sep": "[SEP]"}, "sep: is not a list but a string"),
    ("post_processor", {**BERT, "sep": ["[SEP]"]}, "sep: is not a token and its id"),
    ("post_processor", {**BERT, "cls": ["[CLS]", 2**32]}, "cls: is not a token and its id"),
    ("post_processor", without(BERT, "cls"), "cls: is missing"),
    ("post_processor", without(BERT, "type"), "type: is missing"),
    ("post_processor", without(ROBERTA, "trim_offsets"), "trim_offsets: is missing"),
    ("post_processor", {**ROBERTA, "type": "BertProcessing"}, "trim_offsets: this key is not known"),
    ("post_processor", without(TEMPLATE, "pair"), "pair: is missing"),
    ("post_processor", {**TEMPLATE, "pair": "$A $B"}, "pair: is not a list but a string"),
    ("decoder", {"type": "Unknown", "suffix": "</w>"}, "type: Unknown is not supported"),
    ("decoder", {"suffix": "</w>", "prefix": "##", "cleanup": True}, "prefix: this key is not known"),
    ("model", {**MODELS[1], "type": "bpe"}, "type: bpe is not supported"),
    ("model", {**MODELS[1], "max_input_chars_per_word": 1.0}, "max_input_chars_per_word: is not a whole number"),
    ("truncation", [], " is not an object but a list"),
    ("truncation", without(TRUNCATION, "stride"), "stride: is missing"),
    ("truncation", {**TRUNCATION, "max_length": 2**64}, "max_length: is not a whole number from 0"),
    ("truncation", {**TRUNCATION, "strategy": "longest_first"}, "strategy: longest_first is not supp"),
    ("truncation", {**TRUNCATION, "direction": "left"}, "direction: left is not supported"),
    ("truncation", {**TRUNCATION, "unknown": 1}, "unknown: this key is not known"),
    ("padding", "BatchLongest", " is not an object but a string"),
    ("padding", without(PADDING, "pad_token"), "pad_token: is missing"),
    ("padding", {**PADDING, "strategy": "Fixed"}, "strategy: Fixed is not supported"),
    ("padding", {**PADDING, "strategy": {"Fixed": 1, "x": 1}}, "strategy.x: this key is not known"),
    ("padding", {**PADDING, "strategy": {"Fixed": 1.5}}, "strategy.Fixed: is not a whole number"),
    ("padding", {**PADDING, "pad_id": 2**32}, "pad_id: is not a whole number from 0 to 4294967295"),
    ("padding", {**PADDING, "pad_to_multiple_of": "2"}, "pad_to_multiple_of: is not a whole number"),
    ("padding", {**PADDING, "strategy": {"Fixed": (1 << 17) + 1}}, "strategy.Fixed: pads to more than 131072 tokens"),
    ("padding", {**PADDING, "pad_to_multiple_of": 2**63}, "pad_to_multiple_of: pads to more than 131072 tokens"),
    ("padding", {**PADDING, "unknown": 1}, "unknown: this key is not known"),
]  # fmt: skip


@pytest.mark.parametrize(("stage", "component", "problem"), REFUSED, ids=lambda value: str(value)[:30])
def test_what_is_refused_is_named_with_its_place(stage: str, component: Any, problem: str) -> None:
    place = f"tokenizer.json: {stage}{':' if problem[0] == ' ' else '.'}{problem}"
    assert refusal(partial(own, file(stage, component)))[: len(place)] == place


# --- old files


@pytest.mark.parametrize("vocab", [{"a": 0}, [["a", -1.0]]], ids=["object", "list"])
@pytest.mark.parametrize("count", range(6))
def test_models_of_old_files_are_told_by_their_keys(vocab: Any, count: int) -> None:
    """In the order of the library: BPE, WordPiece, WordLevel, Unigram; a key too many is refused by name."""
    options: Json = {"merges": [], "unk_token": "a", "continuing_subword_prefix": "##"}
    options |= {"max_input_chars_per_word": 100, "unk_id": 0}
    for keys in combinations(options, count):
        config = tokenizer_json({"vocab": vocab, **{key: options[key] for key in keys}})
        expected = outcome(lambda config=config: type(official(config).model).__name__)
        problem = refusal(partial(own, config))
        if not problem:
            assert type(own(config).rules.model).__name__ == expected
        else:
            assert ("this key is not known" in problem) == (expected != "refused")


def test_decoders_of_old_files_are_told_by_their_keys_at_any_depth() -> None:
    old = [without(decoder, "type") for decoder in DECODERS]
    readable = [decoder for decoder in old if outcome(partial(official, file("decoder", decoder))) != "refused"]
    assert [min(decoder) for decoder in readable] == ["suffix", "cleanup", "cleanup", "content", "content"]
    nested: Json = {"type": "Sequence", "decoders": [readable[0], {"type": "Sequence", "decoders": readable[1:]}]}
    for decoder in (*readable, nested):
        assert checked(file("decoder", decoder)) is None


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


# --- what is read


@pytest.mark.parametrize("normalizer", [STRIP, BERT_CLEANING])
def test_the_older_spelling_of_a_type_is_read_as_the_library_reads_it(normalizer: Json) -> None:
    older = {**normalizer, "type": {"Strip": "StripNormalizer", "BertNormalizer": "Bert"}[normalizer["type"]]}
    assert own_normalized(older, " \tÉ中 ").text == own_normalized(normalizer, " \tÉ中 ").text


def test_a_sequence_may_be_empty_or_nested_and_runs_from_left_to_right() -> None:
    prepend = {"type": "Prepend", "prepend": "É"}
    inner: Json = {"type": "Sequence", "normalizers": [prepend, {"type": "Sequence", "normalizers": []}]}
    for steps, expected in ([[inner, {"type": "Lowercase"}], "éa"], [[{"type": "Lowercase"}, inner], "Éa"]):
        normalizer = {"type": "Sequence", "normalizers": steps}
        assert own_normalized(normalizer, "A").text == expected
        assert_same_encoding(file("normalizer", normalizer), "A", "")


def test_every_key_of_truncation_and_padding_is_read() -> None:
    rules = own(file("truncation", TRUNCATION) | {"padding": PADDING}).rules
    assert rules.truncation == Truncation(3, "OnlyFirst", 1, "Left")
    assert rules.padding == Padding(5, "Left", 2, 1, 2, "p")
    short = file("truncation", without(TRUNCATION, "direction")) | {"padding": without(PADDING, "pad_to_multiple_of")}
    rules = own(short).rules
    assert rules.truncation == Truncation(3, "OnlyFirst", 1, "Right")
    assert rules.padding == Padding(5, "Left", None, 1, 2, "p")
    assert official(short).encode("abab").ids == own(short).encode("abab").ids


def test_null_and_nothing_are_the_same() -> None:
    nothing = without(without(tokenizer_json(bpe("ab")), "truncation"), "padding")
    for tokenizer in (own(tokenizer_json(bpe("ab"))), own(nothing)):
        assert (tokenizer.rules.truncation, tokenizer.rules.padding) == (None, None)
    assert official(nothing).truncation is official(nothing).padding is None


def test_the_largest_lengths_are_read() -> None:
    largest = {**PADDING, "strategy": {"Fixed": 131_072}, "pad_to_multiple_of": 131_072}
    assert own(file("padding", largest)).rules.padding == Padding(131_072, "Left", 131_072, 1, 2, "p")
    assert_same_encoding(file("truncation", {**TRUNCATION, "max_length": 2**64 - 1}), "ab")


# --- what is bounded


@pytest.mark.parametrize("key", ["single", "pair"])
@pytest.mark.parametrize(("repeated", "times"), [(501, 1), (40, 2)])
def test_templates_that_insert_a_hundred_thousand_ids_are_refused(key: str, repeated: int, times: int) -> None:
    special: Any = {"<s>": {"id": "<s>", "ids": [0] * 2000, "tokens": ["a"] * 2000}}
    template = {**TEMPLATE, key: [SPECIAL] * repeated + [TEXT_A], "special_tokens": special}
    sequence = {"type": "Sequence", "processors": [template] * times}
    place = rf"\.processors\[0\]\.{key}" if times == 1 else ""
    with pytest.raises(ModelFormatError, match=rf"post_processor{place}: inserts more than 131072 ids"):
        own(file("post_processor", sequence))


def test_byte_levels_that_double_the_text_without_end_are_refused() -> None:
    """The library makes 2**n characters of an accented letter."""
    steps: Json = {"type": "Sequence", "pretokenizers": [BYTE_LEVEL] * 3}
    assert_same_encoding(file("pre_tokenizer", steps), "é")
    steps = {"type": "Sequence", "pretokenizers": [BYTE_LEVEL, steps]}
    assert "more than 3 ByteLevel" in refusal(lambda: own_parts(steps, "é"))


def test_patterns_that_together_take_hundreds_of_megabytes_are_refused() -> None:
    splits = [{**SPLIT, "pattern": {"Regex": f"(?:ab?c{index}){{1000}}"}} for index in range(5)]
    assert own_parts({"type": "Sequence", "pretokenizers": splits[:3]}, "a") == [("a", (0, 1))]
    nested = {"type": "Sequence", "pretokenizers": [splits[0], {"type": "Sequence", "pretokenizers": splits[1:]}]}
    assert "the patterns have more than 20,000 parts" in refusal(lambda: own_parts(nested, "a"))
