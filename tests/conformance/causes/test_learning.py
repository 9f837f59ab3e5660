"""Faults are learnt from answers of every kind, not from the shortest alone."""

from __future__ import annotations

from conformance.causes.catalogue import Sample
from conformance.causes.edits import Fault
from conformance.causes.learning import learnt_of_texts, varied
from tests.models import load

TOKENIZER = load("bpe-qwen")


def sample(text: str, seen: str) -> Sample[str, tuple[int, ...]]:
    return Sample(text, tuple(TOKENIZER.encode_ids(text)), tuple(TOKENIZER.encode_ids(seen)))


def fits(fault: Fault, one: Sample[str, tuple[int, ...]]) -> bool:
    return tuple(fault.ids(one.asked)) == one.observed


def test_a_limit_is_learnt_though_another_mistake_owns_all_short_texts() -> None:
    """Fault: beside `the` that becomes `teh` a cut at 60 characters had no name: the three shortest were looked at."""
    short = [sample(f"{one}the{one}", f"{one}teh{one}") for one in "abcdefghijklmnop"]
    long = [sample(word * 40, (word * 40)[:60]) for word in ("ab ", "x.y", "q12")]
    rules = [fault.rule for fault in learnt_of_texts(TOKENIZER, fits, [*short, *long], [*short, *long])]
    assert "the text is cut at 60 characters" in rules
    assert "“the” becomes “teh”" in rules


def test_the_same_length_with_another_difference_is_another_stratum() -> None:
    heads = [Sample(f"aa{one}", (1, 2, 3), (1, 2)) for one in "bcd"]
    others = [Sample(f"ab{one}", (1, 2, 3), (4, 5, 6)) for one in "bcd"]
    assert [one.observed for one in varied([*heads, *others])] == [(1, 2), (4, 5, 6)] * 3
