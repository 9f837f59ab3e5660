"""Feeding the streams of a subject: with which cuts, and what each must give in the end."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from itertools import accumulate

from conformance.case import Case
from conformance.inputs.cuts import Depth, bytes_feedings, ids_feedings, text_feedings
from conformance.observation import Decoded, Decoding, Encoded, Encoding
from conformance.streaming import Chunks, FedStream, Feeding, Streamed, Streaming
from conformance.subjects.base import Subject
from reftok import ReftokError, Tokenizer
from reftok.models.bpe import BPE
from reftok.pretokenizers import ByteLevel
from reftok.unicode import WHITE_SPACE

FREELY_HELD = 64
"""So many code points may always be held; what is more is held against the pre-tokens."""
BEYOND_PRE_TOKENS = 16
_WHITE_SPACE = "".join(WHITE_SPACE)


class Streams:
    """Feeds streams of one model. depth: how much texts and ids are cut."""

    def __init__(self, tokenizer: Tokenizer, depth: Depth) -> None:
        self.depth = depth
        self._tokenizer = tokenizer
        self._is_bounded = isinstance(tokenizer.model, BPE) and any(
            isinstance(step, ByteLevel) for step in tokenizer.pre_tokenizers
        )
        contents = (token.content for token in tokenizer.added_tokens.tokens.values())
        self._strips_left = any(token.lstrip for token in tokenizer.added_tokens.tokens.values())
        self._longest_added = max((len(content.encode("utf-8")) for content in contents), default=0)

    def encoders(self, subject: Subject, case: Case, encoding: Encoding | None) -> tuple[FedStream, ...] | None:
        """A streaming encoder fed the case in chunks; None where the whole is not encoded.

        encoding: the subject's own, of the whole.
        """
        if not isinstance(encoding, Encoded):
            return None
        if case.kind == "bytes":
            feedings = bytes_feedings(case.data, self.depth)
        else:
            feedings = text_feedings(case.text, self.depth, {end for _, end in encoding.offsets or ()})
        pairs = zip(feedings, subject.stream(feedings), strict=True)
        bounds: dict[int, int] = {}
        return tuple(FedStream(*pair, encoding.ids, self._most_held(*pair, bounds)) for pair in pairs)

    def decoders(
        self, subject: Subject, ids: tuple[int, ...], decoding: Decoding | None
    ) -> tuple[FedStream, ...] | None:
        """A streaming decoder fed the ids, and parts of them; None where the subject decodes nothing.

        decoding: the subject's own, of all ids.
        """
        if not isinstance(decoding, Decoded):
            return None
        feedings = ids_feedings(ids, self.depth)
        known: dict[Sequence[object], Decoding] = {ids: decoding}
        fed: list[FedStream] = []
        for feeding, streaming in zip(feedings, subject.stream(feedings), strict=True):
            if feeding.chunks not in known:
                known[feeding.chunks] = subject.decode([chunk for chunk in feeding.chunks if isinstance(chunk, int)])
            whole = known[feeding.chunks]
            if isinstance(whole, Decoded):
                fed.append(FedStream(feeding, streaming, whole.text if feeding.skip_special_tokens else whole.kept))
        return tuple(fed)

    def _most_held(self, feeding: Feeding, streaming: Streaming, bounds: dict[int, int]) -> tuple[int, ...] | None:
        """How much may be held after each chunk, where one holds more than `FREELY_HELD`.

        Byte-level BPE needs no more than the two last pre-tokens of the text so far, since white space may be cut anew
        when the next word comes, white space that an added token may take, what may begin an added token, and
        `BEYOND_PRE_TOKENS` for marks that compose. All are counted in bytes, for each of which ByteLevel has a
        character. No bound is known for other models.
        bounds: those known by the number of code points that have come, which are the same however a text is cut.
        """
        if not self._is_bounded or not isinstance(streaming, Streamed) or streaming.held is None:
            return None
        if max(streaming.held) <= FREELY_HELD:
            return None
        most = []
        for text, held in zip(_texts_so_far(feeding.chunks), streaming.held, strict=False):
            if held > FREELY_HELD and len(text) not in bounds:
                bounds[len(text)] = self._needed(text)
            most.append(bounds[len(text)] if held > FREELY_HELD else FREELY_HELD)
        return tuple(most)

    def _needed(self, text: str) -> int:
        try:
            stages = self._tokenizer.trace(text, add_special_tokens=False).stages
        except ReftokError:
            return len(text.encode("utf-8"))
        pieces = [stage for stage in stages if stage.stage == "PreTokenizer"][-1].pieces
        pre_tokens = sum(len(piece.text) for piece in pieces[-2:])
        white_space = len(text) - len(text.rstrip(_WHITE_SPACE)) if self._strips_left else 0
        return max(FREELY_HELD, pre_tokens + white_space + self._longest_added + BEYOND_PRE_TOKENS)


def _texts_so_far(chunks: Chunks) -> Iterator[str]:
    r"""The text after each chunk, of bytes as far as its characters are complete.

    >>> list(_texts_so_far((b"a\xc3", b"\xa9"))), list(_texts_so_far(("a", "b")))
    (['a', 'aé'], ['a', 'ab'])
    """
    decoder = getincrementaldecoder("utf-8")("replace")
    return accumulate(
        decoder.decode(chunk) if isinstance(chunk, bytes) else chunk for chunk in chunks if not isinstance(chunk, int)
    )
