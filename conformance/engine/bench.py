"""The subjects of one model, loaded and ready to be asked."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from random import Random
from typing import TypeVar

from conformance.core.case import Case, made_case
from conformance.core.errors import InputError
from conformance.core.observation import Failure
from conformance.engine.plan import ModelPlan, Plan
from conformance.generators import generators
from conformance.generators.base import Generator, NothingToDo
from conformance.generators.knowledge import ModelKnowledge, model_knowledge, vocab_by_id
from conformance.generators.mutation import CorpusMutation
from conformance.generators.seams import Seam, seams
from conformance.inputs.shards import corpus_lines
from conformance.subjects import transformers_subject
from conformance.subjects.adapters import BUILT_IN, load_subject, subject_label
from conformance.subjects.base import Subject, UnavailableError
from conformance.subjects.protocol_subject import NOT_LOADED_IN_TIME, ProtocolSubject
from conformance.subjects.reftok_subject import REFERENCE, ReftokSubject
from conformance.subjects.special_tokens import special_tokens
from reftok import Tokenizer, load
from reftok.formats.collection import collecting_later

MADE_OF_EACH = 12
"""Cases of each generator."""


Result = TypeVar("Result")


class Bench:
    """A model with its subjects, by label.

    oracle: the official library, or reftok where that cannot take part.
    until: of `time.monotonic`, when isolated subjects have to have loaded the model, and from when on they are asked
        nothing.
    unavailable: why a subject of the plan is not there; "refused", because it does not read the model.
    vocab: the ids of the model in ascending order, each with its token.
    """

    def __init__(self, plan: Plan, model: ModelPlan, until: float = math.inf) -> None:
        self.model = model
        self.until = until
        self._files = plan.inputs.files
        self.reference = ReftokSubject(load_reference(model))
        self.unavailable: dict[str, Failure] = {}
        self.subjects: dict[str, Subject] = {}
        for name in dict.fromkeys((model.oracle, *plan.subjects)):
            try:
                self.subjects[subject_label(name)] = self._load(name, plan)
            except UnavailableError as error:
                self.unavailable[subject_label(name)] = error.failure
        self.oracle = model.oracle if model.oracle in self.subjects else REFERENCE
        if self.oracle == REFERENCE:
            self.subjects.setdefault(REFERENCE, self.reference)
        self.vocab = vocab_by_id(self.reference.tokenizer)

    def _load(self, name: str, plan: Plan) -> Subject:
        if name == REFERENCE:
            return self.reference
        model = self.model
        tokens = None if name in BUILT_IN else special_tokens(self.reference.tokenizer)
        return load_subject(
            name, model.path, model.format, plan.timeout, model.encoding, plan.memory, tokens, self.until
        )

    @property
    def was_late(self) -> bool:
        """Whether a subject is not there only because the time was up before it had loaded the model."""
        return NOT_LOADED_IN_TIME in self.unavailable.values()

    @property
    def compared(self) -> list[str]:
        """The subjects that are held against the oracle."""
        return [name for name in self.subjects if name != self.oracle]

    @property
    def noise(self) -> dict[str, str]:
        """The first line of each subject that it said in the place of an answer."""
        programs = {name: one for name, one in self.subjects.items() if isinstance(one, ProtocolSubject)}
        return {name: program.noise[0] for name, program in programs.items() if program.noise}

    @cached_property
    def knowledge(self) -> ModelKnowledge:
        """The model as generators know it."""
        with collecting_later():
            return model_knowledge(self.reference.tokenizer)

    @cached_property
    def generators(self) -> Sequence[Generator | NothingToDo]:
        """The generators for the model, one of which mutates the lines of the plan's corpora."""
        with collecting_later():
            return generators(self.knowledge, corpus_lines(self._files))

    @cached_property
    def seams(self) -> tuple[Seam, ...]:
        """The seams of the model."""
        return seams(self.knowledge)

    @cached_property
    def made_cases(self) -> tuple[Case, ...]:
        """A few cases of each generator, always the same: samples of what a subject does."""
        return self.drawn_cases(MADE_OF_EACH, "")

    def drawn_cases(self, of_each: int, seed: str) -> tuple[Case, ...]:
        """So many cases of each generator, by turns, the same for the same seed."""
        makers = [maker for maker in self.generators if not isinstance(maker, NothingToDo | CorpusMutation)]
        return tuple(
            made_case(maker.draw(Random(f"{maker.name}:{seed}{number}")), f"sample:{maker.name}:{number}")
            for number in range(of_each)
            for maker in makers
        )

    @contextmanager
    def asking(self, subject: Subject) -> Iterator[None]:
        """For a while, one more subject."""
        self.renew()
        self.subjects[subject.name] = subject
        subject.until = self.until
        try:
            yield
        finally:
            del self.subjects[subject.name]

    def worked(self, work: Callable[[], Result], keep: Callable[[Result, Result], None]) -> Result:
        """The result of the work on a shard, which ends the same in any order of the shards and on any worker.

        A process goes on from shard to shard, as long as nothing shows that its answers depend on what it was asked
        before. Where this shard shows it, that may have been in another one: the work is done again, in a fresh one.
        keep: has the result of that take over from the first what must not be forgotten.
        """
        known = self._renewed_for_each_shard
        self._next_shard()
        result = work()
        if self._renewed_for_each_shard == known or self.is_over():
            return result
        self._next_shard()
        again = work()
        if self.is_over():
            return result
        keep(again, result)
        return again

    def _next_shard(self) -> None:
        """Forget what earlier shards left behind."""
        for subject in self.subjects.values():
            subject.next_shard()

    def ask_until(self, deadline: float) -> None:
        """Ask isolated subjects until a time of `time.monotonic`: what has no answer by then is not tested."""
        self.until = deadline
        for subject in self.subjects.values():
            subject.until = deadline

    def is_over(self) -> bool:
        """Whether the time to ask is up: then what is not answered may only not have been asked."""
        return time.monotonic() >= self.until

    def renew(self) -> None:
        """Forget all that was asked: the processes of subjects are started anew."""
        for subject in self.subjects.values():
            subject.renew()

    @property
    def _renewed_for_each_shard(self) -> frozenset[str]:
        """The subjects whose answers have turned out to depend on what they were asked before."""
        return frozenset(name for name, subject in self.subjects.items() if subject.anew)

    def close(self) -> None:
        """End the processes of isolated subjects."""
        for subject in self.subjects.values():
            subject.close()


@lru_cache(maxsize=2)
def load_reference(model: ModelPlan) -> Tokenizer:
    """Reftok with a model, read as its official library reads it; the last two are cached.

    Raises InputError if that library is transformers, and it is not installed, refuses the folder, or runs code of the
    class's own.
    """
    if model.oracle != transformers_subject.NAME:
        return load(model.path, model.encoding or None)
    try:
        return Tokenizer(transformers_subject.read_rules(model.path))
    except UnavailableError as error:
        raise InputError(f"{model.path}: {error}") from None
