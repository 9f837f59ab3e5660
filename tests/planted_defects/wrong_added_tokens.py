"""Ports that read the added tokens and not their flags, or look for them in the wrong place or order."""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import Any, ClassVar

import tokenizers
from official import Official, Spans


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
