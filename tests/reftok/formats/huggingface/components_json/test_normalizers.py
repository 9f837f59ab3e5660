from __future__ import annotations

import pytest

from reftok.errors import ModelFormatError

from ....official import (
    Json,
    assert_same_encoding,
    bpe,
    official,
    outcome,
    own,
    own_normalized,
    refusal,
    tokenizer_json,
)

STRIP: Json = {"type": "Strip", "strip_left": True, "strip_right": False}
BERT: Json = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": True}
TEXT = " \tÉ中 "


def config(normalizer: Json) -> Json:
    return tokenizer_json(bpe(["<unk>", "a"], unk_token="<unk>"), normalizer=normalizer)


@pytest.mark.parametrize("normalizer", [STRIP, BERT])
def test_the_older_spelling_of_a_type_is_read_as_the_library_reads_it(normalizer: Json) -> None:
    older = {**normalizer, "type": {"Strip": "StripNormalizer", "BertNormalizer": "Bert"}[normalizer["type"]]}
    assert own_normalized(older, TEXT).text == own_normalized(normalizer, TEXT).text
    assert_same_encoding(config(older), TEXT)


def test_strip_accents_may_be_missing_which_is_as_null() -> None:
    for normalizer in (BERT, {**BERT, "strip_accents": None}):
        assert assert_same_encoding(config(normalizer), TEXT).offsets[2:4] == [(2, 3), (3, 4)]
        assert own_normalized(normalizer, TEXT).text == "  e 中  "


@pytest.mark.parametrize("key", ["clean_text", "handle_chinese_chars", "lowercase"])
def test_the_other_options_of_bert_may_not_be_missing(key: str) -> None:
    normalizer = {name: value for name, value in BERT.items() if name != key}
    assert refusal(lambda: own(config(normalizer))) == f"tokenizer.json: normalizer.{key}: is missing"
    assert outcome(lambda: official(config(normalizer))) == "refused"


@pytest.mark.parametrize(("key", "value"), [("strip_accents", 1), ("strip_accents", "true"), ("lowercase", None)])
def test_an_option_of_bert_of_another_type_is_refused(key: str, value: object) -> None:
    normalizer = {**BERT, key: value}
    assert refusal(lambda: own(config(normalizer))).startswith(f"tokenizer.json: normalizer.{key}: is not a boolean")
    assert outcome(lambda: official(config(normalizer))) == "refused"


@pytest.mark.parametrize("kind", ["Nmt", "StripAccents", "Lowercase", "ByteLevel", "NFC", "BertNormalizer"])
def test_a_key_that_is_not_known_is_refused(kind: str) -> None:
    normalizer = {**(BERT if kind == "BertNormalizer" else {}), "type": kind, "form": "x"}
    assert "normalizer.form: this key is not known" in refusal(lambda: own(config(normalizer)))


@pytest.mark.parametrize("kind", ["LowerCase", "Metaspace", "NFCNormalizer", ""])
def test_a_type_that_is_not_known_is_refused(kind: str) -> None:
    assert refusal(lambda: own(config({"type": kind}))) == f"tokenizer.json: normalizer.type: {kind} is not supported"
    assert outcome(lambda: official(config({"type": kind}))) == "refused"


def test_a_component_without_type_is_refused_though_the_library_guesses_it() -> None:
    assert refusal(lambda: own(config({"prepend": "x"}))) == "tokenizer.json: normalizer.type: is missing"


def test_a_sequence_may_be_empty_or_nested_and_runs_from_left_to_right() -> None:
    prepend = {"type": "Prepend", "prepend": "É"}
    inner: Json = {"type": "Sequence", "normalizers": [prepend, {"type": "Sequence", "normalizers": []}]}
    for steps, expected in ([[inner, {"type": "Lowercase"}], "éa"], [[{"type": "Lowercase"}, inner], "Éa"]):
        normalizer = {"type": "Sequence", "normalizers": steps}
        assert own_normalized(normalizer, "A").text == expected
        assert_same_encoding(config(normalizer), "A", "")


def test_a_chain_that_blows_a_text_up_is_refused() -> None:
    chain: Json = {"type": "Sequence", "normalizers": [{"type": "ByteLevel"}] * 60}
    with pytest.raises(ModelFormatError, match="normalizer: makes"):
        own(config(chain)).encode("é")


@pytest.mark.parametrize("charsmap", ["A", "AA=A", "A A=", "é", "\ud7ff", "AAAA\u0661==="])
def test_a_charsmap_that_is_not_base64_is_refused_whatever_its_characters(charsmap: str) -> None:
    normalizer = {"type": "Precompiled", "precompiled_charsmap": charsmap}
    assert refusal(lambda: own(config(normalizer))).startswith(
        "tokenizer.json: normalizer.precompiled_charsmap: is not base64: "
    )
    assert outcome(lambda: official(config(normalizer))) == "panicked"
