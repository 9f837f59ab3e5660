"""Ports that read the added tokens and not their flags, or look for them in the wrong place or order."""

from __future__ import annotations

import json
import re
import unicodedata
from abc import abstractmethod
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar

import tokenizers
from official import Official, Spans
from reference import Reference

from conformance.core.unicode_ages import age_of
from reftok import Tokenizer
from reftok.rules.huggingface.added_tokens import AddedTokenPattern, AddedVocabulary
from reftok.rules.types import Span


class _Flags(Official):
    """Added tokens with other flags."""

    flags: ClassVar[dict[str, bool]]

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        return {**model, "added_tokens": [{**token, **self.flags} for token in model["added_tokens"]]}


class NoLeftStrip(_Flags):
    """`lstrip` is not read."""

    flags: ClassVar[dict[str, bool]] = {"lstrip": False}


class NoRightStrip(_Flags):
    """`rstrip` is not read."""

    flags: ClassVar[dict[str, bool]] = {"rstrip": False}


class NoSingleWord(_Flags):
    """`single_word` is not read: a token is matched within a word."""

    flags: ClassVar[dict[str, bool]] = {"single_word": False}


class NoFlags(_Flags):
    """A search for the contents of added tokens, whatever stands beside them."""

    flags: ClassVar[dict[str, bool]] = {"lstrip": False, "rstrip": False, "single_word": False, "normalized": False}


class NoNormalized(_Flags):
    """`normalized` is not read: all are looked for in the text as it is."""

    flags: ClassVar[dict[str, bool]] = {"normalized": False}


class AllNormalized(_Flags):
    """All are looked for in the normalized text."""

    flags: ClassVar[dict[str, bool]] = {"normalized": True}


class AllStripLeft(_Flags):
    """White space before any added token is dropped."""

    flags: ClassVar[dict[str, bool]] = {"lstrip": True}


class AllStripRight(_Flags):
    """White space after any added token is dropped: a default that older files had."""

    flags: ClassVar[dict[str, bool]] = {"rstrip": True}


class OnlySpecial(Official):
    """Only the special ones are looked for in a text; ids are decoded rightly."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        self.right = tokenizers.Tokenizer.from_str(json.dumps(model))
        vocab = model["model"]["vocab"]
        # The library counts the tokens that the vocab has not: one that is never found keeps the ids of the others.
        never = [
            token if token["special"] else {**token, "content": f"\U0010ffff{token['content']}"}
            for token in model["added_tokens"]
            if token["special"] or token["content"] not in vocab
        ]
        return {**model, "added_tokens": never}

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return str(self.right.decode(ids, skip_special_tokens=skip_special_tokens))


class FirstInFile(Official):
    """Where two begin at the same place, the one that stands first in the file wins, not the longest."""

    def __init__(self, model_path: str) -> None:
        super().__init__(model_path)
        tokens = self.tokenizer.get_added_tokens_decoder()
        # Those with flags are left to the library, which looks at what stands beside them.
        self.flagged = tuple(
            token.content
            for token in tokens.values()
            if token.single_word or token.lstrip or token.rstrip or token.normalized
        )
        plain = {token.content: number for number, token in tokens.items() if token.content not in self.flagged}
        pairs = [(one, other) for one in plain for other in plain if one != other and one.startswith(other)]
        self.shadowed = {one for one, _ in pairs}
        self.ids = {content: number for content, number in plain.items() if content in {*chain(*pairs)}}
        self.pattern = re.compile("(" + "|".join(map(re.escape, self.ids)) + ")")

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        parts = self.pattern.split(text)
        is_beside = any(part.endswith(self.flagged) for part in parts)
        if is_beside or not any(one in text for one in self.shadowed):
            return super().encode_with_offsets(text, add_special_tokens)
        ids: list[int] = []
        tokens: list[str] = []
        spans: Spans = []
        start = 0
        for part in parts:
            if part in self.ids:
                answer: tuple[list[int], list[str], Spans] = [self.ids[part]], [part], [(0, len(part))]
            else:
                answer = super().encode_with_offsets(part, False)
            ids += answer[0]
            tokens += answer[1]
            spans += [(start + first, start + last) for first, last in answer[2]]
            start += len(part)
        return ids, tokens, spans


class AllSingleWord(_Flags):
    """A token is matched only where no word touches it: a pattern with \\b around each."""

    flags: ClassVar[dict[str, bool]] = {"single_word": True}


class _Beside(Official):
    """Beside the official tokenizer one that knows no added tokens."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        self.bare = tokenizers.Tokenizer.from_str(json.dumps({**model, "added_tokens": []}))
        self.added = set(tokenizers.Tokenizer.from_str(json.dumps(model)).get_added_tokens_decoder())
        return model

    def without(self, text: str) -> tuple[list[int], list[str], Spans]:
        """What the text is where nothing in it is an added token."""
        encoding = self.bare.encode(text, add_special_tokens=False)
        return encoding.ids, encoding.tokens, encoding.offsets


class OnlyAtStart(_Beside):
    """Added tokens are looked for at the start of the text only."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        count = next((place for place, token_id in enumerate(ids) if token_id not in self.added), len(ids))
        end = max((end for _, end in spans[:count]), default=0)
        rest = self.without(text[end:])
        return (
            ids[:count] + rest[0],
            tokens[:count] + rest[1],
            spans[:count] + [(start + end, stop + end) for start, stop in rest[2]],
        )


class OnlyWholeText(_Beside):
    """A text is looked up among the added tokens as a whole, and tokenized where it is none."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        whole = super().encode_with_offsets(text, add_special_tokens)
        return whole if len(whole[0]) == 1 and whole[0][0] in self.added else self.without(text)


class _Known(Official):
    """Special tokens that stand in the program, whatever the model has."""

    known: ClassVar[dict[str, int]]

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids: list[int] = []
        tokens: list[str] = []
        spans: Spans = []
        start = 0
        for part in re.split("(" + "|".join(map(re.escape, self.known)) + ")", text):
            if part in self.known:
                answer: tuple[list[int], list[str], Spans] = [self.known[part]], [part], [(0, len(part))]
            else:
                answer = super().encode_with_offsets(part, add_special_tokens and not start)
            ids += answer[0]
            tokens += answer[1]
            spans += [(start + first, start + last) for first, last in answer[2]]
            start += len(part)
        return ids, tokens, spans


class EndsOfTurns(_Known):
    """The ends of turns of other models are taken for the one of this model: <|eot_id|>."""

    known: ClassVar[dict[str, int]] = {"<|im_end|>": 5009, "<|end_of_text|>": 5009}


class TokensOfAnEncoding(_Known):
    """The special tokens of a published encoding, with its ids, which this model does not have."""

    known: ClassVar[dict[str, int]] = {
        "<|fim_prefix|>": 100258,
        "<|fim_middle|>": 100259,
        "<|fim_suffix|>": 100260,
        "<|endofprompt|>": 100276,
    }


class PadOfPieces(_Known):
    """`<pad>` is taken for a special token, of id 0, in a model of pieces that has none."""

    known: ClassVar[dict[str, int]] = {"<pad>": 0}


class ChatTokens(Official):
    """The marks of a chat are added to every model behind its last id."""

    def __init__(self, model_path: str) -> None:
        super().__init__(model_path)
        self.tokenizer.add_special_tokens(["<|im_start|>", "<|im_end|>"])


class _Matching(Reference):
    """Added tokens whose neighbours are looked at by rules of its own."""

    kind: ClassVar[type[_Added]]

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        added = copy(tokenizer.rules.added_tokens)
        added.__class__ = self.kind
        assert isinstance(added, _Added)
        added.take_flags()
        return Tokenizer(replace(tokenizer.rules, added_tokens=added), tokenizer)

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        encoding = self.tokenizer.rules.encode(text, add_special_tokens=add_special_tokens)
        return list(encoding.ids), list(encoding.tokens), list(encoding.offsets)


class _Added(AddedVocabulary):
    def take_flags(self) -> None:
        """Keep to itself what it reads by a rule of its own; as it stands here, nothing."""


class _Words(_Added):
    single: frozenset[int]

    def take_flags(self) -> None:
        self.single = frozenset(token_id for token_id, token in self._by_id.items() if token.single_word)
        self._by_id = {token_id: replace(token, single_word=False) for token_id, token in self._by_id.items()}

    @abstractmethod
    def is_word(self, character: str) -> bool:
        """Whether a character belongs to a word."""

    def _matches(
        self, text: str, pattern: AddedTokenPattern, encode_special_tokens: bool
    ) -> Iterator[tuple[int | None, Span]]:
        alone = copy(pattern)
        vars(alone)["find"] = lambda _: (found for found in pattern.find(text) if self.stands_alone(text, *found))
        return super()._matches(text, alone, encode_special_tokens)

    def stands_alone(self, text: str, token_id: int, start: int, end: int) -> bool:
        """Whether a match is no part of a word, if that is asked of its token."""
        around = text[max(0, start - 1) : start] + text[end : end + 1]
        return token_id not in self.single or not any(map(self.is_word, around))


class _AsciiWords(_Words):
    def is_word(self, character: str) -> bool:
        return character.isascii() and (character.isalnum() or character == "_")


class _AlphanumericWords(_Words):
    def is_word(self, character: str) -> bool:
        return unicodedata.category(character) in {"Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No"}


class _WordsOf9(_Words):
    def is_word(self, character: str) -> bool:
        age = age_of(character)
        is_known = bool(age) and tuple(map(int, age.split("."))) <= (9, 0)
        category = unicodedata.category(character)
        return is_known and (category[0] in "LM" or category in {"Nd", "Nl", "Pc"} or character in "\u200c\u200d")


class AsciiWords(_Matching):
    r"""\w is that of JavaScript and Go, [A-Za-z0-9_]: a token is a single word beside é."""

    kind: ClassVar[type[_Added]] = _AsciiWords


class AlphanumericWords(_Matching):
    """A word is letters and numbers, as Java's isLetterOrDigit and C's iswalnum have it: no _ and no marks."""

    kind: ClassVar[type[_Added]] = _AlphanumericWords


class WordsOfUnicode9(_Matching):
    r"""\w by the tables of Unicode 9."""

    kind: ClassVar[type[_Added]] = _WordsOf9


class _AsciiStrips(_Added):
    blanks: ClassVar[str] = "\t\n\f\r "

    def lstripped(self, text: str, start: int, lowest: int) -> int:
        return max(lowest, len(text[:start].rstrip(self.blanks)))

    def rstripped(self, text: str, stop: int) -> int:
        return len(text) - len(text[stop:].lstrip(self.blanks))


class AsciiStrips(_Matching):
    """Rust's trim_ascii in place of trim: white space that is not ASCII stays beside a token, and so does U+000B."""

    kind: ClassVar[type[_Added]] = _AsciiStrips


class SplitByEach(Official):
    """The text is split by each added token in turn, the longest first and of equals the last: not by the leftmost."""

    encode_with_offsets: Any = None

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        contents = [token.content for token in self.tokenizer.get_added_tokens_decoder().values()]
        parts = [text]
        for content in sorted(contents, key=len)[::-1]:
            parts = [
                piece
                for part in parts
                for piece in ([part] if part in contents else re.split(f"({re.escape(content)})", part))
            ]
        bare = [self.tokenizer.encode(part, add_special_tokens=False).ids for part in parts if part]
        around = self.tokenizer.encode("", add_special_tokens=add_special_tokens).ids
        return [*around, *(token_id for ids in bare for token_id in ids)]


class EquivalentTokens(Official):
    """Swift: a search for a string finds what is canonically equivalent, so a token is found in any form."""

    encode_with_offsets: Any = None

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        for token in self.tokenizer.get_added_tokens_decoder().values():
            for other in (unicodedata.normalize("NFC", token.content), unicodedata.normalize("NFD", token.content)):
                text = text.replace(other, token.content)
        return list(self.tokenizer.encode(text, add_special_tokens=add_special_tokens).ids)


class NormalizedFirst(Official):
    """NFC is applied before added tokens are matched, so a mark can compose with the last character of a token."""

    encode_with_offsets: Any = None

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        self.bare = tokenizers.Tokenizer.from_str(json.dumps({**model, "normalizer": None}))
        return model

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        normalized = tokenizers.normalizers.NFC().normalize_str(text)
        return list(self.bare.encode(normalized, add_special_tokens=add_special_tokens).ids)
