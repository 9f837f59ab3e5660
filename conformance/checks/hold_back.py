"""The most a stream may hold back, and the streams that hold more.

What has come out is held against the reference that is fed the same. What a stream says that it holds is held against
the pre-tokens: so the reference is held to a bound, too.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from conformance.core.observation import Encoded
from conformance.core.streaming import Chunks, Feeding, Late, Piece, Streamed, Streaming
from reftok import Encoding, ReftokError, Tokenizer
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.pre_tokenizers import ByteLevel
from reftok.rules.types import Span
from reftok.unicode.characters import WHITE_SPACE
from reftok.unicode.graphemes import graphemes

FREELY_HELD = 64
"""So many code points may always be held: of a text, or of decoded text more than the reference holds."""
BEYOND_PRE_TOKENS = 16
_WHITE_SPACE = "".join(WHITE_SPACE)
_AFTER_THE_MODEL = ("Truncation", "Padding", "PostProcessor")
"""Stages that may need all ids of a text: no bound in pre-tokens holds for them."""


class HoldBack:
    """The most that one model's streams may hold."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.is_byte_level = isinstance(tokenizer.rules.model, BPE) and any(
            isinstance(step, ByteLevel) for step in tokenizer.rules.pre_tokenizers
        )
        contents = (token.content for token in tokenizer.rules.added_tokens.tokens.values())
        self._strips_left = any(token.lstrip for token in tokenizer.rules.added_tokens.tokens.values())
        self._longest_added = max((len(content.encode("utf-8")) for content in contents), default=0)

    def of_decoder(self, feeding: Feeding, streamed: Streamed) -> Late | None:
        """The first delay, against the reference, of a decoder that gives the right text.

        Where the whole text may be held, there is none.

        U+FFFD do not count: many decoders wait with any for what may still make a character of it.
        """
        if len(streamed.given) != 1 + len(feeding.chunks) or sum(map(len, streamed.given)) <= FREELY_HELD:
            return None
        stream = self.tokenizer.stream_decoder(skip_special_tokens=feeding.skip_special_tokens)
        try:
            texts = [stream.feed(chunk) for chunk in feeding.chunks if isinstance(chunk, int)]
        except ReftokError:
            return None
        due, given = accumulate(map(_told, texts)), accumulate(map(_told, map(str, streamed.given)))
        held = [wanted - came for wanted, came in zip(due, given, strict=False)]
        return _first_late(held, [FREELY_HELD] * len(held))

    def needed(self, text: str) -> int:
        """The most that byte-level BPE needs to hold of a text so far.

        That is no more than the two last pre-tokens, since white space may be cut anew when the next word comes, what
        may begin an added token, and `BEYOND_PRE_TOKENS` for marks that compose. All are counted in bytes, for each of
        which ByteLevel has a character. The stages before need a bit of the end for themselves: then it is the
        pre-tokens of the text before that bit which are not certain.
        """
        try:
            most = max(self._last_pre_tokens(part) + len(text) - len(part) for part in (text, self._passed_on(text)))
        except ReftokError:
            return len(text.encode("utf-8"))
        return max(FREELY_HELD, most + self._longest_added + BEYOND_PRE_TOKENS)

    def _last_pre_tokens(self, text: str) -> int:
        stages = self.tokenizer.trace(text, add_special_tokens=False).stages
        pieces = [stage for stage in stages if stage.stage == "PreTokenizer"][-1].pieces
        return sum(len(piece.text) for piece in pieces[-2:])

    def _passed_on(self, text: str) -> str:
        """The text without what may compose with what comes, and white space that an added token may take."""
        *before, _ = graphemes(self._unstripped(text)) or ("",)
        return self._unstripped("".join(before))

    def _unstripped(self, text: str) -> str:
        return text.rstrip(_WHITE_SPACE) if self._strips_left else text


class TextHoldBack:
    """The most that a subject's streams may hold of one text.

    encoding: the subject's own, of the whole.
    """

    def __init__(self, bounds: HoldBack, text: str, encoding: Encoded) -> None:
        self._bounds = bounds
        self._text = text
        self._encoded = encoding
        self._needed: dict[int, int] = {}

    @property
    def token_ends(self) -> set[int]:
        """The ends of the tokens, in code points; by the reference, where the subject does not say."""
        return {end for _, end in self._offsets or ()}

    @cached_property
    def _offsets(self) -> Sequence[Span] | None:
        if self._encoded.offsets is not None:
            return self._encoded.offsets
        reference = self._reference
        return reference.offsets if reference and tuple(reference.ids) == self._encoded.ids else None

    @cached_property
    def _reference(self) -> Encoding | None:
        try:
            return self._bounds.tokenizer.encode(self._text)
        except ReftokError:
            return None

    def late(self, feeding: Feeding, streaming: Streaming) -> Late | None:
        """The first delay of a stream that gives the right ids."""
        if len(self._text) <= FREELY_HELD or not isinstance(streaming, Streamed):
            return None
        if len(streaming.given) != 1 + len(feeding.chunks):
            return None
        come = _lengths(feeding.chunks)
        return self._late_by_its_words(come, streaming) or self._late_by_the_reference(come, feeding, streaming)

    def _late_by_its_words(self, come: Sequence[int], streamed: Streamed) -> Late | None:
        """come: how many code points have come by each chunk."""
        if not self._bounds.is_byte_level or streamed.held is None or max(streamed.held) <= FREELY_HELD:
            return None
        reasons = self._bounds.tokenizer.stream_encoder().held_until_end
        if any(reason.startswith(_AFTER_THE_MODEL) for reason in reasons):
            return None
        return _first_late(streamed.held, [self._bound(size) for size in come])

    def _bound(self, size: int) -> int:
        if size <= FREELY_HELD:
            return FREELY_HELD
        if size not in self._needed:
            self._needed[size] = self._bounds.needed(self._text[:size])
        return self._needed[size]

    def _late_by_the_reference(self, come: Sequence[int], feeding: Feeding, streamed: Streamed) -> Late | None:
        held = _not_given(come, streamed.given, self._offsets)
        if max(held, default=0) <= FREELY_HELD or self._reference is None:
            return None
        given = _fed(self._bounds.tokenizer, feeding.chunks)
        by_reference = _not_given(come, given, self._reference.offsets)
        return _first_late(held, [FREELY_HELD + size for size in by_reference])


def _told(text: str) -> int:
    return len(text) - text.count("\ufffd")


def _fed(tokenizer: Tokenizer, chunks: Chunks) -> list[Piece]:
    stream = tokenizer.stream_encoder()
    return [
        tuple(stream.feed_bytes(chunk) if isinstance(chunk, bytes) else stream.feed(chunk))
        for chunk in chunks
        if not isinstance(chunk, int)
    ]


def _not_given(come: Sequence[int], given: Sequence[Piece], offsets: Sequence[Span] | None) -> list[int]:
    """The number of code points behind the last id that has come out, after each chunk; none where that is unknown.

    >>> _not_given([2, 4], [(7,), (), (8,)], [(0, 1), (1, 4)])
    [1, 3]
    """
    if not offsets:
        return []
    ends = [0, *accumulate((end for _, end in offsets), max)]
    counts = accumulate(map(len, given))
    return [size - ends[min(count, len(ends) - 1)] for size, count in zip(come, counts, strict=False)]


def _first_late(held: Sequence[int], most: Sequence[int]) -> Late | None:
    pairs = enumerate(zip(held, most, strict=False))
    return next((Late(number, size, bound) for number, (size, bound) in pairs if size > bound), None)


def _lengths(chunks: Chunks) -> list[int]:
    r"""The number of code points come by each chunk; one of which some bytes have come counts.

    >>> _lengths((b"a\xc3", b"\xa9")), _lengths(("a", "b"))
    ([2, 2], [1, 2])
    """
    decoder = getincrementaldecoder("utf-8")("replace")
    sizes: list[int] = []
    come = 0
    for chunk in chunks:
        come += len(decoder.decode(chunk) if isinstance(chunk, bytes) else str(chunk))
        sizes.append(come + bool(decoder.getstate()[0]))
    return sizes
