"""Of the hypotheses that fit, the one is believed that foretells best what the subject did elsewhere."""

from __future__ import annotations

from conformance.diagnosis.fault_search import MOST_WITNESSES, HypothesisSearch, Witness
from conformance.faults import Hypothesis
from reftok import ReftokError

Answer = tuple[int, ...]


def refuses(text: str) -> Answer:
    raise ReftokError("no such text")


UPPER = Hypothesis("A", "upper-cased", lambda text: tuple(map(ord, text.upper())))
STRIPPED = Hypothesis("A", "stripped", lambda text: tuple(map(ord, text.strip())))
BOTH = Hypothesis("A", "both", lambda text: tuple(map(ord, text.upper().strip())))
BROKEN = Hypothesis("A", "broken", lambda text: ({"a": 1}[text],))
REFUSING = Hypothesis("A", "refused", refuses)
ALL = (REFUSING, UPPER, STRIPPED, BOTH)


def search(known: str = "") -> HypothesisSearch[Hypothesis, str, Answer]:
    return HypothesisSearch(lambda: ALL, lambda one, text: tuple(one.ids(text)), lambda name, one: one.rule == known)


def witness(text: str, subject: Hypothesis | None = None) -> Witness[str, Answer]:
    """What the subject of a hypothesis does; a right one, where there is none."""
    right = tuple(map(ord, text))
    return Witness(text, right, right if subject is None else tuple(subject.ids(text)))


def test_what_explains_the_same_is_believed_in_the_order_of_the_hypotheses() -> None:
    found = search()
    assert found.rivals("s", witness("a ", BOTH)) == [BOTH]
    assert found.rivals("s", witness("a", BOTH)) == [UPPER, BOTH]
    assert found.find("s", witness("a", BOTH)) == UPPER


def test_witnesses_decide_between_rivals() -> None:
    found = search()
    found.hear("s", witness(" b", BOTH))
    assert found.rivals("s", witness("a", BOTH)) == [BOTH]
    assert found.find("s", witness("a", BOTH)) == BOTH


def test_of_two_that_witnesses_bear_out_alike_the_one_is_believed_that_something_else_speaks_for() -> None:
    assert search(known="both").find("s", witness("a", BOTH)) == BOTH


def test_witnesses_that_were_sought_are_heard_however_many_there_are() -> None:
    found = search()
    for number in range(MOST_WITNESSES):
        found.hear("s", witness(f"b{number}", BOTH))
    found.hear("s", witness(" b", BOTH))
    assert found.find("s", witness("a", BOTH)) == UPPER
    found.hear("s", witness(" b", BOTH), is_summoned=True)
    found.forget_beliefs("s")
    assert found.find("s", witness("a", BOTH)) == BOTH


def test_what_is_believable_is_borne_out_by_witnesses_the_best_first() -> None:
    found = search()
    assert found.believable("s") == []
    for text in ("a", "b", " b"):
        found.hear("s", witness(text, BOTH))
    assert found.believable("s") == [BOTH, UPPER]
    assert found.credible("s") == [BOTH, UPPER, REFUSING]


def test_what_is_unexplained_follows_the_witnesses() -> None:
    found = search()
    found.hear("s", witness("a", UPPER))
    assert found.unexplained("s", UPPER) == []
    assert found.unexplained("s", None) == [witness("a", UPPER)]
    found.hear("s", witness(" ", STRIPPED))
    assert found.unexplained("s", UPPER) == [witness(" ", STRIPPED)]
    found.renew()
    assert found.unexplained("s", None) == []


def test_a_hypothesis_that_breaks_down_foretells_nothing() -> None:
    found = HypothesisSearch[Hypothesis, str, Answer](lambda: (BROKEN, UPPER), lambda one, text: tuple(one.ids(text)))
    found.hear("s", witness("b", UPPER))
    assert found.find("s", witness("c", UPPER)) == UPPER
    assert found.foretold(BROKEN, "b") is None


def test_witnesses_of_another_subject_say_nothing() -> None:
    found = search()
    found.hear("another", witness(" b", BOTH))
    assert found.find("s", witness("a", BOTH)) == UPPER
    assert found.speaks_for("another", "A", "both")
    assert not found.speaks_for("s", "A", "both")
