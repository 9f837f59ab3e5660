"""Ids with their tokens, so that a person can read a difference of ids."""

from __future__ import annotations

from dataclasses import dataclass, replace

from conformance.checks.base import Answers, Difference, tails
from conformance.observation import Encoded
from reftok import Tokenizer


@dataclass(frozen=True, slots=True, repr=False)
class NamedId:
    """An id and the token that the reference knows it by."""

    id: int
    token: str | None

    def __repr__(self) -> str:
        return f"{self.id} {self.token!r}" if self.token is not None else f"{self.id} (no token)"


def named_difference(tokenizer: Tokenizer, difference: Difference, oracle: Answers, subject: Answers) -> Difference:
    """The difference with its ids named, where it is one of ids; any other as it is."""
    expected, observed = oracle.encoding, subject.encoding
    if not isinstance(expected, Encoded) or not isinstance(observed, Encoded) or difference.rule != "other ids":
        return difference
    wanted = [NamedId(token_id, tokenizer.id_to_token(token_id)) for token_id in expected.ids]
    given = [NamedId(token_id, tokenizer.id_to_token(token_id)) for token_id in observed.ids]
    shown = tails(wanted, given)
    return replace(difference, expected=shown[0], observed=shown[1])
