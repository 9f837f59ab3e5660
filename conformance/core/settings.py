"""Questions with settings: pairs, pre-tokenized input, truncation and padding, named as in `tokenizers`.

For tiktoken: which special tokens are matched, and which refuse the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeGuard

from conformance.core.observation import Encoded, Failure

Side: TypeAlias = Literal["left", "right"]
Strategy: TypeAlias = Literal["longest_first", "only_first", "only_second"]
Text: TypeAlias = str | tuple[str, ...]
"""A text, or its words where the question is pre-tokenized."""


@dataclass(frozen=True, slots=True)
class Truncation:
    """The arguments of `enable_truncation`. max_length, stride: tokens. direction: the side that is cut off."""

    max_length: int
    stride: int = 0
    strategy: Strategy = "longest_first"
    direction: Side = "right"


@dataclass(frozen=True, slots=True)
class Padding:
    """The arguments of `enable_padding`. length: in tokens; None pads to the longest of the batch."""

    length: int | None = None
    pad_to_multiple_of: int | None = None
    direction: Side = "right"
    pad_id: int = 0
    pad_type_id: int = 0
    pad_token: str = "[PAD]"


@dataclass(frozen=True, slots=True)
class SpecialInText:
    """The arguments `allowed_special` and `disallowed_special` of tiktoken's `encode`.

    allowed: the special tokens that are matched; None: all. disallowed: those whose occurrence refuses the text; None:
        all that are not allowed. Other special tokens are encoded as plain text.
    """

    allowed: tuple[str, ...] | None = ()
    disallowed: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A batch to encode, and how.

    inputs: each one text, or the two of a pair. truncation, padding: None leaves what the model file says.
    special_in_text: None matches all special tokens.

    >>> Question((("a", "b"),), padding=Padding(pad_to_multiple_of=8)).shown
    "encode('a', 'b') with padding: pad_to_multiple_of=8"
    """

    inputs: tuple[tuple[Text, ...], ...]
    add_special_tokens: bool = True
    is_pretokenized: bool = False
    truncation: Truncation | None = None
    padding: Padding | None = None
    special_in_text: SpecialInText | None = None

    @property
    def needs(self) -> frozenset[str]:
        """What a subject must have to be asked, beside texts alone: as in the capabilities of docs/protocol.md."""
        needed = {
            "pair": any(len(one) > 1 for one in self.inputs),
            "is_pretokenized": self.is_pretokenized,
            "truncation": self.truncation is not None,
            "padding": self.padding is not None,
            "special_in_text": self.special_in_text is not None,
        }
        return frozenset(name for name, is_needed in needed.items() if is_needed)

    @property
    def shown(self) -> str:
        """The question for people: texts, and every setting that is not the usual one."""
        texts = "; ".join(", ".join(map(_shown, one)) for one in self.inputs)
        words = ["add_special_tokens=False"] * (not self.add_special_tokens)
        words += ["is_pretokenized=True"] * self.is_pretokenized
        for name, setting, usual in (
            ("truncation", self.truncation, Truncation(-1)),
            ("padding", self.padding, Padding()),
            ("special tokens in the text", self.special_in_text, SpecialInText()),
        ):
            if setting is not None:
                values = {field: getattr(setting, field) for field in setting.__slots__}
                unusual = [
                    f"{field}={'all' if value is None else value}"  # None is usual but for special tokens
                    for field, value in values.items()
                    if value != getattr(usual, field)
                ]
                words.append(f"{name}: {' '.join(unusual) or 'as usual'}")
        return f"encode({texts}){' with ' if words else ''}{', '.join(words)}"


def _shown(text: Text) -> str:
    return repr(text if isinstance(text, str) else [*text])


Given: TypeAlias = tuple[Encoded, ...] | Failure
"""The encodings of a batch, or why there are none."""
Answer: TypeAlias = Given | None
"""None where the subject is not asked such a question."""


def is_answer(answer: Answer, question: Question) -> TypeGuard[Given]:
    """Whether it answers: with encodings or, for special tokens in the text, with a refusal."""
    has_special = question.special_in_text is not None
    return isinstance(answer, tuple) or (has_special and answer is not None and answer.kind == "refused")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that a subject was asked.

    due: what the official library answers. given: what the subject does.
    cause: the rule that foretells what is given, "" where none is known or nothing is wrong.
    """

    question: Question
    due: Given
    given: Answer
    cause: str = ""

    @property
    def differs(self) -> str:
        """The part of the answer that differs first, or "an answer" where one is missing; "" where nothing does."""
        return "" if self.given is None else difference(self.due, self.given)


PARTS = (
    "ids",
    "type_ids",
    "attention_mask",
    "special_tokens_mask",
    "word_ids",
    "overflowing",
    "offsets",
    "sequence_ids",
    "char_to_token",
)
"""The parts of an answer, the gravest first."""


def difference(due: Given, given: Given) -> str:
    """The first part that differs, of those that both have, "an answer" where one has none; "" for nothing.

    >>> difference((Encoded((1,), type_ids=(0,)),), (Encoded((1,), type_ids=(1,)),))
    'type_ids'
    """
    if isinstance(due, Failure) or isinstance(given, Failure):
        kinds = [one.kind if isinstance(one, Failure) else "" for one in (due, given)]
        return "" if kinds == ["refused", "refused"] else "an answer"
    for part in PARTS:
        for one, other in zip(due, given, strict=True):
            expected, observed = getattr(one, part), getattr(other, part)
            if expected != observed and expected is not None and observed is not None:
                return part
    return ""
