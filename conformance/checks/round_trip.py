"""Decoding the encoded text gives the text back, where the model keeps it.

Which text must come back is decided by rule, from the reference's trace and the kinds of its stages. A model whose
stages lose text, or a text that has unknown characters or looks like the model's own notation, is left out by that
rule and counted as not applicable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

from conformance.checks.base import (
    Answers,
    Check,
    Difference,
    Outcome,
    RoundTrip,
    failure_difference,
    reproduction_input,
    text_tails,
)
from conformance.checks.decode import DECODE
from conformance.checks.encoding import IDS
from conformance.core.case import Case
from conformance.core.observation import Failure
from reftok import Tokenizer, Trace
from reftok.rules.byte_level import BYTE_TO_CHARACTER, from_byte_characters
from reftok.rules.huggingface import decoders, pre_tokenizers
from reftok.rules.sentencepiece.decoder import SentencePieceDecoder
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer

RoundTripRule: TypeAlias = Callable[[str | bytes], RoundTrip | None]
"""From a text to what must come back; None for one that the model does not keep. Raises what the reference raises."""

READ_AS_BYTES = "an added token is decoded as if its letters were bytes"

METASPACE = "▁"
_BYTE_PIECE_START = "<0x"
_LLAMA_DECODERS = (
    decoders.Replace(METASPACE, " "),
    decoders.ByteFallback(),
    decoders.Fuse(),
    decoders.Strip(" ", 1, 0),
)


_REPRODUCTION = '''\
def compared(official, subject):
    """The text that must come back, and what does, special tokens kept."""
    given = answer(lambda: subject.decode(subject.encode(INPUT)["ids"]))
    return TEXT, given if isinstance(given, Failure) else given[-1]
'''


class RoundTripCheck(Check):
    """The subject decodes its own ids to the text that the rule demands.

    A text that the oracle loses in the same way is held against the oracle alone; its crash is left to another check.
    """

    name = "round trip"
    compares = "own_decoding"
    of_oracle = True
    follows = (IDS.name, DECODE.name)
    diagnosis = "round trip"
    expected_by = "the text itself"
    code = _REPRODUCTION

    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        expected, observed = subject.round_trip, subject.own_decoding
        if expected is None or observed is None:
            return "not applicable"
        if isinstance(observed, Failure):
            is_charged = subject is oracle and observed.kind == "crashed"
            return "not applicable" if is_charged else failure_difference(expected.text, observed)
        if observed.kept == expected.text:
            return "same"
        if subject is not oracle and observed == oracle.own_decoding:
            return "not applicable"
        rule = READ_AS_BYTES if observed.kept == expected.read_as_bytes else "the text does not come back"
        return Difference(rule, "other text", *text_tails(expected.text, observed.kept))

    def constants(self, case: Case, subject: Answers) -> Mapping[str, Any] | None:
        expected = subject.round_trip
        return None if expected is None else {"INPUT": reproduction_input(case), "TEXT": expected.text}


ROUND_TRIP = RoundTripCheck()


def round_trip_rule(tokenizer: Tokenizer) -> RoundTripRule | None:
    """The text that must come back for a text, special tokens kept; None for a model that keeps no text.

    Byte-level: the normalized text, with each added token as its content, without the white space that it stripped.
    sentencepiece: the normalized text with `▁` as spaces, less the dummy prefix, where no denormalizer rewrites it.
    Pipelines like Llama 2's: the same, less one leading space.
    """
    if tokenizer.rules.truncation is not None:
        return None
    if tokenizer.library == "sentencepiece":
        decoder = tokenizer.rules.decoders[0] if tokenizer.rules.decoders else None
        normalizer = tokenizer.rules.normalizers[0]
        assert isinstance(normalizer, SentencePieceNormalizer)
        assert isinstance(decoder, SentencePieceDecoder)
        assert isinstance(tokenizer.rules.model, PieceModel)
        keeps = normalizer.options.escape_whitespaces and decoder.denormalizer is None
        return partial(_sentencepiece_round_trip, tokenizer) if keeps else None
    if _is_byte_level(tokenizer):
        return lambda text: _byte_level_round_trip(tokenizer, tokenizer.trace(text))
    if tokenizer.rules.decoders == _LLAMA_DECODERS:
        return lambda text: _llama_round_trip(tokenizer, tokenizer.trace(text))
    return None


def _is_byte_level(tokenizer: Tokenizer) -> bool:
    """Whether every byte goes in and comes out, and nothing is added before a word."""
    steps = [step for step in tokenizer.rules.pre_tokenizers if isinstance(step, pre_tokenizers.ByteLevel)]
    return (
        tokenizer.rules.decoders in ((decoders.ByteLevel(),), (decoders.TekkenBytes(),))
        and len(steps) == 1
        and steps[0] is tokenizer.rules.pre_tokenizers[-1]
        and not steps[0].add_prefix_space
        and all(character in tokenizer.rules.model.vocab for character in BYTE_TO_CHARACTER.values())
    )


def _pieces_after(tokenizer: Tokenizer, trace: Trace, stages: tuple[str, ...]) -> list[tuple[str, bool]]:
    """The pieces of text after the last of `stages`, each with whether it is an added token, as its content."""
    last = [stage for stage in trace.stages if stage.stage in stages][-1]
    return [
        (piece.text, False) if piece.ids is None else (tokenizer.id_to_token(piece.ids[0]) or "", True)
        for piece in last.pieces
    ]


def _with_template(tokenizer: Tokenizer, trace: Trace, pieces: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """`pieces` between the special tokens that the template put around them."""
    mask = list(trace.encoding.special_tokens_mask)
    tokens = [(tokenizer.id_to_token(token_id) or "", True) for token_id in trace.encoding.ids]
    leading = mask.index(0) if 0 in mask else len(mask)
    trailing = mask[::-1].index(0) if 0 in mask else 0
    return [*tokens[:leading], *pieces, *tokens[len(tokens) - trailing :]]


def _joined(pieces: list[tuple[str, bool]]) -> str:
    return "".join(text for text, _ in pieces)


def _byte_level_round_trip(tokenizer: Tokenizer, trace: Trace) -> RoundTrip | None:
    if tokenizer.rules.model.unk_id in trace.encoding.ids:
        return None
    pieces = _with_template(tokenizer, trace, _pieces_after(tokenizer, trace, ("AddedTokens", "Normalizer")))
    return RoundTrip(_joined(pieces), _read_as_bytes(pieces))


def _read_as_bytes(pieces: list[tuple[str, bool]]) -> str | None:
    """The text in which an added token of nothing but byte characters stands for these bytes."""
    read = [from_byte_characters(text) if is_added else None for text, is_added in pieces]
    data = b"".join(
        text.encode("utf-8") if as_bytes is None else as_bytes for (text, _), as_bytes in zip(pieces, read, strict=True)
    )
    text = data.decode("utf-8", "replace")
    return None if text == _joined(pieces) else text


def _llama_round_trip(tokenizer: Tokenizer, trace: Trace) -> RoundTrip | None:
    if METASPACE in trace.text or _BYTE_PIECE_START in trace.text or tokenizer.rules.model.unk_id in trace.encoding.ids:
        return None
    stages = ("AddedTokens", "Normalizer", "PreTokenizer")
    text = _joined(_with_template(tokenizer, trace, _pieces_after(tokenizer, trace, stages)))
    return RoundTrip(text.replace(METASPACE, " ").removeprefix(" "))


def _sentencepiece_round_trip(tokenizer: Tokenizer, text: str | bytes) -> RoundTrip | None:
    """Most texts of these models are normalized, so this is asked often; a whole trace would take twice the time."""
    model, (normalizer, *_) = tokenizer.rules.model, tokenizer.rules.normalizers
    assert isinstance(model, PieceModel)
    assert isinstance(normalizer, SentencePieceNormalizer)
    given = text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text
    if METASPACE in given:
        return None
    normalized, _ = normalizer.rewrite(given)
    if not model.table.byte_fallback and model.unk_id in tokenizer.encode_ids(text):
        return None
    if normalizer.options.add_dummy_prefix or normalizer.options.remove_extra_whitespaces:
        normalized = normalized.removeprefix(METASPACE)
    return RoundTrip(normalized.replace(METASPACE, " "))
