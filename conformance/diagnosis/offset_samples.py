"""Samples of the offsets of subjects, bounded, to tell which of several rules it is that one follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from conformance.core.observation import Encoded
from conformance.diagnosis.causes import offset_rules
from reftok import Tokenizer

MOST_SAMPLES = 60


class OffsetSamples:
    """The first texts to which the subjects of one model gave the right ids and other offsets."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._heard: dict[str, list[tuple[str, Encoded, Encoded]]] = {}
        self._counts: dict[str, Counter[str]] = {}

    def clear(self) -> None:
        """Forget all."""
        self._heard.clear()
        self._counts.clear()

    def observe(self, name: str, text: str, expected: Encoded, observed: Encoded) -> None:
        """Take what a subject did as long as it is not enough."""
        heard = self._heard.setdefault(name, [])
        if expected.ids == observed.ids and expected.offsets != observed.offsets and len(heard) < MOST_SAMPLES:
            heard.append((text, expected, observed))
            self._counts.pop(name, None)

    def rules(self, name: str) -> Mapping[str, int]:
        """The number of texts that each rule explains."""
        if name not in self._counts:
            heard = self._heard.get(name, ())
            self._counts[name] = Counter(rule for one in heard for rule in offset_rules(self._tokenizer, *one))
        return self._counts[name]
