"""What an official trainer's result is a function of: the same training again, elsewhere, and in another order."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from conformance.subjects import official_trainers
from conformance.subjects.training_subject import TrainingSubject
from conformance.training.asking import asked
from conformance.training.case import Learned, Result, TrainingCase
from conformance.training.session import TrainingProgress

CHANGES = ("again", "processes", "threads", "order")
"""The same in one process, in others, on other numbers of threads, with the texts in another order."""
THREADS = (1, 2, 5)
_PROCESSES = 3
_OFFICIAL = f"{official_trainers.__file__}:train"


@dataclass(frozen=True, slots=True)
class Determinism:
    """What was seen of one trainer.

    trainings: the configurations that were trained. changed: by what was done otherwise, the names of those whose
    result was another one then. For `order`, only of those that are the same from process to process.
    """

    trainer: str
    trainings: int
    changed: Mapping[str, tuple[str, ...]]

    @property
    def sentence(self) -> str:
        """What the result is a function of, as far as was seen.

        >>> Determinism("word", 4, dict.fromkeys(CHANGES, ())).sentence
        'a function of the texts, in any order, and the options'
        """
        by_chance = max(len(self.changed["again"]), len(self.changed["processes"]))
        if by_chance:
            return f"left to chance in {by_chance} of {self.trainings}"
        order = len(self.changed["order"])
        threads = len(self.changed["threads"])
        texts = f"texts, whose order counts in {order} of {self.trainings}," if order else "texts, in any order,"
        return f"a function of the {texts} and the options{', and of the number of threads' if threads else ''}"

    @property
    def example(self) -> str:
        """The name of a training whose result changed; "" where none did."""
        return next((name for change in CHANGES for name in self.changed[change]), "")


def determinism(
    cases: Sequence[TrainingCase], timeout: float, memory: int, tell: Callable[[TrainingProgress], None]
) -> Iterator[Determinism]:
    """What the official trainers' results are a function of, a trainer after the other.

    cases: that are trained. timeout: seconds for one training. memory: of each process, in MiB.
    """
    with ExitStack() as held:
        processes = [held.enter_context(TrainingSubject(_OFFICIAL, timeout, memory)) for _ in range(_PROCESSES)]
        threads = [
            held.enter_context(TrainingSubject(_OFFICIAL, timeout, memory, {"RAYON_NUM_THREADS": str(number)}))
            for number in THREADS
        ]
        done = 0
        for trainer in dict.fromkeys(case.trainer for case in cases):
            changed: dict[str, list[str]] = {change: [] for change in CHANGES}
            own = [case for case in cases if case.trainer == trainer]
            for case in own:
                tell(TrainingProgress(done, len(cases), 0))
                done += 1
                for change in _changes(case, processes, threads):
                    changed[change].append(case.name)
            yield Determinism(trainer, len(own), {change: tuple(names) for change, names in changed.items()})
        tell(TrainingProgress(done, len(cases), 0))


def _changes(
    case: TrainingCase, processes: Sequence[TrainingSubject], threads: Sequence[TrainingSubject]
) -> Iterator[str]:
    """What changes the result of a case."""
    first = processes[0]
    result = _trained(first, case)
    if _trained(first, case) != result:
        yield "again"
    is_same = all(_trained(process, case) == result for process in processes[1:])
    if not is_same:
        yield "processes"
        return
    if any(_trained(subject, one) != result for subject in threads for one in _with_threads(case)):
        yield "threads"
    if any(_trained(first, one) != result for one in _reordered(case)):
        yield "order"


def _with_threads(case: TrainingCase) -> Iterator[TrainingCase]:
    """The case, and where the number of threads is no option, with other numbers of sentencepiece's threads."""
    yield case
    if case.trainer == "unigram" and "num_threads" not in case.options:
        yield from (replace(case, options={**case.options, "num_threads": number}) for number in THREADS)


def _reordered(case: TrainingCase) -> Iterator[TrainingCase]:
    for texts in (
        case.texts[::-1],
        tuple(sorted(case.texts)),
        tuple(random.Random(1).sample(case.texts, len(case.texts))),
    ):
        yield replace(case, texts=texts)


def _trained(subject: TrainingSubject, case: TrainingCase) -> Result:
    """What is learned, bit for bit; the message of a failure may be another one."""
    found = asked(subject.train)(case)
    return found if isinstance(found, Learned) else replace(found, message="")
