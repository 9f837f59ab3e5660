"""The ids of units, in this process."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reftok
from reftok.encode_files import encoder
from reftok.encode_files.encoder import Encoder, Task
from reftok.encode_files.output import Encoded
from reftok.encode_files.sources import Unit
from reftok.errors import EncodingStopped, InvalidText


def whole(*documents: bytes) -> Unit:
    return Unit("a.txt", 1, documents, False, True, "", 0)


def parts(data: bytes, cuts: Sequence[int]) -> list[Unit]:
    """A long document, cut."""
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    return [Unit("a.txt", 1, [data[i:j]], True, n == len(cuts), "", 0) for n, (i, j) in enumerate(pairwise(edges))]


def ids_of(encoded: Encoded, dtype: str = "<u2") -> list[list[int]]:
    """The ids of each document."""
    ends = np.cumsum(encoded.lengths)
    return [ids.tolist() for ids in np.split(np.frombuffer(encoded.ids, dtype), ends)[:-1]]


def word_level(folder: Path, size: int, **more: Any) -> str:
    """A tokenizer.json with so many words: w0, w1, …"""
    model = {"type": "WordLevel", "vocab": {f"w{i}": i for i in range(size)}, "unk_token": "w0"}
    value = {"version": "1.0", "pre_tokenizer": {"type": "Whitespace"}, "model": model} | more
    (folder / "tokenizer.json").write_text(json.dumps(value), "utf-8")
    return str(folder / "tokenizer.json")


ADDED = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
SINGLE = [{"SpecialToken": {"id": "x", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": SINGLE,
    "pair": [*SINGLE, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"x": {"id": "x", "ids": [70_000], "tokens": ["x"]}},
}


@pytest.mark.parametrize(
    ("size", "more", "text", "ids"),
    [
        (65_536, {}, "w65535 w1", [65_535, 1]),
        (65_537, {}, "w65536 w1", [65_536, 1]),
        (65_536, {"added_tokens": [{"id": 65_536, "content": "<end>", **ADDED}]}, "w1<end>", [1, 65_536]),
        (10, {"post_processor": TEMPLATE}, "w1", [70_000, 1]),
    ],
)
def test_ids_have_two_bytes_if_the_largest_fits(
    tmp_path: Path, size: int, more: dict[str, Any], text: str, ids: list[int]
) -> None:
    found = Encoder(Task(word_level(tmp_path, size, **more)))
    dtype = found.identity()["dtype"]
    assert dtype == ("<u2" if max(size - 1, *ids) < 1 << 16 else "<u4")
    assert ids_of(found.encode(whole(text.encode())), dtype) == [ids]


def test_documents_without_ids_of_a_model_without_a_vocab_are_encoded(tmp_path: Path) -> None:
    """Fault: the highest of no ids was 0, which is not below a bound of 0."""
    path = word_level(tmp_path, 0, model={"type": "BPE", "vocab": {}, "merges": []})
    assert ids_of(Encoder(Task(path)).encode(whole(b"hello", b""))) == [[], []]


@pytest.mark.parametrize("model", ["bpe-llama3", "spm-unigram", "spm-bpe-hf"])
@pytest.mark.parametrize("end", [None, "<norm>", "<|end_of_text|>"])
def test_the_ids_are_those_of_encode_ids_and_the_end_token(model: str, end: str | None) -> None:
    texts = ["Hello world", "", "\ufeffa\r", "日本語 ☃\0", "  <|end_of_text|></s> x"]
    tokenizer = reftok.load(model)
    token_id = None if end is None else tokenizer.token_to_id(end)
    task = Task(model, add_special_tokens=end is None, end_token=end)
    if end is not None and token_id is None:
        with pytest.raises(EncodingStopped, match=f"{model}: has no token '.*' to end a document with"):
            Encoder(task)
        return
    after = [] if token_id is None else [token_id]
    found = ids_of(Encoder(task).encode(whole(*map(str.encode, texts))))
    assert found == [tokenizer.encode_ids(text, add_special_tokens=end is None) + after for text in texts]


@pytest.mark.parametrize("model", ["bpe-qwen", "spm-unigram"])
def test_bytes_that_are_not_utf_8_stop_at_their_place_or_are_replaced(model: str) -> None:
    unit = whole("a good \ufffd".encode(), b"b\xc3\xa9\xff!", b"\xe6\x97")
    with pytest.raises(EncodingStopped, match=r"^a\.txt, document 2: byte 3 is not UTF-8: --errors replace"):
        Encoder(Task(model)).encode(unit)
    found = Encoder(Task(model, "replace")).encode(unit)
    assert ids_of(found) == list(map(reftok.load(model).encode_ids, ["a good \ufffd", "bé\ufffd!", "\ufffd"]))
    assert found.replaced == 2


def test_a_document_that_the_tokenizer_refuses_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: reftok.Tokenizer, text: str, **_: bool) -> list[int]:
        if text == "b":
            raise InvalidText("takes too long")
        return [1]

    monkeypatch.setattr(reftok.Tokenizer, "encode_ids", refuse)
    with pytest.raises(EncodingStopped, match=r"^a\.txt, document 2: takes too long$"):
        Encoder(Task("bpe-gpt2")).encode(whole(b"a", b"b"))


ENCODERS = {
    model: Encoder(Task(model, "replace", end_token=end))
    for model, end in (("bpe-llama3", "<|end_header_id|>"), ("spm-unigram", None), ("spm-bpe-hf", "<norm>"))
}
TEXTS = st.one_of(st.text(max_size=30), st.text("aé 日\ufffd</s>\n", max_size=30)).map(str.encode)


@pytest.mark.parametrize("model", ENCODERS)
@given(st.one_of(TEXTS, st.binary(max_size=20)), st.lists(st.integers(0, 40), max_size=6))
def test_a_document_in_parts_has_the_ids_of_the_whole_one(model: str, data: bytes, cuts: list[int]) -> None:
    found = [ENCODERS[model].encode(part) for part in parts(data, cuts)]
    expected = ENCODERS[model].encode(whole(data))
    assert b"".join(part.ids for part in found) == expected.ids
    assert [list(part.lengths) for part in found] == [*[[]] * len(cuts), list(expected.lengths)]
    assert sum(part.replaced for part in found) == expected.replaced


@given(TEXTS, st.sampled_from([b"\xff", b"\xe6\x97a"]), st.lists(st.integers(0, 40)))
def test_bytes_that_are_not_utf_8_have_one_place_however_a_document_is_cut(
    start: bytes, bad: bytes, cuts: list[int]
) -> None:
    found = Encoder(Task("spm-char"))
    with pytest.raises(EncodingStopped, match=f"document 1: byte {len(start)} is not UTF-8"):
        list(map(found.encode, parts(start + bad + b"rest", cuts)))


def test_a_document_that_must_be_held_back_is_refused_at_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "LONGEST", 50)
    truncation = {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
    found = Encoder(Task(word_level(tmp_path, 10, truncation=truncation)))
    assert found.identity()["alters"] == "truncation"
    first, second, _ = parts(b"w1 " * 30, [30, 60])
    found.encode(first)
    with pytest.raises(EncodingStopped, match=r"document 1: the tokenizer must hold .*Truncation.*: split it"):
        found.encode(second)


@pytest.mark.parametrize("cut", [1, -1])
def test_a_request_that_its_writer_was_killed_at_is_the_end(cut: int) -> None:
    """Fault: the process that encodes ended in a traceback on the terminal."""
    command = [sys.executable, "-c", 'from reftok.encode_files.encoder import main; main("""{"model": "bpe-gpt2"}""")']
    data = pickle.dumps(whole(b"a text"))
    done = subprocess.run(command, input=data + data[:cut], capture_output=True, timeout=60, check=False)
    assert ids_of(pickle.loads(done.stdout)) == [reftok.load("bpe-gpt2").encode_ids("a text")]
    assert (done.returncode, done.stderr) == (0, b"")
