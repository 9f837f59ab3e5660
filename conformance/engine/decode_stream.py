"""The text that DecodeStream of tokenizers gives, worked out from full decodes: its divergences are known as just that.

It decodes the ids that it keeps, and gives out what the text has gained, unless that ends in U+FFFD. What it holds then
comes with a later id or never, since nothing ends such a stream.
Source: tokenizers 0.23.3, tokenizer/mod.rs (`step_decode_stream`); the same from 0.21.1 on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from conformance.core.observation import Failure
from conformance.core.streaming import Chunks, Feeding, Late, Streamed, Streaming
from reftok import ReftokError, Tokenizer

REPLACEMENT = "\ufffd"
LONGEST_KEPT = 80
"""So many ids are kept with the text that the decoder has made of them."""
MOST_DECODED = 2_000_000
"""So many ids are decoded for the streams of one list: what holds text for long decodes all of it with each id."""
INCOMPLETE = "a character that stays incomplete is never given out as U+FFFD"
HELD_FOR_EVER = "a U+FFFD that nothing can change is held for ever"
NOT_AWAITED = "a run of byte tokens is not awaited that is judged as a whole"
INVALID_PREFIX = "refuses a byte token that changes what others before it stand for"
HELD_WITH_REPLACEMENT = "all text is held while it ends in U+FFFD"
CAUSES = (INCOMPLETE, HELD_FOR_EVER, NOT_AWAITED, INVALID_PREFIX, HELD_WITH_REPLACEMENT)


@dataclass(frozen=True, slots=True)
class State:
    """Between two steps.

    given: all that has come out. ids: those that are kept. prefix: the text of the first `known` of them, which has
    come out already.
    """

    given: str = ""
    ids: Chunks = ()
    prefix: str = ""
    known: int = 0


Supposed: TypeAlias = State | None
"""None where a step raises: the text of the ids that are kept does not begin with what has been given out of it."""


class DecodeStreams:
    """The streams of one model, for one list of ids. Their texts are kept, since a slice often begins another."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._left = MOST_DECODED
        self._texts: dict[tuple[Chunks, bool], str] = {}

    def cause(self, feeding: Feeding, streaming: Streaming, whole: str) -> str:
        """The cause of other text than the whole: that of DecodeStream where the stream does the same, else ''.

        Text is lost for the same cause, whoever does it, where nothing but U+FFFD is lost.
        """
        try:
            if isinstance(streaming, Streamed):
                return self._cause_of_text(feeding, "".join(map(str, streaming.given)), whole)
            is_refused = isinstance(streaming, Failure) and streaming.kind == "refused"
            return INVALID_PREFIX if is_refused and self._after(feeding) is None else ""
        except (ReftokError, _TooMuchError):
            return ""

    def cause_of_late(self, feeding: Feeding, streamed: Streamed, late: Late) -> str:
        """The cause of a delay in a stream of the right text: as `cause`.

        It must give the same after every chunk: behind the late one as far as can be followed.
        """
        found = ""
        given = accumulate(map(str, streamed.given), initial="")
        try:
            for number, (state, so_far) in enumerate(zip(self._states(feeding), given, strict=False)):
                if state is None or state.given != so_far:
                    return ""
                if number == 1 + late.chunk:
                    is_held = self._decode(state.ids, feeding.skip_special_tokens).endswith(REPLACEMENT)
                    found = HELD_WITH_REPLACEMENT if is_held else ""
        except ReftokError:
            return ""
        except _TooMuchError:
            pass
        return found

    def _cause_of_text(self, feeding: Feeding, given: str, whole: str) -> str:
        lost = whole[len(given) :] if whole.startswith(given) else ""
        if not lost or lost.strip(REPLACEMENT):
            state = self._after(feeding)
            if state is None or state.given != given:
                return ""
        if not lost:
            return NOT_AWAITED
        return HELD_FOR_EVER if REPLACEMENT in self._certain(feeding)[len(given) :] else INCOMPLETE

    def _certain(self, feeding: Feeding) -> str:
        """The reference's text before the end: what can still become another is not in it."""
        stream = self._tokenizer.stream_decoder(skip_special_tokens=feeding.skip_special_tokens)
        return "".join(stream.feed(chunk) for chunk in feeding.chunks if isinstance(chunk, int))

    def _after(self, feeding: Feeding) -> Supposed:
        return deque(self._states(feeding), maxlen=1).pop()

    def _states(self, feeding: Feeding) -> Iterator[Supposed]:
        """The state at first, and after each id as far as none raises."""
        state: Supposed = State()
        yield state
        for token_id in feeding.chunks:
            if state is not None:
                state = self._step(state, token_id, feeding.skip_special_tokens)
                yield state

    def _step(self, state: State, token_id: str | bytes | int, skips: bool) -> Supposed:
        prefix, known = state.prefix, state.known
        if not prefix and state.ids:
            text = self._decode(state.ids, skips)
            if not text.endswith(REPLACEMENT):
                prefix, known = text, len(state.ids)
        ids = (*state.ids, token_id)
        text = self._decode(ids, skips)
        if len(text.encode()) <= len(prefix.encode()) or text.endswith(REPLACEMENT):
            return State(state.given, ids, prefix, known)
        if not text.startswith(prefix):
            return None
        kept = ids[known:]
        given = state.given + text[len(prefix) :]
        return State(given, kept, self._decode(kept, skips), len(ids) - known)

    def _decode(self, ids: Chunks, skips: bool) -> str:
        text = self._texts.get((ids, skips))
        if text is None:
            self._left -= len(ids)
            if self._left < 0:
                raise _TooMuchError
            text = self._tokenizer.decode([chunk for chunk in ids if isinstance(chunk, int)], skip_special_tokens=skips)
            if len(ids) <= LONGEST_KEPT:
                self._texts[ids, skips] = text
        return text


class _TooMuchError(Exception):
    pass
