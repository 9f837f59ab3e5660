"""Two token sequences under the text that they stand for: equal tokens one by one, what differs side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from conformance.core.case import Case
from conformance.core.evidence import Evidence, SeenToken

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A part of the text with the tokens of both answers. text: the part, of bytes in hexadecimal."""

    text: str
    expected: tuple[SeenToken, ...]
    observed: tuple[SeenToken, ...]
    differs: bool


def aligned(case: Case, evidence: Evidence) -> list[Group]:
    """The groups in order; their texts together are the text, as far as the tokens reach.

    Only the expected tokens say where they stand: what differs stands over the text between equal tokens.
    """
    by_id = [token.id for token in evidence.expected] != [token.id for token in evidence.observed]
    expected_keys = [_key(token, by_id) for token in evidence.expected]
    observed_keys = [_key(token, by_id) for token in evidence.observed]
    matcher = SequenceMatcher(None, expected_keys, observed_keys, autojunk=False)
    spans = _spans(evidence.expected)
    position = min((start for start, _ in spans), default=0) if evidence.skipped else 0
    groups: list[Group] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        for expected, observed in _parts(kind, evidence.expected[a:b], evidence.observed[c:d]):
            end = max((end for _, end in _spans(expected)), default=position)
            groups.append(Group(_text(case, position, end), expected, observed, kind != "equal"))
            position = max(position, end)
    rest = "" if evidence.is_cut or not any(spans) else _text(case, position, None)
    return [*groups, Group(rest, (), (), False)] if rest else groups


def _parts(
    kind: str, expected: Sequence[SeenToken], observed: Sequence[SeenToken]
) -> Iterable[tuple[tuple[SeenToken, ...], tuple[SeenToken, ...]]]:
    """Equal tokens apart, but those together that share a character; what differs in one."""
    if kind != "equal":
        return [(tuple(expected), tuple(observed))]
    parts: list[tuple[list[SeenToken], list[SeenToken]]] = []
    for one, other in zip(expected, observed, strict=True):
        before = parts[-1][0][-1].span if parts else None
        if before and one.span and one.span[0] < before[1]:
            parts[-1][0].append(one)
            parts[-1][1].append(other)
        else:
            parts.append(([one], [other]))
    return [(tuple(one), tuple(other)) for one, other in parts]


def _key(token: SeenToken, by_id: bool) -> Key:
    return (token.id,) if by_id else (token.id, token.token, token.span)


def _spans(tokens: Iterable[SeenToken]) -> list[tuple[int, int]]:
    return [token.span for token in tokens if token.span]


def _text(case: Case, start: int, stop: int | None) -> str:
    return case.data[start:stop].hex(" ") if case.kind == "bytes" else case.text[start:stop]
