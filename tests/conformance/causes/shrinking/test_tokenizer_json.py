"""A tokenizer.json is taken apart and put together so that it stays one, and loses what nothing needs."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any

import pytest
import tokenizers

from conformance.causes.shrinking.charsmap import charsmap
from conformance.causes.shrinking.search import Search
from conformance.causes.shrinking.tokenizer_json import JsonModel, json_model, steps
from conformance.core.case import Case, ids_case, text_case
from conformance.generators.charsmap_rules import charsmap_rules
from reftok import embedded_models
from reftok.unicode.charsmap import Charsmap

TEXTS = ("hello world", "cafe\u0301 [norm]  \u2460", "<|im_start|>user 123!\n", "")
JSON_MODELS = [name for name, path in embedded_models().items() if path.suffix == ".json"]
MANY = 5_000
PATTERN = r"(?i:'s|'t)|\p{L}+|\p{N}|\s+"
TINY: dict[str, Any] = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [
        {"id": number, "content": content, "special": special}
        | dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
        for number, content, special in [(7, "<s>", True), (8, "<x>", False)]
    ],
    "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]},
    "pre_tokenizer": {"type": "Split", "pattern": {"Regex": PATTERN}, "behavior": "Isolated", "invert": False},
    "post_processor": {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [7], "tokens": ["<s>"]}},
    },
    "decoder": {"type": "Fuse"},
    "model": {
        "type": "BPE",
        "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "'": 5, "s": 6},
        "merges": ["a b", ["ab", "c"]],
    },
}


def encoded(root: dict[str, Any] | bytes, text: str) -> tuple[list[int], list[str]]:
    data = root if isinstance(root, bytes) else json.dumps(root).encode()
    encoding = tokenizers.Tokenizer.from_buffer(data).encode(text)
    return encoding.ids, encoding.tokens


def tiny(**changes: Any) -> JsonModel:
    return json_model(json.dumps({**TINY, **changes}).encode())


def smaller(model: JsonModel, case: Case, fails: Callable[[dict[str, Any], Case], bool], tokens: list[str]) -> Any:
    """What is left of the model, as JSON, and of the ids of the case."""
    search = Search(model.keeping(tokens), case, lambda data, other: fails(json.loads(data), other), MANY)
    search.run(steps(tokens))
    written = search.model.written(case)
    assert written is not None
    return json.loads(written[0]), written[1].ids


@pytest.mark.parametrize("name", JSON_MODELS)
def test_what_is_written_answers_as_what_was_read(name: str) -> None:
    data = embedded_models()[name].read_bytes()
    written = json_model(data).written(text_case("", "test"))
    assert written is not None
    for text in TEXTS:
        assert encoded(written[0], text) == encoded(data, text)


def test_ids_follow_their_tokens() -> None:
    model = tiny().with_entries([entry for entry in tiny().entries if entry.token in ("b", "abc")])
    written = model.written(ids_case((1, 4, 7, 8, 99), "test"))
    assert written is not None
    assert written[1].ids == (0, 1, 2, 3, 99)
    assert encoded(written[0], "b<x>") == ([2, 0, 3], ["<s>", "b", "<x>"])


def test_a_case_with_an_id_that_is_dropped_is_not_written() -> None:
    model = tiny().with_entries([entry for entry in tiny().entries if entry.token != "b"])
    assert model.written(ids_case((1,), "test")) is None


def test_merges_go_with_their_parts_and_results() -> None:
    assert tiny().with_entries([e for e in tiny().entries if e.token != "abc"]).merges == (("a", "b"),)
    assert tiny().with_entries([e for e in tiny().entries if e.token != "b"]).merges == (("ab", "c"),)
    assert tiny().with_entries([e for e in tiny().entries if e.token != "ab"]).merges == ()


def test_the_unknown_token_and_the_letters_of_tokens_stay() -> None:
    model = {**TINY["model"], "unk_token": "c"}
    left, _ = smaller(tiny(model=model), text_case("ab", "test"), lambda root, case: True, ["ab"])
    assert left["model"]["vocab"] == {"a": 0, "b": 1, "c": 2}
    assert left["model"]["merges"] == []


def test_the_unknown_id_of_a_unigram_moves_with_its_entry() -> None:
    vocab = [["x", -1.0], ["y", -2.0], ["<unk>", 0.0], ["z", -3.0]]
    left, _ = smaller(
        tiny(model={"type": "Unigram", "unk_id": 2, "vocab": vocab}),
        text_case("y", "test"),
        lambda root, case: True,
        ["y"],
    )
    assert left["model"]["vocab"] == [["y", -2.0], ["<unk>", 0.0]]
    assert left["model"]["unk_id"] == 1


def test_only_the_step_that_is_needed_is_left() -> None:
    left, _ = smaller(tiny(), text_case("x", "test"), lambda root, case: "Lowercase" in str(root), [])
    assert left["normalizer"] == {"type": "Lowercase"}
    assert left["pre_tokenizer"] is left["post_processor"] is left["decoder"] is None
    assert left["added_tokens"] == []


def test_only_the_alternatives_that_are_needed_are_left() -> None:
    def fails(root: dict[str, Any], case: Case) -> bool:
        pattern = (root["pre_tokenizer"] or {"pattern": {"Regex": ""}})["pattern"]["Regex"]
        return "'t" in pattern and r"\s+" in pattern

    left, _ = smaller(tiny(), text_case("x", "test"), fails, [])
    assert left["pre_tokenizer"]["pattern"]["Regex"] == r"(?i:'t)|\s+"


def test_a_pattern_that_is_needed_keeps_an_alternative() -> None:
    left, _ = smaller(tiny(), text_case("x", "test"), lambda root, case: bool(root["pre_tokenizer"]), [])
    assert left["pre_tokenizer"]["pattern"]["Regex"] == r"\s+"


def test_one_step_leaves_only_the_rules_of_a_charsmap_that_are_needed() -> None:
    def rules(root: dict[str, Any]) -> list[tuple[str, str]]:
        normalizer = root["normalizer"]
        return charsmap_rules(Charsmap(b64decode(normalizer["precompiled_charsmap"]))) if normalizer else []

    needed = [("\u2460", "1"), ("\u2462", "3")]
    blob = charsmap([*needed, ("\u2461", "2"), ("\u2463", "4"), ("\u2464", "5")])
    model = tiny(normalizer={"type": "Precompiled", "precompiled_charsmap": b64encode(blob).decode("ascii")})
    case = text_case("\u2460\u2461\u2462\u2463", "test")
    search = Search(model, case, lambda data, case: {*needed} <= {*rules(json.loads(data))}, MANY)
    *_, drop_rules = steps([])
    drop_rules(search)
    written = search.model.written(case)
    assert written
    assert sorted(rules(json.loads(written[0]))) == needed


def test_the_ids_of_a_template_are_those_of_its_tokens() -> None:
    def fails(root: dict[str, Any], case: Case) -> bool:
        return bool(root["post_processor"]) and any(token["content"] == "<s>" for token in root["added_tokens"])

    left, _ = smaller(tiny(), text_case("a", "test"), fails, ["<s>", "a"])
    assert left["model"]["vocab"] == {"a": 0}
    assert left["post_processor"]["special_tokens"]["<s>"]["ids"] == [1]
    assert encoded(left, "a") == ([1, 0], ["<s>", "a"])


def test_where_the_bold_guess_fails_halves_find_what_is_needed() -> None:
    vocab = {f"t{number}": number for number in range(3_000)}
    model = tiny(model={"type": "WordLevel", "vocab": vocab, "unk_token": "t0"})
    asked = 0

    def fails(root: dict[str, Any], case: Case) -> bool:
        nonlocal asked
        asked += 1
        return "t1234" in root["model"]["vocab"]

    left, _ = smaller(model, text_case("x", "test"), fails, [])
    assert left["model"]["vocab"] == {"t0": 0, "t1234": 1}
    assert asked < 60
