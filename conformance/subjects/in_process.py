"""A subject that is an object in this process: what a user's own tests hand over.

It is asked as the process of an isolated subject asks its object (`conformance/subjects/serve.py` lists the methods),
and its answers are held to the same bounds. But nothing stands between: what hangs or dies takes this process along.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conformance.core.errors import UsageError
from conformance.core.observation import Decoding, Encoding
from conformance.core.streaming import Feeding, Streaming
from conformance.subjects.adapters import BUILT_IN
from conformance.subjects.answers import answered, batch_with_singles
from conformance.subjects.base import LONGEST_VERSION, Subject
from conformance.subjects.serve import answer
from conformance.subjects.streams import STREAM_FEATURES, feeding_to_json

UNNAMED = "subject"


class InProcessSubject(Subject):
    """An object with `encode` and `decode`. It is named by its class, and closed by whoever made it.

    version: its attribute `version`, "" where that is no text.
    Raises UsageError for what has not these methods.
    """

    def __init__(self, subject: object) -> None:
        missing = [name for name in ("encode", "decode") if not callable(getattr(subject, name, None))]
        if missing:
            raise UsageError(f"a {type(subject).__name__} has no method {' and no method '.join(missing)}")
        self._subject = subject
        self.name = subject_name(subject)
        version = getattr(subject, "version", "")
        self.version = version[:LONGEST_VERSION] if isinstance(version, str) else ""
        self.has_batch = self._has("encode_batch")
        self._streams = {to: any(map(self._has, names)) for to, names in STREAM_FEATURES.items()}

    def _has(self, method: str) -> bool:
        return getattr(self._subject, method, None) is not None

    def encode(self, text: str | bytes) -> Encoding:
        found: Encoding = self._ask("encode", text)
        return found

    def encode_batch(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        """By its own batch call where it has one; that gives ids alone, so the rest is from the calls for each text."""
        singles = [self.encode(text) for text in texts]
        if not self.has_batch or not texts:
            return singles
        return batch_with_singles(self._ask("encode_batch", texts), singles)

    def decode(self, ids: Sequence[int]) -> Decoding:
        found: Decoding = self._ask("decode", ids)
        return found

    def stream(self, feedings: Sequence[Feeding]) -> list[Streaming]:
        return [
            self._ask("stream", feeding_to_json(feeding)) if self._streams[feeding.to] else None for feeding in feedings
        ]

    def _ask(self, operation: str, item: Any) -> Any:
        return answered(operation, answer(self._subject, operation, item), item)


def subject_name(subject: object) -> str:
    """Its name in reports: that of its class, which must not be taken for a built-in subject or a file.

    >>> subject_name([]), subject_name(type("tokenizers", (), {})())
    ('list', 'subject')
    """
    name = type(subject).__name__
    return name if name.isidentifier() and name not in BUILT_IN else UNNAMED
