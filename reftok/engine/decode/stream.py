"""Text while the ids are still coming.

    feed ─vocab─▶ ─Decoder─▶ ─Decoder─▶ text

is the way back of `reftok.rules.pipeline` with a streamed form in the place of every decoder. Each hands on what no
further id can change and holds the rest, so that the texts of all ids together are the text of `decode`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import SupportsIndex, TypeAlias

from reftok.engine.decode.chain import DecodingChain, decoding_chain
from reftok.engine.decode.stages import Output, Stage
from reftok.engine.decode.states import FINISHED, UNREMEMBERED, DecodingStates, State
from reftok.errors import InvalidIds, StreamFinished
from reftok.limits.ids import checked_id, checked_ids, id_list, whole_number
from reftok.rules.pipeline import Pipeline

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

    def __init__(self, pipeline: Pipeline, states: DecodingStates, skip_special_tokens: bool = True) -> None:
        self._pipeline = pipeline
        self._shared_states = states
        self._skip_special_tokens = skip_special_tokens
        self.reset()

    def reset(self) -> None:
        """Forget everything: what comes next is another text."""
        self._made_chain: DecodingChain | None = None
        self._state_of_chain: State | None = None
        self._token_count = 0
        self._is_finished = False
        self._states = self._shared_states
        start = self._states.start
        self._state = self._make_chain()[1] if start is None else start

    @property
    def token_count(self) -> int:
        """How many ids have been fed, those that have no text included."""
        return self._token_count

    @property
    def held(self) -> int:
        """How much has come that is not out as text: code points, or bytes where they are not text yet."""
        state = self._state
        if state.held is not None:
            return state.held
        held = sum(stage.held for stage in self._stages())
        if state is not UNREMEMBERED:
            state.held = held
        return held

    @property
    def pending_bytes(self) -> bytes:
        """The bytes that are held since they are no text yet; b"" where none are."""
        return b"".join(stage.pending_bytes for stage in self._stages())

    @property
    def held_until_end(self) -> tuple[str, ...]:
        """Which decoders cannot decide anything before the end of the stream, and why.

        >>> import reftok
        >>> reftok.load("bpe-gpt2").stream_decoder().held_until_end
        ()
        """
        return tuple(filter(None, (stage.held_until_end for stage in self._stages())))

    def feed(self, token_id: SupportsIndex) -> str:
        """The text that has become final with this id, '' where there is none.

        Raises InvalidIds for what `decode` refuses; the stream is then as it was before. Raises ModelFormatError where
        the decoders blow the text up, as `decode` of the ids so far does, and StreamFinished after `finish`.
        """
        if type(token_id) is int:
            known = self._state.get(token_id)
            if known is not None:
                self._token_count += 1
                text, self._state = known
                return text
        return self._feed(token_id)

    def feed_all(self, ids: Iterable[SupportsIndex]) -> str:
        """The text that has become final with these ids.

        Raises InvalidIds before any of them is fed where one is no id at all. Where the library refuses one as `feed`
        says, the text of those before it is lost with the error. Raises StreamFinished after `finish`, without ids too.
        """
        self._refuse_if_finished()
        return "".join([self.feed(token_id) for token_id in checked_ids(ids, "feed_all")])

    def _feed(self, value: SupportsIndex) -> str:
        self._refuse_if_finished()
        token_id = _checked_id(value)
        chain, before = self._chain(), self._state
        try:
            chain.first.token_id(token_id)
            text = self._output.taken()
            following = self._states.at(_key(chain))
        except InvalidIds:
            raise
        except BaseException:
            # The stages are in the middle of something: what they do from now on must not be remembered by others.
            self._states = DecodingStates()
            self._state = self._state_of_chain = UNREMEMBERED
            raise
        self._token_count += 1
        self._state = self._state_of_chain = following
        self._states.keep(before, token_id, text, following)
        return text

    def finish(self) -> str:
        """The text that was held. After it only `reset` makes sense."""
        self._refuse_if_finished()
        before = self._state
        chain = self._chain() if before.end is None else None
        self._is_finished, self._state, self._made_chain = True, FINISHED, None
        if chain is None:
            return before.end or ""
        chain.first.finish()
        text = self._output.taken()
        if before is not UNREMEMBERED:
            before.end = text
        return text

    def _refuse_if_finished(self) -> None:
        if self._is_finished:
            raise StreamFinished("the stream is finished: reset() makes it ready for another text")

    def _make_chain(self) -> tuple[DecodingChain, State]:
        """The stages of a new stream, and the state that they are in."""
        self._output = Output()
        chain = self._made_chain = decoding_chain(self._pipeline, self._skip_special_tokens, self._output)
        state = self._states.at(_key(chain))
        self._state_of_chain = self._states.start = state
        return chain, state

    def _chain(self) -> DecodingChain:
        """The stages, brought into the state that the stream is in: what is known goes past them."""
        chain = self._made_chain or self._make_chain()[0]
        if self._state_of_chain is not self._state and not self._is_finished:
            self._state_of_chain = None
            for stage, state in zip(chain.stages, self._state.stages, strict=True):
                stage.state = state
            self._state_of_chain = self._state
        return chain

    def _stages(self) -> Sequence[Stage]:
        return self._chain().stages


def _checked_id(value: object) -> int:
    if isinstance(value, Iterable) and not isinstance(value, str) and whole_number(value) is None:
        raise InvalidIds(f"feed takes one id, not {type(value).__name__}: feed_all takes several")
    return checked_id(value)


def _key(chain: DecodingChain) -> tuple[Hashable, ...] | None:
    """The state that a chain is in, None for one that cannot be remembered."""
    states = tuple([stage.state for stage in chain.stages])
    return None if None in states else states


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
