"""Hunt pairs of planted defects in one subject, drawn by chance: are both found, and told apart?

    python -m tests.planted_defects.pairs --count 30 --seed 26 --cases 5000

Two defects make a pair where they are of different stages, each has a rule of its own, and neither hides the other: on
texts of the generators, the pair answers otherwise than the one alone and than the other alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import reftok
from conformance.generators import NothingToDo, generators
from conformance.generators.knowledge import model_knowledge
from tests.planted_defects.catalogue import DEFECTS, Defect
from tests.planted_defects.hunt import PLANTED, Hunted, hunt

SUBJECT = '''"""{first} and {second}, in one subject."""

import sys

sys.path.insert(0, {folder!r})

from tests.planted_defects.pairs import joined

Subject = joined({first!r}, {second!r})
'''
ASKED = 400
"""Texts on which the two are held against each of them alone."""

Pair = tuple[Defect, Defect]


def joined(first: str, second: str) -> type[Any]:
    """A class that has both mistakes, each FILE:CLASS of this folder.

    The file of the model is damaged by the first and then by the second; what goes in and out passes through both.
    """
    one, other = _class(first), _class(second)

    def changed(self: Any, model: Any) -> Any:
        return other.changed(self, one.changed(self, model))

    return type("Subject", (one, other), {"changed": changed})


def _class(subject: str) -> type[Any]:
    file, _, name = subject.partition(":")
    found: type[Any] = getattr(import_module(file.removesuffix(".py")), name)
    return found


def _overridden(subject: type[Any], base: type[Any]) -> dict[str, Any]:
    """What a defect overrides of its base, by name: the method that is found first."""
    derived = [one for one in reversed(subject.__mro__) if one not in base.__mro__]
    return {name: value for one in derived for name, value in vars(one).items() if callable(value)}


def _base(subject: type[Any]) -> type[Any]:
    bases = [_class("official.py:Official"), _class("reference.py:Reference")]
    return next((base for base in bases if issubclass(subject, base)), object)


def _goes_on(method: Any) -> bool:
    """Whether a method calls that of the class behind it."""
    return "super" in method.__code__.co_names


def can_be_joined(first: Defect, second: Defect) -> bool:
    """Whether the two are of one model, of different stages, each with its rule, and neither replaces the other."""
    if first.model != second.model or first.stage == second.stage or not (first.stage and second.stage):
        return False
    if not (first.rule and second.rule):
        return False
    one, other = _class(first.subject), _class(second.subject)
    if _base(one) is not _base(other) or _base(one) is object:
        return False
    mine, others = _overridden(one, _base(one)), _overridden(other, _base(other))
    shared = mine.keys() & others.keys() - {"changed"}
    return "__init__" not in mine | others and all(
        _goes_on(mine[name]) and mine[name] is not others[name] for name in shared
    )


@cache
def _texts(model: str) -> tuple[str, ...]:
    """Texts that the generators give for a model."""
    chance = Random(1)
    known = [one for one in generators(model_knowledge(reftok.load(model)), ()) if not isinstance(one, NothingToDo)]
    drawn = (known[index % len(known)].draw(chance) for index in range(10 * ASKED))
    return tuple(one for one in drawn if isinstance(one, str))[:ASKED]


def hides_nothing(first: Defect, second: Defect) -> bool:
    """Whether each of the two shows in what they answer together."""
    path = str(reftok.embedded_models()[first.model])
    both, *alone = (
        make(path) for make in (joined(first.subject, second.subject), *map(_class, (first.subject, second.subject)))
    )
    answers = [_answers(both, first.model)]
    answers += [_answers(one, first.model) for one in alone]
    return answers[0] != answers[1] and answers[0] != answers[2]


def _answers(subject: Any, model: str) -> list[Any]:
    given: list[Any] = []
    for text in _texts(model):
        try:
            ids, _, spans = subject.encode_with_offsets(text, True)
            given.append((ids, spans, subject.decode(ids, False), subject.decode(ids, True)))
        except Exception as error:  # what a subject raises is an answer too
            given.append(repr(error))
    return given


def drawn_pairs(count: int, seed: int) -> list[Pair]:
    """So many pairs, all different."""
    chance = Random(seed)
    pairs: list[Pair] = []
    while len(pairs) < count:
        first, second = chance.sample(DEFECTS, 2)
        if (first, second) not in pairs and can_be_joined(first, second) and hides_nothing(first, second):
            pairs.append((first, second))
    return pairs


def hunt_pair(pair: Pair, bound: Sequence[str]) -> Hunted:
    """One session with a subject that has both."""
    with TemporaryDirectory() as folder:
        text = SUBJECT.format(first=pair[0].subject, second=pair[1].subject, folder=str(PLANTED))
        (Path(folder) / "pair.py").write_text(text, "utf-8")
        return hunt(replace(pair[0], subject="pair.py:Subject"), Path(folder), bound)


def named(pair: Pair, hunted: Hunted) -> tuple[bool, bool]:
    """Of each of the two, whether a finding says its stage and its rule."""
    first, second = (
        any(one["stage"] == defect.stage and fnmatchcase(one["rule"], defect.rule) for one in hunted.findings)
        for defect in pair
    )
    return first, second


def table(pairs: Sequence[tuple[Pair, Hunted]]) -> Iterator[str]:
    """Markdown."""
    both = sum(all(named(pair, hunted)) for pair, hunted in pairs)
    yield f"# Pairs of planted defects\n\nBoth found and told apart: {both} of {len(pairs)}.\n"
    yield "| first | second | findings |\n|---|---|---|"
    for pair, hunted in pairs:
        marks = ("" if is_named else " (not named)" for is_named in named(pair, hunted))
        found = "; ".join(f"{one['stage'] or '(none)'}: {one['rule']}" for one in hunted.findings)
        cells = (*(f"{one.name}{mark}" for one, mark in zip(pair, marks, strict=True)), found or "nothing")
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def main() -> int:
    """0 where at least four of five pairs were told apart."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=30, help="how many pairs (default: 30)")
    parser.add_argument("--seed", type=int, default=26, help="which pairs (default: 26)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each session (default: 60)")
    parser.add_argument("--cases", type=int, help="of each session, instead of seconds")
    parser.add_argument("--at-once", type=int, default=1, help="how many sessions run beside each other (default: 1)")
    options = parser.parse_args()
    bound = ["--time", f"{options.seconds:g}s"] if options.cases is None else ["--cases", str(options.cases)]
    done: list[tuple[Pair, Hunted]] = []
    pairs = drawn_pairs(options.count, options.seed)
    with ThreadPoolExecutor(options.at_once) as pool:
        for pair, hunted in zip(pairs, pool.map(lambda pair: hunt_pair(pair, bound), pairs), strict=True):
            done.append((pair, hunted))
            print(f"{len(done)}/{len(pairs)} {pair[0].name}, {pair[1].name}: {named(pair, hunted)}", file=sys.stderr)
    print("\n".join(table(done)))
    return 0 if 5 * sum(all(named(*one)) for one in done) >= 4 * len(done) else 1


sys.path.insert(0, str(PLANTED))

if __name__ == "__main__":
    sys.exit(main())
