"""What subjects answer in bulk is what they answer in full."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.modelling import plan_models
from conformance.observation import Decoded, Encoded
from conformance.subjects import load_subject
from conformance.subjects.base import Subject
from conformance.subjects.in_bulk import InBulk, in_bulk
from tests.conformance.session.sessions import planted

SUBJECTS = [
    ("bpe-qwen", "reftok"),
    ("bpe-qwen", "tokenizers"),
    ("spm-unigram-hf", "tokenizers"),
    ("spm-bpe", "reftok"),
    ("spm-bpe", "sentencepiece"),
]
TEXTS = st.lists(st.text(st.sampled_from("aé ▁ ☃1'<|im_start|>\n"), max_size=12), max_size=4)
IDS = st.lists(st.lists(st.integers(0, 5_100), max_size=5), max_size=4)


@cache
def loaded(model: str, name: str) -> tuple[Subject, InBulk]:
    (plan,) = plan_models((model,))
    subject = load_subject(name, plan.path, plan.format, 5.0)
    bulk = in_bulk(subject)
    assert bulk is not None
    return subject, bulk


@pytest.mark.parametrize(("model", "name"), SUBJECTS)
def test_ids_in_bulk_are_those_of_each_text(model: str, name: str) -> None:
    subject, bulk = loaded(model, name)

    @settings(max_examples=40)
    @given(TEXTS)
    def holds(texts: list[str]) -> None:
        answers = map(subject.encode, texts)
        expected = [list(answer.ids) if isinstance(answer, Encoded) else None for answer in answers]
        assert [None if ids is None else list(ids) for ids in bulk.ids(texts)] == expected

    holds()


@pytest.mark.parametrize(("model", "name"), SUBJECTS)
def test_texts_in_bulk_are_those_of_each_list_of_ids(model: str, name: str) -> None:
    subject, bulk = loaded(model, name)

    @settings(max_examples=40)
    @given(IDS)
    def holds(lists: list[list[int]]) -> None:
        answers = list(map(subject.decode, lists))
        assert bulk.texts(lists) == [answer.kept if isinstance(answer, Decoded) else None for answer in answers]
        if bulk.without_special is not None:
            skipped = [answer.text if isinstance(answer, Decoded) else None for answer in answers]
            assert bulk.without_special(lists) == skipped

    holds()


def test_bytes_are_encoded_in_bulk_by_those_that_take_them() -> None:
    for name in ("reftok", "sentencepiece"):
        subject, bulk = loaded("spm-bpe", name)
        answer = subject.encode(b"a\xff b")
        assert isinstance(answer, Encoded)
        assert list(map(list, filter(None, bulk.ids([b"a\xff b"])))) == [list(answer.ids)]


def test_one_refusal_does_not_spoil_the_answers_of_others() -> None:
    _, bulk = loaded("bpe-qwen", "tokenizers")
    refused: Any = "\ud800"
    assert [ids is None for ids in bulk.ids(["a", refused, "b"])] == [False, True, False]
    assert [text is None for text in bulk.texts([[5], [-1], [6]])] == [False, True, False]


def test_a_subject_of_the_users_has_no_such_door() -> None:
    (plan,) = plan_models(("bpe-gpt2",))
    subject = load_subject(planted("correct"), plan.path, plan.format, 60.0)
    try:
        assert in_bulk(subject) is None
    finally:
        subject.close()
