"""Feeding the streams of a subject: with which cuts, and what each must give in the end."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.checks.hold_back import HoldBack, TextHoldBack
from conformance.core.case import Case
from conformance.core.observation import Decoded, Decoding, Encoded, Encoding
from conformance.core.streaming import FedStream, Streamed
from conformance.engine.decode_stream import DecodeStreams
from conformance.inputs.cuts import Depth, bytes_feedings, ids_feedings, text_feedings
from conformance.subjects.base import Subject
from reftok import Tokenizer


class Streams:
    """Feeds streams of one model. depth: how much texts and ids are cut."""

    def __init__(self, tokenizer: Tokenizer, depth: Depth) -> None:
        self._depth = depth
        self._tokenizer = tokenizer
        self._hold_back = HoldBack(tokenizer)

    def encoders(self, subject: Subject, case: Case, encoding: Encoding | None) -> tuple[FedStream, ...] | None:
        """A streaming encoder fed the case in chunks; None where the whole is not encoded.

        encoding: the subject's own, of the whole.
        """
        if not isinstance(encoding, Encoded):
            return None
        ids = encoding.ids
        if case.kind == "bytes":
            feedings = bytes_feedings(case.data, self._depth)
            return tuple(FedStream(*pair, ids, ids) for pair in zip(feedings, subject.stream(feedings), strict=True))
        text = TextHoldBack(self._hold_back, case.text, encoding)
        feedings = text_feedings(case.text, self._depth, text.token_ends)
        pairs = zip(feedings, subject.stream(feedings), strict=True)
        return tuple(FedStream(*pair, ids, ids, text.late(*pair)) for pair in pairs)

    def decoders(
        self, subject: Subject, ids: tuple[int, ...], decoding: Decoding | None
    ) -> tuple[FedStream, ...] | None:
        """A streaming decoder fed the ids, and parts of them; None where the subject decodes nothing.

        decoding: the subject's own, of all ids.
        """
        if not isinstance(decoding, Decoded):
            return None
        feedings = ids_feedings(ids, self._depth)
        known: dict[Sequence[object], Decoding] = {ids: decoding}
        supposed = DecodeStreams(self._tokenizer)
        fed: list[FedStream] = []
        for feeding, streaming in zip(feedings, subject.stream(feedings), strict=True):
            if feeding.chunks not in known:
                known[feeding.chunks] = subject.decode([chunk for chunk in feeding.chunks if isinstance(chunk, int)])
            whole = known[feeding.chunks]
            if not isinstance(whole, Decoded):
                continue
            text = whole.text if feeding.skip_special_tokens else whole.kept
            late, cause = None, ""
            if not isinstance(streaming, Streamed) or "".join(map(str, streaming.given)) != text:
                cause = "" if feeding.stop else supposed.cause(feeding, streaming, text)
            elif feeding.is_plain and feeding.chunks == ids:
                late = self._hold_back.of_decoder(feeding, streaming)
                cause = supposed.cause_of_late(feeding, streaming, late) if late else ""
            fed.append(FedStream(feeding, streaming, text, whole.text, late, cause))
        return tuple(fed)
