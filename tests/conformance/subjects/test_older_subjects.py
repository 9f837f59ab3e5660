"""Adapters under older releases: what a release lacks is not asked of it, and is no failure."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import tokenizers

from conformance.core.observation import Encoded, Failure
from conformance.core.streaming import Feeding
from conformance.subjects import sentencepiece_subject, tokenizers_subject
from conformance.subjects.sentencepiece_subject import OlderSentencePieceSubject
from reftok import embedded_models

PLAIN = Feeding("decoder", (1, 2, 3))


def test_a_release_without_decode_stream_has_nothing_that_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    path = embedded_models()["bpe-gpt2"]
    assert tokenizers_subject.load(path, "tokenizer.json").stream([PLAIN]) != [None]
    monkeypatch.delattr(tokenizers.decoders, "DecodeStream")
    assert tokenizers_subject.load(path, "tokenizer.json").stream([PLAIN]) == [None]


class OlderProcessor:
    """What sentencepiece 0.2.1 answers, as far as the adapter asks: it has no return_type."""

    def encode(self, text: Any, *, out_type: Any, num_threads: int = 1) -> Any:
        if isinstance(text, list):
            return [self.encode(item, out_type=out_type) for item in text]
        if text == "!":
            raise ValueError("no")
        if out_type == "immutable_proto":
            assert isinstance(text, str), "it would end the process"
            pieces = enumerate(text)
            return SimpleNamespace(pieces=[SimpleNamespace(id=ord(c), piece=c, begin=i, end=i + 1) for i, c in pieces])
        return [bytes([byte]) if out_type is str else byte for byte in text]


@pytest.fixture
def older() -> OlderSentencePieceSubject:
    subject = OlderSentencePieceSubject(embedded_models()["spm-char"])
    subject._encode = OlderProcessor().encode
    return subject


def test_offsets_come_from_the_older_proto_and_bytes_have_none(older: OlderSentencePieceSubject) -> None:
    ab = Encoded((97, 98), ("a", "b"), ((0, 1), (1, 2)))
    assert older.encode("ab") == ab
    assert older.encode_batch(["ab", "a"]) == [ab, Encoded((97,), ("a",), ((0, 1),))]
    assert older.encode(b"a\xff") == Encoded((97, 255), ("a", "\ufffd"))
    assert older.encode_batch(["ab", b"a"]) == [ab, Encoded((97,), ("a",))]


def test_an_error_is_a_refusal_of_that_text_alone(older: OlderSentencePieceSubject) -> None:
    refused, answered = older.encode_batch(["!", "a"])
    assert isinstance(refused, Failure)
    assert refused.kind == "refused"
    assert isinstance(answered, Encoded)


@pytest.mark.parametrize(("version", "is_older"), [("0.1.99", True), ("0.2.1", True), ("0.2.2", False)])
def test_the_adapter_is_chosen_by_the_release(version: str, is_older: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentencepiece_subject, "version", lambda: version)
    subject = sentencepiece_subject.load(embedded_models()["spm-char"], "sentencepiece")
    assert isinstance(subject, OlderSentencePieceSubject) == is_older
