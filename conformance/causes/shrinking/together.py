"""A mismatch on a smaller model and a smaller case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from conformance.causes.asking_again import AskedAgain
from conformance.causes.shrinking import rank_file, sentencepiece_model, tokenizer_json
from conformance.causes.shrinking.cases import MOST_ATTEMPTS as CASE_ATTEMPTS
from conformance.causes.shrinking.cases import shrink_case
from conformance.causes.shrinking.search import Search
from conformance.causes.shrinking.trials import Trials
from conformance.core.case import Case
from conformance.core.observation import Encoded

MOST_ATTEMPTS = 2_000
"""The most models that a mismatch is tried with."""
MOST_ROUNDS = 3

READERS: dict[str, tuple[Callable[[bytes], Any], Callable[[Sequence[Any]], Any]]] = {
    "tokenizer.json": (tokenizer_json.json_model, tokenizer_json.steps),
    "sentencepiece": (sentencepiece_model.piece_model, sentencepiece_model.steps),
    "tiktoken": (rank_file.rank_model, rank_file.steps),
}
"""A model to be made smaller and the steps to that, by format."""


def shrink_together(
    trials: Trials, model_format: str, data: bytes, case: Case, attempts: int = MOST_ATTEMPTS
) -> tuple[bytes, Case]:
    """The smallest model file and case found to fail still; they are the same again where nothing can be left out.

    attempts: how many models, and how many cases, may be tried each time.
    The model goes first, since a case is soon tried with a small one; then by turns, until neither gets smaller.
    """
    for _ in range(MOST_ROUNDS):
        before = data, case
        shown = trials.shown(data, case)
        if shown is None:
            break
        data, case = _smaller_model(trials, model_format, data, case, shown, attempts)
        case = shrink_case(case, partial(trials.fails, data), min(attempts, CASE_ATTEMPTS))
        if (data, case) == before:
            break
    return data, case


def _smaller_model(
    trials: Trials, model_format: str, data: bytes, case: Case, shown: AskedAgain, attempts: int
) -> tuple[bytes, Case]:
    read, steps = READERS[model_format]
    model = read(data)
    encodings = (shown.expected.encoding, shown.observed.encoding)
    ids = [token_id for encoding in encodings if isinstance(encoding, Encoded) for token_id in encoding.ids]
    tokens = model.tokens([*ids, *case.ids])
    search: Search[Any] = Search(model.keeping(tokens), case, trials.fails, attempts)
    search.run(steps(tokens))
    if search.model.written(case) is None or search.model == model.keeping(tokens):
        return data, case
    written: tuple[bytes, Case] = search.model.written(case)
    return written
