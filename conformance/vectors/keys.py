"""What vectors reach: the keys of `conformance.fuzzing.watching`, and some that only vectors have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from conformance.fuzzing.coverage import Coverage
from conformance.fuzzing.watching import (
    ALTERNATIVES,
    DECODERS,
    FALLBACK,
    FLAGS,
    MERGES,
    RULES,
    SEAMS,
    STAGES,
    Watcher,
)
from conformance.generators.knowledge import ModelKnowledge
from conformance.generators.seams import BESIDE_TOKENS, CASED, ENDS, KINDS, NEWER, STARTS
from reftok.rules.byte_level import from_byte_characters
from reftok.rules.huggingface.decoders import byte_of_token

BUGS, LANGUAGES, TOKENS = "known bugs", "languages and domains", "added tokens"
BYTES, COMPOSITIONS = "bytes", "characters that compose"
COMPETITIONS = "texts on which merges or scores compete"
NOT_UTF8, EDGES = "bytes that are not UTF-8", "ids at the edge"
ENTRIES = "vocab entries"
FOREIGN = "special tokens of other models"
RULE = "rule"
"""The kind of key that says which rule an input tells; its keys are "kind:number:flag", of faults in their order."""

Key: TypeAlias = tuple[str, int | str]
"""A kind, and what of it."""
Keys: TypeAlias = frozenset[Key]

CORE = (
    ALTERNATIVES, SEAMS, STAGES, RULES, COMPOSITIONS, TOKENS, FLAGS, BYTES, FALLBACK, DECODERS, BUGS, LANGUAGES,
    COMPETITIONS, FOREIGN, NOT_UTF8, EDGES, ENDS, STARTS, BESIDE_TOKENS, NEWER, CASED,
)  # fmt: skip
"""The kinds that the vectors of core reach."""
FULL = (*CORE, MERGES, ENTRIES)


def own_rule(flag: str) -> Key:
    """The key of an input that was made to tell one rule."""
    return RULE, f"own::{flag}"


def traced(watcher: Watcher, knowledge: ModelKnowledge, given: str | tuple[int, ...], ids: Sequence[int]) -> Keys:
    """What an input makes the reference do. ids: of a text, or those that are decoded."""
    found = watcher.look(Coverage(), given).reached
    keys = {(kind, key) for kind, some in found.items() for key in some}
    if isinstance(given, str):
        for token_id in ids:
            token = knowledge.tokens.get(token_id, "")
            byte = byte_of_token(token) if token_id in knowledge.byte_ids else _single_byte(knowledge, token)
            if byte is not None:
                keys.add((BYTES, f"{byte:02X}"))
        keys |= {(ENTRIES, token_id) for token_id in ids if token_id in knowledge.tokens}
    return frozenset(keys)


def _single_byte(knowledge: ModelKnowledge, token: str) -> int | None:
    """The byte that a token of byte-level BPE is."""
    data = from_byte_characters(token) if knowledge.notation == "byte-level" and len(token) == 1 else None
    return data[0] if data else None


def universe(watcher: Watcher, knowledge: ModelKnowledge, own: frozenset[Key]) -> dict[str, list[int | str]]:
    """All that could be reached, by kind. own: the keys of the questions themselves, all of them."""
    # Of seams, vectors reach each sort: a mistake at one place of a sort is made at the others too.
    found: dict[str, list[int | str]] = {k: list(keys) for k, keys in watcher.universe.items() if k not in KINDS}
    for kind, key in sorted(own, key=str):
        known = found.setdefault(kind, [])
        if key not in known:
            known.append(key)
    bytes_of = {byte_of_token(knowledge.tokens[token_id]) for token_id in knowledge.byte_ids}
    bytes_of |= {_single_byte(knowledge, token) for token in knowledge.tokens.values()}
    found.setdefault(BYTES, []).extend(f"{byte:02X}" for byte in sorted(one for one in bytes_of if one is not None))
    return found
