"""Vectors: files of inputs with the official library's answers, which any language can run. docs/vectors.md explains.

The types are what is written and read, and what the published JSON Schema is made from:

    python -m conformance.inputs.vector_file > corpora/vectors/tokenizer-vectors-1.schema.json
"""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from conformance.core.case import Case, bytes_case, ids_case, text_case
from conformance.core.errors import FORM_ERRORS, InputError, form_problem
from conformance.core.json_schema import DIALECT, schemas
from conformance.core.observation import Encoded
from conformance.core.settings import Padding, Question, Side, SpecialInText, Strategy, Truncation
from reftok.formats.files import file_bytes
from reftok.formats.strict_json import refuse_constant

FORM: Literal["tokenizer-vectors-1"] = "tokenizer-vectors-1"
"""The first key of each file says so; another form has another name."""
MOST_BYTES = 64 << 20
"""A file may have so many, unpacked too."""
LONGEST_LIST = 1 << 20

Tier: TypeAlias = Literal["smoke", "core", "full", "own"]
Result: TypeAlias = Literal["valid", "acceptable", "refused"]
Hex: TypeAlias = Annotated[str, Meta(pattern="^([0-9a-f]{2})*$")]
Id: TypeAlias = Annotated[int, Meta(ge=0, le=(1 << 32) - 1)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=(1 << 53) - 1)]
CodeUnit: TypeAlias = Annotated[int, Meta(ge=0, le=0xFFFF)]
Ids: TypeAlias = Annotated[tuple[Id, ...], Meta(max_length=LONGEST_LIST)]
Span: TypeAlias = tuple[Count, Count]
Length: TypeAlias = Annotated[int, Meta(ge=0, le=1024)]
"""A length in tokens. Bounded, because overlapping windows need memory that grows with its square."""
Words: TypeAlias = Annotated[tuple[Annotated[str, Meta(max_length=500)], ...], Meta(max_length=100)]
Input: TypeAlias = Annotated[tuple[Annotated[str, Meta(max_length=500)] | Words, ...], Meta(min_length=1, max_length=2)]
"""The text, or the two of a pair, each in words or whole; short, since their windows may overlap."""


class Form(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """An object of the file, whose keys are in camel case."""


class VectorModel(Form, frozen=True, kw_only=True):
    """The model, which is not in the file. encoding: of a rank file, which does not tell its pattern."""

    name: str
    file: str
    format: str
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    encoding: str | UnsetType = UNSET


class Oracle(Form, frozen=True, kw_only=True):
    """The official library that the answers are of."""

    library: str
    version: str


class Note(Form, frozen=True, kw_only=True):
    """A flag: what a tokenizer gets wrong that fails its vectors.

    stage, rule: as docs/rules.md names them. description: how that comes about. effect: what it changes. links: issues.
    """

    stage: str
    rule: str
    effect: str
    description: str = ""
    links: tuple[str, ...] = ()


class Reached(Form, frozen=True, kw_only=True):
    """How much of one kind the vectors reach. unreached: what no vector does, numbers as "first-last"."""

    kind: str
    reached: Count
    total: Count
    unreached: tuple[str, ...] = ()


class Vector(Form, frozen=True, kw_only=True):
    """What every vector has.

    tc_id: its number in the file. flags: of its notes; the first says best what is wrong where it fails.
    result: "valid": this answer. "acceptable": this answer or another, for the reason that the comment gives.
        "refused": no answer but an error.
    """

    tc_id: Count
    flags: tuple[str, ...]
    result: Result
    comment: str | UnsetType = UNSET


class EncodeVector(Vector, frozen=True, kw_only=True):
    """A text, in one of three ways: scalar values, bytes that need not be UTF-8, UTF-16 with lone surrogates.

    pieces: the entries of the vocab, as sentencepiece gives them. offsets: half-open, in code points of the text.
    """

    text: str | UnsetType = UNSET
    bytes_hex: Hex | UnsetType = UNSET
    utf16: tuple[CodeUnit, ...] | UnsetType = UNSET
    ids: Ids | UnsetType = UNSET
    pieces: tuple[str, ...] | UnsetType = UNSET
    offsets: tuple[Span, ...] | UnsetType = UNSET

    @property
    def given(self) -> str | bytes:
        """What is encoded; a text with lone surrogates for UTF-16 that has them."""
        if not isinstance(self.text, UnsetType):
            return self.text
        if not isinstance(self.bytes_hex, UnsetType):
            return bytes.fromhex(self.bytes_hex)
        units = () if isinstance(self.utf16, UnsetType) else self.utf16
        return b"".join(unit.to_bytes(2, "little") for unit in units).decode("utf-16-le", "surrogatepass")


class DecodeVector(Vector, frozen=True, kw_only=True):
    """Ids, and their text."""

    ids: Ids
    text: str | UnsetType = UNSET


class StreamEncodeVector(Vector, frozen=True, kw_only=True):
    """Chunks of a text, or of its bytes, for a streaming encoder, whose ids are those of the whole.

    due: how many ids must have come out after each chunk, and after the end. forgotten_chunks: what is fed before, and
    forgotten by a reset; is_finished: whether the stream is finished before that. is_beside: a second stream is fed the
    same, by turns with the first.
    """

    chunks: tuple[str, ...] | UnsetType = UNSET
    chunks_hex: tuple[Hex, ...] | UnsetType = UNSET
    ids: Ids
    due: tuple[Count, ...] | UnsetType = UNSET
    forgotten_chunks: tuple[str, ...] | UnsetType = UNSET
    forgotten_chunks_hex: tuple[Hex, ...] | UnsetType = UNSET
    is_finished: bool | UnsetType = UNSET
    is_beside: bool | UnsetType = UNSET


class StreamDecodeVector(Vector, frozen=True, kw_only=True):
    """Ids for a streaming decoder, one by one, whose text is that of the whole: nothing early, twice or lost.

    due: how many code points must have come out after each id. forgotten_ids, is_finished: as of StreamEncodeVector.
    beside_text: a second stream, which skips special tokens, is fed the same by turns, and must give this.
    stop: a callback is fed, which says at this call, from 1, that it is enough: it may come no more.
    """

    ids: Ids
    text: str
    due: tuple[Count, ...] | UnsetType = UNSET
    forgotten_ids: Ids | UnsetType = UNSET
    is_finished: bool | UnsetType = UNSET
    beside_text: str | UnsetType = UNSET
    stop: Count | UnsetType = UNSET


class BatchVector(Vector, frozen=True, kw_only=True):
    """Texts for one call, with the ids of each. Asked one after the other, they must give the same."""

    texts: tuple[str, ...]
    ids: tuple[Ids, ...]


class TruncationSetting(Form, frozen=True, kw_only=True):
    """What `enable_truncation` of `tokenizers` takes; lengths are in tokens."""

    max_length: Length
    stride: Length = 0
    strategy: Strategy = "longest_first"
    direction: Side = "right"


class PaddingSetting(Form, frozen=True, kw_only=True):
    """What `enable_padding` of `tokenizers` takes; lengths are in tokens. length: null for the longest of all."""

    length: Length | None = None
    pad_to_multiple_of: Length | None = None
    direction: Side = "right"
    pad_id: Id = 0
    pad_type_id: Id = 0
    pad_token: Annotated[str, Meta(max_length=64)] = "[PAD]"


class SpecialTokensSetting(Form, frozen=True, kw_only=True):
    """The arguments of tiktoken's `encode`.

    allowed_special: null for all. disallowed_special: null for all that are not allowed.
    """

    allowed_special: tuple[str, ...] | None = ()
    disallowed_special: tuple[str, ...] | None = None


class EncodingParts(Form, frozen=True, kw_only=True, omit_defaults=True):
    """An encoding with settings; without the parts that the official library does not give.

    offsets: in code points of the text of the pair, or of the word, that the token is from. word_ids, sequence_ids:
    null for tokens that were inserted. overflowing: the ids of each further window. char_to_token: of each text and of
    each of its code points, the first token that has it, or null; not for words.
    """

    ids: Ids
    type_ids: Ids | None = None
    attention_mask: Ids | None = None
    special_tokens_mask: Ids | None = None
    word_ids: tuple[Id | None, ...] | None = None
    overflowing: tuple[Ids, ...] | None = None
    offsets: tuple[Span, ...] | None = None
    sequence_ids: tuple[Id | None, ...] | None = None
    char_to_token: tuple[tuple[Id | None, ...], ...] | None = None

    def __post_init__(self) -> None:
        for name in ("type_ids", "attention_mask", "special_tokens_mask", "word_ids", "offsets", "sequence_ids"):
            part = getattr(self, name)
            if part is not None and len(part) != len(self.ids):
                raise ValueError(f"ids and {name} are {len(self.ids)} and {len(part)}")

    @property
    def encoded(self) -> Encoded:
        """The encoding, with None for what it does not have."""
        return Encoded(**msgspec.structs.asdict(self))


def encoding_parts(one: Encoded) -> EncodingParts:
    """An encoding as it stands in a file, without what is None.

    >>> msgspec.to_builtins(encoding_parts(Encoded((1, 2), type_ids=(0, 0))))
    {'ids': (1, 2), 'typeIds': (0, 0)}
    """
    return EncodingParts(**{name: getattr(one, name) for name in EncodingParts.__struct_fields__})


class EncodeWithVector(Vector, frozen=True, kw_only=True, omit_defaults=True):
    """A batch for one call with settings.

    inputs: each one text, or the two of a pair; with is_pretokenized, lists of words. truncation, padding: in place of
    those of the model's file, which hold where these are absent. special_in_text: of tiktoken alone.
    """

    inputs: Annotated[tuple[Input, ...], Meta(min_length=1, max_length=8)]
    is_pretokenized: bool = False
    truncation: TruncationSetting | None = None
    padding: PaddingSetting | None = None
    special_in_text: SpecialTokensSetting | None = None
    encodings: tuple[EncodingParts, ...] | None = None

    def __post_init__(self) -> None:
        if any(isinstance(text, str) == self.is_pretokenized for texts in self.inputs for text in texts):
            raise ValueError("inputs are lists of words with isPretokenized, and texts without it")
        if any(not is_scalar(word) for texts in self.inputs for text in texts for word in text):
            raise ValueError("inputs have a lone surrogate")
        if (self.encodings is None) != (self.result == "refused"):
            raise ValueError("has no encodings, or has some and is refused")
        if self.encodings is not None and len(self.encodings) != len(self.inputs):
            raise ValueError(f"inputs and encodings are {len(self.inputs)} and {len(self.encodings)}")


class EncodeGroup(Form, frozen=True, kw_only=True, tag_field="type", tag="encode"):
    """Texts to encode, the special tokens of the template added or not."""

    add_special_tokens: bool
    tests: tuple[EncodeVector, ...]


class DecodeGroup(Form, frozen=True, kw_only=True, tag_field="type", tag="decode"):
    """Ids to decode, special tokens skipped or not."""

    skip_special_tokens: bool
    tests: tuple[DecodeVector, ...]


class StreamEncodeGroup(Form, frozen=True, kw_only=True, tag_field="type", tag="stream-encode"):
    """Chunks for a streaming encoder."""

    add_special_tokens: bool
    tests: tuple[StreamEncodeVector, ...]


class StreamDecodeGroup(Form, frozen=True, kw_only=True, tag_field="type", tag="stream-decode"):
    """Ids for a streaming decoder."""

    skip_special_tokens: bool
    tests: tuple[StreamDecodeVector, ...]


class BatchGroup(Form, frozen=True, kw_only=True, tag_field="type", tag="batch"):
    """Texts for a batch call."""

    add_special_tokens: bool
    tests: tuple[BatchVector, ...]


class EncodeWithGroup(Form, frozen=True, kw_only=True, tag_field="type", tag="encode-with"):
    """Batches to encode with settings."""

    add_special_tokens: bool
    tests: tuple[EncodeWithVector, ...]

    def question(self, test: EncodeWithVector) -> Question:
        """What a test of the group asks."""
        truncation, padding, special = test.truncation, test.padding, test.special_in_text
        return Question(
            test.inputs,
            self.add_special_tokens,
            test.is_pretokenized,
            None if truncation is None else Truncation(**msgspec.structs.asdict(truncation)),
            None if padding is None else Padding(**msgspec.structs.asdict(padding)),
            None if special is None else SpecialInText(special.allowed_special, special.disallowed_special),
        )


Group: TypeAlias = EncodeGroup | DecodeGroup | StreamEncodeGroup | StreamDecodeGroup | BatchGroup | EncodeWithGroup


class VectorFile(Form, frozen=True, kw_only=True):
    """A file of vectors of one model.

    tier: "own" where a project wrote it. made_by: what wrote it. notes: by flag. coverage: what the vectors reach.
    """

    schema: Literal["tokenizer-vectors-1"] = FORM
    licence: str
    tier: Tier
    made_by: str
    model: VectorModel
    oracle: Oracle
    number_of_tests: Count
    notes: dict[str, Note]
    coverage: tuple[Reached, ...] = ()
    test_groups: tuple[Group, ...]

    def tests(self) -> Iterator[tuple[Group, Vector]]:
        """Each vector with its group, in order."""
        return ((group, test) for group in self.test_groups for test in group.tests)


def read_vectors(path: Path) -> VectorFile:
    """A file of vectors, packed by gzip or not. Raises InputError, with the place, for what is none."""
    return vectors_of(read_json(path), path)


def read_json(path: Path) -> Any:
    """The JSON of a file, packed by gzip or not. Raises InputError."""
    try:
        data = file_bytes(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        unpacked = _unpacked(data)
    except (EOFError, OSError, ValueError, zlib.error) as error:
        raise InputError(f"{path}: cannot be unpacked: {form_problem(error)}") from None
    try:
        return json.loads(unpacked.decode("utf-8"), parse_constant=refuse_constant)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is no JSON: byte {error.start} is not of UTF-8") from None
    except FORM_ERRORS as error:
        raise InputError(f"{path}: is no JSON: {form_problem(error)}") from None


def vectors_of(value: Any, path: Path) -> VectorFile:
    """The vectors of a JSON value. Raises InputError, with the place, for what is none. path: as it is to be named."""
    try:
        return msgspec.convert(value, VectorFile)
    except FORM_ERRORS as error:
        raise InputError(f"{path}: holds no vectors of the form {FORM}: {form_problem(error)}") from None


def are_vectors(value: Any) -> bool:
    """Whether a JSON value is meant to be a file of vectors, of this form or another."""
    return isinstance(value, dict) and str(value.get("schema", "")).startswith("tokenizer-vectors-")


def _unpacked(data: bytes) -> bytes:
    """Raises ValueError for what is longer than `MOST_BYTES`."""
    if data[:2] == b"\x1f\x8b":
        packed = zlib.decompressobj(16 + zlib.MAX_WBITS)
        data = packed.decompress(data, MOST_BYTES)
        if packed.unconsumed_tail:
            raise ValueError(f"it has more than {MOST_BYTES:,} bytes")
        if not packed.eof:
            raise ValueError("it ends too early")
    if len(data) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES:,} bytes")
    return data


def written(vectors: Form) -> str:
    r"""The text of a file, which has groups of tests: ASCII, a vector a line.

    >>> empty = VectorModel(name="m", file="f", format="tokenizer.json", sha256="0" * 64)
    >>> made = {"licence": "CC0-1.0", "tier": "own", "made_by": "hand", "notes": {}, "number_of_tests": 1}
    >>> test = EncodeVector(tc_id=1, flags=(), result="valid", text="\u00e9", ids=(7,))
    >>> groups = (EncodeGroup(add_special_tokens=True, tests=(test,)),)
    >>> file = VectorFile(model=empty, oracle=Oracle(library="l", version="1"), test_groups=groups, **made)
    >>> print(written(file).splitlines()[-4])
    {"tcId":1,"flags":[],"result":"valid","text":"\u00e9","ids":[7]}
    """
    value = msgspec.to_builtins(vectors)
    groups = value.pop("testGroups")
    lines = [f"{_compact(name)}:{_compact(part)}," for name, part in value.items()]
    shown = ",\n".join(map(_group, groups))
    return "{" + "\n".join(lines) + '\n"testGroups":[\n' + shown + "\n]\n}\n"


def _group(group: dict[str, Any]) -> str:
    tests = group.pop("tests")
    return _compact(group)[:-1] + ',"tests":[\n' + ",\n".join(map(_compact, tests)) + "\n]}"


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def packed(text: str) -> bytes:
    """The text by gzip, the same bytes for the same text: neither time nor name of the file is in it."""
    return gzip.compress(text.encode("ascii"), 9, mtime=0)


def vector_cases(vectors: VectorFile, name: str, language: str) -> list[Case]:
    """What the vectors ask, each once: texts and bytes to encode, ids to decode. name, language: of the cases."""
    found: dict[object, Case] = {}
    for group, test in vectors.tests():
        origin = f"{name}:{test.tc_id}"
        for given in filter(is_scalar, _asked(group, test)):
            if isinstance(given, str):
                case = text_case(given, origin, language)
            else:
                case = bytes_case(given, origin, language) if isinstance(given, bytes) else ids_case(given, origin)
            found.setdefault((case.kind, given), case)
    return [*found.values()]


def is_scalar(given: object) -> bool:
    """Whether it is anything but a text with a lone surrogate."""
    return not isinstance(given, str) or given.isascii() or not any("\ud800" <= unit <= "\udfff" for unit in given)


def _asked(group: Group, test: Vector) -> Sequence[str | bytes | tuple[int, ...]]:
    match test:
        case EncodeVector():
            return (test.given,)
        case DecodeVector() | StreamDecodeVector():
            return (test.ids,)
        case StreamEncodeVector():
            if not isinstance(test.chunks, UnsetType):
                return ("".join(test.chunks),)
            return () if isinstance(test.chunks_hex, UnsetType) else (bytes.fromhex("".join(test.chunks_hex)),)
        case BatchVector():
            return test.texts
        case EncodeWithVector():
            return [one if isinstance(one, str) else " ".join(one) for texts in test.inputs for one in texts]
        case _:
            return ()


def schema(kind: type[Form] = VectorFile, form: str = FORM) -> dict[str, Any]:
    """The JSON Schema of a file. kind: of the whole. form: its name.

    >>> schema()["$defs"]["DecodeVector"]["required"]
    ['tcId', 'flags', 'result', 'ids']
    """
    (root,), definitions = schemas([kind])
    return {"$schema": DIALECT, "title": form, **root, "$defs": definitions}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(schema(), indent=2) + "\n")
