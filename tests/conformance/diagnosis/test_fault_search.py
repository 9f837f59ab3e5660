"""Of the faults that fit, the one is believed that predicts best what the subject did elsewhere."""

from __future__ import annotations

from dataclasses import replace

from conformance.diagnosis.catalogue import MOST_SAMPLES, Catalogue, Sample
from conformance.faults import Fault
from reftok import ReftokError

Answer = tuple[int, ...]


def refuses(text: str) -> Answer:
    raise ReftokError("no such text")


UPPER = Fault("A", "upper-cased", lambda text: tuple(map(ord, text.upper())))
STRIPPED = Fault("A", "stripped", lambda text: tuple(map(ord, text.strip())))
BOTH = Fault("A", "both", lambda text: tuple(map(ord, text.upper().strip())))
BROKEN = Fault("A", "broken", lambda text: ({"a": 1}[text],))
REFUSING = Fault("A", "refused", refuses)
ALL = (REFUSING, UPPER, STRIPPED, BOTH)


def search(known: str = "") -> Catalogue[Fault, str, Answer]:
    return Catalogue(lambda: ALL, lambda one, text: tuple(one.ids(text)), lambda name, one: one.rule == known)


def sample(text: str, subject: Fault | None = None) -> Sample[str, Answer]:
    """What the subject of a fault does; a right one, where there is none."""
    right = tuple(map(ord, text))
    return Sample(text, right, right if subject is None else tuple(subject.ids(text)))


def test_what_explains_the_same_is_believed_in_the_order_of_the_faults() -> None:
    found = search()
    assert found.rivals("s", sample("a ", BOTH)) == [BOTH]
    assert found.rivals("s", sample("a", BOTH)) == [UPPER, BOTH]
    assert found.find("s", sample("a", BOTH)) == UPPER


def test_samples_decide_between_rivals() -> None:
    found = search()
    found.observe("s", sample(" b", BOTH))
    assert found.rivals("s", sample("a", BOTH)) == [BOTH]
    assert found.find("s", sample("a", BOTH)) == BOTH


def test_of_two_that_samples_bear_out_alike_the_one_is_believed_that_something_else_speaks_for() -> None:
    assert search(known="both").find("s", sample("a", BOTH)) == BOTH


def test_when_the_time_is_over_only_what_was_believed_before_is_tried() -> None:
    """Fault: a worker sought causes for a minute, and left none for what was to be done with the findings."""
    is_over = False
    found: Catalogue[Fault, str, Answer] = Catalogue(
        lambda: ALL, lambda one, text: tuple(one.ids(text)), is_over=lambda: is_over
    )
    found.observe("s", sample("a ", STRIPPED))
    assert found.find("s", sample("b ", STRIPPED)) == STRIPPED
    is_over = True
    assert found.find("s", sample("c ", STRIPPED)) == STRIPPED
    assert found.find("s", sample("a", UPPER)) is None
    assert not found.may_search("s")
    assert found.believable("s") == [STRIPPED]


def test_samples_that_were_sought_are_heard_however_many_there_are() -> None:
    found = search()
    for number in range(MOST_SAMPLES):
        found.observe("s", sample(f"b{number}", BOTH))
    found.observe("s", sample(" b", BOTH))
    assert found.find("s", sample("a", BOTH)) == UPPER
    found.observe("s", sample(" b", BOTH), is_sought=True)
    found.forget_beliefs("s")
    assert found.find("s", sample("a", BOTH)) == BOTH


def test_what_is_believable_is_borne_out_by_samples_the_best_first() -> None:
    found = search()
    assert found.believable("s") == []
    for text in ("a", "b", " b"):
        found.observe("s", sample(text, BOTH))
    assert found.believable("s") == [BOTH, UPPER]
    assert found.credible("s") == [BOTH, UPPER, REFUSING]


def test_what_is_unexplained_follows_the_samples() -> None:
    found = search()
    found.observe("s", sample("a", UPPER))
    assert found.unexplained("s", UPPER) == []
    assert found.unexplained("s", None) == [sample("a", UPPER)]
    found.observe("s", sample(" ", STRIPPED))
    assert found.unexplained("s", UPPER) == [sample(" ", STRIPPED)]
    found.renew()
    assert found.unexplained("s", None) == []


def test_a_fault_that_breaks_down_predicts_nothing() -> None:
    found = Catalogue[Fault, str, Answer](lambda: (BROKEN, UPPER), lambda one, text: tuple(one.ids(text)))
    found.observe("s", sample("b", UPPER))
    assert found.find("s", sample("c", UPPER)) == UPPER
    assert found.predicted(BROKEN, "b") is None


def test_samples_of_another_subject_say_nothing() -> None:
    found = search()
    found.observe("another", sample(" b", BOTH))
    assert found.find("s", sample("a", BOTH)) == UPPER
    assert found.speaks_for("another", "A", "both")
    assert not found.speaks_for("s", "A", "both")


def test_what_was_learnt_stays_known_by_its_rule_and_the_newest_takes_its_place() -> None:
    learnt = Fault("A", "learnt", lambda text: tuple(map(ord, text[:1])))
    found = search()
    found.adopt([learnt])
    assert found.of_rule("A", "learnt") == [learnt]
    found.renew()
    assert found.of_rule("A", "learnt") == [learnt]
    newer = replace(learnt, ids=len)
    found.adopt([newer])
    assert found.of_rule("A", "learnt") == [newer]
