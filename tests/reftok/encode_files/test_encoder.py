"""What a process that encodes makes of documents, without the process."""

from __future__ import annotations

import collections
import io
import json
import pickle
import sys
from array import array
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reftok
from reftok.encode_files import encoder
from reftok.encode_files.encoder import DocumentEncoder, LongDocument, serve
from reftok.encode_files.engines import Engine
from reftok.encode_files.messages import Failure, Part, Ready, Reply, StopError, Task
from reftok.encode_files.output import UINT16, Output, Paths, id_type, npy_header
from reftok.errors import EncodingStopped, ReftokError


def ids_of(reply: Reply, kind: str = "<u2") -> list[list[int]]:
    """The ids of each document."""
    ends = np.cumsum(np.array(reply.lengths, dtype=np.int64))
    return [part.tolist() for part in np.split(np.frombuffer(reply.ids, kind), ends)[:-1]]


def word_level(path: Path, size: int, **more: Any) -> Path:
    """A tokenizer.json with so many words: w0, w1, …"""
    model = {"type": "WordLevel", "vocab": {f"w{i}": i for i in range(size)}, "unk_token": "w0"}
    value: dict[str, Any] = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
    }
    path.write_text(json.dumps(value | {"post_processor": None, "decoder": None, "model": model} | more), "utf-8")
    return path


@pytest.mark.parametrize("size", [65_535, 65_536, 65_537])
def test_ids_have_two_bytes_as_long_as_the_last_one_fits(tmp_path: Path, size: int) -> None:
    found = DocumentEncoder(Task(str(word_level(tmp_path / "tokenizer.json", size))))
    ready = found.ready()
    assert ready.bound == size
    stored = id_type(ready.bound)
    assert stored.name == ("uint16" if size <= 65_536 else "uint32")
    assert ids_of(found.documents([f"w{size - 1} w1".encode()]), stored.descr) == [[size - 1, 1]]


def test_documents_without_ids_of_a_model_without_a_vocab_are_encoded(tmp_path: Path) -> None:
    """Fault: the highest of no ids was 0, which is not below a bound of 0."""
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"version": "1.0", "model": {"type": "BPE", "vocab": {}, "merges": []}}), "utf-8")
    assert ids_of(DocumentEncoder(Task(str(path))).documents([b"hello", b""])) == [[], []]


def test_an_added_token_beyond_the_vocab_counts_for_the_type(tmp_path: Path) -> None:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    added = [{"id": 65_536, "content": "<end>", **flags}]
    path = word_level(tmp_path / "tokenizer.json", 65_536, added_tokens=added)
    found = DocumentEncoder(Task(str(path)))
    assert ids_of(found.documents([b"w1<end>"]), id_type(found.ready().bound).descr) == [[1, 65_536]]


def test_an_id_in_a_template_beyond_the_vocab_counts_for_the_type(tmp_path: Path) -> None:
    single = [{"SpecialToken": {"id": "x", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    special = {"x": {"id": "x", "ids": [70_000], "tokens": ["x"]}}
    template = {"type": "TemplateProcessing", "single": single, "pair": single, "special_tokens": special}
    template["pair"] = [*single, {"Sequence": {"id": "B", "type_id": 1}}]
    found = DocumentEncoder(Task(str(word_level(tmp_path / "tokenizer.json", 10, post_processor=template))))
    assert ids_of(found.documents([b"w1"]), id_type(found.ready().bound).descr) == [[70_000, 1]]


def test_an_id_that_no_type_holds_is_refused() -> None:
    assert id_type(1 << 32).name == "uint32"
    with pytest.raises(EncodingStopped, match="4294967296"):
        id_type((1 << 32) + 1)


def test_an_id_beyond_the_vocab_never_reaches_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine("reftok", {}, lambda texts: [[1], [5_055]])
    monkeypatch.setattr(encoder, "reftok_engine", lambda tokenizer, add_special_tokens: engine)
    with pytest.raises(StopError) as raised:
        DocumentEncoder(Task("bpe-qwen")).documents([b"a", b"b"])
    assert raised.value.failure == Failure("text", "gave the id 5055, and the vocab ends at 5055", 1)


@pytest.mark.parametrize("model", ["bpe-qwen", "bpe-llama3", "spm-unigram", "spm-bpe-hf"])
@pytest.mark.parametrize("task", [Task(""), Task("", verify=True), Task("", add_special_tokens=False)])
def test_the_ids_are_those_of_encode_ids(model: str, task: Task) -> None:
    texts = ["Hello world", "", "\ufeffa\r", "日本語 ☃\0", "  <|endoftext|></s> x"]
    tokenizer = reftok.load(model)
    found = DocumentEncoder(replace(task, model=model)).documents([text.encode() for text in texts])
    assert ids_of(found) == [tokenizer.encode_ids(text, add_special_tokens=task.add_special_tokens) for text in texts]
    assert found.code_points == sum(map(len, texts))


def test_the_end_token_stands_behind_each_document() -> None:
    tokenizer = reftok.load("bpe-qwen")
    found = DocumentEncoder(Task("bpe-qwen", end_token="<|endoftext|>")).documents([b"a", b""])
    end = tokenizer.token_to_id("<|endoftext|>")
    assert ids_of(found) == [[*tokenizer.encode_ids("a"), end], [end]]
    with pytest.raises(EncodingStopped, match="has no token '<eot>'"):
        DocumentEncoder(Task("bpe-qwen", end_token="<eot>"))


@pytest.mark.parametrize("model", ["bpe-qwen", "spm-unigram"])
def test_bytes_that_are_not_utf_8_stop_at_their_place_or_are_replaced(model: str) -> None:
    documents = [b"good", b"b\xc3\xa9\xff!", b"\xe6\x97"]
    with pytest.raises(StopError) as raised:
        DocumentEncoder(Task(model)).documents(documents)
    assert (raised.value.failure.document, raised.value.failure.byte) == (1, 3)
    found = DocumentEncoder(Task(model, errors="replace")).documents(documents)
    encode = reftok.load(model).encode_ids
    assert ids_of(found) == [encode("good"), encode("bé\ufffd!"), encode("\ufffd")]
    assert found.replaced == 2


@pytest.mark.parametrize("engine", ["tokenizers", "sentencepiece", "tiktoken"])
def test_an_engine_that_does_not_know_the_model_is_refused(engine: str) -> None:
    model = "spm-bpe" if engine != "sentencepiece" else "bpe-qwen"
    with pytest.raises(EncodingStopped, match=f"--engine {engine} cannot read it"):
        DocumentEncoder(Task(model, engine=engine))


@pytest.mark.parametrize(("model", "engine"), [("bpe-llama3", "tokenizers"), ("spm-bpe", "sentencepiece")])
@pytest.mark.parametrize("verify", [False, True])
@pytest.mark.parametrize("add_special_tokens", [False, True])
def test_the_official_library_encodes_on_request(
    model: str, engine: str, verify: bool, add_special_tokens: bool
) -> None:
    task = Task(model, engine=engine, verify=verify, add_special_tokens=add_special_tokens)
    found = DocumentEncoder(task)
    assert engine in found.ready().versions
    ours = DocumentEncoder(replace(task, engine="reftok", verify=False))
    documents = [b"Hello world", b"", "日本語".encode()]
    assert found.documents(documents) == ours.documents(documents)


def test_a_tiktoken_file_is_encoded_by_tiktoken(tmp_path: Path) -> None:
    import base64

    ranks = "".join(f"{base64.b64encode(bytes([i])).decode()} {i}\n" for i in range(256))
    path = tmp_path / "bytes.tiktoken"
    path.write_text(ranks, "utf-8")
    task = Task(str(path), encoding="gpt2", engine="tiktoken", verify=True)
    assert ids_of(DocumentEncoder(task).documents([b"a b", b""])) == [[97, 32, 98], []]


def test_a_library_that_is_missing_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(EncodingStopped, match='tokenizers is not installed: pip install "tokenizers"'):
        DocumentEncoder(Task("bpe-qwen", verify=True))
    assert DocumentEncoder(Task("bpe-qwen")).ready().library == "tokenizers"


def test_padding_of_the_model_file_does_not_look_at_the_rest_of_the_batch(tmp_path: Path) -> None:
    padding = {
        "strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None,
        "pad_id": 3, "pad_type_id": 0, "pad_token": "w3",
    }  # fmt: skip
    path = word_level(tmp_path / "tokenizer.json", 10, padding=padding)
    found = DocumentEncoder(Task(str(path), verify=True))
    assert ids_of(found.documents([b"w1 w2", b"w1"])) == [[1, 2], [1]]
    assert found.ready().alters == "padding"


def wrong(tokenizer: Any, add_special_tokens: bool) -> Engine:
    """An engine that leaves the last id out."""
    return Engine(
        "reftok", {}, lambda texts: [tokenizer.encode_ids(text)[: -1 if "b" in text else None] for text in texts]
    )


def test_verifying_names_document_and_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "reftok_engine", wrong)
    with pytest.raises(StopError) as raised:
        DocumentEncoder(Task("bpe-gpt2", verify=True)).documents([b"a", b"ab"])
    failure = raised.value.failure
    assert (failure.kind, failure.document) == ("mismatch", 1)
    assert failure.message.startswith("token 0: reftok gives none, tokenizers gives ")


def test_a_document_that_the_tokenizer_refuses_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(texts: Sequence[str]) -> list[list[int]]:
        if "b" in texts:
            raise ReftokError("takes too long")
        return [[1] for _ in texts]

    monkeypatch.setattr(encoder, "reftok_engine", lambda *_: Engine("reftok", {}, refusing))
    with pytest.raises(StopError) as raised:
        DocumentEncoder(Task("bpe-gpt2")).documents([b"a", b"b"])
    assert raised.value.failure == Failure("text", "takes too long", 1)


class Panic(BaseException):
    """As pyo3 raises it."""


@pytest.mark.parametrize("engine", ["reftok", "tokenizers"])
def test_a_panic_of_the_official_library_is_traced_to_its_document(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def panicking(texts: Sequence[str]) -> list[list[int]]:
        if "b" in texts:
            raise Panic("index out of bounds")
        return [reftok.load("bpe-gpt2").encode_ids(text) for text in texts]

    monkeypatch.setattr(encoder, "official_engine", lambda *_: Engine("tokenizers", {}, panicking))
    with pytest.raises(StopError) as raised:
        DocumentEncoder(Task("bpe-gpt2", engine=engine, verify=True)).documents([b"a", b"b"])
    assert raised.value.failure == Failure("text", "tokenizers refuses it: index out of bounds", 1)


def parts(data: bytes, cuts: Sequence[int]) -> list[Part]:
    """The document, cut."""
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [data[start:stop] for start, stop in pairwise(edges)]
    return [Part(piece, i == 0, i == len(pieces) - 1) for i, piece in enumerate(pieces)]


ENCODERS = {
    model: DocumentEncoder(Task(model, errors="replace", end_token=end))
    for model, end in (("bpe-llama3", "<|end_header_id|>"), ("spm-unigram", None), ("spm-bpe-hf", "<norm>"))
}


TEXTS = st.one_of(st.text(max_size=30), st.text("aé 日</s>\n", max_size=30)).map(str.encode)


@pytest.mark.parametrize("model", ENCODERS)
@given(
    st.one_of(
        st.text(max_size=30).map(str.encode),
        st.text("aé 日</s>\n", max_size=30).map(str.encode),
        st.binary(max_size=20),
    ),
    st.lists(st.integers(0, 40), max_size=6),
)
def test_a_document_in_parts_has_the_ids_of_the_whole_one(model: str, data: bytes, cuts: list[int]) -> None:
    replies = [ENCODERS[model].part(part) for part in parts(data, cuts)]
    whole = ENCODERS[model].documents([data])
    assert b"".join(reply.ids for reply in replies) == whole.ids
    assert [list(reply.lengths) for reply in replies] == [*[[]] * (len(replies) - 1), list(whole.lengths)]
    assert sum(reply.code_points for reply in replies) == whole.code_points
    assert sum(reply.replaced for reply in replies) == whole.replaced


@given(TEXTS, st.sampled_from([b"\xff", b"\xe6\x97a"]), st.lists(st.integers(0, 40)))
def test_bytes_that_are_not_utf_8_have_one_place_however_a_document_is_cut(
    start: bytes, bad: bytes, cuts: list[int]
) -> None:
    document = LongDocument(reftok.load("spm-char"), Task("spm-char"))
    with pytest.raises(StopError) as raised:
        collections.deque(map(document.feed, parts(start + bad + b"rest", cuts)))
    assert raised.value.failure.byte == len(start)


def test_a_document_that_must_be_held_back_is_refused_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "LONGEST", 50)
    found = DocumentEncoder(Task("bpe-qwen"))
    with pytest.raises(StopError, match="must hold back more than"):
        found.part(Part(b" " * 60, True, False))


def test_a_model_that_truncates_holds_a_long_document_no_longer_than_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "LONGEST", 50)
    truncation = {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
    found = DocumentEncoder(Task(str(word_level(tmp_path / "tokenizer.json", 10, truncation=truncation))))
    assert found.ready().alters == "truncation"
    found.part(Part(b"w1 " * 10, True, False))
    with pytest.raises(StopError, match=r"Truncation.*split it"):
        found.part(Part(b"w1 " * 10, False, False))


@pytest.mark.parametrize("task", [Task("bpe-qwen", engine="tokenizers"), Task("bpe-qwen", verify=True)])
def test_the_official_library_is_given_no_document_beyond_its_limit(task: Task) -> None:
    assert task.longest > Task("bpe-qwen").longest
    with pytest.raises(StopError, match="is longer than 16 MiB"):
        DocumentEncoder(task).part(Part(b"a", True, False))


@pytest.mark.parametrize("cut", [1, 10, -1])
def test_a_request_that_its_writer_was_killed_at_is_the_end(cut: int) -> None:
    """Fault: the process that encodes ended in a traceback on the terminal."""
    request = pickle.dumps([b"a text" * 20], protocol=pickle.HIGHEST_PROTOCOL)
    serve(io.BytesIO(request[:cut]), replies := io.BytesIO())
    assert not replies.getvalue()


def test_requests_are_answered_until_there_are_no_more() -> None:
    requests, replies = io.BytesIO(), io.BytesIO()
    for request in (Task("bpe-gpt2"), [b"Hello"], [b"\xff"], Part(b"He", True, False), Part(b"llo", False, True)):
        pickle.dump(request, requests)
    requests.seek(0)
    serve(requests, replies)
    replies.seek(0)
    ready, whole, failure, first, last = (pickle.load(replies) for _ in range(5))
    assert isinstance(ready, Ready)
    assert isinstance(failure, Failure)
    assert first.ids + last.ids == whole.ids
    assert whole.lengths == last.lengths == array("Q", [len(whole.ids) // 2])


@pytest.mark.parametrize(
    ("task", "kind"), [(Task("no-such-model"), "worker"), (Task("bpe-gpt2", engine="tiktoken"), "worker"), (7, "fault")]
)
def test_what_goes_wrong_is_an_answer(task: object, kind: str) -> None:
    requests, replies = io.BytesIO(pickle.dumps(task)), io.BytesIO()
    serve(requests, replies)
    assert pickle.loads(replies.getvalue()).kind == kind


def test_what_was_written_behind_the_last_checkpoint_is_dropped(tmp_path: Path) -> None:
    paths = Paths(tmp_path / "out.npy", has_index=True)
    paths.folder.mkdir()
    killed = Output(paths, UINT16, 0, 0)
    killed.write_ids(np.arange(9, dtype="<u2").tobytes())
    killed.write_lengths([4, 5], 0)
    killed.close()
    again = Output(paths, UINT16, 1, 4)
    again.finish(1, 4)
    again.close()
    assert (paths.folder / "tokens").read_bytes() == npy_header("<u2", 4) + np.arange(4, dtype="<u2").tobytes()
    assert (paths.folder / "index").read_bytes() == npy_header("<u8", 2) + np.array([0, 4], "<u8").tobytes()


@pytest.mark.parametrize("count", [0, 7, 10**19])
@pytest.mark.parametrize("descr", ["<u2", "<u4", "<u8"])
def test_numpy_reads_the_header(count: int, descr: str) -> None:
    file = io.BytesIO(npy_header(descr, count))
    assert np.lib.format.read_magic(file) == (1, 0)
    assert np.lib.format.read_array_header_1_0(file) == ((count,), False, np.dtype(descr))
    assert file.tell() == 128
