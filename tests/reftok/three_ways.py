"""One question asked three ways: of the fast path, whole and in streams, of the plain rules, and of the library.

The three answers must be the same. Where the library breaks down, or gives millions of tokens, the first two must be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from reftok.errors import ReftokError
from reftok.rules.pipeline import Pipeline
from reftok.tokenizer import Tokenizer

from .official import Json, as_lists, official, own
from .pipeline_comparison import EXPLOSION, Input, Panicked, Tally, refused, without_particulars
from .sentencepiece_strategies import load_both
from .stream_comparison import chunkings

FAST, PLAIN, LIBRARY, STREAM = "fast path = plain rules", "plain rules", "plain rules = library", "stream = plain rules"


@dataclass(frozen=True, slots=True)
class Answer:
    """What was given, or what refuses it: the kind of error."""

    given: Any
    refusal: str = ""
    message: str = field(default="", compare=False)


def asked_of(asked: Tokenizer | Pipeline, ask: Callable[[Any], Any]) -> Answer:
    try:
        return Answer(ask(asked))
    except ReftokError as error:
        return Answer(None, type(error).__name__, str(error))


class ThreeWays:
    """A tokenizer, its plain rules and the library, held to each other.

    shown: the file, for the message of an AssertionError.
    """

    def __init__(self, tokenizer: Tokenizer, library: Any, shown: str, tally: Tally) -> None:
        self.tokenizer, self.library, self.shown, self.tally = tokenizer, library, shown, tally

    def same(self, name: str, asked: object, ask: Callable[[Any], Any], ask_library: Callable[[Any], Any]) -> Answer:
        """The plain answer, after the three were compared."""
        plain = asked_of(self.tokenizer.rules, ask)
        self.hold(f"{FAST}, {name}", asked, asked_of(self.tokenizer, ask), plain)
        if EXPLOSION in plain.message:
            self.tally.skipped[f"reftok refuses, {name}"] += 1
            return plain
        try:
            is_refused, expected = refused(lambda: ask_library(self.library))
        except Panicked as panic:
            self.tally.skipped[f"the library panics, {name}: {panic}"] += 1
            raise
        self.hold(f"{LIBRARY}, {name}", asked, plain.given, None if is_refused else expected)
        assert is_refused == bool(plain.refusal), f"{name} of {asked!r}: {plain} but {expected!r}\n{self.shown}"
        return plain

    def hold(self, name: str, asked: object, found: object, expected: object) -> None:
        """Count a comparison. Raises AssertionError that shows the question and the file."""
        if isinstance(found, Answer) and isinstance(expected, Answer) and EXPLOSION in found.message + expected.message:
            # `encode` bounds what overlapping tokens cover, ids and streams do not build them.
            self.tally.skipped[f"refused as too large, {name}"] += 1
            return
        assert found == expected, f"{name}\nasked: {asked!r}\nfound: {found!r}\nexpected: {expected!r}\n{self.shown}"
        self.tally.compared[name] += 1

    def streams(self, text: str | bytes, ids: Sequence[int], seed: int) -> None:
        """Texts and ids in chunks."""
        expected = asked_of(self.tokenizer.rules, lambda pipeline: list(pipeline.encode(text).ids))
        data = text.encode() if isinstance(text, str) and not expected.refusal else b""
        for source in (text, data) if data else (text,):
            for chunks in chunkings(source, seed, 2):
                found = asked_of(self.tokenizer, partial(fed, chunks=chunks))
                self.hold(f"{STREAM}, ids", chunks, found, expected)
        for skips in (False, True):
            whole = asked_of(self.tokenizer.rules, lambda pipeline, skips=skips: pipeline.decode(ids, skips))
            for size in (1, 1 + Random(seed).randrange(4)):
                found = asked_of(
                    self.tokenizer, lambda tokenizer, s=size, skips=skips: decoded(tokenizer, ids, s, skips)
                )
                self.hold(f"{STREAM}, text", (ids, size, skips), found, whole)


def fed(tokenizer: Tokenizer, chunks: Sequence[str | bytes]) -> list[int]:
    """The ids of all chunks; nothing may be held behind the end."""
    encoder = tokenizer.stream_encoder()
    ids: list[int] = []
    for chunk in chunks:
        ids += encoder.feed(chunk) if isinstance(chunk, str) else encoder.feed_bytes(chunk)
    ids += encoder.finish()
    assert encoder.held == 0
    return ids


def decoded(tokenizer: Tokenizer, ids: Sequence[int], size: int, skips: bool) -> str:
    """The text of ids that come so many at a time."""
    decoder = tokenizer.stream_decoder(skip_special_tokens=skips)
    texts = [decoder.feed_all(ids[start : start + size]) for start in range(0, len(ids), size)]
    return "".join(texts) + decoder.finish()


def ask_file(config: Json, inputs: Sequence[Input], seed: int, tally: Tally) -> None:
    """Ask about a tokenizer.json."""
    try:
        tokenizer = own(config)
        library = official(config)
    except ReftokError as error:
        tally.skipped[f"reftok refuses the file: {without_particulars(str(error))}"] += 1
        return
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        tally.skipped["the library panics at the file"] += 1
        return
    for asked in inputs:
        library.encode_special_tokens = asked.encode_special_tokens
        ours = tokenizer.with_options(encode_special_tokens=asked.encode_special_tokens)
        ways = ThreeWays(ours, library, f"file: {config}", tally)
        try:
            _ask_all(ways, asked)
        except Panicked:
            library = official(config)
        ways.streams(asked.text, asked.ids, seed)


def _ask_all(ways: ThreeWays, asked: Input) -> None:
    text, pair, ids = asked.text, asked.pair, asked.ids
    for special in (False, True):
        ways.same(
            "encode",
            (text, pair, special),
            lambda ours, special=special: as_lists(ours.encode(text, pair, special)),
            lambda theirs, special=special: as_lists(theirs.encode(text, pair, add_special_tokens=special)),
        )
        ways.same(
            "ids",
            (text, special),
            lambda ours, special=special: ours.encode_ids(text, None, special),
            lambda theirs, special=special: theirs.encode(text, add_special_tokens=special).ids,
        )
        ways.same(
            "decode",
            (ids, special),
            lambda ours, special=special: ours.decode(ids, skip_special_tokens=special),
            lambda theirs, special=special: theirs.decode(ids, skip_special_tokens=special),
        )


def ask_sentencepiece_model(
    data: bytes, texts: Sequence[str | bytes], ids: Sequence[int], seed: int, tally: Tally
) -> None:
    """Ask about a .model file."""
    tokenizer, library = load_both(data)
    ways = ThreeWays(tokenizer, library, f"model {data.hex()}", tally)
    known = [token_id % library.GetPieceSize() for token_id in ids]
    for text in texts:
        ways.same(
            "encode",
            text,
            lambda ours, text=text: _columns(ours.encode(text)),
            lambda theirs, text=text: _official_columns(theirs, text),
        )
        ways.same(
            "ids",
            text,
            lambda ours, text=text: ours.encode_ids(text),
            lambda theirs, text=text: theirs.Encode(text),
        )
        ways.streams(text, known, seed)
    ways.same("decode", known, lambda ours: ours.decode(known), lambda theirs: theirs.Decode(known))


def _columns(encoding: Any) -> list[Any]:
    return [list(encoding.ids), list(encoding.tokens), list(encoding.offsets)]


def _official_columns(library: Any, text: str | bytes) -> list[Any]:
    found = library.Encode(text, return_type="offset_mapping")
    pieces = [piece.decode() if isinstance(piece, bytes) else piece for piece in found["pieces"]]
    return [list(found["ids"]), pieces, [tuple(span) for span in found["offsets"]]]
