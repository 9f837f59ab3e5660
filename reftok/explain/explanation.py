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
from reftok.rules.trace import Piece, StageTrace
from reftok.rules.types import Span


@dataclass(frozen=True, slots=True)
class ExplainedStage:
    """One step of one stage.

    stage, component: as in the trace. options: of the component, by the names of the file format.
    unicode: the version of the character tables that it follows; None if it uses none.
    before, after: the parts of the text; after the model, its tokens.
    steps: of a model, for each part that it was given.
    """

    stage: str
    component: str
    options: dict[str, Any]
    unicode: str | None
    before: tuple[Piece, ...]
    after: tuple[Piece, ...]
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


def explain(rules: Pipeline, text: str, add_special_tokens: bool = True) -> Explanation:
    r"""Every stage's input and output for a text, and every step of the model.

    Raises InvalidText as `Tokenizer.encode` does.

    >>> import reftok
    >>> explanation = explain(reftok.load("bpe-qwen").rules, "cafe\u0301")
    >>> [(stage.component, [piece.text for piece in stage.after]) for stage in explanation.stages][1]
    ('NFC', ['café'])
    >>> [(token.token, token.text) for token in explanation.tokens]
    [('c', 'c'), ('af', 'af'), ('Ã©', 'e')]
    """
    trace = rules.trace(text, add_special_tokens=add_special_tokens)
    stages: list[ExplainedStage] = []
    before: tuple[Piece, ...] = (Piece(text, (0, len(text)), None),)
    for stage in trace.stages:
        stages.append(_explained(rules, stage, before))
        before = stage.pieces
    encoding = trace.encoding
    columns = zip(encoding.ids, encoding.tokens, encoding.offsets, encoding.special_tokens_mask, strict=True)
    unknown_id = named_id("unk", rules)
    tokens = []
    for token_id, token, span, special in columns:
        part = text[slice(*span)]
        is_byte = _BYTE_TOKEN.fullmatch(token) is not None
        is_unknown = token_id == unknown_id and not special and part != rules.id_to_token(token_id)
        tokens.append(ExplainedToken(token_id, token, span, part, bool(special), is_byte, is_unknown))
    return Explanation(rules.library, text, tuple(stages), tuple(tokens))


def _explained(rules: Pipeline, stage: StageTrace, before: tuple[Piece, ...]) -> ExplainedStage:
    steps: list[Steps] = []
    if stage.stage == "Model":
        shown = (model_steps(stage.performer, piece.text) for piece in before if piece.ids is None)
        steps = [found for found in shown if found is not None]
    version = unicode_version(rules.library, stage.performer)
    return ExplainedStage(
        stage.stage, stage.component, options(stage.performer), version, before, stage.pieces, tuple(steps)
    )


def options(component: object) -> dict[str, Any]:
    """The options of a component that is a dataclass or has one, as JSON values; patterns as they are written.

    >>> from reftok.rules.huggingface.pre_tokenizers import Metaspace
    >>> options(Metaspace("▁", "first", True))
    {'replacement': '▁', 'prepend_scheme': 'first', 'split': True}
    """
    options = getattr(component, "options", component)
    if not dataclasses.is_dataclass(options):
        return {}
    values = {field.name: getattr(options, field.name) for field in dataclasses.fields(options)}
    return {name: shown for name, value in values.items() if (shown := _option(value)) is not _HIDDEN}


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
    """The explanation as JSON values."""
    return {
        "library": explanation.library,
        "text": explanation.text,
        "stages": [_stage_to_json(stage) for stage in explanation.stages],
        "tokens": [dataclasses.asdict(token) for token in explanation.tokens],
    }


def _stage_to_json(stage: ExplainedStage) -> dict[str, Any]:
    value: dict[str, Any] = {"stage": stage.stage, "component": stage.component, "options": stage.options}
    value["unicode"] = stage.unicode
    value["pieces"] = [dataclasses.asdict(piece) for piece in stage.after]
    if stage.steps:
        value["steps"] = [{"kind": type(steps).__name__, **_plain(dataclasses.asdict(steps))} for steps in stage.steps]
    return value


def _plain(value: Any) -> Any:
    """The value with text in place of bytes, escapes for those that are not UTF-8."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
