"""Ids with their tokens, so that a person can read a difference of ids."""

from __future__ import annotations

from dataclasses import dataclass, replace

from conformance.checks.base import Answers, Difference, tails, text_tails
from conformance.core.observation import Decoded, Encoded, Failure
from reftok import Tokenizer

AN_ANSWER = "an answer"
"""The answer that checks call due where there is none: they know no tokens."""


@dataclass(frozen=True, slots=True, repr=False)
class NamedId:
    """An id and the token that the reference knows it by."""

    id: int
    token: str | None

    def __repr__(self) -> str:
        return f"{self.id} {self.token!r}" if self.token is not None else f"{self.id} (no token)"


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
    return [NamedId(token_id, tokenizer.id_to_token(token_id)) for token_id in encoding.ids]


def _due(tokenizer: Tokenizer, oracle: Answers, subject: Answers) -> str:
    """The answer of the official library where the subject fails."""
    if isinstance(subject.encoding, Failure) and isinstance(oracle.encoding, Encoded):
        return tails(_named(tokenizer, oracle.encoding), ())[0]
    if isinstance(subject.decoding, Failure) and isinstance(oracle.decoding, Decoded):
        return text_tails(oracle.decoding.kept, "")[0] or "(empty)"
    return AN_ANSWER
