"""Ways to get the decoder wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from conformance.hypotheses.base import DecodingHypothesis, Text
from conformance.hypotheses.models import piece_table, unknown_id
from reftok import Tokenizer
from reftok.decoders import ByteLevel
from reftok.sentencepiece_pieces import PieceType

_REPLACEMENTS = re.compile("\ufffd+")
_SPACE_BEFORE_PUNCTUATION = re.compile(r" ([.,!?]|n't|'m|'s|'ve|'re)")
_SPACE, _LINE_FEED, _OTHERS = {"Ġ": " "}, {"Ċ": "\n"}, {"ĉ": "\t", "č": "\r"}
_PUT_BACK: tuple[dict[str, str], ...] = ({}, _SPACE, _SPACE | _LINE_FEED, _SPACE | _LINE_FEED | _OTHERS)
"""What those who join tokens as they stand in the vocab put back: nothing, spaces, line feeds, all white space."""


def of_decoders(tokenizer: Tokenizer) -> Iterator[DecodingHypothesis]:
    """Special tokens, incomplete characters, spaces, and steps that are missing."""
    decode: Text = lambda ids, skip: tokenizer.decode(ids, skip_special_tokens=skip)
    rules: dict[str, Text] = {
        "special tokens are kept": lambda ids, skip: decode(ids, False),
        "special tokens are always skipped": lambda ids, skip: decode(ids, True),
        "bytes that are not UTF-8 are dropped": lambda ids, skip: decode(ids, skip).replace("\ufffd", ""),
        "one U+FFFD for a run of bytes": lambda ids, skip: _REPLACEMENTS.sub("\ufffd", decode(ids, skip)),
        "text ends at the first NUL": lambda ids, skip: decode(ids, skip).partition("\0")[0],
        "white space at the ends is stripped": lambda ids, skip: decode(ids, skip).strip(),
        "leading spaces are stripped": lambda ids, skip: decode(ids, skip).lstrip(" "),
        "spaces before punctuation are removed": lambda ids, skip: _SPACE_BEFORE_PUNCTUATION.sub(
            r"\1", decode(ids, skip)
        ),
        "bytes are decoded as Latin-1": lambda ids, skip: decode(ids, skip).encode().decode("latin-1"),
        "each token is decoded alone": lambda ids, skip: "".join(decode([one], skip) for one in ids),
        "a space is put between tokens": lambda ids, skip: " ".join(decode([one], skip) for one in ids),
    }
    if any(isinstance(step, ByteLevel) for step in tokenizer.decoders or ()):
        for glyphs in _PUT_BACK:
            joined = partial(_glyphs, tokenizer, str.maketrans(glyphs))
            yield DecodingHypothesis("Decoder", "bytes are not mapped: glyphs are given out", joined)
    rules = _of_pieces(tokenizer, decode) | rules
    unknown = unknown_id(tokenizer)
    if unknown is not None:
        rules["the unknown token is given out as nothing"] = lambda ids, skip: decode(
            [one for one in ids if one != unknown], skip
        )
    for rule, text in rules.items():
        yield DecodingHypothesis("Decoder", rule, text)
    for index, step in enumerate(tokenizer.decoders or ()):
        yield _without(tokenizer, index, f"{type(step).__name__} is missing")


def _of_pieces(tokenizer: Tokenizer, decode: Text) -> dict[str, Text]:
    table = piece_table(tokenizer)
    if table is None:
        return {}
    byte_ids = {index for index, piece in enumerate(table.pieces) if piece.type is PieceType.BYTE}

    def shown(ids: Sequence[int], skip: bool) -> str:
        parts: list[str] = []
        run: list[int] = []
        for one in ids:
            if one in byte_ids:
                parts += [decode(run, skip), table.pieces[one].piece]
                run = []
            else:
                run.append(one)
        return "".join([*parts, decode(run, skip)])

    def prefixed(ids: Sequence[int], skip: bool) -> str:
        first = next((token for one in ids if (token := table.id_to_token(one))), "")
        return " " + decode(ids, skip) if first.startswith("▁") else decode(ids, skip)

    rules: dict[str, Text] = {"the space of the dummy prefix is kept": prefixed}
    return {"byte pieces are given out by name": shown, **rules} if byte_ids else rules


def _glyphs(tokenizer: Tokenizer, put_back: dict[int, str], ids: Sequence[int], skip: bool) -> str:
    special = tokenizer.added_tokens.special_ids() if skip else frozenset()
    tokens = (tokenizer.id_to_token(one) or "" for one in ids if one not in special)
    return "".join(tokens).translate(put_back)


def _without(tokenizer: Tokenizer, index: int, rule: str) -> DecodingHypothesis:
    decoders = tokenizer.decoders or ()
    changed = replace(tokenizer, decoders=(*decoders[:index], *decoders[index + 1 :]))
    return DecodingHypothesis(
        "Decoder",
        rule,
        lambda ids, skip: changed.decode(ids, skip_special_tokens=skip),
        lambda ids, skip: changed.trace_decode(ids, skip_special_tokens=skip),
    )
