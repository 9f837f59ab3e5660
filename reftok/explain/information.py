"""The stages and settings of a tokenizer, as JSON values and as text."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from reftok.explain.explanation import options, options_text
from reftok.explain.unicode_profile import unicode_profile, unicode_version
from reftok.formats.named_ids import named_id
from reftok.rules.pipeline import Pipeline

_SHOWN_TOKENS = 10
_HEADING = 17
"""How wide the column of headings is."""


def information(rules: Pipeline) -> dict[str, Any]:
    """The library that it follows, its stages with their options and Unicode versions, its vocab and special tokens.

    >>> import reftok
    >>> told = information(reftok.load("bpe-qwen").rules)
    >>> told["library"], [component["type"] for component in told["normalizers"]], told["unicode"]["NFC"]
    ('tokenizers', ['NFC'], '9.0')
    """
    added = rules.added_tokens
    return {
        "library": rules.library,
        "model": _component(rules, rules.model),
        "vocab_size": rules.vocab_size,
        "special_ids": _special_ids(rules),
        "byte_fallback": getattr(rules.model, "byte_fallback", None),
        "added_tokens": [
            {"id": token_id, **dataclasses.asdict(token)} for token_id, token in sorted(added.tokens.items())
        ],
        "normalizers": _components(rules, rules.normalizers),
        "pre_tokenizers": _components(rules, rules.pre_tokenizers),
        "post_processors": _components(rules, rules.post_processors or ()),
        "decoders": _components(rules, rules.decoders or ()),
        "truncation": None if rules.truncation is None else _component(rules, rules.truncation),
        "padding": None if rules.padding is None else _component(rules, rules.padding),
        "unicode": dict(unicode_profile(rules)),
    }


def _special_ids(rules: Pipeline) -> dict[str, dict[str, Any]]:
    """Those of unk, bos, eos and pad that there are."""
    ids = {name: named_id(name, rules) for name in ("unk", "bos", "eos", "pad")}
    return {
        name: {"id": token_id, "token": rules.id_to_token(token_id)}
        for name, token_id in ids.items()
        if token_id is not None
    }


def _components(rules: Pipeline, components: Sequence[object]) -> list[dict[str, Any]]:
    return [_component(rules, component) for component in components]


def _component(rules: Pipeline, component: object) -> dict[str, Any]:
    version = unicode_version(rules.library, component)
    return {
        "type": type(component).__name__,
        **({"options": options(component)} if options(component) else {}),
        **({"unicode": version} if version else {}),
    }


def information_lines(told: dict[str, Any]) -> Iterator[str]:
    """The same for people."""
    if "file" in told:
        yield _row("file", told["file"])
    yield _row("follows", told["library"])
    yield _row("model", _shown(told["model"]))
    yield _row("vocab", f"{told['vocab_size']:,} ids, {len(told['added_tokens']):,} of them added tokens")
    if told["special_ids"]:
        shown = (f"{name} {known['id']} {known['token']!r}" for name, known in told["special_ids"].items())
        yield _row("special ids", "  ".join(shown))
    if told["byte_fallback"] is not None and "byte_fallback" not in told["model"].get("options", {}):
        yield _row("byte fallback", "yes" if told["byte_fallback"] else "no")
    for key in ("normalizers", "pre_tokenizers", "post_processors", "decoders"):
        for index, component in enumerate(told[key]):
            yield _row("" if index else key, _shown(component))
    for key in ("truncation", "padding"):
        if told[key] is not None:
            yield _row(key, _shown(told[key]))
    for index, token in enumerate(told["added_tokens"][:_SHOWN_TOKENS]):
        special = "  special" if token["special"] else ""
        yield _row("" if index else "added_tokens", f"{token['id']}  {token['content']!r}{special}")
    hidden = len(told["added_tokens"]) - _SHOWN_TOKENS
    if hidden > 0:
        yield _row("", f"and {hidden:,} more: --json shows all")
    if "caches" in told:
        caches = told["caches"]
        most = f"{caches['entries']:,} texts, of {caches['characters']:,} characters together"
        yield _row("caches", f"the largest remember at most {most} each")


def _row(heading: str, value: str) -> str:
    return f"{heading:{_HEADING}}{value}"


def _shown(component: dict[str, Any]) -> str:
    named = options_text(component.get("options", {}))
    unicode = f"  Unicode {component['unicode']}" if "unicode" in component else ""
    return f"{component['type']}({named}){unicode}" if named else f"{component['type']}{unicode}"
