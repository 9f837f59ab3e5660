"""The work on one shard of a session: draw, ask in bulk, watch what is reached; look closely at what differs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeAlias

from conformance.checks.base import Answers
from conformance.checks.decode import DECODE
from conformance.checks.encoding import IDS
from conformance.core.case import Case, made_case, text_case
from conformance.engine.bench import Bench
from conformance.engine.collecting import collect_answers
from conformance.engine.repeating import keep_unrepeated
from conformance.engine.result import ShardResult
from conformance.fuzzing.coverage import Coverage
from conformance.fuzzing.session import SessionPlan, SessionShard
from conformance.fuzzing.state import Kept, ShardOutcome
from conformance.fuzzing.watching import Watcher
from conformance.generators.base import Drawn, Generator, NothingToDo, in_turn
from conformance.generators.mutation import KeptMutation
from conformance.generators.seams import Seams
from conformance.inputs.shards import Shard
from conformance.runs.shard_work import judged
from conformance.subjects.adapters import BUILT_IN
from conformance.subjects.base import Ids, InBulk, Subject

LOOKED_AT, LOOKED_AT_FIRST = 256, 32
"""One input in so many is traced; of the first generation so many of a shard."""
ASKED_IN_FULL, ASKED_IN_FULL_OF_OTHERS, ASKED_IN_FULL_AT_FIRST = 512, 8, 4
"""One input in so many is asked with all checks though nothing differs: of subjects that are not built in, and in the
first generation, more."""

SEAMS_AMONG = 2
"""One input in so many is a seam, so that all seams are asked within a few thousand cases and generators go on."""

SHARE_OF_BULK = 0.5
"""Of the time that a shard has, where it has one: what differs is a finding only when it has been asked in full."""

BulkTexts: TypeAlias = tuple[Mapping[int, str | None], Mapping[int, str | None]]
"""By the number of the input, the text of its ids with special tokens kept, and with special tokens skipped."""
BulkQuestions: TypeAlias = tuple[Mapping[int, list[int]], Mapping[int, list[int]]]
"""By the number of the input, its ids, and those of them with special tokens."""


def shard_outcome(
    session: SessionPlan,
    bench: Bench,
    watcher: Watcher,
    shard: SessionShard,
    coverage: Coverage,
    kept: tuple[Drawn, ...],
) -> ShardOutcome:
    """The outcome of one shard; nothing is drawn where no subject reads the model.

    coverage, kept: at the end of the generation before; neither is changed.
    """
    started = time.monotonic()
    outcome = bench.worked(
        lambda: _worked(session, bench, watcher, shard, coverage, kept),
        lambda outcome, first: keep_unrepeated(outcome.result, first.result),
    )
    outcome.result.seconds = time.monotonic() - started
    outcome.result.noise = bench.noise
    return outcome


def _worked(
    session: SessionPlan,
    bench: Bench,
    watcher: Watcher,
    shard: SessionShard,
    coverage: Coverage,
    kept: tuple[Drawn, ...],
) -> ShardOutcome:
    result = ShardResult(Shard(shard.model, "fuzz", shard.start, shard.stop), unavailable=dict(bench.unavailable))
    if not bench.compared:
        return ShardOutcome(shard, result, (), Counter(), {})
    work = _Work(session, bench, watcher, shard, result, coverage.copy())
    idle = work.draw([Seams(bench.seams), *bench.generators, KeptMutation.of_inputs(bench.knowledge, kept)])
    end = bench.until
    bench.ask_until(time.monotonic() + SHARE_OF_BULK * (end - time.monotonic()))
    work.ask_in_bulk()
    bench.ask_until(end)
    work.look()
    work.ask_in_full()
    result.wrong.clear()  # causes are held against the answers of a run's shards, which can be asked again
    result.cases = len(work.inputs)
    return ShardOutcome(shard, result, tuple(work.kept), Counter(work.makers), idle)


@dataclass(slots=True)
class _Work:
    """One shard on its way.

    inputs: what was drawn; makers: by which generator. ids: what the oracle gives for a text, or what is decoded.
    bulk_ids: what each subject gave in bulk. suspects: by subject, the numbers of the inputs to be asked in full.
    """

    session: SessionPlan
    bench: Bench
    watcher: Watcher
    shard: SessionShard
    result: ShardResult
    coverage: Coverage
    inputs: list[Drawn] = field(default_factory=list)
    makers: list[str] = field(default_factory=list)
    ids: list[Ids | None] = field(default_factory=list)
    bulk_ids: dict[str, list[Ids | None]] = field(default_factory=dict)
    suspects: dict[str, set[int]] = field(default_factory=dict)
    kept: list[Kept] = field(default_factory=list)

    def draw(self, found: Sequence[Generator | NothingToDo]) -> dict[str, str]:
        """Draw the inputs, each generator in turn; gives why some have nothing to do.

        One in `SEAMS_AMONG` inputs is a seam of the model, until the session has asked all of them.
        """
        chosen = [generator for generator in found if generator.name in self.session.generators]
        turns = in_turn(chosen)
        seams = self.bench.seams if Seams.name in self.session.generators else ()
        chance = Random(self._seed)
        for number in range(self.shard.start, self.shard.stop if turns else self.shard.start):
            met = min(-(-number // SEAMS_AMONG), len(seams))
            if number == met * SEAMS_AMONG and met < len(seams):
                self.inputs.append(seams[met].text)
                self.makers.append(Seams.name)
                continue
            generator = turns[(number - met) % len(turns)]  # no turn is lost to a seam
            self.inputs.append(self._taken(generator.draw(chance)))
            self.makers.append(generator.name)
        return {generator.name: generator.reason for generator in chosen if isinstance(generator, NothingToDo)}

    @property
    def _seed(self) -> str:
        shard = self.shard
        return f"{self.session.plan.inputs.seed}:{shard.model}:{shard.generation}:{shard.number}"

    def _taken(self, drawn: Drawn) -> Drawn:
        """Bytes as the text of them, where the oracle takes no bytes."""
        if isinstance(drawn, bytes) and not self._oracle.takes_bytes:
            return drawn.decode("utf-8", "replace")
        return drawn

    @property
    def _oracle(self) -> Subject:
        return self.bench.subjects[self.bench.oracle]

    def ask_in_bulk(self) -> None:
        """Compare the ids of texts and the texts of ids; whatever is not equal, or was refused, is suspect."""
        bench, labels = self.bench, self.session.plan.labels
        names = [name for name in bench.subjects if name != bench.oracle and name in labels]
        oracle = self._oracle.in_bulk()
        right = oracle or bench.reference.in_bulk()
        self.ids = self._ids_of(right)
        questions = self._questions(self.ids)
        texts = self._texts_of(right, questions)
        if oracle is not None:
            self.bulk_ids[bench.oracle] = self.ids
        for name in names:
            subject = bench.subjects[name].in_bulk()
            if oracle is None or subject is None:
                self.suspects[name] = {*range(len(self.inputs))}
                continue
            suspects = self._sampled(self._asked_in_full(name), "asked in full")
            self.bulk_ids[name] = self._ids_of(subject)
            suspects |= self._differing(self.bulk_ids[name], self._texts_of(subject, questions), texts)
            self.suspects[name] = suspects
            self._count(name, suspects)

    def _asked_in_full(self, name: str) -> int:
        """Of so many inputs one is."""
        if not self.shard.generation:
            return ASKED_IN_FULL_AT_FIRST
        return ASKED_IN_FULL if name in BUILT_IN else ASKED_IN_FULL_OF_OTHERS

    def _ids_of(self, subject: InBulk) -> list[Ids | None]:
        """The ids it gives for each text; ids to decode as they are."""
        answers = iter(subject.ids([given for given in self.inputs if not isinstance(given, tuple)]))
        return [given if isinstance(given, tuple) else next(answers) for given in self.inputs]

    def _questions(self, ids: Sequence[Ids | None]) -> BulkQuestions:
        """The ids to decode, and those of them where it matters whether special tokens are skipped."""
        questions = {number: [*found] for number, found in enumerate(ids) if found is not None}
        is_plain = frozenset(self.bench.knowledge.special_ids).isdisjoint
        return questions, {number: found for number, found in questions.items() if not is_plain(found)}

    def _texts_of(self, subject: InBulk, questions: BulkQuestions) -> BulkTexts:
        every, special = questions
        kept = dict(zip(every, subject.texts([*every.values()]), strict=True))
        if subject.without_special is None:
            return kept, {}
        return kept, dict(zip(special, subject.without_special([*special.values()]), strict=True))

    def _differing(self, ids: Sequence[Ids | None], texts: BulkTexts, oracle_texts: BulkTexts) -> set[int]:
        """The numbers of the inputs for which two answers differ, or one of them is missing."""
        found = {n for n, (one, other) in enumerate(zip(ids, self.ids, strict=True)) if one is None or one != other}
        for mine, others in zip(texts, oracle_texts, strict=True):
            found |= {number for number, text in mine.items() if text is None or text != others.get(number, text)}
        return found

    def _count(self, name: str, suspects: Collection[int]) -> None:
        """Count the answers that were compared in bulk and will not be asked for again."""
        equal = len(self.inputs) - len(suspects)
        texts = sum(not isinstance(given, tuple) for given in self.inputs)
        texts -= sum(not isinstance(self.inputs[number], tuple) for number in suspects)
        checks = self.session.plan.checks
        for check, count in ((IDS.name, texts), (DECODE.name, equal)):
            if check in checks:
                self.result.counts[name, check].compared += count
                self.result.answers += count

    def _sampled(self, every: int, purpose: str) -> set[int]:
        """The numbers of one input in so many, by chance: a fixed step would fall in with the turns of generators."""
        chance = Random(f"{self._seed}:{purpose}")
        count = len(self.inputs)
        return set(chance.sample(range(count), min(count, -(-count // every))))

    def look(self) -> None:
        """Watch what the inputs reach, closely for a sample; keep those that reach something new."""
        every = LOOKED_AT if self.shard.generation else max(1, len(self.inputs) // LOOKED_AT_FIRST)
        looked_at = self._sampled(every, "looked at")
        for number, (given, ids) in enumerate(zip(self.inputs, self.ids, strict=True)):
            if reached := self.watcher.watch(self.coverage, given, ids, is_close=number in looked_at):
                self.kept.append(Kept(self.shard.model, self._case(number), reached))

    def ask_in_full(self) -> None:
        """Ask about the suspects with all checks; a difference is attributed and recorded.

        The oracle is judged once, on whatever is suspect of any subject: with a subject of which all that is, else by
        itself.
        """
        every = set().union(*self.suspects.values())
        with_oracle = next((name for name, suspects in self.suspects.items() if suspects == every), None)
        if with_oracle is None:
            self.result.join(self._judged(self.bench.oracle, every))
        for name, suspects in self.suspects.items():
            self.result.join(self._judged(name, suspects, with_oracle=name == with_oracle))

    def _judged(self, name: str, suspects: Collection[int], with_oracle: bool = False) -> ShardResult:
        """The result of one subject on its suspects. with_oracle: and that of the oracle, which is asked anyhow."""
        bench, plan = self.bench, self.session.plan
        pairs = [(number, case) for number in sorted(suspects) for case in self._cases(number)]
        cases = [case for _, case in pairs]

        def asked() -> dict[str, list[Answers]]:
            found = collect_answers(bench, cases, plan.checks, name)
            return {one: self._with_bulk_ids(one, pairs, answers) for one, answers in found.items()}

        def again(name: str) -> list[Answers]:
            if name in self.bulk_ids and (subject := bench.subjects[name].in_bulk()) is not None:
                self._ids_of(subject)
                self._texts_of(subject, self._questions(self.ids))
            return asked()[name]

        return judged(plan, self.result.shard, bench, cases, asked(), None if with_oracle else name, again)

    def _with_bulk_ids(self, name: str, pairs: Sequence[tuple[int, Case]], answers: Sequence[Answers]) -> list[Answers]:
        """The answers with the ids of the shard's own bulk: asked with the suspects alone, they might be others."""
        bulk = self.bulk_ids.get(name)
        if bulk is None:
            return [*answers]
        with_bulk_ids: list[Answers] = []
        for (number, case), answer in zip(pairs, answers, strict=True):
            ids = bulk[number]
            if ids is not None and case.kind != "ids" and not case.origin.endswith(":text"):
                answer = replace(answer, bulk_ids=tuple(ids))
            with_bulk_ids.append(answer)
        return with_bulk_ids

    def _cases(self, number: int) -> list[Case]:
        """The input as a case; bytes also as the text of them, for those that take no bytes."""
        case = self._case(number)
        if case.kind != "bytes":
            return [case]
        return [case, text_case(case.readable_text, f"{case.origin}:text")]

    def _case(self, number: int) -> Case:
        shard, given = self.shard, self.inputs[number]
        place = f"{shard.generation}.{shard.number}.{number}"
        origin = f"session:{self.session.plan.inputs.seed}:{place}:{self.makers[number]}"
        return made_case(given, origin)
