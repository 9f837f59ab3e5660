"""The state object: what it gives, what it says of itself, and that streams do not touch each other."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest

import reftok
from reftok.errors import InvalidIds, StreamFinished
from reftok.streams import decoder as decoder_module
from reftok.streams.decoders import Held

from .decoding import assert_streams

BYTES = reftok.byte_level_bpe({byte: bytes([byte]) for byte in range(256)}, [], ["<|end|>"])


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


@pytest.mark.parametrize("wrong", [999_999, -1, 1 << 32, "1", 300.0, None])
def test_what_is_no_id_is_refused_and_leaves_the_stream_as_it_was(wrong: Any) -> None:
    decoder = reftok.load("spm-bpe").stream_decoder()
    before = decoder.feed_all([300, 300])  # 300.0 equals a key of the memo
    with pytest.raises(InvalidIds, match="is not"):
        decoder.feed(wrong)
    assert decoder.token_count == 2
    assert before + decoder.feed(302) + decoder.finish() == reftok.load("spm-bpe").decode([300, 300, 302])


def test_one_id_is_no_list_and_a_list_is_not_one_id() -> None:
    for listed in ("12", 7, None):
        with pytest.raises(InvalidIds, match=r"feed_all takes a list of ids, not \w+$"):
            BYTES.stream_decoder().feed_all(listed)  # type: ignore[arg-type]
    for one in ([65, 66], {65}):
        with pytest.raises(InvalidIds, match=r"^feed takes one id, not \w+: feed_all takes several$"):
            BYTES.stream_decoder().feed(one)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["bpe-gpt2", "spm-bpe-hf", "spm-unigram-bytes"])
def test_streams_in_many_threads_share_the_memo_and_nothing_else(name: str) -> None:
    tokenizer, random = reftok.load(name), Random(7)
    lists = [[random.randrange(tokenizer.rules.model.size) for _ in range(300)] for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda ids: (stream := tokenizer.stream_decoder()).feed_all(ids) + stream.finish(), lists * 8)
        assert [*found] == [tokenizer.decode(ids) for ids in lists] * 8


def test_the_memo_is_bounded_and_no_part_of_the_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = reftok.load("spm-bpe-hf").with_options()
    byte = tokenizer.token_to_id("<0x41>") or 0
    assert tokenizer.stream_decoder().feed_all([byte] * 100) == ""
    row = tokenizer.memory.decoder_rows[True]
    assert len(row.memo) == 17  # with nothing held, and with 1 to 16 bytes
    monkeypatch.setattr(decoder_module, "_MOST_TEXTS", row.texts + 2)
    assert assert_streams(tokenizer, [300, 301, 302, 303])[:3] != [""] * 3
    assert row.texts == sum(map(len, row.memo.values())) == 18
    monkeypatch.undo()
    monkeypatch.setattr(decoder_module, "_MOST_STATES", states := len(row.memo))
    assert (tokenizer.stream_decoder().feed_all([byte, byte + 1]), len(row.memo)) == ("", states)
    for made in (pickle.loads(pickle.dumps(tokenizer)), copy.deepcopy(tokenizer), tokenizer.with_options()):
        assert (made.memory.decoder_rows, made.decode([byte])) == ({}, "A")


def test_an_interrupt_in_one_stream_is_not_remembered_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = reftok.load("bpe-gpt2").with_options()
    broken, other = tokenizer.stream_decoder(), tokenizer.stream_decoder()
    row = tokenizer.memory.decoder_rows[True]

    def interrupted(*_: object) -> tuple[str, Held]:
        raise KeyboardInterrupt

    assert broken.feed(173) == ""
    monkeypatch.setattr(row, "steps", (row.steps[0], decoder_module.Step(interrupted)))
    for action in (lambda: broken.feed(341), broken.finish):
        with pytest.raises(KeyboardInterrupt):
            action()
    monkeypatch.undo()
    assert broken.feed(341) + broken.finish() == other.feed_all([173, 341]) == tokenizer.decode([173, 341])


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


def test_a_callback_that_returns_false_is_not_called_again_and_one_id_was_read_ahead() -> None:
    assert calls_of([0x41, 0xC3, 0xA9, 0x42], stop_at=2) == ("A", [("A", 0x41, False), ("", 0xC3, False)])
    source = iter([65, 66, 67, 68])
    assert BYTES.decode_with_callback(source, lambda text, token_id, is_final: token_id != 66) == "AB"
    assert list(source) == [68]


def test_what_cannot_be_called_is_no_callback_and_nothing_is_decoded() -> None:
    source, wrong = iter([65, 66]), None
    with pytest.raises(TypeError, match=r"^callback cannot be called: it is NoneType, not a function of"):
        BYTES.decode_with_callback(source, wrong)  # type: ignore[arg-type]
    assert list(source) == [65, 66]
