"""Hunt every planted trainer with `conformance train`'s own session, and say what was found.

    python -m tests.planted_defects.hunt_trainers
    python -m tests.planted_defects.hunt_trainers ties_by_string one_thread --count 200

Each is asked about the matrix and about made cases; and named rightly if a finding has the rule that trainers.py has.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Sequence

from conformance.core.observation import Failure
from conformance.training.asking import Ask, asked
from conformance.training.case import Result, TrainingCase
from conformance.training.configurations import TRAINERS, made_cases, matrix_cases
from conformance.training.findings import TrainingFinding, words_and_counts
from conformance.training.reference import reference_training
from conformance.training.session import Session

from . import trainers

MOST_TOKENS = 800
"""More take the plain loops of the planted trainers minutes."""


def asked_here(name: str) -> Ask:
    """A planted trainer, asked in this process."""

    def train(trainer: str, texts: Sequence[str], options: object) -> bytes | Failure:
        try:
            made = getattr(trainers, name)(texts, {"trainer": trainer, **dict(options)})  # type: ignore[call-overload]
        except Exception as error:
            return Failure("refused", f"{error}")
        return bytes(made)

    ask = asked(train)

    def asked_but_for_what_never_ends(case: TrainingCase) -> Result:
        """Asks the trainer, except for vocab sizes so small that training with tokenizers may never end."""
        if case.trainer == "hf-unigram" and isinstance(reference_training(case), Failure):
            return Failure("refused", "not asked: the reference refuses it")
        return ask(case)

    return asked_but_for_what_never_ends


def hunted(name: str, cases: Sequence[TrainingCase]) -> tuple[TrainingFinding, ...]:
    """The findings of one planted trainer."""
    session = Session(cases, asked_here(name))
    session.run(lambda progress: None)
    return session.result().findings


def is_named(name: str, findings: Sequence[TrainingFinding]) -> bool:
    return any(finding.rule == trainers.RULES[name] for finding in findings)


def most_words(findings: Sequence[TrainingFinding]) -> int:
    """The distinct words of the smallest corpus."""
    return min(len({word for text, _ in words_and_counts(one.case) for word in text.split()}) for one in findings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*trainers.RULES, []], metavar="NAME")
    parser.add_argument("--count", type=int, default=160, help="made cases beside the matrix")
    options = parser.parse_args()
    found = named = small = 0
    chosen = options.names or list(trainers.RULES)
    for name in chosen:
        started = time.process_time()
        made = itertools.chain(made_cases(TRAINERS, options.count, 1), matrix_cases(TRAINERS, ()))
        cases = [case for case in made if case.options.get("vocab_size", 0) <= MOST_TOKENS]
        findings = hunted(name, cases)
        found += bool(findings)
        named += (right := is_named(name, findings))
        small += (is_small := bool(findings) and most_words(findings) <= 5)
        told = "named" if right else "found" if findings else "SURVIVES"
        print(f"{told:<9}{name}  {time.process_time() - started:.1f} s{'' if is_small else '  not small'}", flush=True)
        for one in findings:
            words = ", ".join(f"{text!r} x {count}" for text, count in words_and_counts(one.case)[:6])
            print(f"           {one.trainer}: {one.rule} ({one.foretold} of {one.tried}): {words}", flush=True)
    print(f"{found} of {len(chosen)} found, {named} with the right rule, {small} in at most 5 words")


if __name__ == "__main__":
    main()
