"""The faults of a model: what each answers, and which are known by a rule."""

from __future__ import annotations

from dataclasses import replace

from conformance.causes.catalogue import Catalogue, Sample
from conformance.causes.edits import Fault

Answer = tuple[int, ...]
UPPER = Fault("A", "upper-cased", lambda text: tuple(map(ord, text.upper())))
BROKEN = Fault("A", "broken", lambda text: ({"a": 1}[text],))


def catalogue() -> Catalogue[Fault, str, Answer]:
    return Catalogue(lambda: (BROKEN, UPPER), lambda one, text: tuple(one.ids(text)))


def test_a_fault_that_breaks_down_predicts_nothing() -> None:
    sample = Sample("b", (98,), (66,))
    found = catalogue()
    assert (found.predicted(BROKEN, "b"), found.predicted(UPPER, "b")) == (None, (66,))
    assert [one.rule for one in found.every if found.fits(one, sample)] == ["upper-cased"]


def test_what_was_learnt_stays_known_by_its_rule_and_the_newest_takes_its_place() -> None:
    learnt = Fault("A", "learnt", lambda text: tuple(map(ord, text[:1])))
    found = catalogue()
    found.adopt([learnt, UPPER])
    assert (found.of_rule("A", "learnt"), found.of_rule("A", "upper-cased")) == ([learnt], [UPPER])
    newer = replace(learnt, ids=len)
    found.adopt([newer])
    assert found.of_rule("A", "learnt") == [newer]
