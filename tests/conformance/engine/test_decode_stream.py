"""What DecodeStream gives is predicted to the letter: its divergences have a cause, and others do not have it."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.checks.hold_back import HoldBack
from conformance.core.observation import Failure
from conformance.core.streaming import Feeding, Late, Streamed
from conformance.engine.decode_stream import (
    HELD_FOR_EVER,
    HELD_WITH_REPLACEMENT,
    INCOMPLETE,
    INVALID_PREFIX,
    NOT_AWAITED,
    DecodeStreams,
)
from conformance.subjects import tokenizers_subject
from conformance.subjects.base import Subject
from reftok import embedded_models
from tests.models import load

MODELS = ("bpe-qwen", "spm-bpe-hf", "spm-unigram-hf")


@cache
def loaded(model: str) -> Subject:
    return tokenizers_subject.load(embedded_models()[model], "tokenizer.json")


def ids_of(model: str, tokens: tuple[str, ...]) -> tuple[int, ...]:
    tokenizer = load(model)
    ids = tuple(tokenizer.token_to_id(token) for token in tokens)
    return tuple(token_id for token_id in ids if token_id is not None)


def cause(model: str, tokens: tuple[str, ...], *given_out: str) -> str:
    """What is said of a stream that gives this text."""
    ids = ids_of(model, tokens)
    tokenizer = load(model)
    return DecodeStreams(tokenizer).cause(Feeding("decoder", ids), Streamed(given_out), tokenizer.decode(ids))


@pytest.mark.parametrize(
    ("tokens", "named"),
    [
        (("a", "Ã"), INCOMPLETE),
        (("a", "©"), HELD_FOR_EVER),
        (("a", "ï", "¿", "½"), HELD_FOR_EVER),
        (("a", "ï", "¿"), INCOMPLETE),
    ],
)
def test_a_lost_replacement_character_is_certain_or_not(tokens: tuple[str, ...], named: str) -> None:
    assert cause("bpe-qwen", tokens, "a") == named


def test_a_character_that_stays_incomplete_is_lost_with_the_whole_ones_before_it() -> None:
    """DecodeStream holds them all; nothing of that is a U+FFFD that nothing can change."""
    assert cause("bpe-gpt2", ("a", "Ù", "¡Ù"), "a") == INCOMPLETE
    digits = 2 * "\N{ARABIC-INDIC DIGIT ONE}"
    assert cause("bpe-gpt2", ("a", "Ù", "¡Ù", "¡", "¡"), "a" + digits) == HELD_FOR_EVER
    assert cause("bpe-gpt2", ("a", "Ù", "¡Ù", "¡", "¡"), "a" + digits[:1]) == ""


def test_text_that_is_held_with_a_replacement_character_is_lost_with_it() -> None:
    assert cause("bpe-qwen", ("Ã", "a", "Ã")) == ""
    assert cause("bpe-qwen", ("Ã", "a", "Ã"), "\ufffda") == INCOMPLETE


def test_words_that_are_lost_with_a_replacement_character_are_not_lost_by_its_fault() -> None:
    assert cause("bpe-qwen", ("a", "Ġthe", "©", "Ġthe"), "a") == ""
    assert cause("bpe-qwen", ("a", "Ġthe", "©"), "a") == ""
    assert cause("bpe-qwen", ("a", "Ġthe", "©"), "a the") == HELD_FOR_EVER


def test_other_text_around_a_replacement_character_has_no_known_cause_but_a_run_of_byte_tokens() -> None:
    assert cause("bpe-qwen", ("a", "©", "a"), "axa") == ""
    run = ("<0xC3>", "<0xA9>", "<0xFF>", "▁the")
    assert cause("spm-bpe-hf", run, "é", "\ufffd the") == ""
    assert cause("spm-bpe-hf", ("▁the", "<0xC3>", "<0xA9>", "<0xFF>", "▁the"), "the\ufffd\ufffd\ufffd the") == ""


def test_a_refusal_is_known_only_where_decode_stream_refuses() -> None:
    tokenizer = load("bpe-qwen")
    refused = Failure("refused", "no")
    ids = ids_of("bpe-qwen", ("a", "©"))
    assert DecodeStreams(tokenizer).cause(Feeding("decoder", ids), refused, "a\ufffd") == ""


@cache
def kinds_of_ids(model: str) -> tuple[list[int], ...]:
    """Ids of bytes, of other tokens, and of added ones."""
    tokenizer = load(model)
    known = ((number, tokenizer.id_to_token(number) or "") for number in range(tokenizer.vocab_size))
    single = [number for number, token in known if len(token) == 1 or token.startswith("<0x")]
    return single, single, [*range(500)], [*tokenizer.rules.added_tokens.tokens]


@st.composite
def ids_with_bytes(draw: st.DrawFn, model: str) -> tuple[int, ...]:
    """Ids of bytes in any order, among some others."""
    kinds = [st.sampled_from(ids) for ids in kinds_of_ids(model) if ids]
    return tuple(draw(st.lists(st.one_of(kinds), min_size=1, max_size=10)))


@pytest.mark.parametrize("model", MODELS)
@given(data=st.data(), skips=st.booleans())
def test_every_divergence_of_decode_stream_has_a_cause(model: str, data: st.DataObject, skips: bool) -> None:
    ids = data.draw(ids_with_bytes(model))
    subject = loaded(model)
    feeding = Feeding("decoder", ids, skips)
    (streamed,) = subject.stream([feeding])
    whole = subject.decode(ids)
    due = whole.text if skips else whole.kept
    if isinstance(streamed, Failure) or "".join(streamed.given) != due:
        assert DecodeStreams(load(model)).cause(feeding, streamed, due)


HALVES = ("Ù", "¡Ù", "¡", "a", "Ġthe", "ï", "¿", "½", "<|endoftext|>")
"""Of bpe-gpt2: Ù and ¡ are the bytes of an Arabic digit, ¡Ù is the end of one with the beginning of the next."""


@st.composite
def with_a_long_run(draw: st.DrawFn) -> Feeding:
    """Ids of which some 70 in a row each end within a character; the last one is whole."""
    around = st.lists(st.sampled_from(HALVES), max_size=6)
    run = ("Ù", *["¡Ù"] * draw(st.integers(66, 75)), "¡")
    ids = ids_of("bpe-gpt2", (*draw(around), *run, *draw(around), "a"))
    return Feeding("decoder", ids, draw(st.booleans()))


def given_and_late(feeding: Feeding) -> tuple[tuple[str, ...], Late]:
    """What DecodeStream gives of such ids, and where that is late."""
    tokenizer = load("bpe-gpt2")
    (streamed,) = loaded("bpe-gpt2").stream([feeding])
    assert isinstance(streamed, Streamed)
    given_out = tuple(map(str, streamed.given))
    assert "".join(given_out) == tokenizer.decode(feeding.chunks, skip_special_tokens=feeding.skip_special_tokens)
    late = HoldBack(tokenizer).of_decoder(feeding, streamed)
    assert late is not None
    return given_out, late


def cause_of_late(feeding: Feeding, given_out: tuple[str, ...], late: Late) -> str:
    return DecodeStreams(load("bpe-gpt2")).cause_of_late(feeding, Streamed(given_out), late)


@settings(max_examples=25)
@given(feeding=with_a_long_run())
def test_whatever_decode_stream_gives_late_it_gives_as_predicted(feeding: Feeding) -> None:
    given_out, late = given_and_late(feeding)
    assert cause_of_late(feeding, given_out, late) == HELD_WITH_REPLACEMENT


@settings(max_examples=25)
@given(feeding=with_a_long_run())
def test_a_stream_that_is_late_once_as_decode_stream_is_and_then_otherwise_has_no_cause(feeding: Feeding) -> None:
    given_out, late = given_and_late(feeding)
    rest = "".join(given_out[late.chunk + 1 :])
    silent = (*given_out[: late.chunk + 1], *[""] * (len(feeding.chunks) - late.chunk - 1), rest)
    assert "".join(silent) == "".join(given_out)
    assert cause_of_late(feeding, silent, late) == ""
    assert cause_of_late(feeding, (*[""] * len(feeding.chunks), "".join(given_out)), late) == ""


@settings(max_examples=25)
@given(feeding=with_a_long_run())
def test_a_stream_that_is_late_with_other_text_than_decode_stream_has_no_cause(feeding: Feeding) -> None:
    given_out, late = given_and_late(feeding)
    for number in (number for number, text in enumerate(given_out) if text):
        other = (*given_out[:number], "x" * len(given_out[number]), *given_out[number + 1 :])
        assert other == given_out or cause_of_late(feeding, other, late) == ""


@settings(max_examples=25)
@given(feeding=with_a_long_run())
def test_where_the_text_does_not_end_in_a_replacement_character_nothing_need_be_held(feeding: Feeding) -> None:
    given_out, late = given_and_late(feeding)
    for number in (number for number, text in enumerate(given_out) if text):
        assert cause_of_late(feeding, given_out, Late(number, late.held, late.most)) == ""


def test_what_is_too_long_to_follow_is_as_predicted_as_far_as_it_was_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    long, longer = (ids_of("bpe-gpt2", ("a", "Ù", *["¡Ù"] * count, "¡", "a")) for count in (70, 400))
    given_out, late = given_and_late(Feeding("decoder", longer))
    monkeypatch.setattr("conformance.engine.decode_stream.MOST_DECODED", sum(range(3 * len(long))))
    assert cause_of_late(Feeding("decoder", longer), given_out, late) == HELD_WITH_REPLACEMENT
    monkeypatch.setattr("conformance.engine.decode_stream.MOST_DECODED", late.chunk)
    assert cause_of_late(Feeding("decoder", longer), given_out, late) == ""


def cause_of_decode_stream(tokens: tuple[str, ...]) -> str:
    ids = ids_of("spm-bpe-hf", tokens)
    feeding = Feeding("decoder", ids)
    (streamed,) = loaded("spm-bpe-hf").stream([feeding])
    tokenizer = load("spm-bpe-hf")
    return DecodeStreams(tokenizer).cause(feeding, streamed, tokenizer.decode(ids))


RUN = ("<0x61>", "<0xC3>")


def test_a_run_of_byte_tokens_is_given_out_before_it_is_judged_or_refused() -> None:
    assert cause_of_decode_stream(RUN) == NOT_AWAITED
    assert cause_of_decode_stream(("<0x61>", "<0xC3>", "▁the")) == INVALID_PREFIX


def test_a_list_of_ids_that_takes_too_long_to_follow_has_no_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.engine.decode_stream.MOST_DECODED", 2)
    assert cause_of_decode_stream(RUN) == ""
