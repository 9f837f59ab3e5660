"""What subjects answer in bulk is what they answer in full."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.core.observation import Decoded, Encoded, Failure
from conformance.runs.models import plan_models
from conformance.subjects.adapters import load_subject
from conformance.subjects.base import InBulk, Subject
from conformance.subjects.isolated import IsolatedSubject
from conformance.subjects.protocol_subject import MOST_DEATHS
from tests.conformance.fuzzing.sessions import planted

from .isolated_subjects import isolated

SUBJECTS = [
    ("bpe-qwen", "reftok"),
    ("bpe-qwen", "tokenizers"),
    ("spm-unigram-hf", "tokenizers"),
    ("spm-bpe", "reftok"),
    ("spm-bpe", "sentencepiece"),
]
DIES = """
import os
class Subject:
    def __init__(self, path): pass
    def encode(self, text, add_special_tokens): return os._exit(3) if text == "death" else [len(text)]
    def decode(self, ids, skip_special_tokens): return ""
"""
TEXTS = st.lists(st.text(st.sampled_from("aé ▁ ☃1'<|im_start|>\n"), max_size=12), max_size=4)
IDS = st.lists(st.lists(st.integers(0, 5_100), max_size=5), max_size=4)


@cache
def loaded(model: str, name: str) -> tuple[Subject, InBulk]:
    (plan,) = plan_models((model,))
    subject = load_subject(name, plan.path, plan.format, 5.0)
    bulk = subject.in_bulk()
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


@pytest.fixture
def of_the_users() -> Iterator[tuple[IsolatedSubject, InBulk]]:
    (plan,) = plan_models(("bpe-qwen",))
    subject = isolated(planted("correct"), plan.path, 60.0)
    yield subject, subject.in_bulk()
    subject.close()


def test_a_subject_in_a_process_answers_in_bulk_what_it_answers_in_full(
    of_the_users: tuple[IsolatedSubject, InBulk],
) -> None:
    subject, bulk = of_the_users
    texts = ["", "é ▁ ☃", "<|im_start|>user"] * 40
    answers = [answer for answer in map(subject.encode, texts) if isinstance(answer, Encoded)]
    assert bulk.ids(texts) == [list(answer.ids) for answer in answers]
    lists = [answer.ids for answer in answers]
    decoded = [answer for answer in map(subject.decode, lists) if isinstance(answer, Decoded)]
    assert bulk.texts(lists) == [answer.kept for answer in decoded]
    assert bulk.without_special is not None
    assert bulk.without_special(lists) == [answer.text for answer in decoded]
    assert bulk.ids(["a", b"a"])[1] is None


def test_a_death_in_bulk_leaves_the_rest_to_be_asked_in_full_and_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(DIES, "utf-8")
    subject = isolated(f"{tmp_path / 'mine.py'}:Subject", tmp_path, 1.0)
    try:
        for _ in range(1 + MOST_DEATHS):
            assert subject.in_bulk().ids(["a", "death", "b"])[1:] == [None, None]
        first, second, third = subject.encode_batch(["a", "death", "b"])
        assert isinstance(second, Failure)
        assert second.kind == "crashed"
        assert (first, third) == (Encoded((1,)), Encoded((1,)))
    finally:
        subject.close()


def test_a_subject_that_does_not_start_again_after_a_death_in_bulk_says_why(tmp_path: Path) -> None:
    """Fault: it was told to have hung or died 3 times, and nobody heard what it lacks."""
    file = tmp_path / "subject.py"
    file.write_text(DIES.replace("os._exit(3)", "(os.unlink(__file__), os._exit(3))"), "ascii")
    subject = isolated(f"{file}:Subject", tmp_path, 5.0)
    bulk = subject.in_bulk()
    assert bulk is not None
    assert bulk.ids(["death"]) == [None]
    assert bulk.ids(["a"]) == [None]
    answer = subject.encode("a")
    assert isinstance(answer, Failure)
    assert "cannot be loaded: FileNotFoundError" in answer.message
    subject.close()
