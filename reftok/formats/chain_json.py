"""Readers that the stages of tokenizer.json share: sequences, patterns, Metaspace's options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reftok.errors import UnsupportedFeature
from reftok.formats.fields import Fields
from reftok.spec.patterns import Pattern, compile_oniguruma
from reftok.spec.pretokenizers import PrependScheme


def read_chain(fields: Fields | None, children: str, readers: dict[str, Callable[[Fields], Any]]) -> tuple[Any, ...]:
    """The components of a stage, sequences flattened.

    children: the key under which a Sequence holds its components. readers: by `type`.
    """
    if fields is None:
        return ()
    kind = fields.text("type")
    if kind == "Sequence":
        chain = [component for child in fields.objects(children) for component in read_chain(child, children, readers)]
    elif kind in readers:
        chain = [readers[kind](fields)]
    else:
        raise fields.unsupported("type", kind)
    fields.done()
    return tuple(chain)


def read_pattern(fields: Fields, key: str = "pattern") -> str | Pattern:
    """`{"String": …}`, taken literally, or `{"Regex": …}`."""
    pattern = fields.object(key)
    if pattern.has("String"):
        literal = pattern.text("String")
        pattern.done()
        return literal
    expression = pattern.text("Regex")
    pattern.done()
    try:
        return compile_oniguruma(expression)
    except UnsupportedFeature as error:
        raise UnsupportedFeature(fields.source, f"{fields.place}.{key}: {error.place}", error.problem) from None


def read_character(fields: Fields, key: str) -> str:
    """A string of one character."""
    character = fields.text(key)
    if len(character) != 1:
        raise fields.wrong(key, f"is not one character: {character!r:.60}")
    return character


def read_metaspace(fields: Fields) -> tuple[str, PrependScheme, bool]:
    """The options that the pre-tokenizer and the decoder share; `str_rep` is of old files and unused."""
    fields.optional_text("str_rep")
    replacement = read_character(fields, "replacement")
    scheme = fields.choice("prepend_scheme", ("first", "never", "always"), "always")
    if not fields.optional_boolean("add_prefix_space", True) and scheme != "never":
        raise fields.wrong("add_prefix_space", f"does not match the prepend_scheme {scheme}")
    return replacement, scheme, fields.optional_boolean("split", True)
