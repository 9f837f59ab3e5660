"""Several mistakes of decoding at once."""

from __future__ import annotations

from itertools import islice

from conformance.causes.edits.decoders import of_decoders
from conformance.causes.upon import combined
from tests.models import load


def test_decodings_that_replace_all_of_it_are_not_combined() -> None:
    """Fault: two of them on a SentencePiece model ended a session with a failure of the harness."""
    tokenizer = load("spm-bpe")
    whole = [one for one in of_decoders(tokenizer) if one.before is None and one.after is None and one.mixin is None]
    assert combined(tokenizer, whole[:2]) is None


def test_a_method_that_two_mistakes_override_is_overridden_once() -> None:
    tokenizer = load("spm-bpe")
    (first,) = islice((one for one in of_decoders(tokenizer) if one.mixin is not None), 1)
    text = combined(tokenizer, [first, first])
    ids = tokenizer.encode_ids("a b")
    assert text is not None
    assert text(ids, True) == first.text(ids, True)
