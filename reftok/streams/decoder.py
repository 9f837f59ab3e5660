"""Text while ids are still coming.

Each id goes through a row of decoders; each gives out what no later id can change and holds the rest, see
`reftok.streams.decoders`. These functions are pure: only a `StreamDecoder` changes, which keeps what they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from math import inf, prod
from typing import Any, NamedTuple, SupportsIndex, TypeAlias

from reftok.errors import InvalidIds, StreamFinished
from reftok.limits import MOST_GROWTH, MOST_STREAMED_STAGES
from reftok.limits.growth import refuse_expansion
from reftok.limits.ids import checked_id, checked_ids, id_list, whole_number
from reftok.regex_dialects.executor import Deadline
from reftok.regex_dialects.pattern import Pattern
from reftok.rules.huggingface import decoders as rules
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.decoder import SentencePieceDecoder
from reftok.rules.stages import Decoder
from reftok.streams import decoders as streamed
from reftok.streams.cuts.normalizers import SentencePieceState
from reftok.streams.cuts.patterns import replacing
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
                    # Only the input extends the deadline: decoders must not buy time by making text longer.
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


# --- the row of functions, made for a pipeline

_MOST_STATES = 1 << 14
_MOST_TEXTS = 1 << 17
"""Bounds of the memo of a tokenizer: a state takes some 700 bytes and a text 250, so that a full one takes 45 MB."""
_LONGEST_REMEMBERED = 16
"""A state that holds more code points or bytes hardly comes again."""


class Step(NamedTuple):
    """One function of a row.

    function: takes what it held, its input and whether the stream has ended; gives what is final and what it holds now.
        The input is ids for the first function, then tokens, and text behind a function that joins them.
    start: what it holds before any input.
    held_until_end: why it gives out nothing before the end; '' if it does.
    """

    function: Callable[[Held, Any, bool], tuple[Any, Held]]
    start: Held = Held()
    held_until_end: str = ""


class State(dict[int, tuple[str, "State"]]):
    """What all steps hold. Maps each id that has come in this state to its text and the state after it."""

    __slots__ = ("held",)

    def __init__(self, held: tuple[Held, ...]) -> None:
        super().__init__()
        self.held = held


@dataclass(slots=True)
class Row:
    """The steps from ids to text, and a memo of what they gave. All streams of a tokenizer share it, in all threads.

    is_guarded: whether decoders may blow a text up or take very long. Then streams count characters and time, and
        remember nothing.
    memo: the remembered states; entries are only added. texts: how many texts they have.
    """

    steps: tuple[Step, ...]
    is_guarded: bool = False
    memo: dict[tuple[Held, ...], State] = field(default_factory=dict)
    texts: int = 0

    def after(self, before: State, token_id: int, text: str, held: tuple[Held, ...]) -> State:
        """The state after an id that gave a text; remembered unless much is held."""
        if self.is_guarded or sum(each.size for each in held) > _LONGEST_REMEMBERED:
            return State(held)
        if self.texts >= _MOST_TEXTS or (len(self.memo) >= _MOST_STATES and held not in self.memo):
            return self.memo.get(held, State(held))
        self.texts += 1
        state = self.memo.setdefault(held, State(held))
        before[token_id] = text, state
        return state


_Forms: TypeAlias = Mapping[type[Any], Callable[[Any, bool], list[Step]]]
"""Makes the steps of a decoder, by its class; takes the decoder, and whether Fuse or nothing follows it."""


def _replace(decoder: rules.Replace, _: bool = False) -> list[Step]:
    rewrite = replacing(decoder.pattern, decoder.content)
    why = f"Replace: {rewrite.why_uncut}" if rewrite.why_uncut else ""
    return [Step(partial(streamed.rewritten, rewrite), streamed.NOTHING_REWRITTEN, why)]


def _replace_each(*pairs: tuple[str, str]) -> list[Step]:
    return [step for pair in pairs for step in _replace(rules.Replace(*pair))]


_FUSE = Step(streamed.fuse)
_MAP = "ByteLevel: behind visible ASCII, a character outside the byte map makes the whole text stand for itself"


def _behind(mark: Callable[[list[str]], Sequence[str]]) -> Callable[[Decoder, bool], list[Step]]:
    return lambda decoder, _: [Step(partial(streamed.decode_behind, decoder, mark))]


_OF_TOKENS: _Forms = {
    rules.BPEDecoder: lambda step, is_fused_next: [Step(partial(streamed.bpe_decoder, step, is_fused_next))],
    rules.ByteFallback: lambda step, _: [Step(streamed.byte_fallback, Held((b"", False)))],
    rules.ByteLevel: lambda step, _: [Step(streamed.byte_level)],
    rules.CTC: _behind(lambda tokens: tokens[-1:]),  # the first token of a group stands for the group
    rules.Fuse: lambda step, _: [_FUSE],
    **dict.fromkeys((rules.Metaspace, rules.WordPiece), _behind(lambda _: [""])),  # only the first token differs
    **dict.fromkeys((rules.Replace, rules.Strip), _behind(lambda _: [])),
    SentencePieceDecoder: lambda step, _: [
        Step(partial(streamed.sentencepiece, step), Held((step.strips_first_space, SentencePieceState())))
    ],
}
_OF_ONE_TOKEN: _Forms = {
    rules.BPEDecoder: lambda step, _: _replace_each((step.suffix, "")),
    rules.ByteFallback: lambda step, _: [Step(partial(streamed.byte_fallback_of_text, step), Held(""))],
    rules.ByteLevel: lambda step, _: [Step(partial(streamed.byte_level_of_text, step), held_until_end=_MAP)],
    rules.Fuse: lambda step, _: [],
    rules.Metaspace: lambda step, _: _replace_each((step.replacement, " " * (step.prepend_scheme == "never"))),
    rules.Replace: _replace,
    rules.Strip: lambda step, _: [Step(partial(streamed.strip_of_text, step), Held(step.start))],
    rules.WordPiece: lambda step, _: _replace_each(*(rules.SPACES_BEFORE if step.cleanup else ())),
}
"""Behind a decoder that joins all tokens: the only token is both the first and the last."""
_CLEANED_BY_LLAMA = (" ?", " !", " .", " ,", " ' ", " 's", " 'm", " 're", " 've")
"""The three passes of `reftok.rules.llama_cpp.stages.clean_spaces`, as literals to be replaced one after the other."""


def decoder_row(pipeline: Pipeline, skips_special: bool) -> Row:
    """The row of a pipeline. If it has a decoder without a function, all tokens are held until the end.

    skips_special: whether special tokens are left out.
    """
    detokenizer, decoders = pipeline.detokenizer, pipeline.decoders
    if detokenizer is not None:
        pieces = Step(partial(streamed.llama_pieces, detokenizer, skips_special), Held(True))
        cleaned = [(literal, literal.strip(" ")) for literal in _CLEANED_BY_LLAMA if detokenizer.cleans_spaces]
        return Row((pieces, _FUSE, *_replace_each(*cleaned), Step(streamed.utf_8)))
    first = Step(partial(streamed.vocab_tokens, pipeline, skips_special))
    if decoders is None:
        return Row((first, Step(streamed.join_with_spaces), _FUSE))
    steps = _steps(decoders)
    if isinstance(steps, str):
        return Row((first, Step(partial(streamed.buffer_all, pipeline), held_until_end=steps)), True)
    growth = prod(1 + _growth(decoder) for decoder in decoders)
    # Without empty tokens there are no more tokens than characters, so that a text grows twice as much at most.
    may_be_refused = growth > 1 and (2 * growth > MOST_GROWTH or pipeline.token_to_id("") is not None)
    patterns = [decoder.pattern for decoder in decoders if isinstance(decoder, rules.Replace)]
    runs_away = any(isinstance(pattern, Pattern) and pattern.may_run_away for pattern in patterns)
    return Row((first, *steps), may_be_refused or runs_away)


def _steps(decoders: Sequence[Decoder]) -> list[Step] | str:
    """The steps from tokens to text, or why nothing can be given out before the end."""
    if len(decoders) > MOST_STREAMED_STAGES:
        return f"{len(decoders)} decoders: their rules are asked at the end"
    unknown = [decoder for decoder in decoders if type(decoder) not in _OF_TOKENS or _is_long(decoder)]
    forms, steps = _OF_TOKENS, list[Step]()
    for decoder, following in zip_longest(decoders, decoders[1:], fillvalue=rules.Fuse()):
        if unknown or type(decoder) not in forms:
            return f"{type([*unknown, decoder][0]).__name__}: its rule is asked at the end"
        steps += forms[type(decoder)](decoder, type(following) is rules.Fuse)
        forms = _OF_ONE_TOKEN if type(decoder) in (rules.Fuse, rules.ByteLevel) else forms
    return [*steps, _FUSE] if forms is _OF_TOKENS else steps


def _growth(decoder: Decoder) -> float:
    """How many code points a decoder adds at most per code point, and per token."""
    if isinstance(decoder, SentencePieceDecoder):
        return len(decoder.unk_surface) if decoder.denormalizer is None else inf
    if isinstance(decoder, rules.Replace):
        shrinks = isinstance(decoder.pattern, str) and len(decoder.content) <= len(decoder.pattern)
        return 0 if shrinks else len(decoder.content)
    return isinstance(decoder, rules.BPEDecoder | rules.CTC | rules.WordPiece)


def _is_long(decoder: Decoder) -> bool:
    """Whether a replacement is so long that the result has to be measured before it is made, as the plain rule does.

    A shorter one is never refused, even if it is inserted around every character.
    """
    return isinstance(decoder, rules.Replace) and 2 * (len(decoder.content) + 1) > MOST_GROWTH
