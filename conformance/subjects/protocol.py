"""The subject protocol, version 1: the messages between the harness and a program that is a subject.

One JSON object a line, on standard input and output; docs/protocol.md tells it in words, with an example of each. The
types below are what the harness writes and reads, and what the published schema is made from:

    python -m conformance.subjects.protocol
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType, field

from conformance.core.chats import Conversation
from conformance.core.json_schema import DIALECT, schemas
from conformance.core.observation import Encoded
from conformance.core.settings import Question
from conformance.subjects.base import PROTOCOL
from conformance.subjects.units import Unit

LONGEST = 100
"""Characters of a name, a version, or a language."""

Integer: TypeAlias = int
"""Of 64 bits at most, which whoever reads the answer checks."""
Word: TypeAlias = Annotated[str, Meta(max_length=LONGEST)]
Choice: TypeAlias = Literal["choice", "always", "never"]
Setting: TypeAlias = Literal["pair", "is_pretokenized", "truncation", "padding", "special_in_text"]
Field: TypeAlias = Literal["ids", "tokens", "offsets", "special_tokens_mask"]


class Message(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A message, or a part of one."""


class Model(Message, frozen=True, kw_only=True):
    """The model to load.

    path: absolute. format: as `conformance run` names it. sha256: of the file, hexadecimal. encoding: of a rank file,
        where pattern and special tokens have a name. pattern, special_tokens: of a rank file, which has neither in
        itself; they are always sent then, an empty object too.
    own: whether the subject is to take the model that it brings along; the file is what it is held against.
    """

    path: str
    format: str
    sha256: str
    encoding: str = ""
    pattern: str = ""
    special_tokens: dict[str, int] | UnsetType = UNSET
    own: bool = False


class Input(Message, frozen=True, kw_only=True):
    """A text: of Unicode scalar values in `text`; of any bytes in `base64`; of UTF-16 code units in `utf16`."""

    text: str | None = None
    base64: str | None = None
    utf16: tuple[int, ...] | None = None


class IdsInput(Message, frozen=True, kw_only=True):
    """Ids to decode."""

    ids: tuple[Integer, ...]


class StreamInput(Message, frozen=True, kw_only=True):
    """One use of a stream: made, fed each chunk, finished.

    chunks: texts for an encoder, ids for a decoder; or base64, where `bytes` is true. forgotten: fed before that, and
    then forgotten by a reset of the stream, after it was finished if `is_finished`. beside: fed to a second stream, by
    turns with the first. stop: the call at which a callback says that it is enough.
    """

    to: Literal["encoder", "decoder"]
    chunks: tuple[str | Integer, ...]
    skip_special_tokens: bool = True
    bytes: bool = False
    forgotten: tuple[str | Integer, ...] = ()
    beside: tuple[str | Integer, ...] = ()
    stop: int = 0
    is_finished: bool = False


class Request(Message, frozen=True, kw_only=True):
    """What the harness sends."""

    id: int


class Start(Request, frozen=True, kw_only=True, tag_field="op", tag="start"):
    """The first message: load a model."""

    protocol: int
    model: Model
    options: dict[str, Any] = field(default_factory=dict)


class Load(Request, frozen=True, kw_only=True, tag_field="op", tag="load"):
    """Take another model in the place of this one."""

    model: Model
    options: dict[str, Any] = field(default_factory=dict)


class Encode(Request, frozen=True, kw_only=True, tag_field="op", tag="encode"):
    """Encode each text on its own."""

    items: tuple[Input, ...]
    add_special_tokens: bool
    want: tuple[Field, ...]


class EncodeBatch(Request, frozen=True, kw_only=True, tag_field="op", tag="encode_batch"):
    """Encode the texts by the library's own call for many."""

    items: tuple[Input, ...]
    add_special_tokens: bool
    want: tuple[Field, ...]


class EncodeWith(Request, frozen=True, kw_only=True, tag_field="op", tag="encode_with"):
    """Encode batches with settings."""

    items: tuple[Question, ...]


class Chat(Request, frozen=True, kw_only=True, tag_field="op", tag="chat"):
    """Render conversations by the chat template of the model."""

    items: tuple[Conversation, ...]


class Decode(Request, frozen=True, kw_only=True, tag_field="op", tag="decode"):
    """Decode each list of ids."""

    items: tuple[IdsInput, ...]
    skip_special_tokens: bool


class Stream(Request, frozen=True, kw_only=True, tag_field="op", tag="stream"):
    """Feed streams."""

    items: tuple[StreamInput, ...]


class Reset(Request, frozen=True, kw_only=True, tag_field="op", tag="reset"):
    """Forget all that was asked before."""


class Stop(Request, frozen=True, kw_only=True, tag_field="op", tag="stop"):
    """End."""


class Refused(Message, frozen=True, kw_only=True):
    """The library raised what its callers could catch: an answer. type: of the error.

    traceback: where, in the code of the adapter and the library; shown where it raises on the first questions already.
    """

    message: str
    type: str = ""
    traceback: str = ""


class Skipped(Message, frozen=True, kw_only=True):
    """The subject does not do this. issue: an address that says why, or when."""

    message: str
    issue: str = ""


class NoResult(Message, frozen=True, kw_only=True):
    """An item that has no result.

    crashed: the library broke down, and its process lives on: a panic that was caught. invalid: it gave something that
    no answer can hold.
    """

    refused: Refused | None = None
    crashed: Refused | None = None
    invalid: Refused | None = None
    skipped: Skipped | None = None


class EncodeResult(NoResult, frozen=True, kw_only=True):
    """The encoding of a text, as far as it was wanted. offsets: half-open, in the unit of the capabilities."""

    ids: tuple[Integer, ...] | None = None
    tokens: tuple[str, ...] | None = None
    offsets: tuple[tuple[Integer, Integer], ...] | None = None
    special_tokens_mask: tuple[Integer, ...] | None = None


class BatchResult(NoResult, frozen=True, kw_only=True):
    """The encodings of a batch with settings."""

    encodings: tuple[Encoded, ...] | None = None


class ChatResult(NoResult, frozen=True, kw_only=True):
    """The text of a conversation, and its ids; one of both at least."""

    text: str | None = None
    ids: tuple[Integer, ...] | None = None


class DecodeResult(NoResult, frozen=True, kw_only=True):
    """The text of some ids, or its bytes."""

    text: str | None = None
    base64: str | None = None


class StreamResult(NoResult, frozen=True, kw_only=True):
    """The output of a stream, after each chunk and at last when it is finished: ids of an encoder, texts of a decoder.

    beside: of the second stream. held: how many code points were held back then. called: with a callback, the id and
    whether it was the last of each call.
    """

    given: tuple[tuple[Integer, ...] | str, ...] | None = None
    beside: tuple[tuple[Integer, ...] | str, ...] = ()
    held: tuple[Integer, ...] | None = None
    called: tuple[tuple[Integer, bool], ...] = ()


class Problem(Message, frozen=True, kw_only=True):
    """What the adapter could not make of a message: never a finding."""

    message: str


class About(Message, frozen=True, kw_only=True):
    """The subject, for reports. homepage, issues, adapter: addresses."""

    name: Word
    version: Word = ""
    language: Word = ""
    runtime: Word = ""
    homepage: str = ""
    issues: str = ""
    adapter: str = ""


class EncodeCapability(Message, frozen=True, kw_only=True):
    """The way a subject encodes.

    fields: beside the ids. offsets_unit: code points, bytes of UTF-8, code units of UTF-16, or grapheme clusters.
    add_special_tokens: those of the template. special_in_text: what becomes of the text of a special token. bytes,
    utf16: whether such items are taken.
    """

    fields: tuple[Literal["tokens", "offsets", "special_tokens_mask"], ...] = ()
    offsets_unit: Unit = "scalar"
    add_special_tokens: Choice = "choice"
    special_in_text: Literal["matched", "text", "refused"] = "matched"
    bytes: bool = False
    utf16: bool = False


class DecodeCapability(Message, frozen=True, kw_only=True):
    """The way a subject decodes. skip_special_tokens: whether the text of special tokens can be left out."""

    skip_special_tokens: Choice = "choice"


class Capabilities(Message, frozen=True, kw_only=True):
    """What a subject does; what it does not is not asked.

    encode_with: the settings of calls that it takes, beside single texts; null where it has no such call.
    chat: whether it renders conversations.
    stream_encode, stream_decode: what such a stream does besides being fed and finished; null where there is none.
    reset: whether it can forget what it was asked. in_flight: the most messages sent before their answers are read.
    items: the most in a message.
    """

    encode: EncodeCapability | None = None
    decode: DecodeCapability | None = None
    encode_batch: bool = False
    encode_with: tuple[Setting, ...] | None = None
    chat: bool = False
    stream_encode: tuple[Literal["bytes", "reset", "beside"], ...] | None = None
    stream_decode: tuple[Literal["reset", "beside", "callback"], ...] | None = None
    reset: bool = False
    in_flight: Annotated[int, Meta(ge=1, le=64)] = 1
    items: Annotated[int, Meta(ge=1, le=4096)] = 256


class Started(Message, frozen=True, kw_only=True):
    """The model is loaded."""

    protocol: int
    subject: About
    capabilities: Capabilities


class Unavailable(Message, frozen=True, kw_only=True):
    """This model cannot be loaded. feature: what it has that the subject does not know."""

    message: str
    reason: str = ""
    feature: str = ""


class Answer(Message, frozen=True, kw_only=True):
    """What the subject answers, with the id of the message; or what was wrong with that."""

    id: int
    error: Problem | None = None


class StartAnswer(Answer, frozen=True, kw_only=True):
    """The answer to `start` and `load`."""

    started: Started | None = None
    unavailable: Unavailable | None = None


class EncodeAnswer(Answer, frozen=True, kw_only=True):
    """The answer to `encode` and `encode_batch`: a result for each item, or of the whole call for a batch why not."""

    results: tuple[EncodeResult, ...] | None = None
    refused: Refused | None = None
    crashed: Refused | None = None
    invalid: Refused | None = None


class EncodeWithAnswer(Answer, frozen=True, kw_only=True):
    """The answer to `encode_with`: a result for each item."""

    results: tuple[BatchResult, ...] | None = None


class ChatAnswer(Answer, frozen=True, kw_only=True):
    """The answer to `chat`: a result for each item."""

    results: tuple[ChatResult, ...] | None = None


class DecodeAnswer(Answer, frozen=True, kw_only=True):
    """The answer to `decode`: a result for each item."""

    results: tuple[DecodeResult, ...] | None = None


class StreamAnswer(Answer, frozen=True, kw_only=True):
    """The answer to `stream`: a result for each item."""

    results: tuple[StreamResult, ...] | None = None


class ResetAnswer(Answer, frozen=True, kw_only=True):
    """The answer to `reset`."""

    ok: bool = False


REQUESTS: tuple[type[Request], ...] = (Start, Load, Encode, EncodeBatch, EncodeWith, Chat, Decode, Stream, Reset, Stop)
ANSWERS: Mapping[type[Request], type[Answer]] = {
    Start: StartAnswer,
    Load: StartAnswer,
    Encode: EncodeAnswer,
    EncodeBatch: EncodeAnswer,
    EncodeWith: EncodeWithAnswer,
    Chat: ChatAnswer,
    Decode: DecodeAnswer,
    Stream: StreamAnswer,
    Reset: ResetAnswer,
}
"""The type of the answer to each message that has one."""


def schema() -> dict[str, Any]:
    """The JSON Schema of all messages, a definition each.

    >>> schema()["$defs"]["IdsInput"]["required"]
    ['ids']
    """
    answers = dict.fromkeys(ANSWERS.values())
    _, definitions = schemas([*REQUESTS, *answers])
    return {
        "$schema": DIALECT,
        "title": f"tokenizer subject protocol, version {PROTOCOL}",
        "anyOf": [{"$ref": f"#/$defs/{kind.__name__}"} for kind in (*REQUESTS, *answers)],
        "$defs": dict(sorted(definitions.items())),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(schema(), indent=2) + "\n")
