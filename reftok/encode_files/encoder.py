"""The process that encodes: pickled requests on standard input, pickled replies on standard output.

It ends when its standard input does, so that none is left behind when the process that started it is killed.
"""

from __future__ import annotations

import gc
import os
import pickle
import traceback
from array import array
from codecs import getincrementaldecoder
from collections.abc import Sequence
from itertools import chain
from typing import BinaryIO

from reftok.encode_files.engines import Engine, id_bound, official_engine, reftok_engine
from reftok.encode_files.messages import LONGEST, Failure, Part, Ready, Reply, StopError, Task, not_utf_8
from reftok.encode_files.output import id_type, little_endian
from reftok.streams.encoder import StreamEncoder
from reftok.errors import EncodingStopped, ReftokError
from reftok.formats import find_model, load
from reftok.formats.huggingface.hub_folder import files_beside
from reftok.tokenizer import Tokenizer


def main() -> None:
    """Serve until standard input ends. What a library prints goes to standard error."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(requests, replies)


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """The first request is a Task and is answered with Ready; all others with Reply; or with Failure, each of them."""
    encoder: DocumentEncoder | None = None
    while True:
        try:
            request = pickle.load(requests)
        except (EOFError, pickle.UnpicklingError):  # cut off: who wrote it was killed
            return
        answer: Ready | Reply | Failure
        try:
            if isinstance(request, Task):
                encoder = DocumentEncoder(request)
                gc.freeze()  # what it is made of stays: not to be searched for cycles, over and over
                answer = encoder.ready()
            else:
                assert encoder is not None
                answer = encoder.part(request) if isinstance(request, Part) else encoder.documents(request)
        except StopError as stop:
            answer = stop.failure
        except ReftokError as error:
            answer = Failure("worker", str(error))
        except Exception:
            answer = Failure("fault", traceback.format_exc())
        try:
            pickle.dump(answer, replies, protocol=pickle.HIGHEST_PROTOCOL)
            replies.flush()
        except BrokenPipeError:
            return


class DocumentEncoder:
    """Documents to replies."""

    def __init__(self, task: Task) -> None:
        self._task = task
        tokenizer = load(task.model, encoding=task.encoding)
        self._tokenizer = tokenizer
        self._engine, self._witness = _engines(task, tokenizer)
        self._bound = id_bound(tokenizer, task.add_special_tokens)
        self._end = _end_ids(task, tokenizer)
        self._type = id_type(self._bound, task.model)
        self._stream: LongDocument | None = None

    def ready(self) -> Ready:
        path = find_model(self._task.model)
        engines = [self._engine] if self._witness is None else [self._engine, self._witness]
        versions = {name: version for engine in engines for name, version in engine.versions.items()}
        files = tuple(map(str, (path, *files_beside(path))))
        return Ready(self._tokenizer.library, self._bound, versions, files, _alterations(self._tokenizer))

    def documents(self, documents: Sequence[bytes]) -> Reply:
        texts, replaced = _texts(documents, self._task.errors)
        encoded = _asked(self._engine, texts)
        if self._witness is not None:
            self._compare(texts, encoded)
        self._check(encoded)
        if self._end:
            encoded = [[*of_document, *self._end] for of_document in encoded]
        ids = array(self._type.code, [*chain.from_iterable(encoded)])
        return Reply(little_endian(ids), array("Q", map(len, encoded)), sum(map(len, texts)), replaced)

    def part(self, part: Part) -> Reply:
        """One reply a part; only that of the last one has the length of the document."""
        if part.is_first:
            self._stream = LongDocument(self._tokenizer, self._task)
        assert self._stream is not None
        found, code_points, was_replaced = self._stream.feed(part)
        self._check([found])
        ids = array(self._type.code, [*found, *(self._end if part.is_last else ())])
        self._stream.tokens += len(ids)
        lengths = array("Q", [self._stream.tokens] if part.is_last else ())
        return Reply(little_endian(ids), lengths, code_points, int(was_replaced and part.is_last))

    def _check(self, encoded: Sequence[Sequence[int]]) -> None:
        for document, highest in enumerate(max(ids, default=-1) for ids in encoded):
            if highest >= self._bound:
                told = f"gave the id {highest}, and the vocab ends at {self._bound}"
                raise StopError(Failure("text", told, document))

    def _compare(self, texts: Sequence[str], encoded: Sequence[Sequence[int]]) -> None:
        assert self._witness is not None
        names = (self._engine.name, self._witness.name)
        for document, (ours, theirs) in enumerate(zip(encoded, _asked(self._witness, texts), strict=True)):
            if list(ours) != list(theirs):
                told = first_difference(names, self._tokenizer, ours, theirs)
                raise StopError(Failure("mismatch", told, document))


def _asked(engine: Engine, texts: Sequence[str]) -> Sequence[Sequence[int]]:
    """The ids of each text. What goes wrong, a panic of Rust included, is traced to its document."""
    try:
        return engine.encode(texts)
    except BaseException:
        return [_asked_for_one(engine, text, index) for index, text in enumerate(texts)]


def _asked_for_one(engine: Engine, text: str, index: int) -> Sequence[int]:
    try:
        return engine.encode([text])[0]
    except ReftokError as error:
        raise StopError(Failure("text", str(error), index)) from None
    except BaseException as error:
        if engine.name == "reftok":
            raise
        raise StopError(Failure("text", f"{engine.name} refuses it: {error}", index)) from None


def _engines(task: Task, tokenizer: Tokenizer) -> tuple[Engine, Engine | None]:
    """The one that encodes, and the one that it is compared with."""
    ours = reftok_engine(tokenizer, task.add_special_tokens)
    if task.engine not in ("reftok", tokenizer.library):
        raise EncodingStopped(f"{task.model}: follows {tokenizer.library}, and --engine {task.engine} cannot read it")
    if task.engine == "reftok" and not task.verify:
        return ours, None
    theirs = official_engine(tokenizer, task.model, task.encoding, task.add_special_tokens)
    first, second = (ours, theirs) if task.engine == "reftok" else (theirs, ours)
    return first, second if task.verify else None


def _end_ids(task: Task, tokenizer: Tokenizer) -> Sequence[int]:
    if task.end_token is None:
        return ()
    token_id = tokenizer.token_to_id(task.end_token)
    if token_id is None:
        raise EncodingStopped(f"{task.model}: has no token {task.end_token!r} to end a document with")
    return (token_id,)


def _alterations(tokenizer: Tokenizer) -> str:
    what = [name for name in ("truncation", "padding") if getattr(tokenizer, name) is not None]
    return " and ".join(what)


def first_difference(names: tuple[str, str], tokenizer: Tokenizer, ours: Sequence[int], theirs: Sequence[int]) -> str:
    """The first token in which two lists of ids differ.

    >>> import reftok
    >>> first_difference(("reftok", "tokenizers"), reftok.load("bpe-gpt2"), [39, 292], [39])
    "token 1: reftok gives 292 ('Ġb'), tokenizers gives none"
    """
    index = next((i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
    place = min(len(ours), len(theirs)) if index is None else index

    def shown(ids: Sequence[int]) -> str:
        return f"{ids[place]} ({tokenizer.id_to_token(ids[place])!r})" if place < len(ids) else "none"

    return f"token {place}: {names[0]} gives {shown(ours)}, {names[1]} gives {shown(theirs)}"


def _texts(documents: Sequence[bytes], errors: str) -> tuple[list[str], int]:
    try:
        return [document.decode("utf-8") for document in documents], 0
    except UnicodeDecodeError:
        pass
    texts: list[str] = []
    replaced = 0
    for index, document in enumerate(documents):
        try:
            texts.append(document.decode("utf-8"))
        except UnicodeDecodeError as error:
            if errors == "strict":
                raise StopError(not_utf_8(index, error.start)) from None
            texts.append(document.decode("utf-8", "replace"))
            replaced += 1
    return texts, replaced


class LongDocument:
    """A document that comes in parts."""

    def __init__(self, tokenizer: Tokenizer, task: Task) -> None:
        if task.engine != "reftok" or task.verify:
            size = f"{task.longest >> 20} MiB"
            raise StopError(Failure("text", f"is longer than {size}: only reftok, without --verify, encodes it"))
        self._decoder = getincrementaldecoder("utf-8")("strict")
        self._replaces = task.errors == "replace"
        self._encoder: StreamEncoder = tokenizer.stream_encoder(add_special_tokens=task.add_special_tokens)
        self._fed = 0
        self._decoded = 0
        self._was_replaced = False
        self.tokens = 0

    def feed(self, part: Part) -> tuple[list[int], int, bool]:
        """Ids, code points, and whether bytes of the document were replaced."""
        text = self._text(part)
        self._decoded += len(text)
        try:
            ids = self._encoder.feed(text)
            if part.is_last:
                return ids + self._encoder.finish(), len(text), self._was_replaced
        except ReftokError as error:
            raise StopError(Failure("text", str(error))) from None
        reasons = self._encoder.held_until_end
        if self._encoder.held > LONGEST or (reasons and self._decoded > LONGEST):
            why = f" ({reasons[0]})" if reasons else ""
            message = f"the tokenizer must hold back more than {LONGEST >> 20} Mi code points of it{why}: split it"
            raise StopError(Failure("text", message))
        return ids, len(text), self._was_replaced

    def _text(self, part: Part) -> str:
        waiting, _ = self._decoder.getstate()
        self._fed += len(part.data)
        try:
            return self._decoder.decode(part.data, part.is_last)
        except UnicodeDecodeError as error:
            if not self._replaces:
                byte = self._fed - len(part.data) - len(waiting) + error.start
                raise StopError(not_utf_8(0, byte)) from None
        self._was_replaced = True
        decoder = getincrementaldecoder("utf-8")("replace")
        decoder.setstate((waiting, 0))
        self._decoder = decoder
        return decoder.decode(part.data, part.is_last)
