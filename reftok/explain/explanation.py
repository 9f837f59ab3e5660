"""A trace for people and for machines: every stage's input and output, and what went on inside the model."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import regex

from reftok.explain.model_steps import model_steps
from reftok.explain.steps import Steps
from reftok.explain.unicode_profile import unicode_version
from reftok.formats.named_ids import named_id
from reftok.regex_dialects.pattern import Pattern
from reftok.rules.pipeline import Pipeline
from reftok.rules.trace import Piece
from reftok.rules.types import Span


@dataclass(frozen=True, slots=True)
class ExplainedStage:
    """One step of one stage.

    stage, component: as in the trace. options: of the component, by the names of the file format.
    unicode: the version of the character tables that it follows, None if it uses none.
    pieces: the parts of the text after it; after the model, its tokens.
    steps: of a model, for each part that it was given.
    """

    stage: str
    component: str
    options: dict[str, Any]
    unicode: str | None
    pieces: tuple[Piece, ...]
    steps: tuple[Steps, ...]


@dataclass(frozen=True, slots=True)
class ExplainedToken:
    """A token of the result.

    text: what it stands for in the original text. is_byte: whether it is a byte piece such as <0x0A>. is_unknown:
        whether it is the unknown token, and stands for a text that is not just its name.
    """

    id: int
    token: str
    span: Span
    text: str
    is_special: bool
    is_byte: bool
    is_unknown: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """The way of one text through a tokenizer."""

    library: str
    text: str
    stages: tuple[ExplainedStage, ...]
    tokens: tuple[ExplainedToken, ...]


_BYTE_TOKEN = regex.compile(r"<0x[0-9A-Fa-f]{2}>")


def whole_text(text: str) -> tuple[Piece, ...]:
    """The parts of a text before any stage."""
    return (Piece(text, (0, len(text)), None),)


def explain(rules: Pipeline, text: str, add_special_tokens: bool = True) -> Explanation:
    r"""Every stage's input and output for a text, and every step of the model.

    Raises InvalidText as `Tokenizer.encode` does.

    >>> import reftok
    >>> explanation = explain(reftok.load("bpe-qwen").rules, "cafe\u0301")
    >>> [(stage.component, [piece.text for piece in stage.pieces]) for stage in explanation.stages][1]
    ('NFC', ['café'])
    >>> [(token.token, token.text) for token in explanation.tokens]
    [('c', 'c'), ('af', 'af'), ('Ã©', 'e')]
    """
    trace = rules.trace(text, add_special_tokens=add_special_tokens)
    stages: list[ExplainedStage] = []
    before = whole_text(text)
    for stage in trace.stages:
        given = [piece.text for piece in before if piece.ids is None] if stage.stage == "Model" else []
        steps = tuple(found for part in given if (found := model_steps(stage.performer, part)) is not None)
        version = unicode_version(rules.library, stage.performer)
        stages.append(
            ExplainedStage(stage.stage, stage.component, options(stage.performer), version, stage.pieces, steps)
        )
        before = stage.pieces
    encoding, unk_id = trace.encoding, named_id("unk", rules)
    tokens: list[ExplainedToken] = []
    for token_id, token, span, special in zip(
        encoding.ids, encoding.tokens, encoding.offsets, encoding.special_tokens_mask, strict=True
    ):
        part = text[slice(*span)]
        is_byte = _BYTE_TOKEN.fullmatch(token) is not None
        is_unknown = token_id == unk_id and not special and part != rules.id_to_token(token_id)
        tokens.append(ExplainedToken(token_id, token, span, part, bool(special), is_byte, is_unknown))
    return Explanation(rules.library, text, tuple(stages), tuple(tokens))


def options(component: object) -> dict[str, Any]:
    """The options of a component that is a dataclass or has one, as JSON values; patterns as they are written.

    >>> from reftok.rules.huggingface.pre_tokenizers import Metaspace
    >>> options(Metaspace("▁", "first", True))
    {'replacement': '▁', 'prepend_scheme': 'first', 'split': True}
    """
    options = getattr(component, "options", component)
    if not dataclasses.is_dataclass(options):
        return {}
    values = {field.name: _option(getattr(options, field.name)) for field in dataclasses.fields(options)}
    return {name: value for name, value in values.items() if value is not _HIDDEN}


def options_text(options: Mapping[str, Any]) -> str:
    """The options as in a call of Python, without those that are empty.

    >>> options_text({"prepend": "▁", "suffix": "", "length": 5})
    "prepend='▁', length=5"
    """
    return ", ".join(f"{name}={value!r}" for name, value in options.items() if value not in (None, ""))


_HIDDEN = object()


def _option(value: object) -> Any:
    """The value for JSON; what is neither plain nor made of plain values is left out."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Pattern):
        return value.source
    if isinstance(value, tuple | list | frozenset):
        items = [_option(item) for item in (sorted(value) if isinstance(value, frozenset) else value)]
        return _HIDDEN if _HIDDEN in items else items
    return options(value) if dataclasses.is_dataclass(value) else _HIDDEN


def to_json(explanation: Explanation) -> dict[str, Any]:
    """The explanation as JSON values; bytes that are not UTF-8 become escapes."""
    value: dict[str, Any] = _plain(dataclasses.asdict(explanation))
    for stage, explained in zip(value["stages"], explanation.stages, strict=True):
        kinds = [type(steps).__name__ for steps in explained.steps]
        stage["steps"] = [{"kind": kind, **steps} for kind, steps in zip(kinds, stage["steps"], strict=True)]
        if not kinds:
            del stage["steps"]
    return value


def _plain(value: Any) -> Any:
    """The value with text in place of bytes."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
