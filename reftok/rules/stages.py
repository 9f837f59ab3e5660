"""The kinds of stages, named as in tokenizer.json, with their inputs and outputs; `pipeline.py` puts them in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import Encoding, Token


class Normalizer(Protocol):
    """Rewrites the text and keeps it aligned with the original."""

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        """The rewritten text."""
        ...


class PreTokenizer(Protocol):
    """Cuts the text into pre-tokens; no token of the model crosses their borders."""

    def pre_tokenize(self, parts: Sequence[Part]) -> list[Part]:
        """The parts, cut further; those that have tokens already stay as they are."""
        ...


class Model(Protocol):
    """Turns one pre-token into tokens."""

    @property
    def vocab(self) -> Mapping[str, int]:
        """Token to id."""
        ...

    @property
    def size(self) -> int:
        """The number of ids; larger than that of `vocab` if a file repeats a piece."""
        ...

    @property
    def unk_id(self) -> int | None:
        """The id of the unknown token; None if the model has none."""
        ...

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of one pre-token, with spans in its code points."""
        ...

    def id_to_token(self, token_id: int) -> str | None:
        """The entry of the vocab; None for an id outside it."""
        ...


class PostProcessor(Protocol):
    """Adds the special tokens of a template, or trims the offsets."""

    def added_tokens(self, is_pair: bool) -> int:
        """The number of tokens that truncation leaves room for."""
        ...

    def process(self, parts: Sequence[Encoding], add_special_tokens: bool) -> list[Encoding]:
        """The parts of the encoding; after the last post-processor they are joined."""
        ...


class Decoder(Protocol):
    """Rewrites tokens on their way back to text; the last decoder's strings are joined."""

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """The rewritten tokens."""
        ...
