"""What is believed of a subject is held against each sample once."""

from __future__ import annotations

from functools import partial

import pytest

from conformance.causes.catalogue import Catalogue, Sample
from conformance.causes.edits import Fault
from conformance.causes.witnesses import Family
from conformance.core.case import text_case
from conformance.core.finding import Confidence


def test_more_samples_cost_as_much_after_many_as_after_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: who compared one input after another waited longer for each: all samples were weighed again."""
    asked: list[str] = []

    def ids(text: str) -> list[int]:
        asked.append(text)
        return [2]

    fault = Fault("Model", "a rule", ids)
    search: Catalogue[Fault, str, tuple[int, ...]] = Catalogue(lambda: [fault], lambda one, text: tuple(one.ids(text)))
    monkeypatch.setattr(search, "remembered", search.predicted)  # each question counts
    family = Family(
        search,
        lambda text: text_case(text, ""),
        lambda some: [((one,), partial(search.predicted, one)) for one in some],
    )
    family.believe({fault: Confidence(1, 1)})
    for number in range(50):
        family.add(Sample(f"{number}", (1,), (2,)))
        assert family.causes_of(f"{number}") == (fault,)
    assert asked == [f"{number}" for number in range(50)]
    assert len(family.of_cause(fault)) == 50
    assert len(asked) == 50
