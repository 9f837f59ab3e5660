"""The encoder as a whole: random tokenizers and the embedded ones, cut anywhere; what is said of a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reftok
from reftok import SentencePieceOptions
from reftok.errors import InvalidText, ReftokError, StreamFinished
from reftok.rules.huggingface.padding import Padding
from reftok.rules.huggingface.truncation import Truncation
from reftok.streams import stages
from reftok.streams.chunks import ChunkReader
from reftok.streams.encoder import StreamEncoder
from tests.models import load

from ..official import added, bpe, own, tokenizer_json
from ..streaming import streamed

LINES = [
    "Hello  world, it's 2024!\n\n  Don't\tstop.",
    "naïve cafe\u0301 ﬁne ½ 漢字かな한국어",
    "👩‍👩‍👧 <s>ok</s> \u200b x\r\ny",
]


@pytest.mark.parametrize("name", reftok.embedded_models())
@pytest.mark.parametrize("line", LINES)
def test_every_cut_in_two_gives_the_ids_of_the_whole_text(name: str, line: str) -> None:
    tokenizer = load(name)
    expected = [*tokenizer.rules.encode(line).ids]
    assert tokenizer.encode_ids(line) == expected
    for place in range(len(line) + 1):
        assert streamed(tokenizer, [line[:place], line[place:]]) == expected
    data = line.encode("utf-8")
    for place in range(len(data) + 1):
        assert streamed(tokenizer, [data[:place], data[place:]]) == expected


@pytest.mark.parametrize("name", reftok.embedded_models())
def test_no_embedded_model_is_held_until_the_end(name: str) -> None:
    assert load(name).stream_encoder().held_until_end == ()


def test_what_needs_the_number_of_all_ids_is_held_until_the_end_and_says_so() -> None:
    tokenizer = load("bpe-gpt2").with_options(truncation=Truncation(2), padding=Padding(5))
    encoder = tokenizer.stream_encoder()
    assert encoder.held_until_end == ("Truncation: it depends on the number of all ids",)
    assert encoder.feed("a b") + encoder.feed(" c") + encoder.feed_bytes(b" d\xc3") == []
    assert encoder.held == len("a b c d") + 1
    encoder.feed_bytes(b"\xa9")
    assert encoder.held == len("a b c dé")
    assert encoder.finish() == tokenizer.encode_ids("a b c dé")
    assert encoder.held == 0
    encoder.reset()
    assert encoder.held == 0


def test_the_reverse_order_is_held_until_the_end_and_says_so() -> None:
    options = SentencePieceOptions(reverse=True, add_bos=True)
    tokenizer = load("spm-bpe").with_options(sentencepiece_options=options)
    encoder = tokenizer.stream_encoder()
    assert [reason.partition(":")[0] for reason in encoder.held_until_end] == ["PostProcessor"]
    assert encoder.feed("a b ") + encoder.feed("c") == []
    assert encoder.held == len("a b c")
    assert encoder.finish() == tokenizer.encode_ids("a b c")


def test_what_the_model_refuses_is_told_before_what_the_post_processor_refuses() -> None:
    start = {"id": "<s>", "ids": [0], "tokens": ["<s>"]}
    template = {"type": "TemplateProcessing", "pair": [], "special_tokens": {"<s>": start}}
    with_start = {**template, "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}]}
    processors = {"type": "Sequence", "processors": [with_start, {**template, "single": []}]}
    tokenizer = own(
        tokenizer_json({"type": "Unigram", "vocab": [["", -1.0]], "unk_id": None}, post_processor=processors)
    )
    for text, refusal in (
        ("a", "unk_id: is missing"),
        ("", "a TemplateProcessing after another one cannot take 0 parts"),
    ):
        with pytest.raises(ReftokError, match=refusal):
            tokenizer.rules.encode_ids(text, add_special_tokens=False)
        with pytest.raises(ReftokError, match=refusal):
            tokenizer.encode_ids(text, add_special_tokens=False)
        with pytest.raises(ReftokError, match=refusal):
            streamed(tokenizer, [text], add_special_tokens=False)


def test_the_ids_before_the_text_come_with_the_first_chunk() -> None:
    encoder = load("bpe-llama3").stream_encoder()
    whole = load("bpe-llama3").encode_ids("")
    assert len(whole) == 1
    assert encoder.feed("") == whole
    assert encoder.finish() == []


def test_no_text_at_all_gives_the_ids_of_the_empty_text() -> None:
    for name in reftok.embedded_models():
        tokenizer = load(name)
        assert tokenizer.stream_encoder().finish() == tokenizer.encode_ids("")


def test_held_says_how_much_was_fed_and_not_given() -> None:
    encoder = load("bpe-gpt2").stream_encoder()
    for chunk, held in ((b"one two", len(" two")), (b"\xc3", len(" two") + 1), (b"\xa9", len(" two\u00e9"))):
        encoder.feed_bytes(chunk)
        assert encoder.held == held
    encoder.finish()
    assert encoder.held == 0


@pytest.mark.parametrize("name", reftok.embedded_models())
@pytest.mark.parametrize("line", LINES)
def test_feeding_single_characters_holds_no_more_than_feeding_the_text_at_once(name: str, line: str) -> None:
    encoder, at_once = (load(name).stream_encoder() for _ in range(2))
    for place, character in enumerate(line[:60], 1):
        at_once.reset()
        encoder.feed(character)
        at_once.feed(line[:place])
        assert encoder.held <= at_once.held


def test_held_is_counted_as_the_normalizers_leave_the_text_with_the_space_that_they_put_before_it() -> None:
    encoder = load("spm-bpe-hf").stream_encoder()
    encoder.feed("a")
    assert encoder.held == len("\u2581a")


def test_a_token_that_begins_in_the_white_space_of_the_one_before_waits_with_it() -> None:
    """Fault: the first " a" was given out with the space behind it, and what was left of the second one was "a"."""
    tokens = [added("a"), added(" a", lstrip=True, rstrip=True)]
    tokenizer = own(tokenizer_json(bpe(["a", " a"]), tokens))
    for text in (" a a", " a a a", " a a a a"):
        assert streamed(tokenizer, [*text]) == tokenizer.encode_ids(text) == [1] * text.count("a")


def feed(encoder: StreamEncoder, chunk: str | bytes) -> list[int]:
    return encoder.feed(chunk) if isinstance(chunk, str) else encoder.feed_bytes(chunk)


def test_a_chunk_that_is_no_text_is_as_if_it_had_not_come() -> None:
    tokenizer = load("bpe-qwen")
    encoder = tokenizer.stream_encoder()
    ids = encoder.feed("one ")
    with pytest.raises(InvalidText):
        encoder.feed("two \ud800 three ")
    with pytest.raises(InvalidText):
        encoder.feed_bytes(b"two \xff three ")
    ids += encoder.feed_bytes("é ".encode()[:1])
    with pytest.raises(InvalidText, match="ends within a character"):
        encoder.finish()
    ids += encoder.feed_bytes("é four".encode()[1:])
    assert ids + encoder.finish() == tokenizer.encode_ids("one é four")


def test_bytes_that_are_not_utf8_become_replacement_characters_on_request() -> None:
    tokenizer = load("bpe-qwen")
    encoder = tokenizer.stream_encoder(errors="replace")
    ids = [token_id for byte in b"good \xff\xe4\xbd" for token_id in encoder.feed_bytes(bytes([byte]))]
    assert ids + encoder.finish() == tokenizer.encode_ids("good \ufffd\ufffd")


@pytest.mark.parametrize("errors", ["Replace", "surrogateescape", "ignore", "", 5, None, ["strict"]])
@pytest.mark.parametrize("model", ["bpe-qwen", "spm-bpe"])
def test_errors_that_are_not_known_are_refused_before_the_first_chunk(model: str, errors: Any) -> None:
    tokenizer = load(model)
    with pytest.raises(ValueError, match=r"^errors .* is neither 'strict' nor 'replace'$"):
        tokenizer.stream_encoder(errors=errors)
    with pytest.raises(ValueError, match=r"^errors .* is neither 'strict' nor 'replace'$"):
        tokenizer.encode_iterable([], errors=errors)


def test_encode_iterable_replaces_bytes_that_are_not_utf8_on_request() -> None:
    tokenizer = load("bpe-qwen")
    chunks = [b"good \xff\xe4", b"\xbd", "x"]
    assert list(tokenizer.encode_iterable(chunks, errors="replace")) == tokenizer.encode_ids("good \ufffd\ufffdx")
    with pytest.raises(InvalidText, match="not UTF-8"):
        list(tokenizer.encode_iterable(chunks))
    sentencepiece = load("spm-unigram-bytes")
    for errors in ("strict", "replace"):
        ids = list(sentencepiece.encode_iterable(chunks, errors=errors))
        assert ids == sentencepiece.encode_ids(b"good \xff\xe4\xbdx")


def test_after_an_error_of_a_stage_the_stream_takes_nothing_until_it_is_reset() -> None:
    tokenizer = own(tokenizer_json({"type": "Unigram", "vocab": [["a", 0.0]], "unk_id": None}))
    encoder = tokenizer.stream_encoder()
    encoder.feed("a")
    with pytest.raises(ReftokError, match="unk_id"):
        streamed(tokenizer, ["a", "b"])
    with pytest.raises(ReftokError, match="unk_id"):
        [*encoder.feed("bb"), *encoder.finish()]
    with pytest.raises(StreamFinished, match="has ended with an error: reset"):
        encoder.feed("a")
    encoder.reset()
    assert encoder.feed("a") + encoder.finish() == tokenizer.encode_ids("a")


def test_more_text_may_still_allow_what_a_normalizer_makes_of_it() -> None:
    steps = [
        {"type": "Replace", "pattern": {"String": "a"}, "content": "b" * 300},
        {"type": "Replace", "pattern": {"String": "b"}, "content": "c" * 300},
    ]
    tokenizer = own(tokenizer_json(bpe(["c", "x"]), normalizer={"type": "Sequence", "normalizers": steps}))
    assert len(streamed(tokenizer, ["aa", "x" * 2000])) == len(tokenizer.encode_ids("aa" + "x" * 2000))


def test_what_is_blown_up_and_then_removed_is_refused_as_encode_does() -> None:
    steps = [
        {"type": "Replace", "pattern": {"String": "a"}, "content": "b" * 1000},
        {"type": "Replace", "pattern": {"String": "b"}, "content": "c" * 20},
        {"type": "Replace", "pattern": {"String": "c"}, "content": ""},
    ]
    tokenizer = own(tokenizer_json(bpe(["c"]), normalizer={"type": "Sequence", "normalizers": steps}))
    for action in (tokenizer.encode, tokenizer.encode_ids, lambda text: streamed(tokenizer, [text])):
        with pytest.raises(ReftokError, match="which is refused"):
            action("a" * 100)


def test_streams_of_a_tokenizer_do_not_touch_each_other_and_reset_forgets_everything() -> None:
    tokenizer, first, second = load("bpe-qwen"), load("bpe-qwen").stream_encoder(), load("bpe-qwen").stream_encoder()
    ids = first.feed("naive ca")
    second.feed_bytes(b"e\xcc")
    second.reset()
    ids += first.feed("fe\u0301s, 12")
    assert second.feed("e\u0301tude") + second.finish() == tokenizer.encode_ids("e\u0301tude")
    assert ids + first.finish() == tokenizer.encode_ids("naive cafe\u0301s, 12")


def test_a_finished_stream_takes_nothing_until_it_is_reset() -> None:
    encoder = load("bpe-gpt2").stream_encoder()
    encoder.feed("a")
    encoder.finish()
    for action in (lambda: encoder.feed("b"), lambda: encoder.feed_bytes(b"b"), encoder.finish):
        with pytest.raises(StreamFinished, match="reset"):
            action()
    encoder.reset()
    assert encoder.feed("b") + encoder.finish() == load("bpe-gpt2").encode_ids("b")


@pytest.mark.parametrize(
    ("before", "chunk", "problem"),
    [
        ("n\u00e9", "a\ud800", r"lone surrogate U\+D800 at code point 1 of this chunk"),
        (b"n\xc3", "\ud800", "lone surrogate"),
        (b"n\xc3", b"a", r"not UTF-8: .* begins before this chunk"),
        (b"n\xc3", b"\xa9n\xff", r"not UTF-8: .* begins at byte 2 of this chunk"),
        (b"n\xc3", None, "the stream ends within a character"),
        ("a", b"\xff", r"not UTF-8: .* begins at byte 0 of this chunk"),
    ],
)
def test_the_place_of_what_is_no_text_is_counted_in_the_chunk(before: Any, chunk: Any, problem: str) -> None:
    encoder = load("bpe-gpt2").stream_encoder()
    feed(encoder, before)
    with pytest.raises(InvalidText, match=problem):
        encoder.finish() if chunk is None else feed(encoder, chunk)


def test_a_str_within_a_character_is_refused_as_that_and_not_as_bad_bytes() -> None:
    tokenizer = load("bpe-qwen")
    encoder = tokenizer.stream_encoder()
    ids = encoder.feed_bytes(b"\xe6") + encoder.feed("")
    with pytest.raises(
        InvalidText, match=r"^the character that feed_bytes began with E6 is not complete: .*feed_bytes"
    ):
        encoder.feed("x")
    ids += encoder.feed_bytes(b"\xbc\xa2") + encoder.feed("x") + encoder.finish()
    assert ids == tokenizer.encode_ids("漢x")


def test_bytes_and_characters_may_take_turns() -> None:
    tokenizer = load("spm-unigram-bytes")
    encoder = tokenizer.stream_encoder()
    ids = encoder.feed("é") + encoder.feed_bytes(b"\xff\xe4") + encoder.feed("é") + encoder.finish()
    assert ids == tokenizer.encode_ids("é".encode() + b"\xff\xe4" + "é".encode())


def test_the_first_half_of_a_surrogate_pair_may_be_followed_by_bytes() -> None:
    reader = ChunkReader("tiktoken")
    assert [reader.from_str("a\ud83e"), reader.from_bytes(b"b"), reader.end()] == ["a", "\ufffdb", ""]


def test_str_and_bytes_are_not_taken_for_each_other() -> None:
    encoder: Any = load("bpe-gpt2").stream_encoder()
    encoder.feed("a")
    with pytest.raises(InvalidText, match="feed_bytes takes bytes"):
        encoder.feed(b"a")
    with pytest.raises(InvalidText, match="takes bytes, not str"):
        encoder.feed_bytes("a")


def test_encode_iterable_gives_each_id_as_soon_as_it_is_final() -> None:
    tokenizer = load("bpe-gpt2")
    seen: list[str] = []

    def chunks() -> Iterator[str]:
        for chunk in ("Hello wor", "ld, ", "again"):
            seen.append(chunk)
            yield chunk

    ids = tokenizer.encode_iterable(chunks())
    first = next(ids)
    assert seen == ["Hello wor"]
    assert [first, *ids] == tokenizer.encode_ids("Hello world, again")


def test_encode_iterable_refuses_one_text() -> None:
    with pytest.raises(InvalidText, match="takes chunks of text, not str"):
        load("bpe-gpt2").encode_iterable("abc")


def test_a_normalizer_that_blows_the_text_up_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    normalizer = {"type": "Prepend", "prepend": "a" * 10_000}
    tokens = [added("<s>", special=True)]
    tokenizer = own(tokenizer_json(bpe(["a", "<s>"]), tokens, normalizer=normalizer))
    with pytest.raises(ReftokError, match="which is refused"):
        tokenizer.encode("b<s>" * 30)
    with pytest.raises(ReftokError, match="which is refused"):
        streamed(tokenizer, ["b<s>"] * 30)
    monkeypatch.setattr(stages, "_AT_ONCE", 1000)
    encoder = tokenizer.stream_encoder()
    with pytest.raises(ReftokError, match="which is refused"):
        encoder.feed("b<s>" * 30)


@pytest.mark.parametrize("model", ["bpe-gpt2", "bpe-qwen", "bpe-llama3"])
@given(text=st.text(st.sampled_from("é漢😀a \ufffd.'1"), min_size=40, max_size=90))
def test_what_is_held_of_long_words_is_counted_in_code_points_not_in_bytes(model: str, text: str) -> None:
    encoder = load(model).stream_encoder()
    for count, character in enumerate(text, 1):
        encoder.feed(character)
        assert encoder.held <= count
    encoder.finish()
    assert encoder.held == 0
