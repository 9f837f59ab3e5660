"""Feeding the streams of a subject: what it offers is used, what it lacks is left out, what is nonsense is said."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reftok
from conformance.core.observation import Failure
from conformance.core.streaming import Feeding, Streamed
from conformance.subjects.adapters import load_subject
from conformance.subjects.answers import streamed as read
from conformance.subjects.protocol import StreamResult
from conformance.subjects.streams import fed, feeding_from_message, feeding_to_message, streamed_to_message, streaming
from conformance.subjects.values import NonsenseError
from reftok import embedded_models

from .isolated_subjects import failure

TEXT = Feeding("encoder", ("ab", "c"))
DATA = Feeding("encoder", (b"ab", b"c"))
IDS = Feeding("decoder", (1, 2))


class Letters:
    """The letters of what has come, but for the last one, which comes at the end; ids are letters, and back."""

    def __init__(self) -> None:
        self.letters: list[int] = []
        self.waiting: list[int] = []

    def take(self, letters: list[int]) -> list[int]:
        self.waiting += letters
        out, self.waiting = self.waiting[:-1], self.waiting[-1:]
        return out

    def finish(self) -> Any:
        return self.waiting


class LettersIn(Letters):
    def feed(self, text: str) -> list[int]:
        return self.take([ord(letter) for letter in text])

    def feed_bytes(self, data: bytes) -> list[int]:
        return self.feed(data.decode("ascii"))

    def reset(self) -> None:
        self.waiting = []

    @property
    def held(self) -> int:
        return len(self.waiting)


class LettersOut(Letters):
    def feed(self, token_id: int) -> str:
        return "".join(map(str, self.take([token_id])))

    def finish(self) -> str:
        return "".join(map(str, self.waiting))


class Subject:
    def stream_encoder(self, add_special_tokens: bool) -> LettersIn:
        return LettersIn()

    def stream_decoder(self, skip_special_tokens: bool) -> LettersOut:
        return LettersOut()


def test_an_encoder_is_fed_each_chunk_and_finished() -> None:
    given = ((97,), (98,), (99,))
    assert fed(Subject(), TEXT) == fed(Subject(), DATA) == Streamed(given, held=(1, 1, 1))


def test_a_second_stream_is_fed_by_turns() -> None:
    feeding = Feeding("decoder", (1, 2), beside=(1, 2))
    assert fed(Subject(), feeding) == Streamed(("", "1", "2"), ("", "1", "2"))


def test_a_second_stream_is_one_chunk_behind_so_that_no_empty_chunk_is_needed_to_shift_it() -> None:
    order: list[tuple[int, str]] = []

    class Ordered:
        streams = 0

        def stream_encoder(self, add_special_tokens: bool) -> Any:
            self.streams += 1
            number = self.streams

            def feed(_: Any, text: str) -> list[int]:
                order.append((number, text))
                return []

            return type("Stream", (), {"feed": feed, "finish": lambda _: []})()

    fed(Ordered(), Feeding("encoder", ("a", "b"), beside=("a", "b")))
    assert order == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]


def test_what_was_fed_before_a_reset_is_not_told() -> None:
    assert fed(Subject(), Feeding("encoder", ("a",), forgotten=("x", "y"))) == Streamed(((), (97,)), held=(1, 1))


def test_a_stream_is_finished_before_it_is_reset() -> None:
    order: list[str] = []

    class Stream:
        def feed(self, token_id: int) -> str:
            order.append(f"feed {token_id}")
            return ""

        def finish(self) -> str:
            order.append("finish")
            return ""

        def reset(self) -> None:
            order.append("reset")

    subject = type("Subject", (), {"stream_decoder": lambda _, skip_special_tokens: Stream()})()
    fed(subject, Feeding("decoder", (1,), forgotten=(2,), is_finished=True))
    assert order == ["feed 2", "finish", "reset", "feed 1", "finish"]


def test_a_second_decoder_skips_special_tokens_whatever_the_first_one_does() -> None:
    asked: list[bool] = []

    class Asked(Subject):
        def stream_decoder(self, skip_special_tokens: bool) -> LettersOut:
            asked.append(skip_special_tokens)
            return LettersOut()

    fed(Asked(), Feeding("decoder", (1, 2), False, beside=(1, 2)))
    fed(Asked(), Feeding("decoder", (1, 2), True, beside=(1, 2)))
    assert asked == [False, True, True, True]


def test_what_a_subject_cannot_be_fed_is_left_out() -> None:
    assert fed(object(), TEXT) is fed(object(), IDS) is None
    assert fed(Subject(), Feeding("decoder", (1,), forgotten=(2,))) is None
    assert fed(Subject(), Feeding("decoder", (1,), stop=1)) is None


def test_the_simplest_door_decodes_to_the_end_and_no_more() -> None:
    class Simplest:
        def stream_decode(self, ids: list[int], skip_special_tokens: bool) -> Iterator[str]:
            yield from map(str, ids)

    assert fed(Simplest(), IDS) == Streamed(("1", "2"))
    assert fed(Simplest(), Feeding("decoder", (1,), forgotten=(2,))) is None
    assert fed(Simplest(), TEXT) is None


@pytest.mark.parametrize(
    ("stream", "told"),
    [
        (None, "stream_decoder gave NoneType None, which has no method feed and no method finish"),
        (SimpleNamespace(feed=str), "stream_decoder gave SimpleNamespace .*, which has no method finish"),
        (SimpleNamespace(feed=str, finish=None), "stream_decoder gave SimpleNamespace .*, which has no method finish"),
        (SimpleNamespace(feed=int, finish=str), "feed: a text is expected, int 1 came"),
        (SimpleNamespace(feed=str, finish=lambda: None), "finish: a text is expected, NoneType None came"),
    ],
)
def test_a_stream_that_lacks_a_method_or_gives_another_type_is_nonsense_and_told_by_name(
    stream: Any, told: str
) -> None:
    subject = SimpleNamespace(stream_decoder=lambda skip_special_tokens: stream)
    for feeding in (IDS, replace(IDS, beside=IDS.chunks)):
        with pytest.raises(NonsenseError, match=told):
            fed(subject, feeding)


@pytest.mark.parametrize("method", ["stream_decoder", "stream_decode", "decode_with_callback", "stream_encoder"])
def test_a_method_that_is_none_is_a_method_that_is_not_there(method: str) -> None:
    subject = SimpleNamespace(**{method: None})
    for feeding in (IDS, TEXT, DATA, Feeding("decoder", (1,), stop=1)):
        assert fed(subject, feeding) is None


def test_a_stream_decode_that_returns_one_str_is_told_that_an_iterable_is_expected() -> None:
    class Whole:
        def stream_decode(self, ids: list[int], skip_special_tokens: bool) -> str:
            return "ab"

    with pytest.raises(
        NonsenseError, match=r"an iterable of str \(a list, or a generator\) is expected, str 'ab' came"
    ):
        fed(Whole(), IDS)


class Calling:
    """Ends where the callback returns a value that is among `stops`."""

    def __init__(self, *stops: bool | None) -> None:
        self.stops = stops

    def decode_with_callback(self, ids: list[int], callback: Callable[[str, int, bool], bool | None]) -> None:
        for token_id in ids:
            if callback(str(token_id), token_id, token_id == ids[-1]) in self.stops:
                break


def test_a_callback_hears_calls_until_it_says_stop() -> None:
    stopped = fed(Calling(False), Feeding("decoder", (1, 2, 3), stop=2))
    assert stopped == Streamed(("1", "2"), called=((1, False), (2, False)))
    whole = fed(Calling(False), Feeding("decoder", (1, 2), stop=3))
    assert whole == Streamed(("1", "2"), called=((1, False), (2, True)))


@pytest.mark.parametrize(("stops", "calls"), [((False,), 3), ((False, None), 1), ((True,), 2)])
def test_a_callback_goes_on_once_with_none_and_then_with_true(stops: tuple[bool | None, ...], calls: int) -> None:
    streamed = fed(Calling(*stops), Feeding("decoder", (1, 2, 3), stop=4))
    assert streamed is not None
    assert len(streamed.called) == calls


def test_a_subject_that_only_calls_back_is_fed_through_its_callback() -> None:
    assert fed(Calling(False), IDS) == Streamed(("1", "2"), called=((1, False), (2, True)))
    assert fed(Calling(False), Feeding("decoder", (1, 2), skip_special_tokens=False)) is None
    assert fed(Calling(False), Feeding("decoder", (1, 2), beside=(1, 2))) is None
    assert fed(Calling(False), TEXT) is None


@pytest.mark.parametrize("call", [(1, 1, True), ("a", "1", True), ("a", 1, 1)])
def test_a_call_of_a_callback_with_other_types_is_nonsense_even_where_the_subject_catches_all(call: Any) -> None:
    class Wrong:
        def decode_with_callback(self, ids: list[int], callback: Callable[..., bool]) -> None:
            with suppress(Exception):
                callback(*call)

    with pytest.raises(NonsenseError):
        fed(Wrong(), Feeding("decoder", (1,), stop=2))


@pytest.mark.parametrize("feeding", [TEXT, IDS])
def test_what_is_neither_ids_nor_text_is_nonsense(feeding: Feeding) -> None:
    class Wrong(Subject):
        def stream_encoder(self, add_special_tokens: bool) -> Any:
            return type("Stream", (), {"feed": lambda *_: "a", "finish": lambda _: [1]})()

        def stream_decoder(self, skip_special_tokens: bool) -> Any:
            return type("Stream", (), {"feed": lambda *_: [1], "finish": lambda _: "a"})()

    with pytest.raises(NonsenseError):
        fed(Wrong(), feeding)


def test_an_error_of_a_stream_is_a_refusal() -> None:
    class Raising:
        def stream_encoder(self, add_special_tokens: bool) -> Any:
            raise ValueError("no")

    assert streaming(Raising(), TEXT) == Failure("refused", "ValueError: no")


CHUNKS = st.one_of(
    st.lists(st.text(max_size=3), min_size=1, max_size=3),
    st.lists(st.binary(max_size=3), min_size=1, max_size=3),
    st.lists(st.integers(0, 9), min_size=1, max_size=3),
).map(tuple)


@given(CHUNKS, st.booleans(), st.booleans(), st.integers(0, 3), st.booleans())
def test_a_feeding_comes_through_json(chunks: Any, skip: bool, is_double: bool, stop: int, is_finished: bool) -> None:
    to: Any = "decoder" if isinstance(chunks[0], int) else "encoder"
    feeding = Feeding(to, chunks, skip, chunks[:1], chunks if is_double else (), stop, is_finished)
    assert feeding_from_message(json.loads(json.dumps(feeding_to_message(feeding)))) == feeding


@pytest.mark.parametrize(
    ("feeding", "given"),
    [
        (TEXT, Streamed(((1,), (), (2,)), (), (1, 0, 0))),
        (IDS, Streamed(("a", "", "☠"), ("", "", "a☠"))),
        (IDS, Streamed(("a", "☠"), called=((1, False), (2, True)))),
    ],
)
def test_what_a_stream_gave_comes_through_json(feeding: Feeding, given: Streamed) -> None:
    answer = msgspec.convert(json.loads(json.dumps(streamed_to_message(given))), StreamResult)
    assert read(answer, feeding) == given


@pytest.mark.parametrize("wrong", [{"given": ["a"]}, {"given": [[1]], "beside": ["a"]}, {"given": [[1 << 64]]}, {}])
def test_an_answer_that_is_no_streams_of_ids_is_nonsense(wrong: Any) -> None:
    assert failure(read(msgspec.convert(wrong, StreamResult), TEXT)).kind == "nonsense"


def test_a_call_of_a_callback_for_each_text_is_due() -> None:
    answer = StreamResult(given=("a",), called=((1, False), (2, True)))
    assert failure(read(answer, IDS)) == Failure("nonsense", "2 calls with 1 texts came")


def test_more_than_any_stream_gives_is_nonsense() -> None:
    assert failure(read(StreamResult(given=((1,) * 5_000,)), TEXT)).kind == "nonsense"
    assert failure(read(StreamResult(given=("a" * 50_000,)), IDS)).kind == "nonsense"


def test_the_streams_of_the_official_library_and_of_reftok_are_fed() -> None:
    path = embedded_models()["bpe-gpt2"]
    vocab = reftok.load("bpe-gpt2").rules.model.vocab
    ids = tuple(vocab[token] for token in ("H", "el", "ð"))
    for name, last in (("tokenizers", ""), ("reftok", "\ufffd")):
        subject = load_subject(name, path, "tokenizer.json", 60)
        (streamed,) = subject.stream([Feeding("decoder", ids)])
        assert isinstance(streamed, Streamed)
        assert streamed.given == ("H", "el", "", last)
        stopped = Feeding("decoder", ids, stop=2)
        heard = Streamed(("H", "el"), called=((ids[0], False), (ids[1], False)))
        assert subject.stream([stopped]) == [heard if name == "reftok" else None]
        subject.close()
