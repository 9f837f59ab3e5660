"""The subject asks the library for a batch where it can, and gives the same as for each input on its own."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from conformance.subjects.sentencepiece_subject import SentencePieceSubject
from reftok import embedded_models

INPUTS = ("a b", b"a b", "é", b"\xff", "", b"")


@pytest.mark.parametrize("model", ["spm-bpe", "spm-unigram"])
def test_bytes_in_a_batch_do_not_keep_its_texts_from_being_a_batch(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = SentencePieceSubject(embedded_models()[model])
    recording = Mock(wraps=subject._processor)
    monkeypatch.setattr(subject, "_processor", recording)
    batch = subject.encode_batch(INPUTS)
    assert [call.args[0] for call in recording.Encode.mock_calls] == [["a b", "é", ""], b"a b", b"\xff", b""]
    assert batch == [subject.encode(text) for text in INPUTS]
