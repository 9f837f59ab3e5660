"""One tokenizer.json and some texts, asked of reftok and of the official library: every answer, whole and by stage."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import tokenizers

from reftok.errors import ModelFormatError, ReftokError, UnsupportedFeature
from reftok.rules.text import NormalizedString, Part
from reftok.tokenizer import Tokenizer

from .official import Json, as_lists, normalized_by, official, own

FAULTS_OF_THE_LIBRARY = (
    r"'.*' and '.*' both become '.*' when normalized",
    r"nothing is left of '.*' when normalized",
    r"a TemplateProcessing after another one cannot take \d+ parts; the library panics",
)
"""What reftok may refuse of a file of known components: see test_library_faults_tokenizers.py."""

EXPLOSION = "which is refused"
"""How reftok says that an answer would be millions of tokens: the library gives it, and may take all memory for it."""


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


class Comparison:
    """Both tokenizers of one file. Every question is counted in `tally`; a mismatch raises AssertionError."""

    def __init__(self, config: Json, tally: Tally) -> None:
        self.config, self.tally = config, tally
        self.ours: Tokenizer | None = None
        self.theirs: tokenizers.Tokenizer = None
        try:
            is_refused, self.theirs = refused(lambda: official(config))
        except Panicked as panic:
            tally.skipped[f"the library panics at the file: {panic}"] += 1
            return
        try:
            self.ours = own(config)
        except UnsupportedFeature as error:
            known = any(re.search(fault, str(error), re.DOTALL) for fault in FAULTS_OF_THE_LIBRARY)
            self._require(known or is_refused, error, "reads it")
            tally.skipped[f"reftok refuses the file: {without_particulars(error.problem)}"] += 1
        except ModelFormatError as error:
            self._require(is_refused, error, "reads it")
            tally.skipped["both refuse the file"] += 1
        else:
            self._require(not is_refused, "reads it", self.theirs if is_refused else None)

    def ask(self, asked: Input) -> None:
        """Ask both everything."""
        if self.ours is None:
            return
        self.ours = self.ours.with_options(encode_special_tokens=asked.encode_special_tokens)
        self.theirs.encode_special_tokens = asked.encode_special_tokens
        self._ask_stages(asked)
        for special in (False, True):
            self._ask_to_encode(asked, special)
            self._same(
                "decode",
                lambda ours, special=special: ours.decode(asked.ids, skip_special_tokens=special),
                lambda theirs, special=special: theirs.decode(asked.ids, skip_special_tokens=special),
                asked,
            )
        known = [*self.config["model"]["vocab"], *(token["content"] for token in self.config["added_tokens"])]
        contents = [content for content in (*known, "<none>") if isinstance(content, str)]
        for name, keys in (("id_to_token", [*asked.ids, *range(40)]), ("token_to_id", contents)):
            self._same(
                name,
                lambda ours, name=name, keys=keys: [getattr(ours, name)(key) for key in keys],
                lambda theirs, name=name, keys=keys: [getattr(theirs, name)(key) for key in keys],
                asked,
            )

    def _ask_to_encode(self, asked: Input, special: bool) -> None:
        text, pair = asked.text, asked.pair
        batch = [text] if pair is None else [text, (pair, text), pair]
        self._same(
            "encode" if pair is None else "encode a pair",
            lambda ours: as_lists(ours.encode(text, pair, special)),
            lambda theirs: as_lists(theirs.encode(text, pair, add_special_tokens=special)),
            asked,
        )
        self._same(
            "encode_ids",
            lambda ours: ours.encode_ids(text, pair, special),
            lambda theirs: theirs.encode(text, pair, add_special_tokens=special).ids,
            asked,
        )
        self._same(
            "encode_batch",
            lambda ours: [as_lists(encoding) for encoding in ours.encode_batch(batch, special)],
            lambda theirs: [as_lists(encoding) for encoding in theirs.encode_batch(batch, add_special_tokens=special)],
            asked,
        )

    def _ask_stages(self, asked: Input) -> None:
        if self.config["normalizer"] is not None:
            self._same(
                "normalizer.normalize_str",
                lambda ours: normalized_by(ours, asked.text).text,
                lambda theirs: theirs.normalizer.normalize_str(asked.text),
                asked,
            )
        if self.config["pre_tokenizer"] is not None:
            self._same(
                "pre_tokenizer.pre_tokenize_str",
                lambda ours: own_parts(ours, asked.text),
                lambda theirs: theirs.pre_tokenizer.pre_tokenize_str(asked.text),
                asked,
            )
        if self.config["decoder"] is not None:
            self._same(
                "decoder.decode",
                lambda ours: own_decoded(ours, asked.tokens),
                lambda theirs: theirs.decoder.decode(list(asked.tokens)),
                asked,
            )
        for word in asked.words:
            self._same(
                "model.tokenize",
                lambda ours, word=word: own_rows(ours, word),
                lambda theirs, word=word: official_rows(theirs, word),
                asked,
            )

    def _same(
        self, name: str, ask_ours: Callable[[Tokenizer], Any], ask_theirs: Callable[[Any], Any], asked: Input
    ) -> None:
        found = problem = None
        try:
            found = ask_ours(self.ours)
        except ReftokError as error:
            problem = error
            if EXPLOSION in str(error):
                self.tally.skipped[f"reftok refuses, {name}: {without_particulars(str(error))}"] += 1
                return
        except Exception as error:
            self._require(False, error, "not asked", name, asked)
            raise
        try:
            is_refused, expected = refused(lambda: ask_theirs(self.theirs))
        except Panicked as panic:
            self.tally.skipped[f"the library panics, {name}: {panic}"] += 1
            self.theirs = official(self.config)
            self.theirs.encode_special_tokens = asked.encode_special_tokens
            return
        self._require(is_refused == (problem is not None), problem or found, expected, name, asked)
        self._require(is_refused or found == expected, found, expected, name, asked)
        self.tally.compared[name] += 1

    def _require(
        self, holds: bool, found: object, expected: object, name: str = "load", asked: Input | None = None
    ) -> None:
        if not holds:
            file = json.dumps(self.config, ensure_ascii=True)
            shown = f"{name}\nreftok:  {found!r}\nlibrary: {expected!r}\nfile: {file}\nasked: {asked!r}"
            raise AssertionError(shown)


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
