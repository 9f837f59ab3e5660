"""What a stream may hold: measured by what came out, against the reference and, for what it says, the pre-tokens."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.checks.hold_back import FREELY_HELD, HoldBack, TextHoldBack
from conformance.core.observation import Encoded
from conformance.core.streaming import Chunks, Feeding, Late, Streamed
from conformance.subjects.streams import fed
from reftok import Tokenizer
from reftok.regex_dialects.pattern import compile_oniguruma
from reftok.rules.huggingface.pre_tokenizers import Split
from reftok.rules.huggingface.truncation import Truncation
from tests.models import load

WORDS = "many words of a text " * 8
MODELS = ("bpe-gpt2", "bpe-qwen", "bpe-llama3", "spm-bpe-hf", "spm-unigram", "spm-unigram-hf")


def late(model: str, chunks: Chunks, streamed: Streamed, has_offsets: bool = True) -> Late | None:
    """What is said of a stream that gives this."""
    tokenizer = load(model)
    text = b"".join(chunk if isinstance(chunk, bytes) else str(chunk).encode() for chunk in chunks).decode()
    encoding = tokenizer.encode(text)
    encoded = Encoded(tuple(encoding.ids), offsets=tuple(encoding.offsets) if has_offsets else None)
    return TextHoldBack(HoldBack(tokenizer), text, encoded).late(Feeding("encoder", chunks), streamed)


def streamed_by_reftok(tokenizer: Tokenizer, chunks: Chunks) -> Streamed:
    answer = fed(Reftok(tokenizer), Feeding("encoder", chunks))
    assert answer is not None
    return answer


class Reftok:
    def __init__(self, tokenizer: Tokenizer) -> None:
        self.stream_encoder = tokenizer.stream_encoder


@pytest.mark.parametrize("has_offsets", [True, False])
@pytest.mark.parametrize("model", MODELS)
def test_ids_that_come_only_at_the_end_of_a_long_text_come_late_whatever_the_stream_says(
    model: str, has_offsets: bool
) -> None:
    ids = tuple(load(model).encode(WORDS).ids)
    chunks = (WORDS[:-1], WORDS[-1:])
    assert late(model, chunks, Streamed(((), (), ids), held=(0, 0, 0)), has_offsets) is not None
    assert late(model, (WORDS[:40], WORDS[40:60]), Streamed(((), (), ids[:3]))) is None


def test_all_may_be_held_and_said_where_no_id_is_certain_before_the_end() -> None:
    tokenizer = load("bpe-gpt2").with_options(truncation=Truncation(5))
    chunks = (WORDS[:-1], WORDS[-1:])
    streamed = streamed_by_reftok(tokenizer, chunks)
    assert streamed.held == (len(WORDS) - 1, len(WORDS), 0)
    encoded = Encoded(tuple(tokenizer.encode_ids(WORDS)))
    assert TextHoldBack(HoldBack(tokenizer), WORDS, encoded).late(Feeding("encoder", chunks), streamed) is None


def test_what_a_pattern_holds_until_the_end_stays_within_the_bound() -> None:
    tokenizer = load("bpe-gpt2")
    backreference = Split(compile_oniguruma(r"(\w)\1"), "Isolated", False)
    undecided = Tokenizer(replace(tokenizer.rules, pre_tokenizers=(backreference, *tokenizer.rules.pre_tokenizers)))
    assert undecided.stream_encoder().held_until_end
    chunks = (WORDS[:-1], WORDS[-1:])
    streamed = streamed_by_reftok(undecided, chunks)
    assert streamed.held is not None
    assert max(streamed.held) == len(WORDS)
    encoded = Encoded(tuple(undecided.encode_ids(WORDS)))
    assert TextHoldBack(HoldBack(undecided), WORDS, encoded).late(Feeding("encoder", chunks), streamed) is not None


SPELT = "a b c d e f g h " * 20
"""Each token is two code points, and is certain when the next one begins."""
SPELT_IDS = tuple(load("bpe-gpt2").encode(SPELT).ids)


@pytest.mark.parametrize("come", [FREELY_HELD, 4 * FREELY_HELD])
def test_a_stream_may_say_that_it_holds_just_what_is_needed(come: int) -> None:
    """All ids have come out, so that only its words are judged."""
    most = HoldBack(load("bpe-gpt2")).needed(SPELT[:come]) if come > FREELY_HELD else FREELY_HELD
    chunks = (SPELT[:come], SPELT[come:])
    assert late("bpe-gpt2", chunks, Streamed((SPELT_IDS, (), ()), held=(most, 0, 0))) is None
    assert late("bpe-gpt2", chunks, Streamed((SPELT_IDS, (), ()), held=(most + 1, 0, 0))) == Late(0, most + 1, most)


def test_of_what_is_short_nothing_is_needed_beyond_what_is_free_whatever_a_longer_text_may_need() -> None:
    text = "." * 200
    ids = tuple(load("bpe-gpt2").encode(text).ids)
    assert HoldBack(load("bpe-gpt2")).needed(text[:FREELY_HELD]) > FREELY_HELD + 1
    streamed = Streamed((ids, (), ()), held=(FREELY_HELD + 1, 0, 0))
    found = late("bpe-gpt2", (text[:FREELY_HELD], text[FREELY_HELD:]), streamed)
    assert found == Late(0, FREELY_HELD + 1, FREELY_HELD)


@pytest.mark.parametrize("size", [FREELY_HELD, FREELY_HELD + 2])
def test_a_text_that_may_be_held_whole_is_not_judged(size: int) -> None:
    streamed = Streamed(((), (), SPELT_IDS[: size // 2]), held=(0, 1000, 0))
    assert (late("bpe-gpt2", (SPELT[: size - 1], SPELT[size - 1 : size]), streamed) is None) == (size == FREELY_HELD)


@pytest.mark.parametrize(("given_out", "held"), [(18, FREELY_HELD + 2), (17, FREELY_HELD + 4)])
def test_so_much_more_than_the_reference_holds_may_be_missing_and_no_token_more(given_out: int, held: int) -> None:
    """Of 101 code points the reference gives out 50 tokens, which end at 99."""
    chunks, most = (SPELT[:101], SPELT[101:]), FREELY_HELD + 2
    assert len(load("bpe-gpt2").stream_encoder().feed(chunks[0])) == 50
    streamed = Streamed((SPELT_IDS[:given_out], SPELT_IDS[given_out:], ()))
    assert late("bpe-gpt2", chunks, streamed) == (Late(0, held, most) if held > most else None)


def test_what_is_held_is_told_with_its_bound_and_its_chunk() -> None:
    ids = tuple(load("bpe-gpt2").encode(WORDS).ids)
    chunks = (WORDS[:20], WORDS[20:120], WORDS[120:])
    found = late("bpe-gpt2", chunks, Streamed(((), (), (), ids), held=(20, 120, 168, 0)))
    assert found is not None
    assert (found.chunk, found.held) == (1, 120)
    assert FREELY_HELD <= found.most < 120


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=40)
@given(data=st.data())
def test_the_reference_is_never_late(model: str, data: st.DataObject) -> None:
    kinds = ["word ", " " * 30, "\n", "é", "e\u0301", "<|im_end|>", "漢字", ".....", "1234", "[ls]"]
    kinds += ["\u0300", "ﷺ", "가"]
    text = "".join(data.draw(st.lists(st.sampled_from(kinds), min_size=10, max_size=30)))
    tokenizer = load(model)
    whole: str | bytes = text if data.draw(st.booleans()) else text.encode()
    places = sorted(data.draw(st.sets(st.integers(1, len(whole) - 1), max_size=3)))
    chunks: Chunks = tuple(whole[start:stop] for start, stop in pairwise((0, *places, len(whole))))
    assert late(model, chunks, streamed_by_reftok(tokenizer, chunks)) is None


@pytest.mark.parametrize(
    ("model", "chunks"),
    [
        ("bpe-qwen", ("." * 46, "." * 15 + "\n   ")),
        ("bpe-qwen", (("a" * 64 + "ﷺ").encode()[:-1], "ﷺ".encode()[-1:])),
        ("bpe-gpt2", (*("." * 63 + "\ufffd"), ".")),
        ("bpe-qwen", (("a" + "ก" * 61 + "aกa").encode()[:-2], b"\x81a")),
    ],
    ids=[
        "white-space-that-an-added-token-may-take-is-tokens-itself",
        "a-character-of-which-some-bytes-have-come",
        "the-bytes-of-a-character-are-one-code-point",
        "two-bytes-of-a-character-that-has-not-come-whole-are-one-code-point",
    ],
)
def test_what_stages_before_the_pre_tokens_need_is_not_late(model: str, chunks: Chunks) -> None:
    assert late(model, chunks, streamed_by_reftok(load(model), chunks)) is None


def test_white_space_before_a_letter_that_may_still_compose_is_not_late() -> None:
    """As with NFC before a pattern that looks whether white space ends in a line feed."""
    bounds = HoldBack(load("bpe-qwen"))
    text = " " * 43 + "\n" + " " * 20 + "a"
    assert bounds.needed(text) >= len(text)


def decoded_late(model: str, text: str, *given_out: str) -> Late | None:
    tokenizer = load(model)
    ids = tuple(tokenizer.encode(text, add_special_tokens=False).ids)
    streamed = (*given_out, *[""] * (len(ids) - len(given_out)), text)
    return HoldBack(tokenizer).of_decoder(Feeding("decoder", ids), Streamed(streamed))


@pytest.mark.parametrize("model", MODELS)
def test_a_decoder_that_gives_a_long_text_at_the_end_gives_it_late(model: str) -> None:
    assert decoded_late(model, WORDS) is not None
    assert decoded_late(model, WORDS[:40]) is None


@pytest.mark.parametrize("held", [FREELY_HELD, FREELY_HELD + 1])
def test_a_decoder_may_hold_so_much_text_and_no_character_more(held: int) -> None:
    """Each token is one character, all of which the reference gives out at once."""
    text = "1" * held
    ids = tuple(load("bpe-llama3").rules.model.vocab[character] for character in text)
    streamed = Streamed((*[""] * held, text))
    found = HoldBack(load("bpe-llama3")).of_decoder(Feeding("decoder", ids), streamed)
    assert found == (Late(FREELY_HELD, held, FREELY_HELD) if held > FREELY_HELD else None)


def test_replacement_characters_that_come_with_what_follows_are_not_late() -> None:
    assert decoded_late("bpe-gpt2", "\ufffd" * 70 + "a") is None
    assert decoded_late("bpe-gpt2", "\ufffd" + "a " * 70) is not None


def test_a_decoder_that_is_not_fed_id_by_id_is_not_measured() -> None:
    feeding = Feeding("decoder", (1, 2, 3))
    assert HoldBack(load("bpe-gpt2")).of_decoder(feeding, Streamed(("text" * 50,))) is None
