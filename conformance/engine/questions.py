"""The cases of a shard as subjects are asked them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from conformance.checks.chat import CHAT
from conformance.core.case import Case, text_case
from conformance.core.observation import Decoded
from conformance.engine.bench import Bench
from conformance.engine.plan import Plan
from conformance.inputs.chats import chat_cases
from conformance.inputs.made import made_cases, seam_cases
from conformance.inputs.shards import Shard, shard_cases
from conformance.subjects.base import Subject


def shard_questions(plan: Plan, shard: Shard, bench: Bench) -> list[Case]:
    """The cases of a shard. Entries of the vocab are also asked as texts; conversations belong to the corpora."""
    oracle = bench.subjects[bench.oracle]
    if shard.source == "fuzz":
        cases = made_cases(plan.inputs, shard, bench.generators)
    elif shard.source == "seams":
        cases = seam_cases(bench.seams, shard)
    else:
        cases = shard_cases(plan.inputs, shard, bench.vocab)
    if shard.source == "corpora" and shard.start == 0 and CHAT.name in plan.checks and _has_chats(bench):
        cases = [*cases, *chat_cases()]
    if shard.source == "vocab":
        cases += _reencoded(cases, oracle)
    return as_asked(cases, oracle)


def _has_chats(bench: Bench) -> bool:
    """Whether there is a chat template, and a subject that renders it."""
    is_rendered = any(bench.subjects[name].has_chat for name in bench.compared)
    return is_rendered and bench.reference.tokenizer.rules.chat_templates is not None


def as_asked(cases: Iterable[Case], oracle: Subject) -> list[Case]:
    """The cases as subjects are asked them: bytes as they are, where the oracle takes such, and as their text."""
    asked: list[Case] = []
    for case in cases:
        if case.kind != "bytes" or oracle.takes_bytes:
            asked.append(case)
        if case.kind == "bytes":
            asked.append(text_case(case.readable_text, f"{case.origin}:text", case.language))
    return asked


def _reencoded(cases: Sequence[Case], oracle: Subject) -> list[Case]:
    """The text of each entry of the vocab, to be encoded again."""
    texts: list[Case] = []
    for case in cases:
        decoded = oracle.decode(case.ids)
        if isinstance(decoded, Decoded):
            texts.append(text_case(decoded.kept, f"{case.origin}:text"))
    return texts
