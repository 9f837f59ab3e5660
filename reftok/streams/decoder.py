"""Text while ids are still coming.

Each id goes through a row of decoders; each gives out what no later id can change and holds the rest, see
`reftok.streams.decoders`. These functions are pure: only a `StreamDecoder` changes, which keeps what they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any, SupportsIndex, TypeAlias

from reftok.errors import InvalidIds, StreamFinished
from reftok.limits.growth import refuse_expansion
from reftok.limits.ids import checked_id, checked_ids, id_list, whole_number
from reftok.regex_dialects.executor import Deadline
from reftok.streams.decoder_row import Row, State
from reftok.streams.decoders import Held

TextCallback: TypeAlias = Callable[[str, int, bool], object]
"""Takes text, the id that it came with, and whether it is the last; False asks for no more."""


class StreamDecoder:
    r"""The text of one list of ids that come one by one; made by `Tokenizer.stream_decoder`.

    The texts that `feed` and `finish` give are together that of `decode`, and each comes as soon as nothing that may
    follow can change it: what was given is never taken back. Bytes of a character that is not complete are held;
    those that can become none are U+FFFD as soon as that is certain. A decoder belongs to one stream; a tokenizer may
    have many at a time, in several threads. After an error other than InvalidIds it is of no use until `reset`.

    >>> import reftok
    >>> decoder = reftok.load("bpe-gpt2").stream_decoder()
    >>> [decoder.feed(token_id) for token_id in (717, 2783, 646, 804, 249, 223)]
    ['na', 'ï', 've', ' ', '', '🚀']
    >>> decoder.feed(173), decoder.pending_bytes, decoder.finish(), decoder.token_count
    ('', b'\xf0', '�', 7)
    """

    def __init__(self, row: Row) -> None:
        self._row = row
        self.reset()

    def reset(self) -> None:
        """Forget everything: what comes next is another text."""
        start = tuple(step.start for step in self._row.steps)
        self._state = self._row.memo.setdefault(start, State(start))
        self._token_count = 0
        self._is_finished = False
        self._deadline = Deadline() if self._row.is_guarded else None
        self._sizes = [0] * len(self._row.steps)

    @property
    def token_count(self) -> int:
        """How many ids have been fed, those that have no text included."""
        return self._token_count

    @property
    def held(self) -> int:
        """How much has come that is not out as text: code points, or bytes where they are not text yet."""
        return sum(held.size for held in self._state.held)

    @property
    def pending_bytes(self) -> bytes:
        """The bytes that are held since they are no text yet; b"" if there are none."""
        return b"".join(part for held in self._state.held for part in held.data)

    @property
    def held_until_end(self) -> tuple[str, ...]:
        """Which decoders cannot decide anything before the end of the stream, and why.

        >>> import reftok
        >>> reftok.load("bpe-gpt2").stream_decoder().held_until_end
        ()
        """
        return tuple(step.held_until_end for step in self._row.steps if step.held_until_end)

    def feed(self, token_id: SupportsIndex) -> str:
        """The text that has become final with this id, '' if there is none.

        Raises InvalidIds for what `decode` refuses; the stream is then as it was before. Raises ModelFormatError if
        the decoders blow the text up, as `decode` of the ids so far does, and StreamFinished after `finish`.
        """
        if type(token_id) is int:  # a dict would find 65.0 as well, which is not an id
            known = self._state.get(token_id)
            if known is not None:
                self._token_count += 1
                text, self._state = known
                return text
        return self._feed(token_id)

    def feed_all(self, ids: Iterable[SupportsIndex]) -> str:
        """The text that has become final with these ids.

        Raises InvalidIds before any of them is fed if one is no id at all. If the library refuses one as `feed`
        says, the text of those before it is lost with the error. Raises StreamFinished after `finish`, without ids too.
        """
        self._refuse_if_finished()
        return "".join([self.feed(token_id) for token_id in checked_ids(ids, "feed_all")])

    def _feed(self, value: SupportsIndex) -> str:
        self._refuse_if_finished()
        token_id, before = _checked_id(value), self._state
        text, held = self._folded([token_id], is_end=False)
        self._state = self._row.after(before, token_id, text, held)
        self._token_count += 1
        return text

    def finish(self) -> str:
        """The text that was held. After it only `reset` makes sense."""
        self._refuse_if_finished()
        text, _ = self._folded([], is_end=True)
        self._is_finished = True
        self._state = State(())  # knows no id, so that `feed` goes on to `_feed`, which refuses it
        return text

    def _folded(self, ids: list[int], is_end: bool) -> tuple[str, tuple[Held, ...]]:
        """The text that becomes final with these ids, and what the steps hold after them."""
        given: Any = ids
        following: list[Held] = []
        with self._deadline or nullcontext():
            for index, (step, held) in enumerate(zip(self._row.steps, self._state.held, strict=True)):
                given, after = step.function(held, given, is_end)
                following.append(after)
                if self._deadline is not None:
                    size = sum(map(len, given))
                    self._deadline.extend(size * (index == 0))
                    self._sizes[index] += size
                    refuse_expansion(self._sizes[index], self._sizes[0], "decoder")
        return given, tuple(following)

    def _refuse_if_finished(self) -> None:
        if self._is_finished:
            raise StreamFinished("the stream is finished: reset() makes it ready for another text")


def _checked_id(value: object) -> int:
    if isinstance(value, Iterable) and not isinstance(value, str) and whole_number(value) is None:
        raise InvalidIds(f"feed takes one id, not {type(value).__name__}: feed_all takes several")
    return checked_id(value)


def decode_with_callback(decoder: StreamDecoder, ids: Iterable[SupportsIndex], callback: TextCallback) -> str:
    """See `Tokenizer.decode_with_callback`. decoder: a new one."""
    if not callable(callback):
        raise TypeError(
            f"callback cannot be called: it is {type(callback).__name__}, not a function of text, id, is_final"
        )
    given: list[str] = []
    remaining = map(checked_id, id_list(ids, "decode_with_callback"))
    token_id = next(remaining, None)
    while token_id is not None:
        text, following = decoder.feed(token_id), next(remaining, None)
        is_final = following is None
        given.append(text + decoder.finish() if is_final else text)
        if callback(given[-1], token_id, is_final) is False:
            break
        token_id = following
    return "".join(given)
