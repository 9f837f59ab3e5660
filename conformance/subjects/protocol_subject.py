"""A subject that is asked by the messages of the protocol (docs/protocol.md), wherever it is.

Items travel many in a message, and a message has one deadline: of how many items it is, follows from how long the last
one took. Where a message has no answer, its items are asked again one by one, so that the item at fault is known.
"""

from __future__ import annotations

import base64
import math
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeAlias
from zlib import crc32

import msgspec

from conformance.core.chats import ChatAnswer, Conversation
from conformance.core.observation import Decoded, Decoding, Encoded, Encoding, Failure
from conformance.core.settings import Answer as AnswerWith
from conformance.core.settings import Question
from conformance.core.streaming import Feeding, Given, Streaming
from conformance.files.digest import sha256
from conformance.subjects.answers import (
    batch_with_singles,
    chatted,
    decoded_text,
    encoded,
    encoded_with,
    not_answered,
    streamed,
    why_not,
)
from conformance.subjects.base import PROTOCOL, Ids, InBulk, Subject, UnavailableError
from conformance.subjects.connection import MOST_NOISE, Connection
from conformance.subjects.languages import language_name
from conformance.subjects.process import NoAnswer
from conformance.subjects.protocol import (
    About,
    Answer,
    BatchResult,
    Capabilities,
    Chat,
    ChatResult,
    Decode,
    DecodeResult,
    Encode,
    EncodeAnswer,
    EncodeBatch,
    EncodeCapability,
    EncodeResult,
    EncodeWith,
    Field,
    IdsInput,
    Input,
    Load,
    Model,
    Request,
    Reset,
    ResetAnswer,
    Start,
    StartAnswer,
    Stop,
    Stream,
    StreamInput,
    StreamResult,
)
from conformance.subjects.special_tokens import SpecialTokens
from conformance.subjects.streams import feeding_to_message
from reftok.formats.tiktoken.encodings import ENCODINGS, RankEncoding

START_SECONDS = 60.0
"""A subject may take so long to load its model, whatever an answer may take."""
MOST_DEATHS = 3
BATCH_TEXTS = 64
SMOKE_TEXT = "a"
FIRST_ITEMS = 8
_MESSAGE_SECONDS = 0.2
"""So long a message is to take, by what the one before took."""
TIME_IS_UP = Failure("skipped", "the time to ask was up")
NOT_LOADED_IN_TIME = Failure("skipped", "it had not loaded the model when the time was up: give it more")
ASKED_TWICE = 100
"""One text in so many is asked twice, the second time in reverse."""

Result: TypeAlias = EncodeResult | BatchResult | ChatResult | DecodeResult | StreamResult


class MakeRequest(Protocol):
    """A message about some items."""

    def __call__(self, *, id: int, items: tuple[Any, ...]) -> Request:  # noqa: A002
        """The message with this id."""


class ProtocolSubject(Subject):
    """A subject behind a connection.

    model: what it loads. timeout: seconds that an answer may take. special_tokens: of the model, for what the subject
    leaves to its callers. options: of its subject.toml, handed over as they are. until: as of `Subject`.
    about, capabilities: what it says of itself. anew: whether its answers have turned out to depend on what was asked
    before, so that it is started for each shard.
    After `MOST_DEATHS` hangs or deaths it is not asked any more until the next shard, and says so. An answer for which
    there was no time until `until` is no finding: what was asked then is not tested.
    Raises UnavailableError where it does not start, or not in time, and where it does not read the model; with
    `NOT_LOADED_IN_TIME` where it might have, had there been more time to ask.
    """

    def __init__(
        self,
        name: str,
        model: Model,
        timeout: float,
        special_tokens: SpecialTokens,
        options: dict[str, Any],
        until: float = math.inf,
    ) -> None:
        self.name = name
        self.until = until
        self._model = model
        self._timeout = timeout
        self._special_tokens = special_tokens
        self._options = options
        self.anew = False
        self._connection: Connection | None = None
        self._noise_before: Sequence[str] = ()
        self._number = 0
        self._asked = False
        self._most_items: dict[type[Request], int] = {}
        self._deaths = 0
        self._batch_works = True
        self._hopeless: Failure | None = None
        self._has_model = False
        self._start()

    @abstractmethod
    def _connect(self) -> Connection:
        """A new connection; raises UnavailableError where there can be none."""

    @property
    def version(self) -> str:
        """What the subject says of its version, "" where it says nothing."""
        return self.about.version

    @property
    def noise(self) -> Sequence[str]:
        """The first lines that it said in the place of answers."""
        now = self._connection.noise if self._connection is not None else ()
        return [*self._noise_before, *now][:MOST_NOISE]

    def encode(self, text: str | bytes) -> Encoding:
        return self._encode_alone([text])[0]

    def encode_batch(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        """By the subject's batch call where it has one, for `BATCH_TEXTS` at a time, or as many as it takes.

        Where that gives no answer each text is encoded alone. If none of them is at fault, the batch call is, and the
        first text has its failure for an answer, unless the call had no time for texts that take long each. A batch
        call that hung or died is not used again before the next shard.
        """
        encodings = self._encode_all(texts)
        self._ask_some_again(texts, encodings)
        return encodings

    def decode(self, ids: Sequence[int]) -> Decoding:
        return self.decode_each([ids])[0]

    def decode_each(self, every: Sequence[Sequence[int]]) -> list[Decoding]:
        skips = self.capabilities.decode.skip_special_tokens if self.capabilities.decode else "choice"
        skipped = self._texts(True, [self._special_tokens.without(ids) for ids in every] if skips == "never" else every)
        if skips == "always":
            return [text if isinstance(text, Failure) else Decoded(text) for text in skipped]
        kept = self._texts(False, every)
        return [_decoding(*pair) for pair in zip(skipped, kept, strict=True)]

    def stream(self, feedings: Sequence[Feeding]) -> list[Streaming]:
        asked = [feeding for feeding in feedings if self._streams(feeding)]
        items = [StreamInput(**feeding_to_message(feeding)) for feeding in asked]
        results = self._ask(partial(Stream), items)
        found = iter([self._streamed(*pair) for pair in zip(results, asked, strict=True)])
        return [next(found) if self._streams(feeding) else None for feeding in feedings]

    def in_bulk(self) -> InBulk | None:
        """Its answers up to the first hang or death; the rest is asked in full, where such things are counted."""

        def ids(texts: Sequence[str | bytes]) -> list[Ids | None]:
            inputs = [self._input(text) for text in texts]
            items = [item for item in inputs if isinstance(item, Input)]
            answers = iter(self._first_results(partial(Encode, add_special_tokens=True, want=("ids",)), items))
            found = [next(answers) if isinstance(item, Input) else None for item in inputs]
            pairs = zip(found, texts, strict=True)
            encodings = [None if result is None else self._encoding(result, text) for result, text in pairs]
            return [list(one.ids) if isinstance(one, Encoded) else None for one in encodings]

        def texts(skip: bool, questions: Sequence[Ids]) -> list[str | None]:
            if self.capabilities.decode is None:
                return [None] * len(questions)
            items = [IdsInput(ids=tuple(question)) for question in questions]
            results = self._first_results(partial(Decode, skip_special_tokens=skip), items)
            pairs = zip(results, questions, strict=True)
            found = [None if result is None else self._text(result, ids) for result, ids in pairs]
            return [text if isinstance(text, str) else None for text in found]

        return InBulk(ids, partial(texts, False), partial(texts, True))

    def next_shard(self) -> None:
        """Forget earlier failures; where what it remembers matters, begin anew."""
        self._deaths = 0
        self._batch_works = True
        if self._connection is not None and self._asked:
            if self.anew:
                self._close()
            elif self.capabilities.reset:
                self._reset()

    def renew(self) -> None:
        self._deaths = 0
        self._batch_works = True
        if self._connection is not None and self._asked:
            self._close()

    def load(self, path: Path, special_tokens: SpecialTokens, encoding: RankEncoding | None = None) -> None:
        """Take another model, in the same process if it lives: many models one after another take little time.

        special_tokens: of that model, which may lack those of the one before. encoding: of a rank file.
        Raises UnavailableError where the subject refuses the model; the one before is then loaded when it is asked.
        """
        before = self._model, self._special_tokens
        model = msgspec.structs.replace(self._model, path=str(path.absolute()), sha256=sha256(path))
        self._model = model if encoding is None else with_encoding(model, encoding)
        self._special_tokens = special_tokens
        self._deaths = 0
        try:
            if self._connection is None or not self._loaded():
                self._start()
        except UnavailableError:
            self._model, self._special_tokens = before
            raise

    def _loaded(self) -> bool:
        """Whether the subject has taken its model in the place of another; it is closed where it gave no answer."""
        request = Load(id=self.next_number(), model=self._model, options=self._options)
        try:
            answer = self._exchange(request, START_SECONDS)
        except NoAnswer:
            self._close()
            return False
        self._has_model = isinstance(answer, StartAnswer) and answer.started is not None
        if not self._has_model:
            raise self._refusal(answer)
        self._greet(answer)
        return True

    def close(self) -> None:
        if self._connection is not None:
            self._close()

    def exchange(self, request: Request) -> Answer:
        """The answer to a message of the caller's own; raises NoAnswer, or UnavailableError where it does not start."""
        self._be_ready()
        self._asked = True
        return self._exchange(request, self._timeout)

    def stopped(self) -> int | None:
        """The exit code with which it ends when it is asked to; None where it does not."""
        connection = self._be_ready()
        connection.send(Stop(id=self.next_number()))
        code = connection.stop()
        self._close()
        return code

    def smoke(self) -> None:
        """Ask the plainest text; a subject that hangs or dies on it is not asked anything else."""
        answer = self.encode(SMOKE_TEXT)
        if isinstance(answer, Failure) and answer.kind in ("timed out", "crashed"):
            message = f"{answer.message}, on the text {SMOKE_TEXT!r} already; nothing else was asked"
            self._hopeless = Failure(answer.kind, message)

    def _start(self) -> None:
        self._connection = self._connect()
        self._has_model = True
        request = Start(id=self.next_number(), protocol=PROTOCOL, model=self._model, options=self._options)
        try:
            self._greet(self._exchange(request, START_SECONDS))
        except NoAnswer as error:
            failure = NOT_LOADED_IN_TIME if error.failure == TIME_IS_UP else error.failure
            if failure.kind == "timed out":
                failure = Failure("timed out", f"it had not loaded the model after {START_SECONDS:g} s")
            said = "" if failure == NOT_LOADED_IN_TIME else f"{self._last_words()}{self._first_noise()}"
            self._close()
            failure = replace(failure, message=f"{failure.message}{said}")
            raise UnavailableError(f"{self.name} cannot be loaded: {failure.message}", failure) from None

    def _greet(self, answer: Answer) -> None:
        """Take what the subject says when it has loaded a model; raises UnavailableError where it has not."""
        assert isinstance(answer, StartAnswer)
        if answer.started is None:
            refusal = self._refusal(answer)
            self._close()
            raise refusal
        if answer.started.protocol != PROTOCOL:
            self._close()
            message = f"it speaks version {answer.started.protocol} of the protocol, not {PROTOCOL}"
            raise UnavailableError(f"{self.name} cannot be loaded: {message}", Failure("nonsense", message))
        about = answer.started.subject
        self.about: About = msgspec.structs.replace(about, language=language_name(about.language))
        self.capabilities: Capabilities = answer.started.capabilities
        self.has_batch = self.capabilities.encode_batch
        self.has_chat = self.capabilities.chat
        self.takes_bytes = self.capabilities.encode is not None and self.capabilities.encode.bytes
        self._asked = False

    def _refusal(self, answer: Answer) -> UnavailableError:
        """What a subject that has not loaded a model says."""
        refused = answer.unavailable if isinstance(answer, StartAnswer) else None
        said = why_not(refused) if refused is not None else "neither `started` nor `unavailable` came"
        message = f"{said}{self._last_words()}"
        failure = Failure("refused" if refused is not None else "nonsense", message)
        return UnavailableError(f"{self.name} cannot be loaded: {message}", failure)

    def _be_ready(self) -> Connection:
        """The connection to a subject that has the model; raises UnavailableError."""
        if self._connection is not None and not self._has_model:
            self._close()
        if self._connection is None:
            self._start()
        assert self._connection is not None
        return self._connection

    def _reset(self) -> None:
        try:
            answer = self._exchange(Reset(id=self.next_number()), self._timeout)
        except NoAnswer:
            self._close()
            return
        if isinstance(answer, ResetAnswer) and answer.ok:
            self._asked = False
        else:
            self._close()

    def _close(self) -> None:
        assert self._connection is not None
        self._noise_before = self.noise
        self._connection.close()
        self._connection = None

    def _last_words(self) -> str:
        """The end of what it said on standard error, for a message."""
        said = self._connection.said if self._connection is not None else ""
        return f"; it said: {' '.join(said.split())[-_MOST_WORDS:]}" if said.strip() else ""

    def _first_noise(self) -> str:
        """What it said first in the place of an answer, for a message: an answer is lost on a line that begins so."""
        noise = self._connection.noise if self._connection is not None else ()
        return f"; in the place of an answer it printed {noise[0]!r}" if noise else ""

    def next_number(self) -> int:
        """The id of a message that is not sent yet."""
        self._number += 1
        return self._number

    def _exchange(self, request: Request, seconds: float) -> Answer:
        assert self._connection is not None
        self._connection.send(request)
        return self._received(request, seconds)

    def _received(self, request: Request, seconds: float) -> Answer:
        """The answer to a message, waited for no longer than there is time to ask; raises NoAnswer."""
        assert self._connection is not None
        left = self.until - time.monotonic()
        try:
            return self._connection.receive(request, min(seconds, left))
        except NoAnswer as error:
            if error.failure.kind == "timed out" and left < seconds:
                raise NoAnswer(TIME_IS_UP) from None
            raise

    def _is_over(self) -> bool:
        """Whether the time to ask is up."""
        return time.monotonic() >= self.until

    def _input(self, text: str | bytes) -> Input | Failure:
        """A text as an item; a failure where it is not for this subject."""
        offers = self.capabilities.encode
        if offers is None:
            return Failure("skipped", "it does not encode")
        if isinstance(text, bytes) and not offers.bytes:
            return Failure("skipped", "bytes are not for it")
        readable = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        if offers.special_in_text != "matched" and (content := self._special_tokens.in_text(readable)):
            return Failure("skipped", f"the text of a special token ({content}) is {offers.special_in_text} to it")
        if isinstance(text, bytes):
            return Input(base64=base64.b64encode(text).decode("ascii"))
        if text.isascii() or _is_scalar(text):
            return Input(text=text)
        if not offers.utf16:
            return Failure("refused", "lone surrogates are not for it")
        units = text.encode("utf-16-le", "surrogatepass")
        return Input(utf16=tuple(int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2)))

    def encode_bare(self, texts: Sequence[str]) -> list[Encoding] | None:
        offers = self.capabilities.encode
        if offers is None or offers.add_special_tokens == "always":
            return None
        says = offers.add_special_tokens == "never"  # whose messages never say false: docs/protocol.md
        results = self._encode_each(partial(Encode, add_special_tokens=says, want=("ids",)), texts)
        pairs = zip(results, texts, strict=True)
        return [result if isinstance(result, Failure) else encoded(result, text, "scalar") for result, text in pairs]

    def encode_with(self, questions: Sequence[Question]) -> list[AnswerWith]:
        asked = [one for one in questions if self._takes_settings(one)]
        results = iter(self._ask(partial(EncodeWith), asked))
        return [self._with_settings(next(results), one) if self._takes_settings(one) else None for one in questions]

    def _takes_settings(self, question: Question) -> bool:
        """Whether it is asked such a question: one that leaves special tokens to its callers is not."""
        offers, encodes = self.capabilities.encode_with, self.capabilities.encode
        if offers is None or encodes is None or encodes.add_special_tokens != "choice":
            return False
        texts = [
            text for one in question.inputs for part in one for text in ([part] if isinstance(part, str) else part)
        ]
        is_plain = encodes.special_in_text == "matched" or not any(map(self._special_tokens.in_text, texts))
        return question.needs <= {*offers} and is_plain and all(map(_is_scalar, texts))

    def _with_settings(self, result: Any, question: Question) -> AnswerWith:
        offers = self.capabilities.encode or EncodeCapability()
        return result if isinstance(result, Failure) else encoded_with(result, question, offers.offsets_unit)

    def chat(self, conversations: Sequence[Conversation]) -> list[ChatAnswer]:
        results: list[Any] = self._ask(partial(Chat), conversations)
        return [one if isinstance(one, Failure) else chatted(one) for one in results]

    def _encode_alone(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        results = self._encode_each(partial(Encode, add_special_tokens=True, want=self._wanted), texts)
        return [self._encoding(*pair) for pair in zip(results, texts, strict=True)]

    def _encode_each(self, make: MakeRequest, texts: Sequence[str | bytes]) -> list[Any]:
        """The result for each text; a failure where there is none, or where it is not for this subject."""
        inputs = [self._input(text) for text in texts]
        results = iter(self._ask(make, [item for item in inputs if isinstance(item, Input)]))
        return [item if isinstance(item, Failure) else next(results) for item in inputs]

    @property
    def _wanted(self) -> tuple[Field, ...]:
        return ("ids", *(self.capabilities.encode.fields if self.capabilities.encode else ()))

    def _encode_all(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        if not self.has_batch or self._hopeless is not None:
            return self._encode_alone(texts)
        encodings: list[Encoding] = []
        size = min(BATCH_TEXTS, self.capabilities.items)
        for start in range(0, len(texts), size):
            encodings += self._encode_together(texts[start : start + size])
        return encodings

    def _encode_together(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        """The ids of the batch call; it gives nothing else, so the rest is from the calls for each text."""
        batch = self._batch(texts) if self._batch_works else None
        if isinstance(batch, list) and self._wanted == ("ids",):
            return [Encoded(ids) for ids in batch]
        since = time.monotonic()
        singles = self._encode_alone(texts)
        is_slow = time.monotonic() - since > self._timeout / 2
        if batch in (None, TIME_IS_UP) or (isinstance(batch, Failure) and batch.kind == "timed out" and is_slow):
            return singles
        return batch_with_singles(batch, singles)

    def _batch(self, texts: Sequence[str | bytes]) -> list[tuple[int, ...]] | Failure | None:
        """The ids of each text of a batch; None where it cannot be asked for these."""
        inputs = [self._input(text) for text in texts]
        items = tuple(item for item in inputs if isinstance(item, Input))
        if len(items) < len(inputs):
            return None
        try:
            self._be_ready()
            self._asked = True
            request = EncodeBatch(id=self.next_number(), items=items, add_special_tokens=True, want=("ids",))
            answer = self._exchange(request, self._timeout)
        except UnavailableError as error:
            return Failure("crashed", str(error))
        except NoAnswer as error:
            if error.failure.kind in ("timed out", "crashed"):
                self._batch_works = False
            told = self._with_last_words(error.failure)
            self._close()
            return told
        assert isinstance(answer, EncodeAnswer)
        if answer.results is None:
            return not_answered(answer) or Failure("nonsense", "neither results nor a refusal came")
        if len(answer.results) != len(texts):
            return Failure("nonsense", f"{len(answer.results)} encodings for a batch of {len(texts)} texts")
        found = [self._encoding(*pair) for pair in zip(answer.results, texts, strict=True)]
        failure = next((one for one in found if isinstance(one, Failure)), None)
        return failure or [one.ids for one in found if isinstance(one, Encoded)]

    def _encoding(self, result: Any, text: str | bytes) -> Encoding:
        offers = self.capabilities.encode or EncodeCapability()  # started anew, it may not say again that it encodes
        found = result if isinstance(result, Failure) else encoded(result, text, offers.offsets_unit)
        if offers.add_special_tokens != "never" or isinstance(found, Failure):
            return found
        return self._special_tokens.around(found)

    def _texts(self, skip: bool, every: Sequence[Sequence[int]]) -> list[str | Failure]:
        if self.capabilities.decode is None:
            return [Failure("skipped", "it does not decode")] * len(every)
        items = [IdsInput(ids=tuple(ids)) for ids in every]
        results = self._ask(partial(Decode, skip_special_tokens=skip), items)
        return [self._text(*pair) for pair in zip(results, every, strict=True)]

    def _text(self, result: Any, ids: Sequence[int]) -> str | Failure:
        if isinstance(result, Failure):
            return result
        return decoded_text(result, ids, each_byte=self._model.format == "sentencepiece")

    def _streams(self, feeding: Feeding) -> bool:
        """Whether the subject has a stream that can be fed so."""
        extras: Sequence[str] | None
        extras = self.capabilities.stream_encode if feeding.to == "encoder" else self.capabilities.stream_decode
        if extras is None:
            return False
        needed = {
            "bytes": isinstance(next(iter(feeding.chunks), None), bytes),
            "reset": bool(feeding.forgotten),
            "beside": bool(feeding.beside),
            "callback": bool(feeding.stop),
        }
        is_offered = all(name in extras for name, needs in needed.items() if needs)
        return is_offered and self._takes(feeding) and not self._has_to_skip(feeding)

    def _has_to_skip(self, feeding: Feeding) -> bool:
        """Whether there are special tokens to be skipped by a decoder that leaves that to its callers."""
        decodes = self.capabilities.decode
        if feeding.to == "encoder" or decodes is None or decodes.skip_special_tokens != "never":
            return False
        ids = (*feeding.chunks, *feeding.forgotten) if feeding.skip_special_tokens else ()
        return not self._special_tokens.ids.isdisjoint((*ids, *feeding.beside))

    def _takes(self, feeding: Feeding) -> bool:
        """Whether its texts are such as the subject takes."""
        if feeding.to == "decoder" or (self.capabilities.encode and self.capabilities.encode.utf16):
            return True
        chunks = (*feeding.chunks, *feeding.forgotten, *feeding.beside)
        return all(_is_scalar(chunk) for chunk in chunks if isinstance(chunk, str))

    def _streamed(self, result: Any, feeding: Feeding) -> Streaming:
        found = result if isinstance(result, Failure) else streamed(result, feeding)
        if isinstance(found, Failure):
            return None if found.kind == "skipped" else found
        if found is None or feeding.to == "decoder" or not self._adds_nothing:
            return found
        return replace(found, given=self._in_template(found.given), beside=self._in_template(found.beside))

    def _in_template(self, given: Given) -> Given:
        """What a stream gave, with the special tokens that it never adds."""
        if not given:
            return given
        first, *others = given
        *pieces, last = (*self._special_tokens.before.ids, *first), *others
        return (*pieces, (*last, *self._special_tokens.after.ids))

    @property
    def _adds_nothing(self) -> bool:
        return self.capabilities.encode is not None and self.capabilities.encode.add_special_tokens == "never"

    def _ask(self, make: MakeRequest, items: Sequence[Any]) -> list[Result | Failure]:
        """A result for each item, or the failure that stands in its place."""
        if self._hopeless is not None:
            return [self._hopeless] * len(items)
        found: list[Result | Failure] = []
        while len(found) < len(items):
            if self._deaths >= MOST_DEATHS:
                given_up = Failure("not asked", f"it hung or died {MOST_DEATHS} times before")
                return found + [given_up] * (len(items) - len(found))
            results, window, trouble = self._until_trouble(make, items[len(found) :])
            found += results
            if trouble is not None and trouble.failure == TIME_IS_UP:
                return found + [TIME_IS_UP] * (len(items) - len(found))
            if trouble is not None:
                found += self._one_by_one(make, window, trouble)
        return found

    def _first_results(self, make: MakeRequest, items: Sequence[Any]) -> list[Result | None]:
        """The results up to a hang or a death, then None; neither counts."""
        results: list[Result] = []
        deaths = self._deaths
        if self._hopeless is None and items:
            results, _, _ = self._until_trouble(make, items)
        self._deaths = deaths
        return [*results, *[None] * (len(items) - len(results))]

    def _until_trouble(
        self, make: MakeRequest, items: Sequence[Any]
    ) -> tuple[list[Result], Sequence[Any], NoAnswer | None]:
        """The results up to the first message that has no answer; the items of that message, and what became of it."""
        results: list[Result] = []
        waiting: deque[tuple[Request, Sequence[Any]]] = deque()
        kind = type(make(id=0, items=()))
        windows = self._windows(kind, items)
        if self._is_over():
            return results, (), NoAnswer(TIME_IS_UP)
        try:
            connection = self._be_ready()
        except UnavailableError as error:
            if self._is_over():
                return results, (), NoAnswer(TIME_IS_UP)
            self._deaths = MOST_DEATHS
            return results, items[:1], NoAnswer(Failure("crashed", str(error)))
        self._asked = True
        since = time.monotonic()
        while True:
            for window in islice(windows, self.capabilities.in_flight - len(waiting)):
                request = make(id=self.next_number(), items=tuple(window))
                connection.send(request)
                waiting.append((request, window))
            if not waiting:
                return results, (), None
            request, window = waiting.popleft()
            try:
                results += _results(self._received(request, self._timeout), len(window))
            except NoAnswer as error:
                trouble = NoAnswer(self._with_last_words(error.failure), error.is_over)
                if trouble.failure.kind == "timed out":
                    self._most_items[kind] = 1
                if waiting or error.is_over:
                    self._close()
                return results, window, trouble
            now = time.monotonic()
            self._adapt(kind, now - since, len(window))
            since = now

    def _windows(self, kind: type[Request], items: Sequence[Any]) -> Iterator[Sequence[Any]]:
        start = 0
        while start < len(items):
            size = min(self._most_items.get(kind, FIRST_ITEMS), self.capabilities.items)
            yield items[start : start + size]
            start += size

    def _adapt(self, kind: type[Request], seconds: float, items: int) -> None:
        """Have the next message of a kind take about `_MESSAGE_SECONDS`, and have at most twice as many items.

        Of each kind by itself: one that decodes at once may take long to encode.
        """
        self._most_items[kind] = max(1, min(2 * items, int(_MESSAGE_SECONDS * items / max(seconds, 1e-9))))

    def _one_by_one(self, make: MakeRequest, window: Sequence[Any], trouble: NoAnswer) -> list[Result | Failure]:
        """The results of the items of a message that had no answer, each asked alone, up to one that has none again.

        trouble: what became of the message. Where each item alone is answered, a hang or a death stands in the place of
        the first result: it does not come again; so does nonsense. But many items may take longer
        than one may: a subject that needs so long for each of them is slow, and at no fault.
        """
        failure = trouble.failure
        self._deaths += trouble.is_over
        if self._deaths > MOST_DEATHS or (len(window) == 1 and not trouble.is_over):
            return [failure]
        found: list[Result | Failure] = []
        seconds = 0.0
        for item in window:
            self._be_ready_again()
            since = time.monotonic()
            results, _, again = self._until_trouble(make, [item])
            seconds += time.monotonic() - since
            if again is None:
                found += results
                continue
            if again.failure == TIME_IS_UP:
                return found
            found.append(again.failure)
            if again.is_over:
                self._deaths += not trouble.is_over
                return found
        is_slow = failure.kind == "timed out" and len(window) > 1 and seconds > self._timeout / 2
        if is_slow:
            self._deaths -= 1
        elif (trouble.is_over or failure.kind == "nonsense") and not any(isinstance(one, Failure) for one in found):
            found[0] = _once(failure, len(window))
        return found

    def _be_ready_again(self) -> None:
        """Start it where it is not there, so that the time of a start is not that of an answer."""
        with suppress(UnavailableError):  # which asking it tells
            self._be_ready()

    def _with_last_words(self, failure: Failure) -> Failure:
        if failure.kind != "crashed":
            return failure
        return replace(failure, message=f"{failure.message}{self._last_words()}")

    def _ask_some_again(self, texts: Sequence[str | bytes], encodings: Sequence[Encoding]) -> None:
        """See whether a few texts have the same answers in reverse; where not, it is started anew for each shard.

        So it goes on then: asked the same shard again, it is asked it in the same calls.
        """
        self.said_otherwise = {}
        if self._hopeless is not None or self.capabilities.reset or self._deaths >= MOST_DEATHS:
            return
        some = [at for at, text in enumerate(texts) if len(texts) > 1 and _is_asked_twice(text)]
        some = [at for at in reversed(some) if isinstance(encodings[at], Encoded)]
        again = self._encode_all([texts[at] for at in some])
        if self._is_over():
            return
        self.said_otherwise = {
            texts[at]: other for at, other in zip(some, again, strict=True) if other != encodings[at]
        }
        self.anew = self.anew or bool(self.said_otherwise)


def with_encoding(model: Model, encoding: RankEncoding) -> Model:
    """A rank file with what it lacks itself, and with the name under which that was published, where it was.

    >>> with_encoding(Model(path="", format="tiktoken", sha256=""), RankEncoding("own.toml", ".", {"<s>": 256})).pattern
    '.'
    """
    name = encoding.name if encoding.name in ENCODINGS else ""
    special_tokens = {**encoding.special_tokens}
    return msgspec.structs.replace(model, encoding=name, pattern=encoding.pattern, special_tokens=special_tokens)


_MOST_WORDS = 2000
"""Characters of what it said last, in a message."""


def _results(answer: Any, due: int) -> Sequence[Result]:
    results: Sequence[Result] | None = answer.results
    if results is None:
        raise NoAnswer(not_answered(answer) or Failure("nonsense", "an answer without results came"), is_over=False)
    if len(results) != due:
        raise NoAnswer(Failure("nonsense", f"{len(results)} results for {due} items"), is_over=False)
    return results


def _once(failure: Failure, items: int) -> Failure:
    """A hang or a death that did not come again; an answer to another message is the adapter's error."""
    if failure.kind == "nonsense":
        return Failure("adapter error", failure.message)
    alone = "it was asked the same again" if items == 1 else f"each of these {items} items was asked alone"
    message = f"{failure.message}; not reproducible: not when {alone}"
    return Failure("crashed once" if failure.kind == "crashed" else "timed out once", message)


def _decoding(skipped: str | Failure, kept: str | Failure) -> Decoding:
    if isinstance(skipped, Failure):
        return skipped
    return kept if isinstance(kept, Failure) else Decoded(skipped, kept)


def _is_scalar(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_asked_twice(text: str | bytes) -> bool:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return crc32(data) % ASKED_TWICE == 0
