"""The row of functions that a stream of ids goes through, made for a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from math import inf, prod
from typing import Any, NamedTuple, TypeAlias

from reftok.limits import MOST_GROWTH, MOST_STREAMED_STAGES
from reftok.regex_dialects.pattern import Pattern
from reftok.rules.huggingface import decoders as rules
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.decoder import SentencePieceDecoder
from reftok.rules.stages import Decoder
from reftok.streams import decoders as streamed
from reftok.streams.cuts.normalizers import SentencePieceState
from reftok.streams.cuts.patterns import replacing
from reftok.streams.decoders import Held

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
_MAP = "ByteLevel: a character outside the byte map makes the whole text stand for itself"


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
