"""The kept inputs of sessions: made fewer without losing what they reach, and put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.core.errors import InputError
from conformance.engine.bench import load_reference
from conformance.engine.plan import ModelPlan
from conformance.fuzzing.coverage import Coverage
from conformance.fuzzing.folder import kept_inputs, read_state, write_corpus, write_state
from conformance.fuzzing.state import Kept
from conformance.fuzzing.watching import Watcher
from conformance.generators.base import Drawn
from conformance.generators.knowledge import model_knowledge
from reftok import ReftokError, Tokenizer


@dataclass(frozen=True, slots=True)
class Change:
    """The number of inputs a corpus had, and has."""

    before: int
    after: int


def minimize(folder: Path, models: Sequence[ModelPlan]) -> Change:
    """Keep, shortest first, only inputs that reach what none before them does."""
    kept = kept_inputs(folder)
    fewer = list(_needed(kept, models))
    _replace(folder, fewer)
    return Change(len(kept), len(fewer))


def merge(folder: Path, others: Sequence[Path], models: Sequence[ModelPlan]) -> Change:
    """Add the inputs of other sessions, each once; those for models that this session does not have are left out."""
    names = {model.name for model in models}
    kept = kept_inputs(folder)
    known = {(entry.model, entry.drawn) for entry in kept}
    merged = list(kept)
    for other in others:
        for entry in kept_inputs(other):
            if entry.model in names and (entry.model, entry.drawn) not in known:
                known.add((entry.model, entry.drawn))
                merged.append(entry)
    _replace(folder, merged)
    return Change(len(kept), len(merged))


def _replace(folder: Path, kept: Sequence[Kept]) -> None:
    """The corpus first: killed between the two, the inputs that do not count yet are lost, and no other."""
    state = read_state(folder)
    write_corpus(folder, kept)
    state.kept = len(kept)
    write_state(folder, state)


def _needed(kept: Iterable[Kept], models: Sequence[ModelPlan]) -> Iterator[Kept]:
    plans = {model.name: model for model in models}
    by_model: dict[str, list[Kept]] = {}
    for entry in kept:
        by_model.setdefault(entry.model, []).append(entry)
    for name, entries in by_model.items():
        if name not in plans:
            raise InputError(f"the corpus has inputs for {name}, which is none of the session's models")
        tokenizer = load_reference(plans[name])
        watcher, coverage = Watcher(tokenizer, model_knowledge(tokenizer)), Coverage()
        for entry in sorted(entries, key=lambda entry: len(entry.drawn)):
            if watcher.watch(coverage, entry.drawn, _ids(tokenizer, entry.drawn), is_close=True):
                yield entry


def _ids(tokenizer: Tokenizer, drawn: Drawn) -> list[int] | None:
    """The ids of a text, None where it is refused."""
    try:
        return tokenizer.encode_ids(drawn) if isinstance(drawn, str) else None
    except ReftokError:
        return None
