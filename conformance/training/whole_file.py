"""The whole of a trained file beside what was learned: each field, and where two files differ in them.

Source: sentencepiece 0.2.3 sentencepiece_model.proto (`ModelProto`); tokenizers 0.23 tokenizer/serialization.rs.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.training.case import Learned, TrainingDifference
from reftok.formats.sentencepiece.protobuf import read_fields
from reftok.rules.viterbi import to_float32
from reftok.training.sentencepiece.options import DEFAULTS, MODEL_TYPES, NORMALIZER_FIELDS, TRAINER_FIELDS, Kind

MAY_DIFFER: Mapping[str, str] = {
    "the order of keys and fields": "neither JSON nor protobuf gives it a meaning",
    "a key whose value is null or [], and a missing key": "tokenizers reads them alike",
    "a field of a .model that has its default, and a missing field": "protobuf reads both alike",
    "numbers that are the same in float32": "both libraries keep no more",
    "scores of hf-unigram by 0.001": "those of the library differ by as much from process to process",
    "ids of hf-unigram, and the order of its added tokens": "the order of equal scores is one of chance",
    "the ids of added tokens, where the vocab differs": "they follow from it",
}
"""What is not a difference between two files, with the reason."""

_LEARNED = {"vocab", "merges"}
_FOLLOWS = {"pieces", "pieces.type", "trainer_spec.vocab_size", "added_tokens.id", "model.unk_id"}
"""Paths that follow from the vocab: not compared if the vocabs differ. "pieces" differs if their number does."""
_PARTS = {1: "pieces", 2: "trainer_spec", 3: "normalizer_spec", 4: "self_test_data", 5: "denormalizer_spec"}
_PIECE_TYPES = {1: "NORMAL", 2: "UNKNOWN", 3: "CONTROL", 4: "USER_DEFINED", 5: "UNUSED", 6: "BYTE"}
_MISSING = object()


def file_differences(
    expected: Learned, observed: Learned, same_vocab: bool, ignored: frozenset[str] = frozenset()
) -> tuple[TrainingDifference, ...]:
    """Where two files differ beside the vocab, merges and scores, a difference for each path of keys.

    same_vocab: whether the vocabs are the same; what depends on them is left out if not.
    ignored: paths that are left out.

    >>> one, other = (Learned((), (), {"version": "1.0", "model": {"unk_token": token}}) for token in ("[UNK]", None))
    >>> file_differences(one, other, True)
    (TrainingDifference(place='model unk_token', expected="'[UNK]'", observed='not written', path='model.unk_token'),)
    """
    left_out = ignored if same_vocab else ignored | _FOLLOWS
    found: dict[str, TrainingDifference] = {}
    for path, place, left, right in _differences("", "", _tree(expected), _tree(observed)):
        if path not in left_out and path not in found:
            found[path] = TrainingDifference(place, _shown(left), _shown(right), path)
    return tuple(found.values())


def _shown(value: Any) -> str:
    if value is _MISSING:
        return "not written"
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:160]} … ({len(text):,} characters)"


def _differences(path: str, place: str, expected: Any, observed: Any) -> Iterator[tuple[str, str, Any, Any]]:
    if isinstance(expected, Mapping) and isinstance(observed, Mapping):
        for key in dict.fromkeys((*expected, *observed)):
            inner, at = (f"{path}.{key}", f"{place} {key}") if path else (key, key)
            yield from _differences(inner, at, expected.get(key, _MISSING), observed.get(key, _MISSING))
    elif isinstance(expected, list) and isinstance(observed, list) and len(expected) == len(observed):
        for number, (left, right) in enumerate(zip(expected, observed, strict=True)):
            yield from _differences(path, f"{place} {number}", left, right)
    elif not _is_same(expected, observed):
        yield path, place, expected, observed


def _is_same(expected: Any, observed: Any) -> bool:
    if isinstance(expected, float) and isinstance(observed, float):
        return to_float32(expected) == to_float32(observed)
    return type(expected) is type(observed) and bool(expected == observed)


def _tree(learned: Learned) -> dict[str, Any]:
    """The fields of a file without the vocab, those that say nothing left out."""
    if isinstance(learned.value, bytes):
        return _tree_of_model(learned.value)
    value = _without_null(learned.value or {})
    model = {key: part for key, part in value.get("model", {}).items() if key not in _LEARNED}
    if model.get("type") != "Unigram":
        return {**value, "model": model}
    tokens: dict[int, str] = {number: token for number, token, _ in learned.entries}

    def named(number: Any) -> Any:
        """The token of an id: which id it is, is left to chance where scores are equal."""
        return tokens.get(number, number) if type(number) is int else number

    unknown = {"unk_id": named(model["unk_id"])} if "unk_id" in model else {}
    added = value.get("added_tokens", [])
    if isinstance(added, list) and all(isinstance(one, Mapping) for one in added):
        added = [{**one, "id": named(one["id"])} if "id" in one else one for one in added]
        added.sort(key=lambda one: str(one.get("content")))
    return {**value, "model": model | unknown, "added_tokens": added}


def _without_null(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_null(part) for key, part in value.items() if part is not None and part != []}
    return [_without_null(part) for part in value] if isinstance(value, list) else value


def _tree_of_model(data: bytes) -> dict[str, Any]:
    tree: dict[str, Any] = {"pieces": []}
    for number, _, _, message in read_fields(data, ""):
        part = _PARTS.get(number, f"field {number}")
        if part == "pieces" and isinstance(message, bytes):
            kind = next((value for field, _, _, value in read_fields(message, "") if field == 3), 1)
            tree[part].append({"type": _PIECE_TYPES.get(int(kind), kind)})
        elif part.endswith("_spec") and isinstance(message, bytes):
            known = TRAINER_FIELDS if part == "trainer_spec" else NORMALIZER_FIELDS
            tree[part] = {
                name: value for name, value in spec_fields(message, known).items() if not _is_default(name, value)
            }
        else:
            tree.setdefault(part, []).append(message)
    return tree


def _is_default(name: str, value: Any) -> bool:
    default = DEFAULTS.get(name, _MISSING)
    return _is_same(list(default) if isinstance(default, tuple) else default, value)


def specs_of(data: bytes) -> dict[str, Any]:
    """The options that the specs of a `.model` hold, by name."""
    options: dict[str, Any] = {}
    for number, _, _, message in read_fields(data, ""):
        known = {"trainer_spec": TRAINER_FIELDS, "normalizer_spec": NORMALIZER_FIELDS}.get(_PARTS.get(number, ""))
        if known is not None and isinstance(message, bytes):
            options |= {name: value for name, value in spec_fields(message, known).items() if name in known}
    return options


def spec_fields(message: bytes, known: Mapping[str, tuple[int, Kind]]) -> dict[str, Any]:
    """The fields of a spec by name, those without a name by number; raises TypeError for a value of another form."""
    names = {number: (name, kind) for name, (number, kind) in known.items()}
    found: dict[str, Any] = {}
    for number, _, _, value in read_fields(message, ""):
        name, kind = names.get(number, (f"field {number}", "bytes"))
        if kind == "strings":
            found.setdefault(name, []).append(_text(value))
        elif kind == "model_type":
            found[name] = {number: name for name, number in MODEL_TYPES.items()}[_number(value)]
        elif kind == "float":
            (found[name],) = struct.unpack("<f", value) if isinstance(value, bytes) else (value,)
        elif kind == "bool":
            found[name] = bool(value)
        elif isinstance(value, bytes):
            found[name] = value if kind == "bytes" else _text(value)
        else:
            found[name] = _number(value)
    return found


def _text(value: object) -> str:
    if not isinstance(value, bytes):
        raise TypeError("a text has another form")
    return value.decode("utf-8")


def _number(value: object) -> int:
    """An int32 of protobuf: negative numbers are written as 64 bits."""
    if not isinstance(value, int):
        raise TypeError("a number has another form")
    return value - (1 << 64) if value >= 1 << 63 else value


def file_of(learned: Learned) -> bytes:
    """The bytes of the file; of a tokenizer.json others than those that were read, with the same meaning."""
    return learned.value if isinstance(learned.value, bytes) else json.dumps(learned.value).encode("utf-8")
