"""Observations of subjects on cases. A subject's failure is data; only a failure of the harness is an exception."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Encoded:
    """A subject's answer to a text. What a subject does not offer is None.

    ids: token ids.
    tokens: the entries of the vocab.
    offsets: half-open spans in code points of the text (bytes, where the case is bytes); for a pair of the text that
        the token is from, and for a pre-tokenized text of the word.
    special_tokens_mask: 1 for a token that a template inserted.
    type_ids: the segment of each token. attention_mask: 0 for padding. word_ids: the pre-token of each token, None for
        one that was inserted. overflowing: the ids of what truncation cut off. sequence_ids: the text of each token, 0
        or 1 of a pair, None for one that was inserted. char_to_token: of each text, and of each of its code points, the
        first token that has it, or None; not asked for words. From type_ids on, only
        questions with settings have these.
    """

    ids: tuple[int, ...]
    tokens: tuple[str, ...] | None = None
    offsets: tuple[tuple[int, int], ...] | None = None
    special_tokens_mask: tuple[int, ...] | None = None
    type_ids: tuple[int, ...] | None = None
    attention_mask: tuple[int, ...] | None = None
    word_ids: tuple[int | None, ...] | None = None
    overflowing: tuple[tuple[int, ...], ...] | None = None
    sequence_ids: tuple[int | None, ...] | None = None
    char_to_token: tuple[tuple[int | None, ...], ...] | None = None


@dataclass(frozen=True, slots=True)
class Decoded:
    """A subject's answer to ids.

    text: with special tokens skipped.
    with_special: with special tokens kept; None where the subject cannot.
    """

    text: str
    with_special: str | None = None

    @property
    def kept(self) -> str:
        """The text with special tokens kept, where the subject can."""
        return self.text if self.with_special is None else self.with_special


FailureKind: TypeAlias = Literal[
    "refused",
    "crashed",
    "crashed once",
    "timed out",
    "timed out once",
    "nonsense",
    "not asked",
    "skipped",
    "adapter error",
]


@dataclass(frozen=True, slots=True)
class Failure:
    """No answer.

    kind: "refused" (it raised an error), "crashed" (it broke down: its process died, or a library in Rust panicked),
        "timed out", either of them "once" (it did so, and not when the same was asked again), "nonsense" (the answer
        has the wrong type), "not asked" (it had failed too often before, or is not installed), "skipped" (it says that
        it does not do this), or "adapter error" (what stands between it and the harness is at fault).
    message: its own words, in one line.
    """

    kind: FailureKind
    message: str


Encoding: TypeAlias = Encoded | Failure
Decoding: TypeAlias = Decoded | Failure

UNTESTED = ("skipped", "adapter error")
"""The kinds of failures that say nothing of an implementation."""
NO_ANSWER_IN_TIME = ("timed out", "timed out once", "not asked")
"""The kinds of failures, and rules of findings, that a smaller case would show by taking long, or not at all."""
