"""Samples of the streams of subjects, bounded, to tell a fault at every seam from one at some."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.checks.base import Answers
from conformance.core.case import Case
from conformance.core.streaming import FedStream, Streamed
from conformance.diagnosis.seams import are_chunks_encoded_alone
from reftok import ReftokError, Tokenizer

MOST_TEXTS, MOST_CUTS, LONGEST_TEXT = 30, 12, 100
"""So many texts, of so many code points, are remembered of each subject, each with so many ways to cut it."""


class StreamSamples:
    """The output of the streaming encoders of one model's subjects for the first short texts that they were fed."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._texts: dict[str, list[list[FedStream]]] = {}
        self._verdicts: dict[str, bool] = {}

    def clear(self) -> None:
        """Forget all."""
        self._texts.clear()
        self._verdicts.clear()

    def observe(self, name: str, cases: Sequence[Case], subject: Sequence[Answers]) -> None:
        """Take what a subject did as long as it is not enough."""
        texts = self._texts.setdefault(name, [])
        self._verdicts.pop(name, None)
        for case, given in zip(cases, subject, strict=True):
            entries = [entry for entry in given.stream_encoded or () if _is_of_text(entry)]
            if entries and len(texts) < MOST_TEXTS and len(case.text) <= LONGEST_TEXT:
                texts.append(entries[:: 1 + len(entries) // MOST_CUTS])

    def encodes_each_chunk_alone(self, name: str) -> bool:
        """Whether everything a subject gave is that, and more than one rule of seams would be needed to say it."""
        if name not in self._verdicts:
            entries = [entry for entries in self._texts.get(name, ()) for entry in entries]
            try:
                self._verdicts[name] = are_chunks_encoded_alone(self._tokenizer, entries)
            except ReftokError:
                self._verdicts[name] = False
        return self._verdicts[name]


def _is_of_text(entry: FedStream) -> bool:
    is_text = all(isinstance(chunk, str) and chunk for chunk in entry.feeding.chunks)
    return is_text and entry.feeding.is_plain and isinstance(entry.streaming, Streamed)
