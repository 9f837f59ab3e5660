"""Google `sentencepiece` before 0.2.2, which gives its offsets otherwise: for the matrix of releases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from conformance.observation import Encoded, Encoding
from conformance.releases import release
from conformance.subjects.base import InBulk, refusal
from conformance.subjects.sentencepiece_subject import SentencePieceSubject


def is_older(version: str) -> bool:
    """Whether a release has no `offset_mapping`.

    >>> is_older("0.2.1"), is_older("0.2.2")
    (True, False)
    """
    return release(version) < (0, 2, 2)


class OlderSentencePieceSubject(SentencePieceSubject):
    """The library as it was up to 0.2.1.

    Offsets come from `out_type="immutable_proto"`. Of bytes there are none: to ask for them ends the process (measured
    on 0.1.99, 0.2.0 and 0.2.1: a segmentation fault where the bytes are not UTF-8).
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._encode: Callable[..., Any] = self._processor.Encode

    def encode(self, text: str | bytes) -> Encoding:
        try:
            if isinstance(text, str):
                return _encoded(self._encode(text, out_type="immutable_proto"))
            pieces: list[bytes] = self._encode(text, out_type=str)
            ids: list[int] = self._encode(text, out_type=int)
            return Encoded(tuple(ids), tuple(piece.decode("utf-8", "replace") for piece in pieces))
        except BaseException as error:
            return refusal(error)

    def encode_batch(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        strings = [text for text in texts if isinstance(text, str)]
        if len(strings) != len(texts):
            return [self.encode(text) for text in texts]
        try:
            return [_encoded(answer) for answer in self._encode(strings, out_type="immutable_proto", num_threads=1)]
        except BaseException as error:
            refusal(error)
            return [self.encode(text) for text in texts]

    def in_bulk(self) -> InBulk | None:
        return None


def _encoded(answer: Any) -> Encoded:
    pieces = list(answer.pieces)
    return Encoded(
        tuple(piece.id for piece in pieces),
        tuple(piece.piece for piece in pieces),
        tuple((piece.begin, piece.end) for piece in pieces),
    )
