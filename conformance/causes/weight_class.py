"""The class of a finding's weight: what it takes to meet it."""

from __future__ import annotations

from conformance.checks import CHECKS
from conformance.checks.streams import HELD_TOO_LONG
from conformance.core.case import Case
from conformance.core.finding import Finding
from conformance.core.weight import Share, WeightClass
from reftok import ReftokError, Tokenizer

CHOICES = (HELD_TOO_LONG, "one U+FFFD for ", "bytes join across control pieces")
"""The beginnings of rules that no format makes. Who leaves the skipping of control pieces to the harness is given the
bytes around them without them."""

LEAST_TEXTS = 50
"""Of so many natural texts one would show what is natural; fewer, where the time ended, say nothing."""
_REFUSALS = ("refused", "answers what the oracle refuses")
_ASCII_SPACES = "\t\n\r"


def is_choice(rule: str) -> bool:
    """Whether no format makes this rule, so that either way is right.

    >>> is_choice("one U+FFFD for each byte"), is_choice("NFC is missing")
    (True, False)
    """
    return rule.startswith(CHOICES)


def weight_class(finding: Finding, whole: Share | None, tokenizer: Tokenizer) -> WeightClass:
    """The class of a finding.

    whole: how many of the natural texts or words that were asked it changes; None where none was asked.
    tokenizer: the reference with its model.
    """
    if is_choice(finding.rule):
        return "policy"
    if whole is None:
        return "not weighed"
    if whole.changed:
        return "natural text"
    example = finding.example
    case = example.case
    if CHECKS[example.check].is_of_streams:
        return "streams"
    is_empty = not (case.text or case.data or case.ids)
    if is_empty or any(tokenizer.id_to_token(token_id) is None for token_id in case.ids):
        return "ids and options at the edge"
    if finding.stage == "AddedTokens" or example.severity == "special-token injection" or _has_added(case, tokenizer):
        return "added and special tokens"
    if whole.asked < LEAST_TEXTS:
        return "not weighed"
    if not _is_plain(case, tokenizer):
        return "edge of Unicode"
    return "ids and options at the edge" if example.rule in _REFUSALS else "rare text"


def _has_added(case: Case, tokenizer: Tokenizer) -> bool:
    added = tokenizer.rules.added_tokens.tokens
    if case.kind == "ids":
        return not added.keys().isdisjoint(case.ids)
    return any(token.content and token.content in case.readable_text for token in added.values())


def _is_plain(case: Case, tokenizer: Tokenizer) -> bool:
    """Whether it is printable ASCII; ids, by what they decode to."""
    try:
        text = tokenizer.decode(case.ids, skip_special_tokens=False) if case.kind == "ids" else case.readable_text
    except ReftokError:
        return False
    return text.isascii() and all(character.isprintable() or character in _ASCII_SPACES for character in text)
