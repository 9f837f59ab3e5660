"""The state object: what it gives, what it says of itself, and that streams do not touch each other."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from random import Random
from threading import Barrier
from typing import Any

import pytest

import reftok
from reftok.engine.decode.stages import Utf8Text
from reftok.errors import InvalidIds, StreamFinished
from reftok.rules.sentencepiece.pieces import BYTE_PIECES
from reftok.tokenizer import Tokenizer

from ..decoding import assert_streams

BYTES = reftok.byte_level_bpe({byte: bytes([byte]) for byte in range(256)}, [], ["<|end|>"])
LLAMA = reftok.llama_spm(["<s>", *BYTE_PIECES], [0.0] * 257, bos_id=0)
TEXTS = ("Hello  world\n", " naïve 你好 🚀\u0301 �", "ab<|endoftext|><s> x", "한국어 हिन्दी", "")


@pytest.mark.parametrize("name", reftok.embedded_models())
@pytest.mark.parametrize("skip_special_tokens", [True, False])
def test_every_embedded_model_streams(name: str, skip_special_tokens: bool) -> None:
    tokenizer = reftok.load(name)
    for text in TEXTS:
        assert_streams(tokenizer, tokenizer.encode_ids(text), [(), (0,), (5, 7)], skip_special_tokens)
    random = Random(name)
    for _ in range(40):
        ids = [random.choice((random.randrange(tokenizer.vocab_size), random.randrange(300))) for _ in range(12)]
        assert_streams(tokenizer, ids, [(), ids[:3], ids[5:7]], skip_special_tokens)


def _byte_ids(tokenizer: Tokenizer) -> list[int]:
    """The id of each byte."""
    if tokenizer is BYTES:
        return list(range(256))
    ids = [tokenizer.token_to_id(piece) for piece in BYTE_PIECES]
    return [token_id for token_id in ids if token_id is not None]


@pytest.mark.parametrize(
    "tokenizer",
    [BYTES, LLAMA, reftok.load("spm-bpe-hf"), reftok.load("spm-bpe"), reftok.load("spm-unigram-bytes")],
    ids=["byte-level", "llama.cpp", "byte fallback", "sentencepiece", "sentencepiece unigram"],
)
def test_every_part_and_permutation_of_the_bytes_of_a_character(tokenizer: Tokenizer) -> None:
    byte_ids = _byte_ids(tokenizer)
    for character in ("é", "你", "🚀", "\ufffd", "\u07ff", "\ud7ff", "\U0010ffff"):
        data = character.encode()
        parts = {part for size in range(1, len(data) + 1) for part in permutations(data, size)}
        for part in sorted(parts):
            for whole in (part, (*part, 0x41), (0x41, *part), (*part, *data), (*data, *part, 0xFF)):
                ids = [byte_ids[byte] for byte in whole]
                assert_streams(tokenizer, ids, [(), (byte_ids[0x80],), (byte_ids[0xA0],), (byte_ids[0x41],)])


def test_a_replacement_character_in_the_text_is_given_out_at_once() -> None:
    assert assert_streams(BYTES, [*"a\ufffdb".encode()]) == ["a", "", "", "\ufffd", "b", ""]
    assert assert_streams(BYTES, [0xEF, 0xBF, 0x41]) == ["", "", "\ufffdA", ""]


def test_a_byte_that_can_begin_nothing_is_replaced_at_once() -> None:
    assert assert_streams(BYTES, [0xFF, 0xE0, 0x80, 0xF4, 0x90]) == ["�", "", "��", "", "��", ""]


def test_the_bytes_of_an_open_character_are_pending_and_finish_replaces_them() -> None:
    decoder = BYTES.stream_decoder()
    assert [decoder.feed(byte) for byte in b"\xf0\x9f\x9a"] == [""] * 3
    assert (decoder.pending_bytes, decoder.held, decoder.token_count) == (b"\xf0\x9f\x9a", 3, 3)
    assert decoder.finish() == "�"
    assert (decoder.pending_bytes, decoder.held, decoder.token_count) == (b"", 0, 3)


def test_what_it_says_of_itself_is_true_of_what_was_known_before_as_well() -> None:
    for _ in range(2):
        decoder = BYTES.stream_decoder()
        assert decoder.feed_all(b"a\xf0\x9f") == "a"
        assert (decoder.pending_bytes, decoder.held) == (b"\xf0\x9f", 2)
    decoder = BYTES.stream_decoder()
    assert (decoder.feed_all(b"a\xf0\x9f"), decoder.finish()) == ("a", "�")


def test_special_tokens_are_skipped_or_kept() -> None:
    assert assert_streams(BYTES, [0xC3, 256, 0xA9]) == ["", "", "é", ""]
    assert assert_streams(BYTES, [0xC3, 256, 0xA9], skip_special_tokens=False) == ["", "�<|end|>", "�", ""]


def test_ids_outside_the_vocab_are_skipped_or_refused_and_leave_the_stream_as_it_was() -> None:
    assert assert_streams(BYTES, [0xC3, 999_999, 0xA9]) == ["", "", "é", ""]
    decoder = reftok.load("spm-bpe").stream_decoder()
    before = decoder.feed_all([300, 301])
    wrong: list[Any] = [999_999, -1, 1 << 32, "1", 1.0, None]
    for value in wrong:
        with pytest.raises(InvalidIds, match="is not"):
            decoder.feed(value)
    assert decoder.token_count == 2
    assert before + decoder.feed(302) + decoder.finish() == reftok.load("spm-bpe").decode([300, 301, 302])


def test_a_float_is_no_id_even_where_the_equal_int_is_known() -> None:
    decoder = BYTES.stream_decoder()
    assert decoder.feed_all([65, 65]) == "AA"
    equal: Any = 65.0
    with pytest.raises(InvalidIds, match="is not an id"):
        decoder.feed(equal)
    assert decoder.feed(True) == "\x01"


@pytest.mark.parametrize("ids", ["12", 7, None])
def test_what_is_no_list_of_ids_is_refused(ids: Any) -> None:
    with pytest.raises(InvalidIds, match="feed_all takes a list of ids"):
        BYTES.stream_decoder().feed_all(ids)
    with pytest.raises(InvalidIds, match="decode_with_callback takes a list of ids"):
        BYTES.decode_with_callback(ids, print)


@pytest.mark.parametrize("ids", [[65, 66], (65,), range(3), {65}, list(range(1000))])
def test_a_list_of_ids_given_as_one_is_told_of_feed_all(ids: Any) -> None:
    with pytest.raises(InvalidIds, match=rf"^feed takes one id, not {type(ids).__name__}: feed_all takes several$"):
        BYTES.stream_decoder().feed(ids)


def test_what_is_cut_in_a_message_ends_in_an_ellipsis() -> None:
    wrong: Any = "1" * 80
    for action in (lambda: BYTES.stream_decoder().feed(wrong), lambda: BYTES.decode([wrong])):
        with pytest.raises(InvalidIds, match=r"^'1{58}… is not an id: a whole number from 0 to 4294967295$"):
            action()
    wrong = "1" * 58
    with pytest.raises(InvalidIds, match=r"^'1{58}' is not an id"):
        BYTES.stream_decoder().feed(wrong)


def test_after_finish_only_reset_makes_sense() -> None:
    decoder = BYTES.stream_decoder()
    decoder.feed(65)
    decoder.finish()
    for action in (
        lambda: decoder.feed(65),
        decoder.finish,
        lambda: decoder.feed_all([65]),
        lambda: decoder.feed_all([]),
    ):
        with pytest.raises(StreamFinished, match="reset"):
            action()
    decoder.reset()
    assert (decoder.token_count, decoder.feed(65), decoder.finish()) == (0, "A", "")


@pytest.mark.parametrize("tokenizer", [BYTES, LLAMA, reftok.load("spm-bpe"), reftok.load("spm-bpe-hf")])
def test_reset_forgets_what_was_held_and_that_the_text_has_begun(tokenizer: Tokenizer) -> None:
    ids = [*tokenizer.encode_ids("hi hi"), _byte_ids(tokenizer)[0xC3]]
    decoder = tokenizer.stream_decoder()
    for _ in range(3):
        assert decoder.feed_all(ids) == tokenizer.decode(ids[:-1])
        assert decoder.pending_bytes == b"\xc3"
        decoder.reset()


def test_streams_by_turns_do_not_touch_each_other() -> None:
    first, second = BYTES.stream_decoder(), BYTES.stream_decoder(skip_special_tokens=False)
    given = [first.feed(0xC3), second.feed(0xE4), first.feed(256), second.feed(256), first.feed(0xA9)]
    assert given == ["", "", "", "�<|end|>", "é"]


@pytest.mark.parametrize("name", ["bpe-gpt2", "spm-bpe-hf", "spm-unigram-bytes"])
def test_streams_in_many_threads_share_what_is_known_and_nothing_else(name: str) -> None:
    tokenizer, threads = reftok.load(name), 8
    random = Random(7)
    lists = [[random.randrange(tokenizer.rules.model.size) for _ in range(300)] for _ in range(threads)]
    expected = [tokenizer.decode(ids) for ids in lists]
    barrier = Barrier(threads)

    def stream(number: int) -> list[str]:
        barrier.wait()
        texts: list[str] = []
        for turn in range(threads):
            decoder = tokenizer.stream_decoder()
            texts.append(decoder.feed_all(lists[(number + turn) % threads]) + decoder.finish())
        return texts

    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(stream, range(threads)))
    assert found == [[expected[(number + turn) % threads] for turn in range(threads)] for number in range(threads)]


def test_what_streams_remember_is_no_part_of_the_tokenizer() -> None:
    tokenizer = reftok.byte_level_bpe({byte: bytes([byte]) for byte in range(256)}, [])
    tokenizer.stream_decoder().feed(65)
    assert "ngine" not in repr(tokenizer)
    assert Tokenizer(tokenizer.rules) == tokenizer
    states = tokenizer.engine._decoding
    for made in (pickle.loads(pickle.dumps(tokenizer)), copy.deepcopy(tokenizer), Tokenizer(tokenizer.rules)):
        assert made.engine is not tokenizer.engine
        assert len(made.engine._decoding[True]) == 0
        assert made.decode([65, 66]) == "AB"
    assert len(pickle.loads(pickle.dumps(states))[True]) == len(copy.deepcopy(states)[True]) == 0
    assert len(states[True]) == 1


def calls_of(tokenizer: Tokenizer, ids: list[int], stop_at: int = 0) -> tuple[str, list[tuple[str, int, bool]]]:
    calls: list[tuple[str, int, bool]] = []

    def callback(text: str, token_id: int, is_final: bool) -> bool | None:
        calls.append((text, token_id, is_final))
        return False if len(calls) == stop_at else (None, True)[len(calls) % 2]

    return tokenizer.decode_with_callback(ids, callback), calls


def test_the_callback_is_called_for_each_id_and_the_last_call_has_what_was_held() -> None:
    text, calls = calls_of(BYTES, [0x41, 0xC3, 0xA9, 256, 0xE4])
    assert calls == [("A", 0x41, False), ("", 0xC3, False), ("é", 0xA9, False), ("", 256, False), ("�", 0xE4, True)]
    assert text == BYTES.decode([0x41, 0xC3, 0xA9, 256, 0xE4])


def test_a_callback_that_returns_false_is_not_called_again() -> None:
    assert calls_of(BYTES, [0x41, 0xC3, 0xA9, 0x42], stop_at=2) == ("A", [("A", 0x41, False), ("", 0xC3, False)])
    assert calls_of(BYTES, [0x41], stop_at=1) == ("A", [("A", 0x41, True)])


def test_without_ids_there_is_no_call() -> None:
    assert calls_of(BYTES, []) == ("", [])


@pytest.mark.parametrize("ids", [[], [65], 7])
def test_what_cannot_be_called_is_no_callback_and_nothing_is_decoded(ids: Any) -> None:
    wrong: Any = None
    with pytest.raises(TypeError, match=r"^callback cannot be called: it is NoneType, not a function of"):
        BYTES.decode_with_callback(ids, wrong)
    source = iter([65, 66])
    with pytest.raises(TypeError, match="callback"):
        BYTES.decode_with_callback(source, wrong)
    assert list(source) == [65, 66]


def test_a_callback_reads_one_id_ahead_of_an_iterator_and_no_more() -> None:
    source = iter([65, 66, 67, 68])
    assert BYTES.decode_with_callback(source, lambda text, token_id, is_final: token_id != 66) == "AB"
    assert list(source) == [68]


def test_a_callback_may_be_told_of_special_tokens() -> None:
    texts: list[str] = []
    BYTES.decode_with_callback([65, 256], lambda text, *_: texts.append(text), skip_special_tokens=False)
    assert texts == ["A", "<|end|>"]


def test_an_error_in_one_stream_is_not_remembered_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = reftok.load("bpe-gpt2")
    broken = tokenizer.stream_decoder()
    broken.feed(40)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(broken._chain().first), "token_id", interrupted)
    with pytest.raises(KeyboardInterrupt):
        broken.feed(341)
    monkeypatch.undo()
    broken.feed(291)
    other = tokenizer.stream_decoder()
    assert "".join(map(other.feed, [40, 291, 341])) == tokenizer.decode([40, 291, 341])


def test_an_interrupt_while_a_state_is_restored_is_not_remembered_for_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tokenizer = reftok.load("bpe-gpt2")
    tokenizer.stream_decoder().feed(173)
    broken = tokenizer.stream_decoder()
    broken.feed(173)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Utf8Text, "state", property(lambda stage: b"", interrupted))
    with pytest.raises(KeyboardInterrupt):
        broken.finish()
    monkeypatch.undo()
    assert broken.finish() == "\ufffd"
    other = tokenizer.stream_decoder()
    assert other.feed(173) + other.finish() == "\ufffd"


@pytest.mark.parametrize("name", reftok.embedded_models())
def test_what_a_remembered_state_holds_is_what_its_stages_hold(name: str) -> None:
    tokenizer = reftok.load(name)
    random = Random(name)
    known = sorted({*tokenizer.rules.model.vocab.values(), *tokenizer.rules.added_tokens.tokens})
    for _ in range(60):
        decoder = tokenizer.stream_decoder(skip_special_tokens=random.random() < 0.5)
        for _ in range(12):
            decoder.feed(random.choice((random.choice(known), random.choice(known[:300]))))
            assert decoder.held == sum(stage.held for stage in decoder._stages())
        decoder.finish()
        assert decoder.held == 0 == sum(stage.held for stage in decoder._stages())
        assert decoder.pending_bytes == b""


def test_a_remembered_end_gives_what_was_held_and_ends_the_stream() -> None:
    tokenizer = reftok.load("bpe-gpt2")
    streams = [tokenizer.stream_decoder() for _ in range(3)]
    for decoder in streams:
        assert (decoder.feed(173), decoder.finish(), decoder.pending_bytes, decoder.held) == ("", "\ufffd", b"", 0)
        with pytest.raises(StreamFinished):
            decoder.feed(40)
        with pytest.raises(StreamFinished):
            decoder.finish()
        decoder.reset()
        assert decoder.feed(40) + decoder.finish() == tokenizer.decode([40])
