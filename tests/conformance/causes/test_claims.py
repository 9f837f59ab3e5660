"""Mismatches are counted for the causes that would make them, and what nobody foretells is not swallowed."""

from __future__ import annotations

import pytest

from conformance.causes.claims import MOST_CLAIMED, _looked_at
from conformance.core.case import text_case
from tests.planted_defects import ports, two_mistakes
from tests.planted_defects.two_mistakes import MISTAKES, is_right, weights


@pytest.mark.parametrize("pair", [("strip", "cut"), ("bos", "teh")])
def test_two_mistakes_are_named_and_each_weighs_what_it_weighs_alone(pair: tuple[str, str]) -> None:
    """Faults: a run's group followed the name of its one example; the only suspect took all; one swallowed the other.

    `python -m tests.planted_defects.two_mistakes` tries all the pairs.
    """
    table = [*weights(pair)]
    assert [rule for rule, _, _ in table] == [MISTAKES[name].rule for name in pair]
    assert all(is_right(one, beside) for _, one, beside in table), table


def test_what_no_cause_foretells_is_a_finding_beside_those_that_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    doubled = lambda text: "".join(one * (2 + place % 3 if one == "q" else 1) for place, one in enumerate(text))
    strange = two_mistakes.Mistake("what no rule knows", before=doubled)
    monkeypatch.setitem(MISTAKES, "strange", strange)  # type: ignore[arg-type]
    found = two_mistakes.found(["strange", "cut"])
    assert sorted(one.rule.partition(":")[0] for one in found) == ["no known rule", MISTAKES["cut"].rule]
    changed = {one.rule.partition(":")[0]: one.weight.whole.changed for one in found if one.weight.whole}
    assert changed["no known rule"] >= 30


def test_two_decoding_mistakes_are_named_even_if_one_changes_every_text() -> None:
    """Fault: when every decode lost its first character, neither that nor another decoding mistake was named."""
    assert {*ports.rules_named(["first", "replacement"], cases=1_000, seed=0)} == {
        ports.MISTAKES[name].rule for name in ("first", "replacement")
    }


def test_natural_texts_are_all_looked_at_and_others_stand_for_those_after_them() -> None:
    natural = [(text_case("a", "", "de"), "") for _ in range(5)]
    made = [(text_case("a", "fuzz:0:1"), "") for _ in range(2 * MOST_CLAIMED + 1)]
    seen = [*_looked_at([*made, *natural])]
    assert sum(times for *_, times in seen) == len(made) + len(natural)
    assert [times for case, _, times in seen if case.language] == [1] * 5
    assert len(seen) <= MOST_CLAIMED + 5
