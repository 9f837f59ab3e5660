"""The plain rules of reftok alone, `tokenizer.rules`: what the engine is held to, held to the official library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import reftok
from conformance.core.observation import Encoded, Encoding, Failure
from conformance.core.settings import Question, SpecialInText, Text
from conformance.subjects.base import Adapter, Ids, InBulk
from conformance.subjects.library import LibrarySubject, each
from reftok import InvalidText, Tokenizer
from reftok.formats import load_rules
from reftok.rules.encodings import end_to_end, numbered
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.huggingface.padding import Padding
from reftok.rules.huggingface.truncation import Strategy, Truncation
from reftok.rules.pipeline import Pipeline, TokensOf
from reftok.rules.types import Direction
from reftok.rules.types import Encoding as ReftokEncoding

NAME = "reftok-spec"
READS = ("tokenizer.json", "vocab_merges", "sentencepiece", "tiktoken", "gguf", "tekken")


def version() -> str:
    """The installed version."""
    return reftok.__version__


class ReftokSpecSubject(LibrarySubject):
    """The plain rules with a model. They have no streams: those are the engine's."""

    name = NAME

    def __init__(self, tokenizer: Pipeline | Tokenizer) -> None:
        self._tokenizer = tokenizer
        self.takes_bytes = tokenizer.library in ("sentencepiece", "llama.cpp")
        self.skips = tokenizer.library != "sentencepiece"

    def encoding(self, text: str | bytes) -> Encoded:
        found = self._tokenizer.encode(text)
        return Encoded(tuple(found.ids), tuple(found.tokens), tuple(found.offsets), tuple(found.special_tokens_mask))

    def encode_bare(self, texts: Sequence[str]) -> list[Encoding]:
        found = each(partial(self._tokenizer.encode, add_special_tokens=False), texts)
        return [Failure("refused", "") if one is None else Encoded(tuple(one.ids)) for one in found]

    def encodings_with(self, question: Question) -> list[ReftokEncoding] | None:
        if self._tokenizer.library not in ("tokenizers", "tiktoken"):
            return None
        if isinstance(self._tokenizer, Pipeline):
            return encodings_with(self._tokenizer, self._tokenizer.tokens_of, question)
        return encodings_with(self._tokenizer.rules, self._tokenizer.memory.encoder.tokens_of, question)

    def text(self, ids: Ids, skip_special_tokens: bool) -> str:
        return self._tokenizer.decode(ids, skip_special_tokens)

    def in_bulk(self) -> InBulk:
        return self.one_by_one(self._tokenizer.encode_ids)


_SIDES: dict[str, Direction] = {"left": "Left", "right": "Right"}
_STRATEGIES: dict[str, Strategy] = {
    "longest_first": "LongestFirst",
    "only_first": "OnlyFirst",
    "only_second": "OnlySecond",
}


def encodings_with(rules: Pipeline, tokens_of: TokensOf, question: Question) -> list[ReftokEncoding]:
    """What a pipeline answers to a question with settings, for a model of `tokenizers` or tiktoken.

    tokens_of: as of `Pipeline.encode_with`. Raises what `Tokenizer.encode` does.
    Source of pre-tokenized input: `encode_single_sequence`, tokenizers 0.23 tokenizer/mod.rs: each word is a text by
    itself, and word_ids are the numbers of the words.
    """
    truncation, padding = question.truncation, question.padding
    if question.special_in_text is not None:
        rules = _with_special_in_text(rules, question)
        tokens_of = rules.tokens_of
    if truncation is not None:
        sides = _STRATEGIES[truncation.strategy], truncation.stride, _SIDES[truncation.direction]
        rules = replace(rules, truncation=Truncation(truncation.max_length, *sides))
    if padding is not None:
        strategy, side = padding.length, _SIDES[padding.direction]
        of_token = padding.pad_to_multiple_of, padding.pad_id, padding.pad_type_id, padding.pad_token
        rules = replace(rules, padding=Padding("BatchLongest" if strategy is None else strategy, side, *of_token))

    def tokens(text: Text, sequence_id: int) -> ReftokEncoding:
        if isinstance(text, str):
            return tokens_of(rules.checked_text(text), sequence_id)
        words = [tokens_of(rules.checked_text(word), sequence_id) for word in text]
        whole = end_to_end([replace(one, word_ids=[number] * len(one)) for number, one in enumerate(words)])
        return numbered(whole, sequence_id)

    parts = ([tokens(text, number) for number, text in enumerate(one)] for one in question.inputs)
    return rules.padded([rules.post_process(one, 0, question.add_special_tokens) for one in parts])


def _with_special_in_text(rules: Pipeline, question: Question) -> Pipeline:
    """The rules with the special tokens that are allowed. Raises InvalidText for a text with one that is not.

    Source: `Encoding.encode`, tiktoken 0.14 core.py.
    """
    asked = question.special_in_text or SpecialInText()
    tokens = {token.content: token for token in rules.added_tokens.tokens.values()}
    allowed = [one for one in tokens if asked.allowed is None or one in asked.allowed]
    refused = tokens.keys() - {*allowed} if asked.disallowed is None else asked.disallowed
    if any(one in text for one in refused for texts in question.inputs for text in texts):
        raise InvalidText("the text has a special token that is not allowed")
    ids = {content: token_id for content in allowed if (token_id := rules.token_to_id(content)) is not None}
    return replace(rules, added_tokens=AddedVocabulary([tokens[one] for one in allowed], ids))


def load(path: Path, model_format: str, encoding: str = "") -> ReftokSpecSubject:
    """The subject with a model."""
    return ReftokSpecSubject(load_rules(path, encoding or None))


REPRODUCTION = """\
class Subject:
    def __init__(self, path):
        import reftok

        self.tokenizer = reftok.load(path).rules
        self.skips = self.tokenizer.library != "sentencepiece"

    def encode(self, text):
        encoding = self.tokenizer.encode(as_text(text) if self.skips else text)
        return parts(encoding.ids, encoding.tokens, encoding.offsets, encoding.special_tokens_mask)

    def bare(self, text):
        return list(self.tokenizer.encode(as_text(text), add_special_tokens=False).ids)

    def decode(self, ids):
        choices = (True, False) if self.skips else (False,)
        return [self.tokenizer.decode(ids, skip_special_tokens=skips) for skips in choices]
"""

ADAPTER = Adapter(NAME, package="reftok", reads=READS, version=version, load=load, reproduction=REPRODUCTION)
