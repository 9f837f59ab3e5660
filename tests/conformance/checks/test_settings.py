"""Ports that get pairs, truncation or padding wrong are found by the check of settings, told once, and named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers

import conformance
from reftok import embedded_models
from tests.conformance.generators.tiny import tiny_json

PARTS = ("ids", "type_ids", "attention_mask", "special_tokens_mask", "word_ids")
OF_HUGGINGFACE = sorted(name for name, path in embedded_models().items() if path.suffix == ".json")
TEXTS = ("abc aab bca", "a b c aa bb cc abcabc", "one two three", "b a", "a, b. c!", "aaaa bbbb cccc dddd eeee", "x")
"""For each some twenty questions are drawn."""


def templated() -> dict[str, Any]:
    """The tiny model with a template that has the second text in the segment 1."""
    model = tiny_json()
    ids = {token["content"]: token["id"] for token in model["added_tokens"]}
    model["post_processor"] = {"type": "BertProcessing", "cls": ["<s>", ids["<s>"]], "sep": ["<w>", ids["<w>"]]}
    return model


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tokenizer.json"
    path.write_text(json.dumps(templated()), "utf-8")
    return path


class Alone:
    """The official library, asked for ids and texts alone."""

    def __init__(self, path: Path) -> None:
        self.tokenizer = tokenizers.Tokenizer.from_file(str(path))

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=add_special_tokens).ids
        return ids

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        text: str = self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
        return text


class Port(Alone):
    """The same with settings, and with mistakes."""

    def taken(self, settings: dict[str, Any]) -> None:
        """Change what is asked for."""

    def given(self, encoding: dict[str, Any]) -> None:
        """Change what is answered."""

    def encode_with(self, inputs: list[Any], settings: dict[str, Any]) -> list[dict[str, Any]]:
        settings = {name: dict(value) if isinstance(value, dict) else value for name, value in settings.items()}
        self.taken(settings)
        encodings = [*map(parts, self.encoded(inputs, settings))]
        for encoding in encodings:
            self.given(encoding)
        return encodings

    def encoded(self, inputs: list[Any], settings: dict[str, Any]) -> list[Any]:
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        if "truncation" in settings:
            self.tokenizer.enable_truncation(**settings["truncation"])
        if "padding" in settings:
            self.tokenizer.enable_padding(**settings["padding"])
        names = ("is_pretokenized", "add_special_tokens")
        try:
            encodings: list[Any] = self.tokenizer.encode_batch(inputs, **{name: settings[name] for name in names})
        finally:
            self.tokenizer.no_truncation()
            self.tokenizer.no_padding()
        return encodings


def parts(encoding: Any) -> dict[str, Any]:
    if isinstance(encoding, dict):
        return encoding
    overflowing = [other.ids for other in encoding.overflowing]
    return {**{part: getattr(encoding, part) for part in PARTS}, "overflowing": overflowing}


class SingleTemplates(Port):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        special = [(token, self.tokenizer.token_to_id(token)) for token in ("<s>", "<w>")]
        template = tokenizers.processors.TemplateProcessing("<s> $A <w>", "<s> $A <w> <s> $B <w>", special)
        self.tokenizer.post_processor = template  # type: ignore[assignment]


class CutsLast(Port):
    def encoded(self, inputs: list[Any], settings: dict[str, Any]) -> list[Any]:
        if "truncation" not in settings or "padding" in settings:
            return super().encoded(inputs, settings)
        truncation = settings.pop("truncation")
        for encoding in (found := super().encoded(inputs, settings)):
            encoding.truncate(truncation["max_length"], direction=truncation["direction"])
        return [{part: getattr(one, part) for part in PARTS} for one in found]


class Unbatched(Port):
    def encoded(self, inputs: list[Any], settings: dict[str, Any]) -> list[Any]:
        return [one for each in inputs for one in super(Unbatched, self).encoded([each], settings)]


class Uncounted(Port):
    def encoded(self, inputs: list[Any], settings: dict[str, Any]) -> list[Any]:
        if "truncation" in settings and settings["add_special_tokens"]:
            is_pair = isinstance(inputs[0], tuple)
            settings["truncation"]["max_length"] += self.tokenizer.num_special_tokens_to_add(is_pair)
        return super().encoded(inputs, settings)


def takes(name: str, **changes: Any) -> type[Port]:
    """A port that takes settings for others; a function of one gives another."""

    def taken(self: Port, settings: dict[str, Any]) -> None:
        for field, value in changes.items() if name in settings else ():
            settings[name][field] = value(settings[name][field]) if callable(value) else value

    return type("Takes", (Port,), {"taken": taken})


def ignores(name: str) -> type[Port]:
    return type("Ignores", (Port,), {"taken": lambda self, settings: settings.pop(name, None)})


def gives(part: str, change: Callable[[list[Any]], list[Any]]) -> type[Port]:
    def given(self: Port, encoding: dict[str, Any]) -> None:
        encoding[part] = change(encoding[part])

    return type("Gives", (Port,), {"given": given})


DEFECTS: tuple[tuple[type[Port], str, str], ...] = (
    (SingleTemplates, "PostProcessor", "a pair is encoded as two single texts"),
    (gives("type_ids", lambda ids: [0] * len(ids)), "PostProcessor", "type ids are all 0"),
    (
        gives("word_ids", lambda ids: [word if word is None else word + 1 for word in ids]),
        "PostProcessor",
        "word ids are one too high",
    ),
    (ignores("truncation"), "Truncation", "truncation is ignored"),
    (takes("truncation", direction="right"), "Truncation", "truncation always cuts on the right"),
    (takes("truncation", strategy="longest_first"), "Truncation", "pairs are always cut longest_first"),
    (takes("truncation", stride=lambda stride: max(0, stride - 1)), "Truncation", "stride is one too low"),
    (takes("truncation", stride=0), "Truncation", "stride is ignored"),
    (Uncounted, "Truncation", "special tokens are not counted in max_length"),
    (CutsLast, "Truncation", "truncation cuts what the template has added"),
    (gives("overflowing", lambda ids: []), "Truncation", "what overflows is dropped"),
    (ignores("padding"), "Padding", "padding is ignored"),
    (takes("padding", direction="right"), "Padding", "padding is always on the right"),
    (takes("padding", pad_to_multiple_of=None), "Padding", "pad_to_multiple_of is ignored"),
    (takes("padding", pad_id=0), "Padding", "pad_id is always 0"),
    (Unbatched, "Padding", "each text of a batch is padded by itself"),
    (gives("attention_mask", lambda mask: [1] * len(mask)), "Padding", "attention_mask is 1 for padding"),
)


@pytest.mark.parametrize(("defect", "stage", "rule"), DEFECTS, ids=[rule for *_, rule in DEFECTS])
def test_a_planted_defect_is_told_once_and_named(model: Path, defect: type[Port], stage: str, rule: str) -> None:
    port = defect(model)
    found = [one for text in TEXTS for one in conformance.compare(port, model, text, checks=["settings"])]
    assert {(one.stage, one.rule) for one in found} == {(stage, rule)}
