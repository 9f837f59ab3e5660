"""Faults that no model file foretells: their parameter is learnt from one wrong answer."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.faults.fault import Faults
from conformance.faults.limits import of_limits
from conformance.faults.pre_tokenizers import of_classes
from reftok import Tokenizer

LONGEST_TEXT = 2_000
"""Of a longer text, in characters, nothing is learnt: it takes too long."""


def of_sample(tokenizer: Tokenizer, text: str, right_ids: Sequence[int], observed_ids: Sequence[int]) -> Faults:
    """The faults that give this answer, with the parameter that makes them give it; the likelier ones first.

    They answer other texts as well, by which they are to be judged: several limits may fit one answer.
    """
    if len(text) > LONGEST_TEXT:
        return
    yield from of_limits(tokenizer, text, right_ids, observed_ids)
    observed = list(observed_ids)
    yield from (fault for fault in of_classes(tokenizer, text) if list(fault.ids(text)) == observed)
