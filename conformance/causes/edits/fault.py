"""A fault: one way to get a tokenizer wrong, as a change to the reference."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias, TypeVar

from reftok import Tokenizer, Trace
from reftok.fast.encoder import FastEncoder
from reftok.fast.models import WordModel
from reftok.rules.pipeline import Pipeline
from reftok.rules.trace import DecodingTrace

Answer = TypeVar("Answer")
Step = TypeVar("Step")
Text: TypeAlias = Callable[[Sequence[int], bool], str]
"""The decoding of ids to text, special tokens skipped or kept."""
AskedIds: TypeAlias = Callable[[Sequence[int], bool], tuple[Sequence[int], bool]]
"""Gives other arguments to `decode`: ids, and whether special tokens are skipped."""
Change: TypeAlias = Callable[[Sequence[int]], Sequence[int]]
"""What is done to the ids of a text."""
TextAnswer: TypeAlias = tuple[str, Sequence[int], Sequence[int]]
"""A text, its right ids, and the ids that a subject gave."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One way to get the encoding wrong; `ids` answers like an implementation that does.

    Its answers are asked for through `predicted`.
    trace: what its stages give, for the reports; None where it is no other tokenizer or text.
    text: what it decodes, which may differ too; None where it is no other tokenizer.
    change: what it does to the right ids, where that is all it does. before: what it does to a text before that is
        encoded, where that is all. rules: the changed rules, where that is all. By these, others are put beneath it.
    concerns: whether it could change the ids of a text; cheap, so that other texts need not be encoded.
    """

    stage: str
    rule: str
    ids: Callable[[str], Sequence[int]]
    trace: Callable[[str], Trace] | None = None
    text: Text | None = None
    change: Change | None = None
    before: Callable[[str], str] | None = None
    rules: Callable[[], Pipeline] | None = None
    learnt: str = ""
    concerns: Callable[[str], bool] = lambda text: True


@dataclass(frozen=True, slots=True)
class DecodingFault:
    """One way to get the decoding wrong.

    trace: what its decoders give, for the reports; None where it is no other tokenizer. learnt: as of `Fault`.
    before, after: the change, if the fault only changes the ids before decoding, or only the text after it. Such faults
        can be combined with one of the decoding itself.
    mixin: if the fault only overrides methods of SentencePieceDecoder, the class with these methods.
    """

    stage: str
    rule: str
    text: Text
    trace: Callable[[Sequence[int], bool], DecodingTrace] | None = None
    learnt: str = ""
    before: AskedIds | None = None
    mixin: type[Any] | None = None
    after: Callable[[str], str] | None = None


def predicted(answer: Callable[[], Answer]) -> Answer | None:
    """The answer of a fault; None where it breaks down.

    A changed reference need not be a tokenizer any more, so whatever it raises is its refusal.

    >>> predicted(lambda: {"a": 0}["b"]) is None
    True
    """
    try:
        return answer()
    except Exception:
        return None


def of_rules(
    stage: str,
    rule: str,
    tokenizer: Tokenizer,
    build: Callable[[], Pipeline],
    concerns: Callable[[str], bool] = lambda text: True,
) -> Fault:
    """The rules with one thing changed, built when they are first asked; texts that it leaves alone are not.

    concerns: see `Fault`.
    """
    built = cache(build)
    encode = cache(lambda: _encoder(built(), tokenizer))
    return Fault(
        stage,
        rule,
        lambda text: encode()(text) if concerns(text) else tokenizer.encode_ids(text),
        lambda text: (built() if concerns(text) else tokenizer).trace(text),
        lambda ids, skips: built().decode(ids, skip_special_tokens=skips),
        rules=built,
        concerns=concerns,
    )


def _encoder(rules: Pipeline, tokenizer: Tokenizer) -> Callable[[str], Sequence[int]]:
    """The ids by changed rules, in the fast path where that is the same: tables of another model are not built for it.

    The search for added tokens knows nothing of classes that match them otherwise.
    """
    right = tokenizer.rules
    if type(rules) is not Pipeline or rules.added_tokens is not right.added_tokens:
        return rules.encode_ids
    model = tokenizer.memory.encoder.model if rules.model is right.model else WordModel(rules.model)
    encoder = FastEncoder(rules, model)
    return lambda text: encoder.ids_with_affixes(rules.checked_text(text), True)


def is_not_ascii(text: str) -> bool:
    """Whether a change of other characters than those of ASCII concerns a text."""
    return not text.isascii()


def of_text(stage: str, rule: str, tokenizer: Tokenizer | Pipeline, change: Callable[[str], str]) -> Fault:
    """The text changed before it is encoded."""
    return Fault(
        stage,
        rule,
        lambda text: tokenizer.encode_ids(change(text)),
        lambda text: tokenizer.trace(change(text)),
        before=change,
    )


def of_ids(stage: str, rule: str, tokenizer: Tokenizer, change: Change) -> Fault:
    """The right ids changed."""
    return Fault(stage, rule, lambda text: change(tokenizer.encode_ids(text)), change=change)


def of_decoded(rule: str, tokenizer: Tokenizer, change: Callable[[str], str], learnt: str = "") -> DecodingFault:
    """The text changed after it is decoded."""
    text: Text = lambda ids, skips: change(tokenizer.decode(ids, skip_special_tokens=skips))
    return DecodingFault("Decoder", rule, text, learnt=learnt, after=change)


def of_decoded_ids(rule: str, tokenizer: Tokenizer, change: AskedIds, learnt: str = "") -> DecodingFault:
    """A fault that decodes other ids, or changes `skip_special_tokens`."""

    def text(ids: Sequence[int], skips: bool) -> str:
        others, skips = change(ids, skips)
        return tokenizer.decode(others, skip_special_tokens=skips)

    return DecodingFault("Decoder", rule, text, learnt=learnt, before=change)


def changed(fault: Fault, change: Change) -> Fault:
    """The fault, to whose ids something is done besides."""
    return Fault(fault.stage, fault.rule, lambda text: change(fault.ids(text)))


def with_steps(steps: Sequence[Step], index: int, instead: Sequence[Step] = ()) -> tuple[Step, ...]:
    """The steps with others in place of one.

    >>> with_steps("abc", 1), with_steps("abc", 1, "xy")
    (('a', 'c'), ('a', 'x', 'y', 'c'))
    """
    return (*steps[:index], *instead, *steps[index + 1 :])


def around(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """The special tokens before a text, and those after it."""
    bare, whole = tokenizer.encode_ids("a", add_special_tokens=False), tokenizer.encode_ids("a")
    places = range(len(whole) - len(bare) + 1)
    start = next((start for start in places if whole[start : start + len(bare)] == bare), 0)
    return whole[:start], whole[start + len(bare) :]


Faults = Iterator[Fault]
