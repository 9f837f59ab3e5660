"""Ways to get the decoder wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from conformance.faults.fault import DecodingFault, Text, with_steps
from conformance.faults.models import piece_table
from reftok import Tokenizer
from reftok.spec.byte_level import from_byte_characters
from reftok.spec.decoders import ByteLevel
from reftok.spec.sentencepiece.pieces import PieceType

_REPLACEMENTS = re.compile("\ufffd+")
_ESCAPED = re.compile("[\udc80-\udcff]")
"""Bytes that "surrogateescape" has left alone."""
_BEFORE_PUNCTUATION = re.compile(r" ([.,!?]|n't|'m|'s|'ve|'re)")
_FIRST_WRONG = "text ends at the first bytes that are not UTF-8"
_SPACE, _LINE_FEED, _OTHERS = {"Ġ": " "}, {"Ċ": "\n"}, {"ĉ": "\t", "č": "\r"}
_PUT_BACK: tuple[dict[str, str], ...] = ({}, _SPACE, _SPACE | _LINE_FEED, _SPACE | _LINE_FEED | _OTHERS)
"""Characters put back where tokens are joined as they stand in the vocab: none, spaces, line feeds, all white space."""


def of_decoders(tokenizer: Tokenizer) -> Iterator[DecodingFault]:
    """Special tokens, incomplete characters, spaces, and steps that are missing."""
    decode: Text = lambda ids, skip: tokenizer.decode(ids, skip_special_tokens=skip)
    rules: list[tuple[str, Text]] = [
        ("special tokens are kept", lambda ids, skip: decode(ids, False)),
        ("special tokens are always skipped", lambda ids, skip: decode(ids, True)),
        ("bytes that are not UTF-8 are dropped", lambda ids, skip: decode(ids, skip).replace("\ufffd", "")),
        ("one U+FFFD for a run of bytes", lambda ids, skip: _REPLACEMENTS.sub("\ufffd", decode(ids, skip))),
        ("text ends at the first NUL", lambda ids, skip: decode(ids, skip).partition("\0")[0]),
        ("NULs at the end are lost", lambda ids, skip: decode(ids, skip).rstrip("\0")),
        (_FIRST_WRONG, lambda ids, skip: decode(ids, skip).partition("\ufffd")[0]),
        (_FIRST_WRONG, lambda ids, skip: "".join(decode(ids, skip).partition("\ufffd")[:2])),
        ("white space at the ends is stripped", lambda ids, skip: decode(ids, skip).strip()),
        ("leading spaces are stripped", lambda ids, skip: decode(ids, skip).lstrip(" ")),
        ("spaces before punctuation are removed", lambda ids, skip: _BEFORE_PUNCTUATION.sub(r"\1", decode(ids, skip))),
        ("bytes are decoded as Latin-1", lambda ids, skip: decode(ids, skip).encode().decode("latin-1")),
        ("each token is decoded alone", lambda ids, skip: "".join(decode([one], skip) for one in ids)),
        ("a space is put between tokens", lambda ids, skip: " ".join(decode([one], skip) for one in ids)),
    ]
    if any(isinstance(step, ByteLevel) for step in tokenizer.decoders or ()):
        for glyphs in _PUT_BACK:
            joined = partial(_glyphs, tokenizer, str.maketrans(glyphs))
            yield DecodingFault("Decoder", "bytes are not mapped: glyphs are given out", joined)
        rules.append(("one U+FFFD for each byte", partial(_each_byte, tokenizer)))
    unknown = tokenizer.model.unk_id
    if unknown is not None:
        known: Text = lambda ids, skip: decode([one for one in ids if one != unknown], skip)
        rules.append(("the unknown token is given out as nothing", known))
    for rule, text in (*_of_pieces(tokenizer, decode), *rules):
        yield DecodingFault("Decoder", rule, text)
    for index, step in enumerate(tokenizer.decoders or ()):
        yield _without(tokenizer, index, f"{type(step).__name__} is missing")


def _of_pieces(tokenizer: Tokenizer, decode: Text) -> Iterator[tuple[str, Text]]:
    table = piece_table(tokenizer)
    if table is None:
        return
    byte_ids = {index for index, piece in enumerate(table.pieces) if piece.type is PieceType.BYTE}

    def by_runs(of_bytes: Callable[[list[str]], str], ids: Sequence[int], skip: bool) -> str:
        text, before = "", list[int]()
        for is_bytes, run in ((is_bytes, [*run]) for is_bytes, run in groupby(ids, byte_ids.__contains__)):
            if is_bytes:
                text += of_bytes([table.pieces[one].piece for one in run])
            else:
                text += decode([*before, *run], skip).removeprefix(decode(before, skip))
            before = run
        return text

    def prefixed(ids: Sequence[int], skip: bool) -> str:
        first = next((token for one in ids if (token := table.id_to_token(one))), "")
        return " " + decode(ids, skip) if first.startswith("▁") else decode(ids, skip)

    control = {index for index, piece in enumerate(table.pieces) if piece.type is PieceType.CONTROL}
    if byte_ids:
        yield "byte pieces are given out by name", partial(by_runs, "".join)
        yield "one U+FFFD for each maximal subpart", partial(by_runs, _by_subparts)
        yield (
            "bytes join across control pieces",
            lambda ids, skip: decode([one for one in ids if one not in control], skip),
        )
    yield "the space of the dummy prefix is kept", prefixed


def _by_subparts(pieces: Sequence[str]) -> str:
    """The text of pieces like <0x41>."""
    return bytes(int(piece[3:5], 16) for piece in pieces).decode(errors="replace")


def _each_byte(tokenizer: Tokenizer, ids: Sequence[int], skip: bool) -> str:
    """The bytes of all tokens together, each that is not of a character replaced by itself."""
    glyphs = _glyphs(tokenizer, {}, ids, skip)
    data = b"".join(from_byte_characters(glyph) or glyph.encode() for glyph in glyphs)
    return _ESCAPED.sub("\ufffd", data.decode(errors="surrogateescape"))


def _glyphs(tokenizer: Tokenizer, put_back: dict[int, str], ids: Sequence[int], skip: bool) -> str:
    special = tokenizer.added_tokens.special_ids() if skip else frozenset()
    tokens = (tokenizer.id_to_token(one) or "" for one in ids if one not in special)
    return "".join(tokens).translate(put_back)


def _without(tokenizer: Tokenizer, index: int, rule: str) -> DecodingFault:
    changed = replace(tokenizer, decoders=with_steps(tokenizer.decoders or (), index))
    return DecodingFault(
        "Decoder",
        rule,
        lambda ids, skip: changed.decode(ids, skip_special_tokens=skip),
        lambda ids, skip: changed.trace_decode(ids, skip_special_tokens=skip),
    )
