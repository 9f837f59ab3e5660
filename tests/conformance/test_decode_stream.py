"""What DecodeStream gives is foretold to the letter: its divergences have a cause, and others do not have it."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.decode_stream import (
    HELD_FOR_EVER,
    HELD_WITH_REPLACEMENT,
    INCOMPLETE,
    INVALID_PREFIX,
    NOT_AWAITED,
    DecodeStreams,
)
from conformance.engines.hold_back import HoldBack
from conformance.observation import Failure
from conformance.streaming import Feeding, Late, Streamed
from conformance.subjects import tokenizers_subject
from conformance.subjects.base import Subject
from reftok import embedded_models, load

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
    return single, single, [*range(500)], [*tokenizer.added_tokens.tokens]


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


@pytest.mark.parametrize("model", MODELS)
@given(data=st.data(), skips=st.booleans(), repeated=st.integers(1, 40))
def test_whatever_decode_stream_gives_late_it_gives_as_foretold(
    model: str, data: st.DataObject, skips: bool, repeated: int
) -> None:
    feeding = Feeding("decoder", repeated * data.draw(ids_with_bytes(model)), skips)
    (streamed,) = loaded(model).stream([feeding])
    if isinstance(streamed, Streamed):
        late = Late(data.draw(st.integers(0, len(feeding.chunks) - 1)), 65, 64)
        assert DecodeStreams(load(model)).cause_of_late(feeding, streamed, late) == HELD_WITH_REPLACEMENT


def test_a_run_of_which_each_id_ends_within_a_character_comes_late_and_another_late_stream_has_no_cause() -> None:
    tokenizer, subject = load("bpe-gpt2"), tokenizers_subject.load(embedded_models()["bpe-gpt2"], "tokenizer.json")
    text = "so " + 300 * "\N{ARABIC-INDIC DIGIT ONE}"
    feeding = Feeding("decoder", tuple(tokenizer.encode_ids(text)))
    (streamed,) = subject.stream([feeding])
    assert isinstance(streamed, Streamed)
    late = HoldBack(tokenizer).of_decoder(feeding, streamed)
    assert late is not None
    assert DecodeStreams(tokenizer).cause_of_late(feeding, streamed, late) == HELD_WITH_REPLACEMENT
    at_the_end = Streamed((*[""] * len(feeding.chunks), text))
    assert DecodeStreams(tokenizer).cause_of_late(feeding, at_the_end, late) == ""


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
    monkeypatch.setattr("conformance.decode_stream.MOST_DECODED", 2)
    assert cause_of_decode_stream(RUN) == ""
