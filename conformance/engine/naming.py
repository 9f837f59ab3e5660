"""Ids with their tokens, so that a person can read a difference of ids."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace

from conformance.checks.base import Answers, Difference, tails, text_tails
from conformance.core.observation import Decoded, Encoded, Failure
from reftok import Tokenizer
from reftok.rules.byte_level import from_byte_characters

AN_ANSWER = "an answer"
"""The answer that checks call due where there is none: they know no tokens."""


@dataclass(frozen=True, slots=True, repr=False)
class NamedId:
    """An id and the token that the reference knows it by."""

    id: int
    token: str | None

    def __repr__(self) -> str:
        if self.token is None:
            return f"{self.id} (no token)"
        begins_with_mark = unicodedata.category(self.token[:1] or " ").startswith("M")
        return f"{self.id} {ascii(self.token) if begins_with_mark else repr(self.token)}"  # no mark on our quote


def token_text(tokenizer: Tokenizer, token_id: int) -> str | None:
    r"""The text that a token stands for; None if there is none of this id.

    A byte-level vocab writes tokens in the characters of their bytes, which is nobody's text. Bytes that are no text
    by themselves are written as the tokens of byte fallback are.

    >>> import reftok
    >>> tokenizer = reftok.load("bpe-qwen")
    >>> [NamedId(token_id, token_text(tokenizer, token_id)) for token_id in tokenizer.encode("é\u0340🜁").ids]
    [371 'é', 1755 '\u0300', 461 '<0xF0><0x9F>', 250 '<0x9C>', 223 '<0x81>']
    """
    token = tokenizer.id_to_token(token_id)
    data = None if token is None or token.isascii() else from_byte_characters(token)
    if data is None or tokenizer.decode([token_id], skip_special_tokens=False) != data.decode("utf-8", "replace"):
        return token
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in data)


def named_difference(tokenizer: Tokenizer, difference: Difference, oracle: Answers, subject: Answers) -> Difference:
    """The difference with its ids named, where it is one of ids, and what was due where no answer came."""
    if difference.expected == AN_ANSWER:
        return replace(difference, expected=_due(tokenizer, oracle, subject))
    expected, observed = oracle.encoding, subject.encoding
    if not isinstance(expected, Encoded) or not isinstance(observed, Encoded) or difference.rule != "other ids":
        return difference
    shown = tails(_named(tokenizer, expected), _named(tokenizer, observed))
    return replace(difference, expected=shown[0], observed=shown[1])


def _named(tokenizer: Tokenizer, encoding: Encoded) -> list[NamedId]:
    return [NamedId(token_id, token_text(tokenizer, token_id)) for token_id in encoding.ids]


def _due(tokenizer: Tokenizer, oracle: Answers, subject: Answers) -> str:
    """The answer of the official library where the subject fails."""
    if isinstance(subject.encoding, Failure) and isinstance(oracle.encoding, Encoded):
        return tails(_named(tokenizer, oracle.encoding), ())[0]
    if isinstance(subject.decoding, Failure) and isinstance(oracle.decoding, Decoded):
        return text_tails(oracle.decoding.kept, "")[0] or "(empty)"
    return AN_ANSWER
