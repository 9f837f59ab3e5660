"""The state object: what it gives, what it says of itself, and that streams do not touch each other."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import permutations
from random import Random
from typing import Any

import pytest

import reftok
from reftok.errors import InvalidIds, StreamFinished
from reftok.rules.sentencepiece.pieces import BYTE_PIECES
from reftok.streams import decoder_row
from reftok.streams.decoders import Held
from reftok.tokenizer import Tokenizer

from .decoding import assert_streams

BYTES = reftok.byte_level_bpe({byte: bytes([byte]) for byte in range(256)}, [], ["<|end|>"])
LLAMA = reftok.llama_spm(["<s>", *BYTE_PIECES], [0.0] * 257, bos_id=0)
TEXTS = ("Hello  world\n", " naïve 你好 🚀\u0301 �", "ab<|endoftext|><s> x", "한국어 हिन्दी", "")


@pytest.mark.parametrize("name", reftok.embedded_models())
@pytest.mark.parametrize("skips", [True, False])
def test_every_embedded_model_streams(name: str, skips: bool) -> None:
    tokenizer, random = reftok.load(name), Random(name)
    lists = [tokenizer.encode_ids(text) for text in TEXTS]
    lists += [
        [random.choice((random.randrange(tokenizer.vocab_size), random.randrange(300))) for _ in range(12)]
        for _ in range(30)
    ]
    for ids in lists:
        assert_streams(tokenizer, ids, [(), ids[:3], (0,)], skips)


@pytest.mark.parametrize("tokenizer", [BYTES, LLAMA, *map(reftok.load, ("spm-bpe-hf", "spm-bpe", "spm-unigram-bytes"))])
def test_every_part_and_permutation_of_the_bytes_of_a_character(tokenizer: Tokenizer) -> None:
    byte_ids = [*range(256)] if tokenizer is BYTES else [tokenizer.token_to_id(piece) or 0 for piece in BYTE_PIECES]
    for character in ("é", "你", "🚀", "\ufffd", "\ud7ff", "\U0010ffff"):
        data = character.encode()
        parts = {part for size in range(1, len(data) + 1) for part in permutations(data, size)}
        for part in sorted(parts):
            for whole in ((*part, 0x41), (0x41, *part), (*part, *data), (*data, *part, 0xFF)):
                ids = [byte_ids[byte] for byte in whole]
                assert_streams(tokenizer, ids, [(), (byte_ids[0x80],), (byte_ids[0xA0],), (byte_ids[0x41],)])


def test_bytes_are_text_as_soon_as_that_is_certain() -> None:
    assert assert_streams(BYTES, [*"a\ufffdb".encode()]) == ["a", "", "", "\ufffd", "b", ""]
    assert assert_streams(BYTES, [0xEF, 0xBF, 0x41]) == ["", "", "\ufffdA", ""]
    assert assert_streams(BYTES, [0xFF, 0xE0, 0x80, 0xF4, 0x90]) == ["�", "", "��", "", "��", ""]


def test_special_tokens_and_ids_outside_the_vocab_are_skipped_or_kept() -> None:
    assert assert_streams(BYTES, [0xC3, 256, 999_999, 0xA9]) == ["", "", "", "é", ""]
    assert assert_streams(BYTES, [0xC3, 256, 0xA9], skips=False) == ["", "�<|end|>", "�", ""]


@pytest.mark.parametrize("times", [1, 2])
def test_the_bytes_of_an_open_character_are_pending_and_finish_replaces_them(times: int) -> None:
    decoder = BYTES.stream_decoder()
    for _ in range(times):  # the second time from the memo
        assert [decoder.feed(byte) for byte in b"a\xf0\x9f\x9a"] == ["a", "", "", ""]
        assert (decoder.pending_bytes, decoder.held, decoder.token_count) == (b"\xf0\x9f\x9a", 3, 4)
        assert decoder.finish() == "�"
        assert (decoder.pending_bytes, decoder.held, decoder.token_count) == (b"", 0, 4)
        for action in (lambda: decoder.feed(65), decoder.finish, lambda: decoder.feed_all([])):
            with pytest.raises(StreamFinished, match="reset"):
                action()
        decoder.reset()


@pytest.mark.parametrize("name", ["spm-bpe", "spm-bpe-hf"])
def test_reset_forgets_what_was_held_and_that_the_text_has_begun(name: str) -> None:
    tokenizer = reftok.load(name)
    ids, decoder = [*tokenizer.encode_ids("hi hi"), tokenizer.token_to_id("<0xC3>") or 0], tokenizer.stream_decoder()
    for _ in range(3):
        assert (decoder.feed_all(ids), decoder.pending_bytes) == ("hi hi", b"\xc3")
        decoder.reset()


def test_what_is_no_id_is_refused_and_leaves_the_stream_as_it_was() -> None:
    decoder = reftok.load("spm-bpe").stream_decoder()
    before, wrong = decoder.feed_all([300, 301]), [999_999, -1, 1 << 32, "1", 1.0, 300.0, None]
    for value in wrong:
        with pytest.raises(InvalidIds, match="is not"):
            decoder.feed(value)  # type: ignore[arg-type]
    assert decoder.token_count == 2
    assert before + decoder.feed(302) + decoder.finish() == reftok.load("spm-bpe").decode([300, 301, 302])


def test_a_float_is_no_id_even_if_the_equal_int_is_known_and_true_is_1() -> None:
    decoder, equal = BYTES.stream_decoder(), 65.0
    assert decoder.feed_all([65, 65]) == "AA"
    with pytest.raises(InvalidIds, match="is not an id"):
        decoder.feed(equal)  # type: ignore[arg-type]
    assert decoder.feed(True) == "\x01"


@pytest.mark.parametrize("ids", ["12", 7, None, [65, 66], {65}])
def test_a_list_is_not_one_id_and_one_id_no_list(ids: Any) -> None:
    action: Callable[[], object] = lambda: BYTES.stream_decoder().feed_all(ids)
    message = r"feed_all takes a list of ids, not \w+$"
    if isinstance(ids, list | set):
        action, message = (
            (lambda: BYTES.stream_decoder().feed(ids)),
            r"^feed takes one id, not \w+: feed_all takes several$",
        )
    with pytest.raises(InvalidIds, match=message):
        action()


@pytest.mark.parametrize("name", ["bpe-gpt2", "spm-bpe-hf", "spm-unigram-bytes"])
def test_streams_in_many_threads_share_the_memo_and_nothing_else(name: str) -> None:
    tokenizer, random = reftok.load(name), Random(7)
    lists = [[random.randrange(tokenizer.model.size) for _ in range(300)] for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda ids: (stream := tokenizer.stream_decoder()).feed_all(ids) + stream.finish(), lists * 8)
        assert [*found] == [tokenizer.decode(ids) for ids in lists] * 8


def test_the_memo_is_bounded_and_no_part_of_the_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = replace(reftok.load("spm-bpe-hf"))
    byte = tokenizer.token_to_id("<0x41>") or 0
    assert tokenizer.stream_decoder().feed_all([byte] * 100) == ""
    row = tokenizer.engine.decoder_rows[True]
    assert len(row.memo) == 17  # with nothing held, and with 1 to 16 bytes
    monkeypatch.setattr(decoder_row, "_MOST_TEXTS", row.texts + 2)
    assert assert_streams(tokenizer, [300, 301, 302, 303])[:3] != [""] * 3
    assert row.texts == sum(map(len, row.memo.values())) == 18
    for made in (pickle.loads(pickle.dumps(tokenizer)), copy.deepcopy(tokenizer), replace(tokenizer)):
        assert (made.engine.decoder_rows, made.decode([byte])) == ({}, "A")


def test_an_interrupt_in_one_stream_is_not_remembered_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = replace(reftok.load("bpe-gpt2"))
    broken = tokenizer.stream_decoder()
    assert broken.feed(173) == ""

    def interrupted(*_: object) -> tuple[str, Held]:
        raise KeyboardInterrupt

    row = tokenizer.engine.decoder_rows[True]
    monkeypatch.setattr(row, "steps", (row.steps[0], decoder_row.Step(interrupted)))
    for action in (lambda: broken.feed(341), broken.finish):
        with pytest.raises(KeyboardInterrupt):
            action()
    monkeypatch.undo()
    assert (broken.feed(341) + broken.finish()) == tokenizer.decode([173, 341])
    other = tokenizer.stream_decoder()
    assert "".join(map(other.feed, [40, 291, 341])) == tokenizer.decode([40, 291, 341])


# --- with a callback


def calls_of(ids: list[int], stop_at: int = 0, **options: bool) -> tuple[str, list[tuple[str, int, bool]]]:
    calls: list[tuple[str, int, bool]] = []

    def callback(*call: Any) -> bool | None:
        calls.append(call)
        return False if len(calls) == stop_at else (None, True)[len(calls) % 2]

    return BYTES.decode_with_callback(ids, callback, **options), calls


def test_the_callback_is_called_for_each_id_and_the_last_call_has_what_was_held() -> None:
    text, calls = calls_of([0x41, 0xC3, 0xA9, 256, 0xE4])
    assert calls == [("A", 0x41, False), ("", 0xC3, False), ("é", 0xA9, False), ("", 256, False), ("�", 0xE4, True)]
    assert text == BYTES.decode([0x41, 0xC3, 0xA9, 256, 0xE4])
    assert calls_of([256], skip_special_tokens=False)[0] == "<|end|>"
    assert calls_of([]) == ("", [])


def test_a_callback_that_returns_false_is_not_called_again() -> None:
    assert calls_of([0x41, 0xC3, 0xA9, 0x42], stop_at=2) == ("A", [("A", 0x41, False), ("", 0xC3, False)])
    assert calls_of([0x41], stop_at=1) == ("A", [("A", 0x41, True)])


def test_a_callback_reads_one_id_ahead_of_an_iterator_and_no_more() -> None:
    source = iter([65, 66, 67, 68])
    assert BYTES.decode_with_callback(source, lambda text, token_id, is_final: token_id != 66) == "AB"
    assert list(source) == [68]


def test_what_cannot_be_called_is_no_callback_and_nothing_is_decoded() -> None:
    source, wrong = iter([65, 66]), None
    with pytest.raises(TypeError, match=r"^callback cannot be called: it is NoneType, not a function of"):
        BYTES.decode_with_callback(source, wrong)  # type: ignore[arg-type]
    assert list(source) == [65, 66]
