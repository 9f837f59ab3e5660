"""One file with texts and ids, asked of the fast path, whole and in streams, of the plain rules and of the library.

All answers must be the same. Where the library breaks down, or gives millions of tokens, those of reftok must be.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from reftok.errors import ModelFormatError, ReftokError, UnsupportedFeature
from reftok.rules.pipeline import Pipeline
from reftok.rules.text import NormalizedString, Part
from reftok.tokenizer import Tokenizer

from .official import Json, as_lists, normalized_by, official, own
from .sentencepiece_strategies import load_both, official_encoding, rows_of
from .streaming import chunkings, stream_decoded, streamed

FAULTS_OF_THE_LIBRARY = (
    r"'.*' and '.*' both become '.*' when normalized",
    r"nothing is left of '.*' when normalized",
    r"a TemplateProcessing after another one cannot take \d+ parts; the library panics",
)
"""What reftok may refuse of a file of known components: see test_library_faults_tokenizers.py."""

EXPLOSION = "which is refused"
"""How reftok says that an answer would be millions of tokens: the library gives it, and may take all memory for it."""

Ask = Callable[[Any], Any]


@dataclass(slots=True)
class Tally:
    """How many answers were compared, by the question, and how many were not, by the reason."""

    compared: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        self.compared += other.compared
        self.skipped += other.skipped

    def __str__(self) -> str:
        counts = [f"{count:9,} {name}" for name, count in self.compared.most_common()]
        reasons = [f"{count:9,} {reason}" for reason, count in self.skipped.most_common()]
        total = f"{self.compared.total():,} compared, {self.skipped.total():,} skipped"
        return "\n".join([total, "compared:", *counts, "skipped:", *reasons])


@dataclass(frozen=True, slots=True)
class Input:
    """What one file is asked."""

    text: str
    pair: str | None
    words: Sequence[str]
    ids: Sequence[int]
    tokens: Sequence[str]
    encode_special_tokens: bool


class Panicked(Exception):
    """The library broke down; what it leaves behind is nothing to compare with."""


def refused(action: Callable[[], Any]) -> tuple[bool, Any]:
    """Whether the library refuses, and what it gives if not. Raises Panicked."""
    try:
        return False, action()
    except Exception as error:
        return True, error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise Panicked(without_particulars(str(error))) from None


def without_particulars(message: str) -> str:
    """A message without numbers and quoted texts, to count it by."""
    return re.sub(r"\d+", "N", re.sub(r"(['\"`]).*?\1", "…", message, flags=re.DOTALL))[:110]


@dataclass(frozen=True, slots=True)
class Answer:
    """What was given, or what refuses it: the kind of error."""

    given: Any
    refusal: str = ""
    message: str = field(default="", compare=False)


def asked_of(asked: Tokenizer | Pipeline, ask: Ask) -> Answer:
    try:
        return Answer(ask(asked))
    except ReftokError as error:
        return Answer(None, type(error).__name__, str(error))


class Comparison:
    """A tokenizer, its plain rules and the library, held to each other.

    make_library: loads the library anew when it has panicked.
    shown: the file, for the message of an AssertionError.
    """

    def __init__(self, tokenizer: Tokenizer, make_library: Callable[[], Any], shown: str, tally: Tally) -> None:
        self.tokenizer, self.shown, self.tally = tokenizer, shown, tally
        self.make_library, self.library = make_library, make_library()

    def same(self, name: str, asked: object, ask: Ask, ask_library: Ask, asks_rules: bool = True) -> None:
        """Ask all. asks_rules: whether the plain rules have what is asked for."""
        try:
            found = asked_of(self.tokenizer, ask)
            plain = asked_of(self.tokenizer.rules, ask) if asks_rules else found
        except Exception as error:
            raise AssertionError(f"{error!r}\n{name}: {asked!r}\n{self.shown}") from error
        if asks_rules:
            self.hold(f"fast path = plain rules, {name}", asked, found, plain)
        if EXPLOSION in plain.message:
            self.tally.skipped[f"reftok refuses, {name}: {without_particulars(plain.message)}"] += 1
            return
        try:
            is_refused, expected = refused(lambda: ask_library(self.library))
        except Panicked as panic:
            self.tally.skipped[f"the library panics, {name}: {panic}"] += 1
            self.library = self.make_library()
            return
        theirs = Answer(None, plain.refusal or "refused", str(expected)) if is_refused else Answer(expected)
        self.hold(f"reftok = library, {name}", asked, plain, theirs)

    def hold(self, name: str, asked: object, found: Answer, expected: Answer) -> None:
        """Count a comparison. Raises AssertionError that shows the question and the file."""
        if EXPLOSION in found.message + expected.message:
            # `encode` bounds what overlapping tokens cover, ids and streams do not build them.
            self.tally.skipped[f"refused as too large, {name}"] += 1
            return
        assert found == expected, f"{name}\nasked: {asked!r}\nfound: {found!r}\nexpected: {expected!r}\n{self.shown}"
        self.tally.compared[name] += 1

    def streams(self, text: str | bytes, ids: Sequence[int], seed: int) -> None:
        """Ask for texts and ids in chunks."""
        expected = asked_of(self.tokenizer.rules, lambda pipeline: list(pipeline.encode(text).ids))
        data = text.encode() if isinstance(text, str) and not expected.refusal else b""
        for source in (text, data) if data else (text,):
            for chunks in chunkings(source, seed, 2):
                self.hold("stream, ids", chunks, asked_of(self.tokenizer, partial(streamed, chunks=chunks)), expected)
        for skips in (False, True):
            whole = asked_of(self.tokenizer.rules, lambda pipeline, skips=skips: pipeline.decode(ids, skips))
            for size in (1, 1 + Random(seed).randrange(4)):
                found = asked_of(self.tokenizer, partial(stream_decoded, ids=ids, size=size, skips=skips))
                self.hold("stream, text", (ids, size, skips), found, whole)


def compare_file(config: Json, inputs: Sequence[Input], seed: int, tally: Tally) -> None:
    """Ask about a tokenizer.json: whether it can be read, its stages, texts, pairs, batches, ids and streams."""
    shown = f"file: {json.dumps(config, ensure_ascii=True)}"
    try:
        is_refused, _ = refused(lambda: official(config))
    except Panicked as panic:
        tally.skipped[f"the library panics at the file: {panic}"] += 1
        return
    try:
        tokenizer = own(config)
    except ModelFormatError as error:
        is_known = any(re.search(fault, str(error), re.DOTALL) for fault in FAULTS_OF_THE_LIBRARY)
        if not (is_refused or (is_known and isinstance(error, UnsupportedFeature))):
            raise AssertionError(f"only reftok refuses it\n{shown}") from error
        tally.skipped[f"reftok refuses the file: {without_particulars(error.problem)}"] += 1
        return
    assert not is_refused, f"only the library refuses it\n{shown}"
    for asked in inputs:

        def make_library(asked: Input = asked) -> Any:
            library = official(config)
            library.encode_special_tokens = asked.encode_special_tokens
            return library

        ours = tokenizer.with_options(encode_special_tokens=asked.encode_special_tokens)
        comparison = Comparison(ours, make_library, f"{asked}\n{shown}", tally)
        _ask_stages(comparison, config, asked)
        for special in (False, True):
            _ask_whole(comparison, asked, special)
        _ask_vocab(comparison, config, asked)
        comparison.streams(asked.text, asked.ids, seed)


def _ask_whole(comparison: Comparison, asked: Input, special: bool) -> None:
    text, pair, ids = asked.text, asked.pair, asked.ids
    batch = [text] if pair is None else [text, (pair, text), pair]
    comparison.same(
        "encode" if pair is None else "encode a pair",
        (text, pair, special),
        lambda ours: as_lists(ours.encode(text, pair, special)),
        lambda theirs: as_lists(theirs.encode(text, pair, add_special_tokens=special)),
    )
    comparison.same(
        "encode_ids",
        (text, pair, special),
        lambda ours: ours.encode_ids(text, pair, special),
        lambda theirs: theirs.encode(text, pair, add_special_tokens=special).ids,
    )
    rules = comparison.tokenizer.rules
    traced = asked_of(rules, lambda rules: as_lists(rules.trace(text, add_special_tokens=special).encoding))
    whole = asked_of(rules, lambda rules: as_lists(rules.encode(text, None, special)))
    comparison.hold("trace = plain rules", text, traced, whole)
    comparison.same(
        "encode_batch",
        (batch, special),
        lambda ours: [as_lists(encoding) for encoding in ours.encode_batch(batch, special)],
        lambda theirs: [as_lists(encoding) for encoding in theirs.encode_batch(batch, add_special_tokens=special)],
        asks_rules=False,
    )
    comparison.same(
        "decode",
        (ids, special),
        lambda ours: ours.decode(ids, skip_special_tokens=special),
        lambda theirs: theirs.decode(ids, skip_special_tokens=special),
    )


def _ask_stages(comparison: Comparison, config: Json, asked: Input) -> None:
    stages: dict[str, tuple[str, object, Ask, Ask]] = {
        "normalizer": (
            "normalizer.normalize_str",
            asked.text,
            lambda ours: normalized_by(ours, asked.text).text,
            lambda theirs: theirs.normalizer.normalize_str(asked.text),
        ),
        "pre_tokenizer": (
            "pre_tokenizer.pre_tokenize_str",
            asked.text,
            lambda ours: own_parts(ours, asked.text),
            lambda theirs: theirs.pre_tokenizer.pre_tokenize_str(asked.text),
        ),
        "decoder": (
            "decoder.decode",
            asked.tokens,
            lambda ours: own_decoded(ours, asked.tokens),
            lambda theirs: theirs.decoder.decode(list(asked.tokens)),
        ),
    }
    for stage, (name, question, ask, ask_library) in stages.items():
        if config[stage] is not None:
            comparison.same(name, question, ask, ask_library, asks_rules=False)
    for word in asked.words:
        ask, ask_library = partial(own_rows, word=word), partial(official_rows, word=word)
        comparison.same("model.tokenize", word, ask, ask_library, asks_rules=False)


def _ask_vocab(comparison: Comparison, config: Json, asked: Input) -> None:
    known = [*config["model"]["vocab"], *(token["content"] for token in config["added_tokens"])]
    contents = [content for content in (*known, "<none>") if isinstance(content, str)]
    for name, keys in (("id_to_token", [*asked.ids, *range(40)]), ("token_to_id", contents)):

        def ask(either: Any, name: str = name, keys: list[Any] = keys) -> list[Any]:
            return [getattr(either, name)(key) for key in keys]

        comparison.same(name, keys, ask, ask, asks_rules=False)
    comparison.same("vocab size", None, lambda ours: ours.vocab_size, lambda theirs: theirs.get_vocab_size())


def own_parts(tokenizer: Tokenizer, text: str) -> list[tuple[str, tuple[int, int]]]:
    splits = [Part(NormalizedString(text))]
    for step in tokenizer.rules.pre_tokenizers:
        splits = step.pre_tokenize(splits)
    return [(split.normalized.text, split.normalized.original_span(0, len(split.normalized))) for split in splits]


def own_decoded(tokenizer: Tokenizer, tokens: Sequence[str]) -> str:
    rewritten = list(tokens)
    for step in tokenizer.rules.decoders or ():
        rewritten = step.decode_chain(rewritten)
    return "".join(rewritten)


def own_rows(tokenizer: Tokenizer, word: str) -> list[tuple[int, str, tuple[int, int]]]:
    """The tokens of one word by the plain model; the fast one is held to its ids."""
    rows = [(token.id, token.value, token.span_normalized) for token in tokenizer.rules.model.tokenize(word)]
    assert [*tokenizer.memory.encoder.model.ids[word]] == [token_id for token_id, _, _ in rows]
    return rows


def official_rows(tokenizer: Any, word: str) -> list[tuple[int, str, tuple[int, int]]]:
    """The tokens of one word; the library counts bytes, and a token has every character that it has a byte of."""
    character_at = [index for index, character in enumerate(word) for _ in character.encode("utf-8")]
    return [
        (token.id, token.value, (character_at[start], character_at[end - 1] + 1) if end else (0, 0))
        for token in tokenizer.model.tokenize(word)
        for start, end in [token.offsets]
    ]


def compare_model(data: bytes, texts: Sequence[str | bytes], ids: Sequence[int], seed: int, tally: Tally) -> None:
    """Ask about a .model file: texts, ids and streams."""
    tokenizer, library = load_both(data)
    comparison = Comparison(tokenizer, lambda: library, f"model {data.hex()}", tally)
    known = [token_id % comparison.library.GetPieceSize() for token_id in ids]
    for text in texts:
        comparison.same(
            "encode",
            text,
            lambda ours, text=text: rows_of(ours.encode(text)),
            lambda theirs, text=text: official_encoding(theirs, text),
        )
        comparison.same(
            "encode_ids",
            text,
            lambda ours, text=text: ours.encode_ids(text),
            lambda theirs, text=text: theirs.Encode(text),
        )
        comparison.streams(text, known, seed)
    comparison.same("decode", known, lambda ours: ours.decode(known), lambda theirs: theirs.Decode(known))
