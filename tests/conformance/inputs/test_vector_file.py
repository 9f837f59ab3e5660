"""Files of vectors: read as they were written, refused with the place, told apart from other corpora."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conformance.core.errors import InputError
from conformance.inputs import vector_file
from conformance.inputs.corpora import corpus_files, read_corpus
from conformance.inputs.vector_file import packed, read_vectors, schema, vectors_of, written

VECTORS = Path(__file__).parents[3] / "corpora" / "vectors"
NOTE = {"stage": "Normalizer", "rule": "NFC is missing", "effect": "other ids", "description": "", "links": []}
FILE: dict[str, Any] = {
    "schema": "tokenizer-vectors-1",
    "licence": "CC0-1.0",
    "tier": "own",
    "madeBy": "hand",
    "model": {"name": "m", "file": "tokenizer.json", "format": "tokenizer.json", "sha256": "0" * 64},
    "oracle": {"library": "tokenizers", "version": "0"},
    "numberOfTests": 4,
    "notes": {"Normalizer: NFC is missing": NOTE},
    "coverage": [],
    "testGroups": [
        {
            "type": "encode",
            "addSpecialTokens": True,
            "tests": [
                {"tcId": 1, "flags": ["Normalizer: NFC is missing"], "result": "valid", "text": "é\u2028😀",
                 "ids": [7]},
                {"tcId": 2, "flags": ["Normalizer: NFC is missing"], "result": "valid", "bytesHex": "ff", "ids": [8]},
                {"tcId": 3, "flags": [], "result": "refused", "utf16": [0xD83D, 0x61]},
            ],
        },
        {"type": "decode", "skipSpecialTokens": False, "tests": [
            {"tcId": 4, "flags": [], "result": "valid", "ids": [1, 2], "text": "a"}
        ]},
    ],
}  # fmt: skip


def test_what_is_written_is_read_again_and_is_ascii() -> None:
    vectors = vectors_of(FILE, Path("a.json"))
    text = written(vectors)
    assert text.isascii()
    assert json.loads(text) == FILE
    assert vectors_of(json.loads(text), Path("a.json")) == vectors


def test_the_same_text_is_packed_to_the_same_bytes_without_a_time() -> None:
    assert packed("a")[4:8] == bytes(4)
    assert gzip.decompress(packed("a")) == b"a"


def test_the_published_schema_is_that_of_the_types_and_takes_a_file() -> None:
    published = json.loads((VECTORS / "tokenizer-vectors-1.schema.json").read_text("ascii"))
    assert published == json.loads(json.dumps(schema()))
    jsonschema.validate(FILE, published)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"schema": "tokenizer-vectors-9"}, "tokenizer-vectors-9"),
        ({"tier": "none"}, "tier"),
        ({"unknown": 1}, "unknown"),
        ({"model": {**FILE["model"], "sha256": "x"}}, "sha256"),
        ({"testGroups": [{"type": "train", "tests": []}]}, "train"),
    ],
)
def test_another_form_is_refused_with_its_place(change: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        vectors_of({**FILE, **change}, Path("a.json"))


@pytest.mark.parametrize(
    "data", [b"\x1f\x8b", b"\x1f\x8bxx", packed(json.dumps(FILE))[:-20], b"{", b"\xff", b"[" * 99_999]
)
def test_a_damaged_file_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.json.gz"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"a\.json\.gz"):
        read_vectors(path)


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_file, "MOST_BYTES", 1000)
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(b" " * 1_000_000))
    with pytest.raises(InputError, match="more than"):
        read_vectors(path)


@pytest.mark.parametrize("name", ["mine.json", "mine.json.gz"])
def test_vectors_are_a_corpus_without_lone_surrogates(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    text = json.dumps(FILE)
    path.write_bytes(packed(text) if name.endswith(".gz") else text.encode())
    cases = read_corpus(path)
    assert [(case.kind, case.text, case.data, case.ids) for case in cases] == [
        ("text", "é\u2028😀", b"", ()),
        ("bytes", "", b"\xff", ()),
        ("ids", "", b"", (1, 2)),
    ]


def test_packed_vectors_in_a_folder_are_a_corpus(tmp_path: Path) -> None:
    """Fault: they were read only where the file itself was named."""
    (tmp_path / "smoke.json.gz").write_bytes(packed(written(vectors_of(FILE, Path("a.json")))))
    assert corpus_files((str(tmp_path),)) == [tmp_path / "smoke.json.gz"]
