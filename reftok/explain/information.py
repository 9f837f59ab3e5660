"""The stages and settings of a tokenizer, as JSON values and as text."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from reftok.explain.explanation import options, options_text
from reftok.explain.unicode_profile import unicode_profile, unicode_version
from reftok.formats.named_ids import named_id
from reftok.rules.pipeline import Pipeline

_SHOWN_TOKENS = 10
_HEADING = 17
"""How wide the column of headings is."""
_STAGES = ("normalizers", "pre_tokenizers", "post_processors", "decoders")


def information(rules: Pipeline) -> dict[str, Any]:
    """The library that it follows, its stages with their options and Unicode versions, its vocab and special tokens.

    >>> import reftok
    >>> told = information(reftok.load("bpe-qwen").rules)
    >>> told["library"], [component["type"] for component in told["normalizers"]], told["unicode"]["NFC"]
    ('tokenizers', ['NFC'], '9.0')
    """
    ids = {name: named_id(name, rules) for name in ("unk", "bos", "eos", "pad")}
    added = sorted(rules.added_tokens.tokens.items())

    def described(component: object) -> dict[str, Any] | None:
        if component is None:
            return None
        known = {"options": options(component), "unicode": unicode_version(rules.library, component)}
        return {"type": type(component).__name__, **{name: value for name, value in known.items() if value}}

    return {
        "library": rules.library,
        "model": described(rules.model),
        "vocab_size": rules.vocab_size,
        "special_ids": {
            name: {"id": token_id, "token": rules.id_to_token(token_id)}
            for name, token_id in ids.items()
            if token_id is not None
        },
        "byte_fallback": getattr(rules.model, "byte_fallback", None),
        "added_tokens": [{"id": token_id, **dataclasses.asdict(token)} for token_id, token in added],
        **{stage: [*map(described, getattr(rules, stage) or ())] for stage in _STAGES},
        "truncation": described(rules.truncation),
        "padding": described(rules.padding),
        "unicode": dict(unicode_profile(rules)),
    }


def information_lines(told: dict[str, Any]) -> Iterator[str]:
    """The same for people."""
    if "file" in told:
        yield from _rows("file", [told["file"]])
    yield from _rows("follows", [told["library"]])
    yield from _rows("model", [_shown(told["model"])])
    yield from _rows("vocab", [f"{told['vocab_size']:,} ids, {len(told['added_tokens']):,} of them added tokens"])
    shown = (f"{name} {known['id']} {known['token']!r}" for name, known in told["special_ids"].items())
    yield from _rows("special ids", ["  ".join(shown)] if told["special_ids"] else [])
    if told["byte_fallback"] is not None and "byte_fallback" not in told["model"].get("options", {}):
        yield from _rows("byte fallback", ["yes" if told["byte_fallback"] else "no"])
    for stage in _STAGES:
        yield from _rows(stage, map(_shown, told[stage]))
    for stage in ("truncation", "padding"):
        yield from _rows(stage, [_shown(told[stage])] if told[stage] else [])
    tokens = told["added_tokens"]
    first = (f"{token['id']}  {token['content']!r}{'  special' * token['special']}" for token in tokens[:_SHOWN_TOKENS])
    hidden = len(tokens) - _SHOWN_TOKENS
    yield from _rows("added_tokens", [*first, *([f"and {hidden:,} more: --json shows all"] if hidden > 0 else [])])
    if "caches" in told:
        caches = told["caches"]
        most = f"{caches['entries']:,} texts, of {caches['characters']:,} characters together"
        yield from _rows("caches", [f"the largest remember at most {most} each"])


def _rows(heading: str, values: Iterable[str]) -> Iterator[str]:
    """A row for each value, the heading in the first."""
    return (f"{'' if index else heading:{_HEADING}}{value}" for index, value in enumerate(values))


def _shown(component: dict[str, Any]) -> str:
    named = options_text(component.get("options", {}))
    unicode = f"  Unicode {component['unicode']}" if "unicode" in component else ""
    return f"{component['type']}({named}){unicode}" if named else f"{component['type']}{unicode}"
